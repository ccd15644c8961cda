"""Quota, offer and reservation of a pool: three facts that are never made one, each of which may be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date


class Standing(StrEnum):
    """What a fact means for the pool."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


STANDINGS: Final[Mapping[str, Standing]] = {
    "enough": Standing.RIGHT,
    "offered": Standing.RIGHT,
    "reserved": Standing.RIGHT,
    "not_needed": Standing.RIGHT,
    "short": Standing.WRONG,
    "not_offered": Standing.WRONG,
    "mismatch": Standing.WRONG,
    "missing": Standing.WRONG,
    "unknown": Standing.UNKNOWN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaFact:
    """Whether the quota is large enough for every pool that counts against it.

    Args:
        needed: by all of them together, in `unit`.
        limit: None where it is not known.
        used: by others than this stack; None where it is not known.
    """

    state: Literal["enough", "short", "not_needed", "unknown"]
    code: str = ""
    name: str = ""
    unit: str = ""
    needed: int | None = None
    limit: int | None = None
    used: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedFact:
    """Whether the machine is sold where the pool may start.

    Args:
        zones: of those it may use, the ones that offer it.
        missing: of those it may use, the ones that do not.
    """

    state: Literal["offered", "not_offered", "unknown"]
    zones: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    source: str = ""
    as_of: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedFact:
    """Whether what the stack reserves for the pool fits it."""

    state: Literal["reserved", "mismatch", "missing", "not_needed", "unknown"]
    id: str = ""
    status: str = ""
    machine: str = ""
    zone: str = ""
    count: int | None = None
    ends: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The three facts of one pool."""

    pool: str
    machine: str
    nodes: int
    kind: str
    quota: QuotaFact
    offered: OfferedFact
    reserved: ReservedFact


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts:
    """The pools of one placement, and quotas that belong to none of them.

    Args:
        silence: why its cloud was not asked, or not about everything; "" where it was.
    """

    placement: str
    provider: str
    region: str
    pools: tuple[PoolFacts, ...]
    others: tuple[QuotaFact, ...]
    silence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """Every placement of a stack.

    Args:
        strays: pools that the stack reserves for and that no placement has.
    """

    stack: str
    placements: tuple[PlacementFacts, ...]
    strays: tuple[str, ...]

    @property
    def standing(self) -> Standing:
        """Wrong as soon as one fact is; unknown where none is wrong and one is not known."""
        facts = {STANDINGS[fact.state] for each in self.placements for fact in _facts(each)}
        if self.strays or Standing.WRONG in facts:
            return Standing.WRONG
        return Standing.UNKNOWN if Standing.UNKNOWN in facts else Standing.RIGHT


def _facts(each: PlacementFacts) -> Iterable[QuotaFact | OfferedFact | ReservedFact]:
    yield from each.others
    for pool in each.pools:
        yield from (pool.quota, pool.offered, pool.reserved)
