"""Compares the security controls of source and target (catalogs/security_controls.yaml)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from planning.costs.json_shapes import publish_as
from planning.inputs.fact_tables import read_table

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

Standing = Literal["equal", "weaker", "none", "stronger", "differs", "yours", "undetermined"]
EACH: Final = "*"  # in a path: every element of a list
_CLOSED: Final = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ControlProof:
    """An input of a registered resource, in a run of the program without an engine.

    Args:
        type: type token; at least one resource has it, and every one must fit.
        name: pattern of logical names.
        path: into the inputs; an empty one requires only that the resource exists.
        equals: value of the input; None requires only that there is one.
        holds: element of a list, or part of a text, in the input.
    """

    type: str
    name: str = "*"
    path: tuple[str | int, ...] = ()
    equals: str | bool | int | float | None = None
    holds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ControlClaim:
    """How far a target meets a control.

    Args:
        level: "theirs" where the operator of the cluster decides, "open" where no source tells.
        made_by: file that implements it, or the fact that states it.
        proofs: all of them hold in a run of the target.
        absent: words in no type and in no input of the target's run, where the control is missing.
        says: text in `made_by`, where no resource can prove it.
    """

    level: Literal["full", "part", "none", "theirs", "open"]
    words: str
    made_by: str = ""
    proofs: tuple[ControlProof, ...] = ()
    absent: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Control:
    """One security control.

    Args:
        source: standard that requires it.
        asked_by: key of `ASKED`; "" where every cluster needs it.
    """

    name: str
    title: str
    source: str
    claims: Mapping[str, ControlClaim]
    asked_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("ParityForm"))
class Parity:
    """One security control on both sides."""

    placement: str
    name: str
    title: str
    standing: Standing
    """The target compared with the source. "none": nothing replaces it; "differs": both meet it in part, differently;
    "yours": the operator of the cluster decides."""
    old: str
    new: str
    source: str


NOT_BUILT: Final = ControlClaim(level="open", words="Atoll builds nothing there yet")
_RANK: Final[Mapping[str, int]] = {"none": 0, "part": 1, "full": 2}


# Controls that only some locks require.
ASKED: Final[Mapping[str, Callable[[ClusterSpec, Lock], bool]]] = {
    "private": lambda spec, _: not spec.network.api_cidrs,
    "ranges": lambda spec, _: bool(spec.network.api_cidrs),
    "ceiling": lambda _, lock: any(
        limit is not None for limit in (lock.ceiling.usd_per_month, lock.ceiling.usd_per_contract)
    ),
}


@cache
def read_controls() -> tuple[Control, ...]:
    return read_table("security_controls.yaml", tuple[Control, ...])


def parities(old: Lock, new: Lock) -> Iterator[Parity]:
    """Controls of every placement on both sides, except those that neither side has."""
    before = {spec.placement.name: spec for spec in old.placements}
    for spec in new.placements:
        source = before.get(spec.placement.name)
        if source is not None:
            yield from _compare_cluster(source, spec, old)


def _compare_cluster(old: ClusterSpec, new: ClusterSpec, lock: Lock) -> Iterator[Parity]:
    for control in read_controls():
        if control.asked_by and not ASKED[control.asked_by](old, lock):
            continue
        before, after = (control.claims.get(each.placement.target, NOT_BUILT) for each in (old, new))
        if before.level != "none" or after.level != "none":
            yield Parity(
                placement=new.placement.name,
                name=control.name,
                title=control.title,
                standing=compare_levels(before, after),
                old=before.words,
                new=after.words,
                source=control.source,
            )


def compare_levels(old: ControlClaim, new: ControlClaim) -> Standing:
    if "open" in {old.level, new.level}:
        return "undetermined"
    if "theirs" in {old.level, new.level}:
        return "yours"
    before, after = _RANK[old.level], _RANK[new.level]
    if after > before:
        return "stronger"
    if after < before:
        return "weaker" if after else "none"
    return "equal" if old.level == "full" or old.words == new.words else "differs"
