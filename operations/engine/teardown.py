"""Destroys a cluster: lifts the cloud's own deletion protection, then deletes everything that is not protected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from pulumi.automation import CommandError, ConfigValue

from operations.engine import operation
from operations.engine.messages import build_operation_error
from operations.engine.stack_warnings import ALLOW_DESTROY
from planning.values.errors import AtollError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.engine.operation import OperationReport, Progress
    from operations.engine.session import StackSession


ROOT_TYPE: Final = "pulumi:pulumi:Stack"
PROVIDER_PREFIX: Final = "pulumi:providers:"
INSIDE: Final = "kubernetes:"  # start of the types of what lies in a cluster
CLUSTERS: Final = frozenset(
    {"aws:eks/cluster:Cluster", "gcp:container/cluster:Cluster", "coreweave:index/cksCluster:CksCluster"}
)
GUARD: Final = "deletionProtection"  # of an EKS or GKE cluster: the cloud itself refuses to delete it


@dataclass(frozen=True, slots=True, kw_only=True)
class StackResource:
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
        return self.urn.split("::")[-1]


@dataclass(frozen=True, slots=True)
class StackState:
    """Everything that a stack's state holds."""

    held: tuple[StackResource, ...]

    @property
    def protected(self) -> tuple[StackResource, ...]:
        return tuple(each for each in self.held if each.protected)

    @property
    def forgotten(self) -> tuple[StackResource, ...]:
        """What a destroy takes out of the state and leaves in the cloud."""
        return tuple(each for each in self.held if each.retained and not each.protected)

    @property
    def guarded(self) -> tuple[StackResource, ...]:
        """What the cloud will not delete before `atoll:allowDestroy` lifts its own protection."""
        return tuple(each for each in self.held if each.guarded and not each.protected and not each.retained)

    @property
    def has_work(self) -> bool:
        """Whether a destroy would do anything."""
        # Components and providers of what is protected stay with it: alone they are no work.
        return bool(self.going or self.forgotten or (self.held and not self.protected))

    @property
    def going(self) -> tuple[StackResource, ...]:
        """What a destroy deletes: no components, no providers."""
        return tuple(each for each in self.held if each.id and not each.protected and not each.retained)


def read_state(opened: StackSession) -> StackState:
    """The state of a stack, its secrets left as they are: encrypted.

    Raises:
        AtollError: the engine cannot export it.
    """
    deployment = opened.ask_json("stack", "export").get("deployment")
    rows = to_mapping(deployment).get("resources")
    found = (_parse_resource(to_mapping(row)) for row in cast("list[object]", rows or []))
    return StackState(tuple(each for each in found if each.type != ROOT_TYPE))


def list_remaining(*, was: StackState, after: StackState) -> Iterator[tuple[str, StackResource]]:
    """What is still in the cloud after a destroy, and why."""
    yield from (("protected", each) for each in after.protected)
    yield from (("needed by what is protected", each) for each in after.going)
    still = {each.urn for each in after.held}
    went = any(each.type in CLUSTERS and each.urn not in still for each in was.held)
    for each in was.forgotten:
        if each.urn not in still:
            yield _where(each, cluster_went=went), each


def _where(forgotten: StackResource, *, cluster_went: bool) -> str:
    """Where something is that the engine let go."""
    # What lay in a cluster went with it, but for the disks of its volumes.
    if not forgotten.type.startswith(INSIDE):
        return "left in the cloud"
    return "gone with its cluster; disks of its volumes stay" if cluster_went else "left in the cluster"


def _parse_resource(row: Mapping[str, object]) -> StackResource:
    type_ = str(row.get("type"))
    is_provider = type_.startswith(PROVIDER_PREFIX)
    return StackResource(
        urn=str(row.get("urn")),
        type=type_,
        id="" if is_provider else str(row.get("id") or ""),
        protected=bool(row.get("protect")),
        retained=bool(row.get("retainOnDelete")),
        guarded=to_mapping(row.get("inputs")).get(GUARD) is True,
    )


def lift_guard(opened: StackSession, state: StackState, *, progress: Progress) -> OperationReport:
    """Update only the clusters that their cloud protects, so that they can be deleted.

    Raises:
        AtollError: the setting cannot be written, or a cluster is protected still.
    """
    _set(opened, allow=True)
    report = operation.up(
        opened,
        total=len(state.held) + 1,
        progress=progress,
        target=[each.urn for each in state.guarded],
        title="lift protection",
    )
    if report.failure:
        progress.say(f"{ALLOW_DESTROY} stays true for {opened.name} until a destroy goes through")
        return report
    # Looked at before anything is deleted: a destroy that the cloud stops halfway leaves a broken cluster.
    still = read_state(opened).guarded
    if still:
        names = ", ".join(each.name for each in still)
        raise AtollError(
            f"{names} is still protected against deletion; nothing was deleted",
            hint=f"{ALLOW_DESTROY} did not reach it",
        )
    return report


def destroy(opened: StackSession, state: StackState, *, progress: Progress) -> OperationReport:
    """Delete what is not protected."""
    report = operation.destroy(opened, total=len(state.held) + 1, progress=progress)
    if report.failure is None:
        # So that the next cluster of this stack is guarded again.
        _set(opened, allow=False)
        return report
    hint = f"what went is gone, the rest is in the state: atoll destroy {opened.name} goes on"
    failure = report.failure
    if not failure.hint:
        failure = AtollError(str(failure), hint=hint)
    return replace(report, failure=failure)


def _set(opened: StackSession, *, allow: bool) -> None:
    """Write or remove the setting in the stack's own file."""
    try:
        if allow:
            opened.stack.set_config(ALLOW_DESTROY, ConfigValue("true"))
        elif ALLOW_DESTROY in opened.ask_json("config", "--json"):
            opened.stack.remove_config(ALLOW_DESTROY)
    except CommandError as error:
        raise build_operation_error("configuring", opened.name, error=error, found=()) from error
