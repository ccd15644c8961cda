"""Quota, offer and reservation of a pool: three facts that are never made one, each of which may be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.values.json_format import SCHEMA_VERSION, fill_form, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date


class FactVerdict(StrEnum):
    """What a fact means for the pool."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


STANDINGS: Final[Mapping[str, FactVerdict]] = {
    "enough": FactVerdict.RIGHT,
    "offered": FactVerdict.RIGHT,
    "reserved": FactVerdict.RIGHT,
    "not_needed": FactVerdict.RIGHT,
    "short": FactVerdict.WRONG,
    "not_offered": FactVerdict.WRONG,
    "mismatch": FactVerdict.WRONG,
    "missing": FactVerdict.WRONG,
    "unknown": FactVerdict.UNKNOWN,
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
    def standing(self) -> FactVerdict:
        """Wrong as soon as one fact is; unknown where none is wrong and one is not known."""
        facts = {STANDINGS[fact.state] for each in self.placements for fact in _facts(each)}
        if self.strays or FactVerdict.WRONG in facts:
            return FactVerdict.WRONG
        return FactVerdict.UNKNOWN if FactVerdict.UNKNOWN in facts else FactVerdict.RIGHT


def _facts(each: PlacementFacts) -> Iterable[QuotaFact | OfferedFact | ReservedFact]:
    yield from each.others
    for pool in each.pools:
        yield from (pool.quota, pool.offered, pool.reserved)


_CLOSED: Final = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class QuotaForm(TypedDict):
    """Whether a quota is large enough for everything of the stack that counts against it."""

    state: Literal["enough", "short", "not_needed", "unknown"]
    code: str
    name: str
    unit: str
    needed: int | None
    limit: int | None
    used: int | None
    """By others than this stack."""
    reason: str


@with_config(_CLOSED)
class OfferedForm(TypedDict):
    """Whether the machine is sold where the pool may start."""

    state: Literal["offered", "not_offered", "unknown"]
    zones: list[str]
    missing: list[str]
    source: str
    """cloud, catalog, or nothing where nobody said."""
    as_of: str | None
    """Day of the catalog's fact."""
    reason: str


@with_config(_CLOSED)
class ReservedForm(TypedDict):
    """Whether what is reserved for the pool fits it."""

    state: Literal["reserved", "mismatch", "missing", "not_needed", "unknown"]
    id: str
    status: str
    machine: str
    zone: str
    count: int | None
    ends: str | None
    reason: str


@with_config(_CLOSED)
class PoolFactsForm(TypedDict):
    """The three facts of a pool."""

    pool: str
    machine: str
    kind: str
    nodes: int
    """At most."""
    quota: QuotaForm
    offered: OfferedForm
    reserved: ReservedForm


@with_config(_CLOSED)
class PlacementFactsForm(TypedDict):
    """One placement."""

    placement: str
    provider: str
    region: str
    silence: str
    """Why its cloud did not answer; nothing where it did."""
    pools: list[PoolFactsForm]
    quotas: list[QuotaForm]
    """Those that belong to no pool."""


@with_config(_CLOSED)
class PreflightForm(TypedDict):
    """`atoll preflight --json`."""

    schema_version: int
    stack: str
    standing: Literal["right", "wrong", "unknown"]
    placements: list[PlacementFactsForm]
    strays: list[str]
    """Pools that the stack reserves for and that no placement has."""


def preflight_form(found: Preflight) -> PreflightForm:
    return fill_form(
        PreflightForm,
        found,
        schema_version=SCHEMA_VERSION,
        standing=found.standing.value,
        placements=[_placement(placement) for placement in found.placements],
    )


def _placement(facts: PlacementFacts) -> PlacementFactsForm:
    pools = [fill_form(PoolFactsForm, pool) for pool in facts.pools]
    return fill_form(PlacementFactsForm, facts, pools=pools, quotas=to_json(facts.others))
