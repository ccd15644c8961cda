"""Quota, offer and reservation of a pool: three facts that are never made one, each of which may be unknown.

They are printed as they are, so that the docstrings of the classes are part of the published schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from pydantic import with_config

from planning.costs.json_shapes import Day, publish_as
from planning.values.json_format import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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


@with_config(publish_as("QuotaForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaFact:
    """Whether a quota is large enough for everything of the stack that counts against it."""

    state: Literal["enough", "short", "not_needed", "unknown"]
    code: str = ""
    name: str = ""
    unit: str = ""
    needed: int | None = None
    limit: int | None = None
    used: int | None = None  # by others than this stack
    reason: str = ""


@with_config(publish_as("OfferedForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedFact:
    """Whether the machine is sold where the pool may start."""

    state: Literal["offered", "not_offered", "unknown"]
    zones: tuple[str, ...] = ()  # of those that the pool may use, the ones that offer it
    missing: tuple[str, ...] = ()  # of those that the pool may use, the ones that do not
    source: str = ""  # cloud, catalog, or nothing where nobody said
    as_of: Day = None  # of the catalog's fact
    reason: str = ""


@with_config(publish_as("ReservedForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedFact:
    """Whether what is reserved for the pool fits it."""

    state: Literal["reserved", "mismatch", "missing", "not_needed", "unknown"]
    id: str = ""
    status: str = ""
    machine: str = ""
    zone: str = ""
    count: int | None = None
    ends: Day = None
    reason: str = ""


@with_config(publish_as("PoolFactsForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The three facts of a pool."""

    pool: str
    machine: str
    kind: str
    nodes: int  # at most
    quota: QuotaFact
    offered: OfferedFact
    reserved: ReservedFact


@with_config(publish_as("PlacementFactsForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts:
    """One placement."""

    placement: str
    provider: str
    region: str
    silence: str  # why its cloud did not answer; nothing where it did
    pools: tuple[PoolFacts, ...]
    quotas: tuple[QuotaFact, ...]  # those that belong to no pool


@with_config(publish_as("PreflightForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """`atoll preflight --json`."""

    schema_version: int
    stack: str
    standing: Literal["right", "wrong", "unknown"]
    placements: tuple[PlacementFacts, ...]
    strays: tuple[str, ...]  # pools that the stack reserves for and that no placement has


def summarize_facts(stack: str, placements: tuple[PlacementFacts, ...], *, strays: tuple[str, ...]) -> Preflight:
    """Every placement of a stack: wrong as soon as one fact is, unknown where none is wrong and one is not known."""
    verdicts = {STANDINGS[fact.state] for each in placements for fact in _facts(each)}
    if strays:
        verdicts.add(FactVerdict.WRONG)
    standing = next((each for each in (FactVerdict.WRONG, FactVerdict.UNKNOWN) if each in verdicts), FactVerdict.RIGHT)
    return Preflight(
        schema_version=SCHEMA_VERSION, stack=stack, standing=standing.value, placements=placements, strays=strays
    )


def _facts(each: PlacementFacts) -> Iterable[QuotaFact | OfferedFact | ReservedFact]:
    yield from each.quotas
    for pool in each.pools:
        yield from (pool.quota, pool.offered, pool.reserved)
