"""Which service accounts use the provider's bucket of the platform: those of parts that are installed, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.names import BUCKET_USERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.names import Account
    from planning.installed import Platform

ALWAYS: Final[Mapping[str, str]] = {  # user: part without which it is nobody
    "velero": "velero",
    "mlflow-database": "mlflow",
    "airflow-database": "airflow",
}
STORE_INSIDE: Final[Mapping[str, str]] = {"object-store": "object_store"}
STORE_AT_PROVIDER: Final[Mapping[str, str]] = {"loki": "loki", "tempo": "tempo", "mlflow": "mlflow"}


def bucket_users(platform: Platform) -> dict[str, Account]:
    """User, whose name is its prefix in the bucket, to its service account."""
    by_store = STORE_AT_PROVIDER if platform.object_store == "provider" else STORE_INSIDE
    wanted = {**ALWAYS, **by_store}
    return {user: account for user, account in BUCKET_USERS.items() if platform.part(wanted.get(user, "")) is not None}
