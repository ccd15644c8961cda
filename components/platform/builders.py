"""Which builder builds which platform part: the one table. Adding a part is one catalog row, one file and one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.experiments import airflow, mlflow
from components.platform.foundation import (
    cert_manager,
    dex,
    external_secrets,
    ingress,
    istio,
    namespaces,
    oauth2_proxy,
    postgres_operator,
)
from components.platform.gpu import dcgm_exporter, device_plugin, efa_plugin, gpu_operator, network_operator
from components.platform.kubeflow import (
    central_dashboard,
    katib,
    knative,
    kserve,
    model_registry,
    notebooks,
    pipelines,
    prerequisites,
    runtimes,
    trainer,
)
from components.platform.observability import collector, dashboards, loki, opencost, prometheus, prometheus_crds, tempo
from components.platform.operations import argo_cd, node_problem_detector, spend_guard, velero
from components.platform.scheduling import kueue, queues, slurm, slurm_operator
from components.platform.stores import minio, object_store, seaweedfs
from components.platform.teams import profiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.component import Builder

BUILDERS: Final[Mapping[str, Builder]] = {
    "namespaces": namespaces.build,
    "cert_manager": cert_manager.build,
    "istio": istio.build,
    "kubeflow_base": prerequisites.build,
    "oauth2_proxy": oauth2_proxy.build,
    "dex": dex.build,
    "ingress": ingress.build,
    "external_secrets": external_secrets.build,
    "argo_cd": argo_cd.build,
    "slurm_operator": slurm_operator.build,
    "slurm": slurm.build,
    "gpu_operator": gpu_operator.build,
    "device_plugin": device_plugin.build,
    "dcgm_exporter": dcgm_exporter.build,
    "network_operator": network_operator.build,
    "efa_plugin": efa_plugin.build,
    "node_problem_detector": node_problem_detector.build,
    "kueue": kueue.build,
    "queues": queues.build,
    "spend_guard": spend_guard.build,
    "postgres_operator": postgres_operator.build,
    "minio": minio.build,
    "seaweedfs": seaweedfs.build,
    "object_store": object_store.build,
    "mlflow": mlflow.build,
    "airflow": airflow.build,
    "velero": velero.build,
    "prometheus_crds": prometheus_crds.build,
    "prometheus": prometheus.build,
    "loki": loki.build,
    "tempo": tempo.build,
    "collector": collector.build,
    "opencost": opencost.build,
    "dashboards": dashboards.build,
    "dashboard": central_dashboard.build,
    "katib": katib.build,
    "knative": knative.build,
    "kserve": kserve.build,
    "model_registry": model_registry.build,
    "notebooks": notebooks.build,
    "pipelines": pipelines.build,
    "runtimes": runtimes.build,
    "trainer": trainer.build,
    "teams": profiles.build,
}
