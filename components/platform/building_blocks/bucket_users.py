"""Which service accounts use the provider's bucket of the platform: those of parts that are installed, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.context.names import namespace, workloads
from components.platform.building_blocks.names import AIRFLOW, AIRFLOW_ACCOUNTS, BUCKET_USERS, EDITOR, KUBEFLOW, Account

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import Platform

ALWAYS: Final[Mapping[str, str]] = {  # user: part without which it is nobody
    "velero": "velero",
    "mlflow-database": "mlflow",
    "airflow-database": "airflow",
}
STORE_INSIDE: Final[Mapping[str, str]] = {"object-store": "object_store"}
STORE_AT_PROVIDER: Final[Mapping[str, str]] = {"loki": "loki", "tempo": "tempo", "mlflow": "mlflow"}
PROVIDER: Final = "provider"
# Parts whose pods run under several accounts, or under one that the part's own manifests make: they keep what they
# write below the part's name.
PARTS_AT_PROVIDER: Final[Mapping[str, tuple[Account, ...]]] = {
    "pipelines": (Account(KUBEFLOW, "ml-pipeline"),),
    "airflow": tuple(Account(AIRFLOW, name) for name in AIRFLOW_ACCOUNTS.values()),
}


class Visitor(NamedTuple):
    """Service accounts that are not annotated, and below which prefixes of the bucket they read and write."""

    accounts: tuple[Account, ...]
    prefixes: tuple[str, ...]


def bucket_users(platform: Platform) -> dict[str, Account]:
    """User, whose name is its prefix in the bucket, to its service account."""
    by_store = STORE_AT_PROVIDER if platform.object_store == PROVIDER else STORE_INSIDE
    wanted = {**ALWAYS, **by_store}
    return {user: account for user, account in BUCKET_USERS.items() if platform.part(wanted.get(user, "")) is not None}


def visitors(spec: ClusterSpec) -> dict[str, Visitor]:
    """Who else gets in, where the object store is the provider's bucket: parts, and each namespace's teams."""
    platform = spec.platform
    if platform is None or platform.object_store != PROVIDER:
        return {}
    found = {
        part: Visitor(accounts, (part,))
        for part, accounts in PARTS_AT_PROVIDER.items()
        if platform.part(part) is not None
    }
    for workload in workloads(spec):
        teams = tuple(f"team-{team.name}" for team in platform.teams if workload in team.workloads)
        if teams:
            found[f"teams-{workload}"] = Visitor((Account(namespace(workload), EDITOR),), teams)
    return found
