"""What can move an asset, in the order in which it is tried, and what each method and store keeps of its features.

The table is catalogs/move_methods.yaml: the loss matrix, with the page that each cell is from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from planning.inputs.fact_tables import read_table
from planning.relocation.inventory.assets import AssetKind, Feature

_CLOSED: Final = ConfigDict(extra="forbid")


class Carries(StrEnum):
    """Whether a mover carries something over."""

    KEPT = "kept"
    DROPPED = "dropped"
    NOT_KNOWN = "not known"  # no page that we read says it; counted as dropped where it is used


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class LossCell:
    """What becomes of some features.

    Args:
        source: word of `SOURCES`.
        note: under which condition.
    """

    carries: Carries
    features: tuple[Feature, ...] = ()
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Mover:
    """One way to move things.

    Args:
        kinds: what it moves.
        runs: "atoll" where `atoll relocate run` runs it, "provider" where the cloud does, "you" where people do.
        between: pairs of stores or providers that it goes between; none for all.
        needs: what must be there first.
        limits: what stops it, beside what it loses.
    """

    name: str
    title: str
    kinds: frozenset[AssetKind]
    runs: Literal["atoll", "provider", "you"]
    between: frozenset[tuple[str, str]] | None = None
    needs: str = ""
    limits: str = ""
    carries: tuple[LossCell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class _MethodTable:
    pages: Mapping[str, str]
    methods: tuple[Mover, ...]
    stores: Mapping[str, tuple[LossCell, ...]]


def _by_feature(cells: Iterable[LossCell]) -> dict[Feature, LossCell]:
    return {feature: each for each in cells for feature in each.features}


_TABLE: Final = read_table("move_methods.yaml", _MethodTable)
SOURCES: Final = _TABLE.pages
MOVERS: Final = _TABLE.methods
BY_NAME: Final[Mapping[str, Mover]] = {each.name: each for each in MOVERS}
# Mover to feature to cell. A cell that is missing is not known.
MATRIX: Final[Mapping[str, Mapping[Feature, LossCell]]] = {
    each.name: _by_feature(each.carries) for each in MOVERS if each.carries
}
# What a store cannot hold, whoever writes it there.
CANNOT_HOLD: Final[Mapping[str, Mapping[Feature, LossCell]]] = {
    store: _by_feature(cells) for store, cells in _TABLE.stores.items()
}


def applicable(kind: AssetKind, *, source: str, target: str) -> tuple[Mover, ...]:
    """Movers for a kind of thing, between two stores or providers, in the order of preference."""
    return tuple(
        each for each in MOVERS if kind in each.kinds and (each.between is None or (source, target) in each.between)
    )


def cell(mover: str, feature: Feature, *, kind: AssetKind, target: str = "") -> LossCell:
    """What becomes of a feature by a mover; of buckets, the target's store has the last word."""
    limit = find_target_limit(feature, kind=kind, target=target)
    return limit or MATRIX.get(mover, {}).get(feature, LossCell(carries=Carries.NOT_KNOWN))


def find_target_limit(feature: Feature, *, kind: AssetKind, target: str) -> LossCell | None:
    return CANNOT_HOLD.get(target, {}).get(feature) if kind is AssetKind.BUCKET else None
