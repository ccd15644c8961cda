"""The table of builders, and their order. A new component is a row of the catalog, a function, and a line here."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.artifact_mirror import read_program_mirror, refuse
from components.platform.building_blocks.context import Keyring, KeyringArgs, PlatformContext
from components.platform.experiments import airflow, mlflow
from components.platform.foundation import dex, ingress, istio, namespaces, oauth2_proxy
from components.platform.foundation import operators as foundation_operators
from components.platform.gpu import device_plugins
from components.platform.gpu import operators as gpu_operators
from components.platform.kubeflow import dashboard, katib, model_registry, notebooks, pipelines, serving, training
from components.platform.observability import collector, grafana, log_and_trace_stores, opencost, prometheus
from components.platform.operations import argo_cd, node_problem_detector, spend_guard, velero
from components.platform.scheduling import kueue, queues, slurm
from components.platform.stores import minio, object_store, seaweedfs
from components.platform.teams import profiles
from planning.platform.base_layer_software import describe_untested_versions, list_base_layer_software
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pulumi

    from components.context.placement import ClusterHandle, PlacementContext
    from components.platform.building_blocks.context import Builder
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import Platform, PlatformComponent


BUILDERS: Final[Mapping[str, Builder]] = {
    "namespaces": namespaces.build,
    "cert_manager": foundation_operators.build_cert_manager,
    "istio": istio.build,
    "kubeflow_base": dashboard.build_kubeflow_base,
    "oauth2_proxy": oauth2_proxy.build,
    "dex": dex.build,
    "ingress": ingress.build,
    "external_secrets": foundation_operators.build_external_secrets,
    "argo_cd": argo_cd.build,
    "slurm_operator": slurm.build_slurm_operator,
    "slurm": slurm.build_slurm,
    "gpu_operator": gpu_operators.build_gpu_operator,
    "device_plugin": device_plugins.build_device_plugin,
    "dcgm_exporter": gpu_operators.build_dcgm_exporter,
    "network_operator": gpu_operators.build_network_operator,
    "efa_plugin": device_plugins.build_efa_plugin,
    "node_problem_detector": node_problem_detector.build,
    "kueue": kueue.build,
    "queues": queues.build,
    "spend_guard": spend_guard.build,
    "postgres_operator": foundation_operators.build_postgres_operator,
    "minio": minio.build,
    "seaweedfs": seaweedfs.build,
    "object_store": object_store.build,
    "mlflow": mlflow.build,
    "airflow": airflow.build,
    "velero": velero.build,
    "prometheus_crds": prometheus.build_definitions,
    "prometheus": prometheus.build,
    "loki": log_and_trace_stores.build_loki,
    "tempo": log_and_trace_stores.build_tempo,
    "collector": collector.build,
    "opencost": opencost.build,
    "dashboards": grafana.build_dashboards,
    "dashboard": dashboard.build_dashboard,
    "katib": katib.build,
    "knative": serving.build_knative,
    "kserve": serving.build_kserve,
    "model_registry": model_registry.build,
    "notebooks": notebooks.build,
    "pipelines": pipelines.build,
    "runtimes": training.build_runtimes,
    "trainer": training.build_trainer,
    "teams": profiles.build,
}


KEYRING: Final = "keyring"


def compose(
    site: PlacementContext, handle: ClusterHandle, *, after: Sequence[pulumi.Resource]
) -> dict[str, pulumi.Input[object]]:
    """Register the platform on a cluster; outputs of the stack."""
    decided = site.spec.platform
    if decided is None:
        return {}
    _check(site.spec, decided, offline=site.settings.offline)
    context = PlatformContext(
        spec=site.spec,
        platform=decided,
        handle=handle,
        settings=site.settings,
        keyring=Keyring(KEYRING, KeyringArgs(), opts=site.options()),
        ceiling_usd_per_month=site.ceiling_usd_per_month,
        prices=site.prices,
    )
    outputs: dict[str, pulumi.Input[object]] = {}
    made = site.made
    for part in in_order(decided):
        before = [made[name] for name in part.needs if name in made]
        options = site.options(provider=handle.provider, depends_on=[*handle.ready, *after, *before])
        charges = site.ledger.claim(f"platform/{part.name}")
        build = BUILDERS.get(part.name)
        if build is None:
            continue
        built = build(context, charges, options)
        made[part.name] = built.resource
        outputs.update(built.outputs)
    return outputs


def _check(spec: ClusterSpec, decided: Platform, *, offline: bool) -> None:
    others = describe_untested_versions({part.name: part.version for part in decided.parts})
    if others:
        raise InputError(
            f"the lock installs software outside the tested release: {'; '.join(others)}",
            hint="quote and accept again, or stay with the version of Atoll that wrote the lock",
        )
    if not offline:  # without an engine, `atoll plan` looks at the files itself
        wanted = (*decided.parts, *list_base_layer_software([spec]))
        refuse(wanted, read_program_mirror(decided.mirror, offline=False), required=decided.digests == "required")


def in_order(platform: Platform) -> Iterator[PlatformComponent]:
    """Components, each after those that it needs."""
    by_name = {part.name: part for part in platform.parts}
    sorter = TopologicalSorter({part.name: [each for each in part.needs if each in by_name] for part in platform.parts})
    yield from (by_name[name] for name in sorter.static_order())
