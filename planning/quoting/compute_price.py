"""What money buys in arithmetic: USD per hour for 1000 TFLOPS, and how much cheaper one price is than another.

The table of "ML: A Hardware Perspective" (28 January 2025) counts 2,200 TFLOPS for 8 A100 and 7,120 for 8 H100, TF32
with sparsity, so the peak is always an argument: figures over different peaks may not be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind

if TYPE_CHECKING:
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Offer

TFLOPS: Final = 1000


def usd_per_1000_tflops(*, usd_per_hour: Decimal, tflops: Decimal | int) -> Decimal:
    """USD per hour for 1000 TFLOPS of a machine that costs `usd_per_hour` and peaks at `tflops` in all.

    Raises:
        ValueError: a peak that is not positive.
    """
    if tflops <= 0:
        raise ValueError(f"a peak is positive: {tflops}")
    return usd_per_hour * TFLOPS / tflops


def usd_per_1000_tflops_of(*, usd_per_hour: Decimal, peak: Decimal | None, accelerators: int) -> Decimal | None:
    """The same from the peak of one accelerator; None where it is not known or there is none."""
    if not peak or not accelerators:
        return None
    return usd_per_1000_tflops(usd_per_hour=usd_per_hour, tflops=peak * accelerators)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """USD per hour for 1000 TFLOPS of one machine, bought on demand."""

    provider: str
    machine: str
    accelerator: str
    region: str
    usd_per_hour: Decimal
    usd_per_1000_tflops_hour: Decimal


def worth_of_machines(catalog: Catalog, *, precision: str) -> tuple[Worth, ...]:
    """Every GPU machine on demand by what 1000 TFLOPS of it cost, least first.

    Peaks are dense, as the catalog has them; a dated book whose own text reckons with other peaks keeps those.
    """
    found = (_worth(catalog, offer, precision) for offer in catalog.offers(accelerated=True))
    return tuple(sorted((each for each in found if each), key=lambda each: each.usd_per_1000_tflops_hour))


def _worth(catalog: Catalog, offer: Offer, precision: str) -> Worth | None:
    machine = offer.machine
    if offer.term.kind is not PurchaseKind.ON_DEMAND or machine.accelerator is None:
        return None
    peak = _peak(catalog, catalog.accelerators[machine.accelerator], precision)
    usd = usd_per_1000_tflops_of(usd_per_hour=offer.price.usd, peak=peak, accelerators=machine.accelerators)
    if usd is None:
        return None
    return Worth(
        provider=machine.provider,
        machine=machine.name,
        accelerator=machine.accelerator,
        region=offer.region,
        usd_per_hour=offer.price.usd,
        usd_per_1000_tflops_hour=usd,
    )


def _peak(catalog: Catalog, accelerator: Accelerator, precision: str) -> Decimal | None:
    nominal = catalog.nominals.get(accelerator.family)
    if nominal is not None and nominal.precision == precision:
        return nominal.tflops / nominal.accelerators
    return accelerator.tflops.get(precision)
