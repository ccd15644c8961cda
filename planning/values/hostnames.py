"""Names below the cluster's domain that people open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PRIVATE_DOMAIN: Final = "atoll.internal"  # below it are the names of a cluster that has no domain of its own
HOSTS: Final[Mapping[str, str]] = {  # part to the name that people open it by; Dex redirects each back to itself
    "dashboard": "kubeflow",
    "dex": "auth",
    "prometheus": "grafana",
    "mlflow": "mlflow",
    "airflow": "airflow",
    "argo_cd": "argocd",
}
