"""A stack's state as it is written down: what a destroy would delete, keep, or stumble over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.engine.session import Opened

ROOT_TYPE: Final = "pulumi:pulumi:Stack"
PROVIDER_PREFIX: Final = "pulumi:providers:"
INSIDE: Final = "kubernetes:"  # start of the types of what lies in a cluster
CLUSTERS: Final = frozenset(
    {"aws:eks/cluster:Cluster", "gcp:container/cluster:Cluster", "coreweave:index/cksCluster:CksCluster"}
)
GUARD: Final = "deletionProtection"  # of an EKS or GKE cluster: the cloud itself refuses to delete it


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One resource in the state.

    Args:
        id: what the cloud calls it; "" for a component.
        protected: the engine refuses to delete it.
        retained: the engine forgets it instead of deleting it.
        guarded: the cloud refuses to delete it.
    """

    urn: str
    type: str
    id: str
    protected: bool
    retained: bool
    guarded: bool

    @property
    def name(self) -> str:
        """Its logical name."""
        return self.urn.split("::")[-1]


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a stack's state holds."""

    held: tuple[Held, ...]

    @property
    def protected(self) -> tuple[Held, ...]:
        """What a destroy leaves alone."""
        return tuple(each for each in self.held if each.protected)

    @property
    def forgotten(self) -> tuple[Held, ...]:
        """What a destroy takes out of the state and leaves in the cloud."""
        return tuple(each for each in self.held if each.retained and not each.protected)

    @property
    def guarded(self) -> tuple[Held, ...]:
        """What the cloud will not delete before `atoll:allowDestroy` lifts its own protection."""
        return tuple(each for each in self.held if each.guarded and not each.protected and not each.retained)

    @property
    def has_work(self) -> bool:
        """Whether a destroy would do anything: components and providers of what is protected stay with it."""
        return bool(self.going or self.forgotten or (self.held and not self.protected))

    @property
    def going(self) -> tuple[Held, ...]:
        """What a destroy deletes: no components, no providers."""
        return tuple(each for each in self.held if each.id and not each.protected and not each.retained)


def read_state(opened: Opened) -> State:
    """The state of a stack, its secrets left as they are: encrypted.

    Raises:
        AtollError: the engine cannot export it.
    """
    deployment = opened.ask_json("stack", "export").get("deployment")
    rows = _mapping(deployment).get("resources")
    found = (_held(_mapping(row)) for row in cast("list[object]", rows or []))
    return State(tuple(each for each in found if each.type != ROOT_TYPE))


def left_behind(*, was: State, after: State) -> Iterator[tuple[str, Held]]:
    """What is still in the cloud after a destroy, and why."""
    yield from (("protected", each) for each in after.protected)
    yield from (("needed by what is protected", each) for each in after.going)
    still = {each.urn for each in after.held}
    went = any(each.type in CLUSTERS and each.urn not in still for each in was.held)
    for each in was.forgotten:
        if each.urn not in still:
            yield _where(each, cluster_went=went), each


def _where(forgotten: Held, *, cluster_went: bool) -> str:
    """Where something is that the engine let go: what lay in a cluster went with it, but for the disks of volumes."""
    if not forgotten.type.startswith(INSIDE):
        return "left in the cloud"
    return "gone with its cluster; disks of its volumes stay" if cluster_went else "left in the cluster"


def _held(row: Mapping[str, object]) -> Held:
    type_ = str(row.get("type"))
    is_provider = type_.startswith(PROVIDER_PREFIX)
    return Held(
        urn=str(row.get("urn")),
        type=type_,
        id="" if is_provider else str(row.get("id") or ""),
        protected=bool(row.get("protect")),
        retained=bool(row.get("retainOnDelete")),
        guarded=_mapping(row.get("inputs")).get(GUARD) is True,
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
