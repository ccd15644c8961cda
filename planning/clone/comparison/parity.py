"""Security of the source held against the target: what each control becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from planning.clone.comparison.security_controls.account import ACCOUNT_CONTROLS
from planning.clone.comparison.security_controls.control import ControlClaim
from planning.clone.comparison.security_controls.control_plane import API_CONTROLS
from planning.clone.comparison.security_controls.nodes import NODE_CONTROLS
from planning.clone.comparison.security_controls.storage import DATA_CONTROLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.clone.comparison.security_controls.control import Control
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

Standing = Literal["equal", "weaker", "none", "stronger", "differs", "yours", "cannot tell"]
CONTROLS: Final = (*API_CONTROLS, *NODE_CONTROLS, *DATA_CONTROLS, *ACCOUNT_CONTROLS)
NOT_BUILT: Final = ControlClaim(level="open", words="Atoll builds nothing there yet")
_RANK: Final[Mapping[str, int]] = {"none": 0, "part": 1, "full": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """One control on both sides.

    Args:
        name: word of the table of controls.
        standing: the target held against the source; "differs": both have a part, and not the same one.
        source: the norm that asks for it.
    """

    placement: str
    name: str
    title: str
    standing: Standing
    old: str
    new: str
    source: str


def _private(spec: ClusterSpec, lock: Lock) -> bool:
    _ = lock
    return not spec.network.api_cidrs


def _ranges(spec: ClusterSpec, lock: Lock) -> bool:
    _ = lock
    return bool(spec.network.api_cidrs)


def _ceiling(spec: ClusterSpec, lock: Lock) -> bool:
    _ = spec
    ceiling = lock.ceiling
    return ceiling.usd_per_month is not None or ceiling.usd_per_contract is not None


# Controls that a stack has only where its lock asks for them.
ASKED: Final[Mapping[str, Callable[[ClusterSpec, Lock], bool]]] = {
    "private": _private,
    "ranges": _ranges,
    "ceiling": _ceiling,
}


def parities(old: Lock, new: Lock) -> Iterator[Parity]:
    """Every control of every cluster that both sides have, but those that neither has."""
    before = {spec.placement.name: spec for spec in old.placements}
    for spec in new.placements:
        source = before.get(spec.placement.name)
        if source is not None:
            yield from _of_cluster(source, spec, old)


def _of_cluster(old: ClusterSpec, new: ClusterSpec, lock: Lock) -> Iterator[Parity]:
    for control in CONTROLS:
        if control.asked_by and not ASKED[control.asked_by](old, lock):
            continue
        before, after = (control.claims.get(each.placement.target, NOT_BUILT) for each in (old, new))
        if before.level != "none" or after.level != "none":
            yield _parity(control, before, after, placement=new.placement.name)


def _parity(control: Control, old: ControlClaim, new: ControlClaim, *, placement: str) -> Parity:
    return Parity(
        placement=placement,
        name=control.name,
        title=control.title,
        standing=compare_levels(old, new),
        old=old.words,
        new=new.words,
        source=control.source,
    )


def compare_levels(old: ControlClaim, new: ControlClaim) -> Standing:
    if "open" in {old.level, new.level}:
        return "cannot tell"
    if "theirs" in {old.level, new.level}:
        return "yours"
    before, after = _RANK[old.level], _RANK[new.level]
    if after > before:
        return "stronger"
    if after < before:
        return "weaker" if after else "none"
    return "equal" if old.level == "full" or old.words == new.words else "differs"
