"""Who may talk to whom in a whole platform, by all network policies of the program together.

Policies of Kubeflow's own manifests are opaque to the program: of their namespaces only the ways that we open count.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

import pytest
from look import of_type
from platform_variants import registered, spec_of

from components.context.names import workloads
from components.platform.building_blocks import names
from components.platform.foundation.namespaces import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
THEIRS = {names.ISTIO, names.KUBEFLOW, names.TRAINER, names.CERT_MANAGER, names.KNATIVE, "kube-system"}
METADATA = "169.254.169.254"
OUTSIDE = "93.184.215.14"


@dataclass(frozen=True)
class End:
    """A pod, or an address outside; a pod that is on the network of its node is an address."""

    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


def pod(namespace: str, **labels: str) -> End:
    return End(
        namespace=namespace, labels={name.replace("__", "/").replace("_", "."): each for name, each in labels.items()}
    )


TEAM = pod("work-burst", app="notebook")
API = End(address="10.0.0.10")
NODE = End(address="10.0.1.20")
PROMETHEUS = pod(names.OBSERVABILITY, app_kubernetes_io__name="prometheus")
GRAFANA = pod(names.OBSERVABILITY, app_kubernetes_io__name="grafana")
GATEWAY = pod(names.ISTIO, app="istio-ingressgateway")
DEX = pod(names.SIGN_IN, app="dex")
PROXY = pod(names.PROXY, app_kubernetes_io__name="oauth2-proxy")
MLFLOW = pod(names.MLFLOW, app_kubernetes_io__name="mlflow", app_kubernetes_io__instance="mlflow")
DATABASE = pod(names.MLFLOW, cnpg_io__cluster="mlflow-database")
CNPG = pod(names.DATABASES, app_kubernetes_io__name="cloudnative-pg")
COLLECTOR = pod(names.OBSERVABILITY, app_kubernetes_io__instance="collector")
AGENT = pod(names.NODE_AGENTS, app_kubernetes_io__instance="collector-agent")
LOKI = pod(names.OBSERVABILITY, app_kubernetes_io__name="loki")
TEMPO = pod(names.OBSERVABILITY, app_kubernetes_io__name="tempo")
ALERTMANAGER = pod(names.OBSERVABILITY, app_kubernetes_io__name="alertmanager")
OPENCOST = pod(names.OBSERVABILITY, app_kubernetes_io__name="opencost")
VELERO = pod(names.VELERO, app_kubernetes_io__name="velero")
KUEUE = pod(names.KUEUE, app_kubernetes_io__name="kueue")
AIRFLOW = pod(names.AIRFLOW, component="api-server")
ARGO_CD = pod("argocd", app_kubernetes_io__name="argocd-server")
ARGO_CD_BROKER = pod("argocd", app_kubernetes_io__name="argocd-dex-server")
SLURM = pod("slurm", app_kubernetes_io__name="slurmd")
MINIO = pod(names.OBJECT_STORE, app="minio", release="minio")
SEAWEED = pod(names.OBJECT_STORE, app_kubernetes_io__instance="seaweedfs", app_kubernetes_io__component="s3")
STORES: Mapping[str, tuple[End, int]] = {"minio": (MINIO, 9000), "seaweedfs": (SEAWEED, 8443)}


@dataclass(frozen=True)
class Way:
    source: End
    target: End
    port: int


def store_ways(engine: str) -> Iterator[Way]:
    store, port = STORES[engine]
    for source in (MLFLOW, DATABASE, LOKI, TEMPO, VELERO, TEAM):
        yield Way(source, store, port)


ALWAYS = (
    Way(GATEWAY, PROXY, 4180),
    Way(GATEWAY, DEX, 5556),
    Way(PROXY, DEX, 5556),
    Way(GATEWAY, TEAM, 8888),
    Way(API, KUEUE, 9443),
    Way(KUEUE, API, 443),
    Way(TEAM, API, 6443),
    Way(TEAM, pod(names.ISTIO, app="istiod"), 15012),
    Way(TEAM, pod(names.KUBEFLOW, app="ml-pipeline"), 8888),
    Way(pod(names.KUBEFLOW, app="atoll-culler"), TEAM, 8888),
)
OBSERVED = (
    *(Way(PROMETHEUS, target, 9400) for target in (TEAM, MLFLOW, DATABASE, KUEUE, VELERO, CNPG, MINIO, PROXY)),
    *(
        Way(PROMETHEUS, pod(theirs), 15020)
        for theirs in (names.ISTIO, names.KUBEFLOW, names.TRAINER, names.CERT_MANAGER)
    ),
    Way(PROMETHEUS, pod("kube-system"), 9153),
    Way(PROMETHEUS, NODE, 10250),
    Way(PROMETHEUS, NODE, 9100),
    Way(PROMETHEUS, API, 443),
    Way(PROMETHEUS, ALERTMANAGER, 9093),
    Way(GATEWAY, GRAFANA, 3000),
    Way(GRAFANA, PROMETHEUS, 9090),
    Way(GRAFANA, LOKI, 3100),
    Way(GRAFANA, TEMPO, 3200),
    Way(GRAFANA, DEX, 5556),
    Way(OPENCOST, PROMETHEUS, 9090),
    Way(TEAM, COLLECTOR, 4318),
    Way(AGENT, COLLECTOR, 4318),
    Way(AGENT, API, 443),
    Way(COLLECTOR, LOKI, 3100),
    Way(COLLECTOR, PROMETHEUS, 9090),
    Way(GATEWAY, MLFLOW, 5000),
    Way(TEAM, MLFLOW, 5000),
    Way(MLFLOW, DATABASE, 5432),
    Way(CNPG, DATABASE, 5432),
    Way(CNPG, DATABASE, 8000),
    Way(DATABASE, API, 443),
    Way(API, CNPG, 9443),
)
EVERYTHING = (
    Way(GATEWAY, AIRFLOW, 8080),
    Way(GATEWAY, ARGO_CD, 8080),
    Way(ARGO_CD, End(address=OUTSIDE), 443),
    Way(ARGO_CD_BROKER, DEX, 5556),
    Way(AIRFLOW, MINIO, 9000),
    Way(pod(names.AIRFLOW, component="worker"), pod(names.AIRFLOW, cnpg_io__cluster="airflow-database"), 5432),
    Way(SLURM, MINIO, 9000),
    Way(API, pod("slurm"), 9443),
    Way(DEX, End(address=OUTSIDE), 443),
)
NEEDED: Mapping[str, tuple[Way, ...]] = {
    "standard": (*ALWAYS, *OBSERVED, *store_ways("minio")),
    "seaweedfs": (*ALWAYS, *OBSERVED, *store_ways("seaweedfs")),
    "everything": (*ALWAYS, *OBSERVED, *EVERYTHING, *store_ways("minio")),
    "aws-provider": (*ALWAYS, *OBSERVED, *(Way(each, End(address=OUTSIDE), 443) for each in (MLFLOW, LOKI, VELERO))),
    "gcp-provider": (*ALWAYS, *OBSERVED, *(Way(each, End(address=OUTSIDE), 443) for each in (MLFLOW, LOKI, VELERO))),
}
# Whoever has these for a pod of a team reads what is others', or acts as them.
FORBIDDEN = (
    Way(TEAM, PROMETHEUS, 9090),
    Way(TEAM, ALERTMANAGER, 9093),
    Way(TEAM, LOKI, 3100),
    Way(TEAM, TEMPO, 3200),
    Way(TEAM, GRAFANA, 3000),
    Way(TEAM, OPENCOST, 9003),
    Way(TEAM, DATABASE, 5432),
    Way(TEAM, DEX, 5556),
    Way(TEAM, PROXY, 4180),
    Way(TEAM, AIRFLOW, 8080),
    Way(TEAM, ARGO_CD, 8080),
    Way(TEAM, SLURM, 6818),
    Way(TEAM, VELERO, 8085),
    Way(TEAM, pod("work-other"), 8888),
    Way(TEAM, pod(names.KUBEFLOW, app="mysql"), 3306),
    Way(TEAM, NODE, 10250),
    Way(TEAM, End(address=OUTSIDE), 22),
    Way(SLURM, PROMETHEUS, 9090),
    Way(AIRFLOW, MLFLOW, 5000),
    Way(MLFLOW, End(address=OUTSIDE), 80),
    Way(KUEUE, End(address=OUTSIDE), 80),
    Way(End(address=OUTSIDE), MLFLOW, 5000),
    Way(End(address=OUTSIDE), TEAM, 8888),
)


class Policies:
    """The policies of a run, judged as Kubernetes judges them; pods are never in a block of addresses."""

    def __init__(self, variant: str) -> None:
        self.found = [each.inputs for each in of_type(registered(variant), POLICY)]
        self.team = replace(TEAM, namespace=f"work-{workloads(spec_of(variant))[0]}")

    def allow(self, way: Way) -> bool:
        source, target = (self.team if end is TEAM else end for end in (way.source, way.target))
        return self._out(Way(source, target, way.port)) and self._in(Way(source, target, way.port))

    def sources(self) -> list[End]:
        """Pods that some policy of egress is for."""
        found = (each for each in self.found if "Egress" in each["spec"]["policyTypes"])
        return [
            End(each["metadata"]["namespace"], each["spec"]["podSelector"].get("matchLabels", {})) for each in found
        ]

    def leaves(self, source: End, address: str, port: int) -> bool:
        return self._out(Way(source, End(address=address), port))

    def _of(self, end: End, direction: str) -> list[Any]:
        return [
            each["spec"]
            for each in self.found
            if each["metadata"]["namespace"] == end.namespace
            and direction in each["spec"]["policyTypes"]
            and matches(each["spec"]["podSelector"], end.labels)
        ]

    def _out(self, way: Way) -> bool:
        found = self._of(way.source, "Egress")
        rules = [rule for spec in found for rule in spec.get("egress", [])]
        return not found or any(covers(rule, rule.get("to"), way.target, way.port, way.source) for rule in rules)

    def _in(self, way: Way) -> bool:
        found = self._of(way.target, "Ingress")
        rules = [rule for spec in found for rule in spec.get("ingress", [])]
        opened = any(covers(rule, rule.get("from"), way.source, way.port, way.target) for rule in rules)
        if way.target.namespace in THEIRS and way.source is not PROMETHEUS:
            return True  # for the manifests to say
        return opened or (not found and way.target.namespace in {"", "kube-system"})


def covers(rule: Any, peers: Any, other: End, port: int, own: End) -> bool:
    ports = [each["port"] for each in rule.get("ports", [])]
    if ports and port not in ports:
        return False
    return not peers or any(names_it(peer, other, own) for peer in peers)


def names_it(peer: Any, other: End, own: End) -> bool:
    block = peer.get("ipBlock")
    if block:
        inside = bool(other.address) and ip_address(other.address) in ip_network(block["cidr"])
        return inside and not any(ip_address(other.address) in ip_network(each) for each in block.get("except", []))
    if other.address:
        return False
    home = peer.get("namespaceSelector")
    at_home = other.namespace == own.namespace
    there = at_home if home is None else matches(home, {"kubernetes.io/metadata.name": other.namespace})
    return there and matches(peer.get("podSelector", {}), other.labels)


def matches(selector: Any, labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())


@pytest.mark.parametrize("variant", NEEDED)
def test_whatever_must_talk_to_each_other_can(variant: str) -> None:
    policies = Policies(variant)
    assert [way for way in NEEDED[variant] if not policies.allow(way)] == []


@pytest.mark.parametrize("variant", NEEDED)
def test_whoever_may_do_harm_does_not_get_there(variant: str) -> None:
    policies = Policies(variant)
    chosen = {part.namespace for part in spec_of(variant).platform.parts}  # type: ignore[union-attr]
    ways = [way for way in FORBIDDEN if way.target.namespace in {*chosen, "", names.SIGN_IN, names.PROXY}]
    assert [way for way in ways if policies.allow(way)] == []


@pytest.mark.parametrize("variant", NEEDED)
def test_no_pod_of_ours_reaches_the_identity_of_its_node(variant: str) -> None:
    """On Google Cloud the server there gives pods their own identity instead."""
    policies = Policies(variant)
    found = {each.namespace for each in policies.sources() if policies.leaves(each, METADATA, 80)}
    assert not found if variant != "gcp-provider" else found


@pytest.mark.parametrize("variant", NEEDED)
def test_whoever_is_shut_in_still_finds_names_and_the_api(variant: str) -> None:
    """A single policy of egress shuts its pods for everything else: none stands in a namespace that is open."""
    policies = Policies(variant)
    ways = [Way(each, pod("kube-system"), 53) for each in policies.sources()]
    assert [way for way in ways if not policies.allow(way)] == []
    assert [each for each in policies.sources() if not policies.leaves(each, API.address, 443)] == []


def test_only_agents_of_nodes_are_where_pods_see_their_node() -> None:
    assert LEVELS["observability"] == "baseline"
    installed = [spec_of(variant).platform for variant in ("everything", "bare")]
    found = [part for platform in installed if platform for part in platform.parts]
    privileged = {part.name for part in found if LEVELS.get(part.namespace) == "privileged"}
    known = {"velero", "slurm", "slurm_operator", "gpu_operator", "dcgm_exporter", "network_operator"}
    assert privileged <= {*known, "node_problem_detector"}
