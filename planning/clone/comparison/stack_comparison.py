"""A source and its clone, held side by side: money, capabilities, security, where data lies, how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.clone.comparison.capabilities import differences
from planning.clone.comparison.parity import parities
from planning.clone.comparison.price_lines import price_lines
from planning.clone.comparison.residency import latency, residences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from planning.clone.comparison.difference import Difference
    from planning.clone.comparison.parity import Parity
    from planning.clone.comparison.price_lines import PriceLines
    from planning.clone.comparison.residency import Latency, Residence
    from planning.spec.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneComparison:
    """Everything that differs between two accepted stacks."""

    old: str
    new: str
    money: PriceLines
    capabilities: tuple[Difference, ...]
    security: tuple[Parity, ...]
    residency: tuple[Residence, ...]
    latency: Latency
    notes: tuple[str, ...] = ()


def compare(old: Lock, new: Lock, *, catalog: Catalog) -> CloneComparison:
    """The clone held against its source."""
    return CloneComparison(
        old=old.stack,
        new=new.stack,
        money=price_lines(old, new),
        capabilities=differences(old, new, catalog=catalog),
        security=tuple(parities(old, new)),
        residency=residences(old, new, catalog=catalog),
        latency=latency(old, new),
        notes=tuple(_notes(new)),
    )


def _notes(new: Lock) -> Iterator[str]:
    for spec in new.placements:
        if spec.placement.target == "none":
            yield f"Atoll builds nothing at {spec.placement.provider} yet: the clone is a quote, not a cluster"
