"""What a lock holds: the accepted option and its bill, decided, in plain values."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum

from planning.spec.cluster import ClusterSpec
from planning.spec.model import Decided


class State(StrEnum):
    """The three states of a price. Unpriced is never 0."""

    PRICED = "priced"
    FREE = "free"  # free by a rule that `source` names
    UNPRICED = "unpriced"


class LockedLine(Decided):
    """One line of the bill as it was accepted."""

    key: str
    label: str
    item: str
    state: str
    unit: str
    quantity: tuple[Decimal, Decimal, Decimal]
    """min, expected, max in a month."""
    usd_per_unit: Decimal | None
    usd_per_month: tuple[Decimal, Decimal, Decimal] | None
    source: str
    as_of: date | None


class Ceilings(Decided):
    """The limits that hold for the life of the cluster."""

    usd_per_month: Decimal | None
    usd_per_contract: Decimal | None
    usd_per_gpu_hour: Decimal | None
    binds: str


class Lock(Decided):
    """quote.lock.json."""

    schema_version: int
    stack: str
    option: str
    views: tuple[str, ...]
    checklist_digest: str
    prices: str
    prices_digest: str
    prices_as_of: date | None
    priced_at: date
    valid_until: date
    ceiling: Ceilings
    contract_months: int
    placements: tuple[ClusterSpec, ...]
    """One cluster each; the first is home."""
    joined: bool
    """Whether jobs of the home cluster are sent on to the others (Kueue MultiKueue)."""
    residency: str = "any"
    """Where data may lie, as the checklist says it."""
    bill: tuple[LockedLine, ...]

    @property
    def spec(self) -> ClusterSpec:
        """The cluster at home."""
        return self.placements[0]
