"""What the catalog says a part takes is what its pods ask for: a footprint is a price."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import specs
from grounds import grounded
from platform_samples import SSO, spec_with

from catalogs.software.model import InstallationKind
from catalogs.software.reader import parts
from components.platform.building_blocks.manifests import PROXY
from components.platform.building_blocks.object_store_access import store_of
from components.platform.building_blocks.script_pod import REQUESTS
from components.platform.foundation import dex, istio, oauth2_proxy, operators
from components.platform.kubeflow import dashboard, katib, model_registry, notebooks, pipelines, serving, training
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from planning.sizing import assumptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from components.platform.building_blocks.context import PlatformContext
    from components.platform.building_blocks.manifests import Patch

RELEASE = "kubernetes:helm.sh/v3:Release"
DATABASE = "kubernetes:postgresql.cnpg.io/v1:Cluster"
NODES = int(assumptions.SYSTEM_NODES.value)  # a DaemonSet has a pod on each system node
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada"
PEOPLE = [{"name": "ada", "email": "ada@lagoon-labs.example", "group": "admin", "ssh_key": KEY}]
VARIANTS: Mapping[str, dict[str, Any]] = {
    "small": {"platform": {"size": "small"}},
    "standard": {"platform": {"size": "standard", "object_store": "seaweedfs"}, "access": {"sso": SSO}},
    "full": {
        "platform": {"size": "full", "handover": "argo_cd"},
        "schedulers": ["airflow"],
        "orchestration": "both",
        "access": {"users": PEOPLE},
    },
}
# Release to the values that hold requests, and how many pods or containers have them: a number, or a value's path.
ASKS: Mapping[str, Mapping[str, int | str]] = {
    "airflow": {f"{each}.resources": 1 for each in ("apiServer", "dagProcessor", "scheduler", "statsd", "triggerer")},
    "argocd": {
        f"{each}.resources": 1 for each in ("applicationSet", "controller", "dex", "redis", "repoServer", "server")
    },
    "collector": {"resources": "replicaCount"},
    "collector-agent": {"resources": NODES},
    "external-secrets": {"resources": 1, "webhook.resources": 1, "certController.resources": 1},
    "kueue": {"controllerManager.manager.resources": "controllerManager.replicas"},
    "loki": {"singleBinary.resources": "singleBinary.replicas"},
    "minio": {"resources": "replicas"},
    "mlflow": {"resources": 1},
    "opencost": {"opencost.exporter.resources": 1},
    "postgres-operator": {"resources": 1},
    "prometheus": {
        "prometheus.prometheusSpec.resources": 1,
        "alertmanager.alertmanagerSpec.resources": 1,
        "prometheusOperator.resources": 1,
        "prometheusOperator.prometheusConfigReloader.resources": 2,  # beside Prometheus and Alertmanager
        "kube-state-metrics.resources": 1,
        "prometheus-node-exporter.resources": NODES,
        "grafana.resources": 1,
        "grafana.sidecar.resources": 2,  # dashboards and data sources
    },
    "prometheus-crds": {},
    "seaweedfs": {
        "master.resources": 1,
        "filer.resources": 1,
        "volume.resources": "volume.replicas",
        "s3.resources": "s3.replicas",
    },
    "slurm": {
        "controller.slurmctld.resources": 1,
        "restapi.slurmrestd.resources": 1,
        "loginsets.people.login.resources": 1,
    },
    "slurm-operator": {"operator.resources": 1, "webhook.resources": 1},
    "tempo": {"tempo.resources": 1},
    "velero": {"resources": 1, "nodeAgent.resources": NODES},
}
# Release to the values that hold the size of a volume.
VOLUMES: Mapping[str, Mapping[str, int | str]] = {
    "loki": {"singleBinary.persistence.size": "singleBinary.replicas"},
    "minio": {"persistence.size": "replicas"},
    "prometheus": {
        "prometheus.prometheusSpec.storageSpec.volumeClaimTemplate.spec.resources.requests.storage": 1,
        "alertmanager.alertmanagerSpec.storage.volumeClaimTemplate.spec.resources.requests.storage": 1,
        "grafana.persistence.size": 1,
    },
    "seaweedfs": {"master.data.size": 1, "filer.data.size": 1, "volume.dataDirs.0.size": "volume.replicas"},
    "slurm": {"controller.persistence.resources.requests.storage": 1},
    "tempo": {"persistence.size": 1},
}
OTHER_NAMES = {"argocd": "argo_cd", "collector-agent": "collector"}
# Parts whose pods run on the nodes of accelerators, or ask for what their charts ask (gpu-operator v26.7.0: the
# operator 200m and 100Mi, discovery 100m and 128Mi, 10m and 128Mi, and 5m and 64Mi on every node).
ELSEWHERE = {"gpu_operator", "device_plugin", "dcgm_exporter", "network_operator", "efa_plugin"}


class Own(NamedTuple):
    """What the manifests of a part ask for without us, and how many pods get a proxy of the mesh (built 2026-11-21)."""

    patches: Callable[[PlatformContext], Iterable[Patch]]
    millicores: int = 0
    mebi: int = 0
    proxies: int = 0


MANIFESTS: Mapping[str, Own] = {
    "cert_manager": Own(operators.cert_manager_patches),
    "istio": Own(istio.patches, 900, 2476),  # 500m and 2Gi, a gateway, and 100m and 100Mi on every node
    "kubeflow_base": Own(lambda _: dashboard.gateway_patches()),
    "oauth2_proxy": Own(oauth2_proxy.patches),
    "dex": Own(dex.patches),
    "knative": Own(serving.knative_patches, 750, 548, proxies=6),
    "dashboard": Own(dashboard.dashboard_patches, proxies=2),
    "notebooks": Own(lambda ground: notebooks.patches(ground, ticked=()), 30 + 10, 256 + 64, proxies=7),
    "trainer": Own(training.trainer_patches, proxies=2),
    # With the engine of workflows, 100m and 500Mi, whose deployment the release takes from another repository.
    "pipelines": Own(lambda ground: pipelines.patches(ground, store_of(pipelines.USER, ground)), 610, 2870, proxies=11),
    "katib": Own(katib.patches, proxies=1),
    "kserve": Own(serving.kserve_patches, 300, 700, proxies=4),
    "model_registry": Own(model_registry.patches, proxies=3),
}
PODS = {"oauth2-proxy": 2, "dex": 2, training.CONTROLLERS: 2}  # deployments of one patch, or replicas of one deployment


@cache
def registered(variant: str) -> OfflineRun:
    spec = spec_with(specs.existing_cluster(), **VARIANTS[variant])
    return run("sample", program=lambda: build((spec,)) and None)


def value(values: Any, path: str) -> Any:
    for key in path.split("."):
        values = values[int(key)] if isinstance(values, list) else values[key]
    return values


def copies(values: Any, said: int | str) -> int:
    return said if isinstance(said, int) else int(value(values, said))


def millicores(text: str) -> int:
    return int(text.removesuffix("m")) if text.endswith("m") else int(text) * 1000


def mebi(text: str) -> int:
    return int(text[:-2]) * {"Mi": 1, "Gi": 1024}[text[-2:]]


def found(variant: str) -> Mapping[str, Counter[str]]:
    """Part to what its chart and its databases ask for, in millicores, MiB and GB."""
    total: dict[str, Counter[str]] = {}
    for each in registered(variant).resources:
        if each.type == RELEASE:
            sums = total.setdefault(OTHER_NAMES.get(each.name, each.name.replace("-", "_")), Counter())
            sums.update(of_chart(each.name, each.inputs.get("values") or {}))
        elif each.type == DATABASE:
            total.setdefault(each.name.removesuffix("-database"), Counter()).update(of_database(each.inputs["spec"]))
    return total


def of_chart(name: str, values: Any) -> Counter[str]:
    sums: Counter[str] = Counter()
    for path, said in ASKS[name].items():
        sums.update(asked(value(values, path)["requests"], copies(values, said)))
    for path, said in VOLUMES.get(name, {}).items():
        sums["disk"] += mebi(value(values, path)) // 1024 * copies(values, said)
    return sums


def of_database(spec: Any) -> Counter[str]:
    sums = asked(spec["resources"]["requests"], spec["instances"])
    sums["disk"] = mebi(spec["storage"]["size"]) // 1024 * spec["instances"]
    return sums


def asked(requests: Mapping[str, str], times: int) -> Counter[str]:
    return Counter(cpu=millicores(requests["cpu"]) * times, memory=mebi(requests["memory"]) * times)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_footprint_of_a_chart_is_what_its_values_ask_for(variant: str) -> None:
    wrong = {
        name: (dict(sums), (parts()[name].cpu_millicores, parts()[name].memory_mib, parts()[name].disk_gb))
        for name, sums in found(variant).items()
        if (sums["cpu"], sums["memory"], sums["disk"])
        != (parts()[name].cpu_millicores, parts()[name].memory_mib, parts()[name].disk_gb)
    }
    assert not wrong


def test_every_chart_of_the_catalog_is_counted_or_runs_elsewhere() -> None:
    charts = {part.name for part in parts().values() if part.kind is InstallationKind.CHART}
    assert charts - ELSEWHERE == {name for variant in VARIANTS for name in found(variant)}


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_footprint_of_manifests_is_what_they_and_our_overlay_ask_for(name: str) -> None:
    own = MANIFESTS[name]
    spec = spec_with(platform={"size": "full", "extra": ["knative"]})
    sums = Counter(cpu=own.millicores, memory=own.mebi)
    proxy = asked({"cpu": PROXY["sidecar.istio.io/proxyCPU"], "memory": PROXY["sidecar.istio.io/proxyMemory"]}, 1)
    for patch in grounded(spec, lambda ground: tuple(own.patches(ground))):
        for container in containers(patch.change or {}):
            if requests := container.get("resources", {}).get("requests"):
                sums.update(asked(requests, PODS.get(patch.name, 1)))
    sums.update({unit: amount * own.proxies for unit, amount in proxy.items()})
    assert (sums["cpu"], sums["memory"]) == (parts()[name].cpu_millicores, parts()[name].memory_mib)


def containers(change: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    found: Iterable[Mapping[str, Any]] = (
        change.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
    )
    return found


def test_every_manifest_of_the_catalog_is_counted() -> None:
    assert {part.name for part in parts().values() if part.kind is InstallationKind.KUSTOMIZE} == set(MANIFESTS)


@pytest.mark.parametrize("name", [name for name, own in MANIFESTS.items() if own.proxies])
def test_proxies_beside_the_pods_of_the_release_ask_for_little(name: str) -> None:
    spec = spec_with(platform={"size": "full", "extra": ["knative"]})
    (patch,) = [
        each
        for each in grounded(spec, lambda ground: tuple(MANIFESTS[name].patches(ground)))
        if (each.change or {}).get("spec", {}).get("template", {}).get("metadata", {}).get("annotations") == PROXY
    ]
    assert (patch.kind, patch.name) == ("Deployment", ".*")


def test_what_stops_notebooks_asks_for_as_much_as_the_catalog_adds() -> None:
    assert REQUESTS == {"cpu": "10m", "memory": "64Mi"}
