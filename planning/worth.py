"""What money buys in arithmetic: USD per hour for 1000 TFLOPS, and how much cheaper one price is than another.

The table of founding text 000 (28 January 2025) counts 2,200 TFLOPS for 8 A100 and 7,120 for 8 H100, TF32 with
sparsity, so the peak is always an argument: figures over different peaks may not be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decimal import Decimal

TFLOPS: Final = 1000
PERCENT: Final = 100


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


def cheaper_by(usd: Decimal, other_usd: Decimal) -> Decimal:
    """Percent by which `usd` is below `other_usd`; negative where it is above.

    Raises:
        ValueError: nothing to compare with.
    """
    if other_usd <= 0:
        raise ValueError(f"a price to compare with is positive: {other_usd}")
    return (1 - usd / other_usd) * PERCENT
