"""Who works where: each workload's namespace, the teams in it, and its people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.context.names import namespace, workloads
from components.tenancy.cluster import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import TeamShare

# Group of the checklist to the role that Kubeflow knows: a person's page asks for these words.
KUBEFLOW_ROLES: Final[Mapping[str, str]] = {"admin": "admin", "engineer": "edit", "viewer": "view"}


@dataclass(frozen=True, kw_only=True)
class WorkloadNamespace:
    """A namespace of a workload.

    Args:
        owner: e-mail of whom its Profile belongs to.
        people: e-mail of everybody else to their role.
        groups: groups at the identity provider whose members edit.
        teams: in the order of the checklist; the first one's bucket is what pods get by default.
    """

    namespace: str
    workload: str
    owner: str
    people: Mapping[str, str]
    groups: tuple[str, ...]
    teams: tuple[str, ...]


def list_workload_namespaces(spec: ClusterSpec, teams: tuple[TeamShare, ...]) -> Iterator[WorkloadNamespace]:
    for workload in workloads(spec):
        here = [team for team in teams if workload in team.workloads]
        yield WorkloadNamespace(
            namespace=namespace(workload),
            workload=workload,
            owner=owner_of(spec),
            people=_people(spec, workload),
            groups=tuple(dict.fromkeys(team.group for team in here if team.group)),
            teams=tuple(team.name for team in here),
        )


def _people(spec: ClusterSpec, workload: str) -> dict[str, str]:
    """Admins look after every namespace; the others work in those of their workloads."""
    owner = owner_of(spec)
    return {
        user.email: KUBEFLOW_ROLES[user.group]
        for user in spec.access.users
        if user.email != owner and (user.group == "admin" or not user.workloads or workload in user.workloads)
    }
