"""Names inside the cluster that several components share: components do not import each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from planning.values.addresses import HOSTS

if TYPE_CHECKING:
    from collections.abc import Mapping

OBSERVABILITY: Final = "observability"
NODE_AGENTS: Final = "node-agents"  # of the observability, apart from it: they see their node's files
OBJECT_STORE: Final = "object-store"
DATABASES: Final = "databases"  # the PostgreSQL operator; each database lives beside what uses it
MLFLOW: Final = "mlflow"
AIRFLOW: Final = "airflow"
VELERO: Final = "velero"
KUEUE: Final = "kueue-system"
KUBEFLOW: Final = "kubeflow"
TRAINER: Final = "kubeflow-system"
KNATIVE: Final = "knative-serving"
ISTIO: Final = "istio-system"
CERT_MANAGER: Final = "cert-manager"
SIGN_IN: Final = "auth"  # Dex, as Kubeflow's manifests name it
PROXY: Final = "oauth2-proxy"

# Addresses of services, as pods of any namespace write them.
PROMETHEUS: Final = "http://prometheus-prometheus.observability.svc.cluster.local:9090"
LOKI: Final = "http://loki.observability.svc.cluster.local:3100"
TEMPO: Final = "http://tempo.observability.svc.cluster.local:3200"
COLLECTOR: Final = "http://collector.observability.svc.cluster.local:4318"  # OTLP over HTTP
MLFLOW_ADDRESS: Final = "http://mlflow.mlflow.svc.cluster.local:80"
# Our own name of the object store, whatever engine is behind it.
S3_HOST: Final = "s3.object-store.svc.cluster.local"
S3_ADDRESS: Final = f"https://{S3_HOST}:9000"

NCCL: Final = "nccl"  # ConfigMap of a workload's namespace: environment of jobs over a fabric

CLUSTER_ISSUER: Final = "atoll"  # cert-manager's ClusterIssuer of certificates inside the cluster
CA_SECRET: Final = "atoll-ca"  # noqa: S105 - name of the Secret with its authority, in namespace cert-manager
GATEWAY_TLS: Final = "gateway-tls"  # Secret in namespace istio-system with the certificate that people are shown
CULLER: Final = "atoll-culler"  # service account in namespace kubeflow that asks notebooks whether they are used
GATEWAY: Final = "kubeflow/kubeflow-gateway"  # Istio Gateway that every virtual service is bound to

# Names below the cluster's domain that people open, by what answers there.
DASHBOARD_HOST: Final = HOSTS["dashboard"]
GRAFANA_HOST: Final = HOSTS["prometheus"]
MLFLOW_HOST: Final = HOSTS["mlflow"]
AIRFLOW_HOST: Final = HOSTS["airflow"]
ARGO_CD_HOST: Final = HOSTS["argo_cd"]
SIGN_IN_HOST: Final = HOSTS["dex"]


class Account(NamedTuple):
    """A service account."""

    namespace: str
    name: str


COLLECTOR_ACCOUNT: Final = Account(OBSERVABILITY, "collector")  # sends logs and metrics on to the main cloud


def build_log_group_names(customer: str) -> dict[str, str]:
    """Log groups of CloudWatch that a customer's logs, and metrics, are written to."""
    return {"logs": f"/atoll/{customer}", "metrics": f"/atoll/{customer}/metrics"}


# Service accounts that use the provider's bucket of the platform, without a key (`ClusterHandle.bucket`).
BUCKET_USERS: Final[Mapping[str, Account]] = {
    "velero": Account(VELERO, "velero"),
    "mlflow-database": Account(MLFLOW, "mlflow-database"),  # CloudNativePG names the account after the cluster
    "airflow-database": Account(AIRFLOW, "airflow-database"),
    "object-store": Account(OBJECT_STORE, "object-store"),  # tiering of the store in the cluster
    "loki": Account(OBSERVABILITY, "loki"),
    "tempo": Account(OBSERVABILITY, "tempo"),
    "mlflow": Account(MLFLOW, "mlflow"),
}
EDITOR: Final = "default-editor"  # service account of notebooks and pipelines, made by Kubeflow in every namespace
# Those of Airflow's parts: tasks and all others write logs, the server shows them.
AIRFLOW_ACCOUNTS: Final[Mapping[str, str]] = {
    "workers": "airflow-worker",
    "apiServer": "airflow-api-server",
    "scheduler": "airflow-scheduler",
    "dagProcessor": "airflow-dag-processor",
    "triggerer": "airflow-triggerer",
}
# Buckets of the store in the cluster, each with one user of the same name, whose secret key is
# `keyring.secret(f"s3-{user}")` and whose access key is its name. Teams have "team-<name>".
STORE_USERS: Final = ("mlflow", "loki", "tempo", "pipelines", "backups", "airflow")
# PodDefault of a namespace with the store of its team; that of the experiment tracker has the tracker's name.
S3_DEFAULT: Final = "s3"
