"""Shapes of the table of security controls: what each target has of each, and where that can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

# "theirs": whoever runs the cluster decides; "open": no source read says.
Level = Literal["full", "part", "none", "theirs", "open"]
Path = tuple[str | int, ...]
# CIS Amazon EKS Benchmark, sections as research/policy_migration.md §4.1 read them; other targets are held against it.
CIS_EKS: Final = "CIS EKS"
EACH: Final = "*"  # in a path: every element of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlProof:
    """An input of a registered resource, as a run of the program without an engine shows it.

    Args:
        type: type token; every resource of that type must fit, and there must be one.
        name: only resources whose logical name fits this pattern.
        path: into the inputs; an empty one asks only that the resource is there.
        equals: what stands there; None asks only that something does.
        holds: what a list or a text there holds.
    """

    type: str
    name: str = "*"
    path: Path = ()
    equals: str | bool | float | None = None
    holds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlClaim:
    """What a target has of a control.

    Args:
        made_by: file that makes it, or the fact that says so.
        proofs: all of them hold in a run of the target.
        absent: words that are in no type and in no name of an input of the target's run, where there is none.
        says: words that stand in `made_by`, where no resource can show it.
    """

    level: Level
    words: str
    made_by: str = ""
    proofs: tuple[ControlProof, ...] = ()
    absent: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One security control.

    Args:
        source: the norm that asks for it.
        asked_by: word of `planning.clone.comparison.parity.ASKED`; "" where every cluster has it.
    """

    name: str
    title: str
    source: str
    claims: Mapping[str, ControlClaim]
    asked_by: str = ""


THEIRS: Final = ControlClaim(
    level="theirs",
    words="whoever runs the cluster decides",
    made_by="components/clouds/existing/cluster/control_plane.py",
    says="nothing of it is created or deleted here",
)
