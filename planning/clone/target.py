"""Where a clone is to be, and what is known of that place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planning.inputs.faults import nearest
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from ipaddress import IPv4Network

    from catalogs.model import Region
    from planning.quoting.candidates.market import Market

REGIONS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The placement of a clone's home.

    Args:
        zones: () where the quote chooses them.
        cidr: None where a free range is looked for.
    """

    provider: str
    region: str
    zones: tuple[str, ...] = ()
    cidr: IPv4Network | None = None

    def __str__(self) -> str:
        return f"{self.provider} {self.region}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetMarket:
    """What the price book knows of the target.

    Args:
        kinds: accelerators on sale there, by name, with the ways they are sold.
        elsewhere: regions of the same provider that sell an accelerator, by its name.
        families: family of each accelerator by its name.
    """

    region: Region
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict[str, "frozenset[str]"])
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    families: Mapping[str, str] = field(default_factory=dict[str, str])

    def sells(self, accelerator: str) -> frozenset[str]:
        """How an accelerator, or its family, is sold there; empty where it is not."""
        named = (kinds for name, kinds in self.kinds.items() if accelerator in (name, self.families.get(name)))
        return frozenset(kind for kinds in named for kind in kinds)


def region_of(regions: Iterable[Region], *, provider: str, name: str) -> Region:
    """The region of a provider.

    Raises:
        InputError: it has none of that name; says who has, or which was meant.
    """
    known = tuple(regions)
    here = {each.name: each for each in known if each.provider == provider}
    if name in here:
        return here[name]
    others = sorted({each.provider for each in known if each.name == name})
    near = nearest(name, here)
    meant = f'did you mean "{near}"?' if near else ""
    hint = f"{' and '.join(others)} would: add --provider {others[0]}" if others else meant
    some = ", ".join(sorted(here)[:REGIONS_SHOWN])
    more = f" and {len(here) - REGIONS_SHOWN} more" if len(here) > REGIONS_SHOWN else ""
    raise InputError(f'{provider} has no region "{name}"', hint=hint or f"its regions: {some}{more}")


def read_target_market(market: Market, target: Target) -> TargetMarket:
    region = region_of(market.catalog.regions.values(), provider=target.provider, name=target.region)
    kinds: dict[str, set[str]] = {}
    elsewhere: dict[str, set[str]] = {}
    families: dict[str, str] = {}
    for stock in market.stocks:
        if stock.machine.provider != target.provider:
            continue
        name = stock.accelerator.name
        families[name] = stock.accelerator.family
        elsewhere.setdefault(name, set()).update(stock.regions)
        if target.region in stock.regions:
            sold = {offer.term.kind.value for offer in stock.offers(target.region)}
            kinds.setdefault(name, set()).update(sold)
    return TargetMarket(
        region=region,
        kinds={name: frozenset(sold) for name, sold in sorted(kinds.items())},
        elsewhere={name: tuple(sorted(found)) for name, found in sorted(elsewhere.items())},
        families=families,
    )
