"""How good the estimates are: each known price left out once, estimated from the others, and compared."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from statistics import median
from typing import TYPE_CHECKING, Final

from planning.costs.estimates import SERVICES
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from catalogs.model import Price
    from planning.costs.estimates import Estimates


NEARLY_ALL: Final = Decimal("0.9")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One known price of a service in a region, estimated as if it were not known.

    Args:
        inside: whether the true price lies in the estimated range, of tiers in each.
        error: of the expected price, as a part of the true one; of tiers the largest.
        width: most expensive region over the least expensive one; None where one is free.
        regions: how many others have a price.
        alike: whether every other region has one and the same price, so that nothing was at stake.
    """

    provider: str
    item: str
    region: str
    inside: bool
    error: Decimal
    width: Decimal | None
    regions: int
    alike: bool


def try_all(estimates: Estimates, *, providers: Iterable[str]) -> Iterator[Trial]:
    """A trial for every known price that can be estimated from others."""
    for provider in sorted(providers):
        for item in sorted(SERVICES):
            for region, tiers in sorted(estimates.find_known(provider=provider, item=item).items()):
                found = estimates.find(provider=provider, item=item, region=region)
                if found is None:
                    continue
                pairs = [(tier.usd, _price_above(tiers, tier.above)) for tier in found.tiers]
                first = found.tiers[0].usd
                yield Trial(
                    provider=provider,
                    item=item,
                    region=region,
                    inside=all(usd.min <= true <= usd.max for usd, true in pairs),
                    error=max(_error(usd.expected, true) for usd, true in pairs),
                    width=first.max / first.min if first.min else None,
                    regions=found.regions,
                    alike=all(usd.min == usd.max for usd, _ in pairs),
                )


def _price_above(tiers: Sequence[Price], above: Decimal) -> Decimal:
    """The true price of the first unit above a quantity, also where its tiers begin at other quantities."""
    return next(price.usd for price in reversed(tiers) if price.above <= above)


def _error(expected: Decimal, true: Decimal) -> Decimal:
    """As a part of the true price; of a free unit the whole of it is wrong where anything is expected."""
    return abs(expected - true) / true if true else Decimal(expected != ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTest:
    """What trials come to together.

    Args:
        inside: part of them whose true price lies in the range.
        median_error: half of the errors are at most this; nearly_all_error: nine of ten are.
        median_width: of the ranges; None where every one begins at nothing.
        outside: regions whose true price lies outside the range.
    """

    trials: int
    inside: Decimal
    median_error: Decimal
    nearly_all_error: Decimal
    median_width: Decimal | None
    outside: tuple[str, ...]


def sum_up(trials: Sequence[Trial]) -> BackTest:
    """The figures of some trials.

    Raises:
        ValueError: there are none.
    """
    if not trials:
        raise ValueError("no trial, so there is nothing to sum up")
    errors = sorted(each.error for each in trials)
    at = int((len(errors) * NEARLY_ALL).to_integral_value(ROUND_CEILING)) - 1
    widths = sorted(each.width for each in trials if each.width is not None)
    return BackTest(
        trials=len(trials),
        inside=Decimal(sum(each.inside for each in trials)) / len(trials),
        median_error=median(errors),
        nearly_all_error=errors[at],
        median_width=median(widths) if widths else None,
        outside=tuple(each.region for each in trials if not each.inside),
    )


def by(trials: Iterable[Trial], *names: str) -> dict[tuple[str, ...], list[Trial]]:
    """Trials under what they have in common."""
    found: dict[tuple[str, ...], list[Trial]] = {}
    for each in trials:
        found.setdefault(tuple(str(getattr(each, name)) for name in names), []).append(each)
    return found
