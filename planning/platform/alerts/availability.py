"""Recorded series of availability, minute by minute, from which the service credits of a month are calculated.

They are recorded even where nothing is promised: without them a month can never be calculated. What was not measured
is absent, never up: each expression has no result where the exporter it asks has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.accelerators import device
from planning.platform.alerts.model import RecordingRule, RuleGroup, SloTarget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.platform.alerts.model import AlertFacts
    from planning.spec.cluster import ClusterSpec, Pool, Tier


HEALTHY: Final = "atoll:healthy_nodes"
OWED: Final = "atoll:owed_nodes"
FABRIC: Final = "atoll:fabric_up"
STORAGE: Final = "atoll:storage_up"
CONTROL_PLANE: Final = "atoll:control_plane_up"
RECORDED: Final = (HEALTHY, OWED, FABRIC, STORAGE, CONTROL_PLANE)

# Fabrics whose ports the node exporter shows as InfiniBand's: EFA's driver and RoCE register there as well. Of others
# (Google's GPUDirect over Ethernet, or nobody knows) nothing of ours sees whether they work.
SEEN_FABRICS: Final = frozenset({"efa", "infiniband", "roce"})
READY: Final = 'kube_node_status_condition{condition="Ready",status="true"}'
BURN_IN: Final = 'kube_node_spec_taint{key="atoll/burn-in"}'
# Taints by which scalers say that they are taking a node away (github.com/kubernetes/autoscaler, cluster-autoscaler/
# utils/taints/taints.go; github.com/kubernetes-sigs/karpenter, pkg/apis/v1/taints.go; both read 2026-11-22).
LEAVING: Final = 'kube_node_spec_taint{key=~"ToBeDeletedByClusterAutoscaler|karpenter.sh/disrupted"}'
OBJECT_STORE: Final = "object_store"  # what its series calls the store that stands in the cluster
STORE_PODS: Final = (
    'kube_statefulset_status_replicas_ready{namespace="object-store"}'
    ' or kube_deployment_status_replicas_available{namespace="object-store"}'
)
STARTING_SECONDS: Final = 600  # in which a node that was asked for may become ready before it counts as owed
ACTIVE: Final = 4  # as in gpu.py


def group(facts: AlertFacts) -> Iterator[RuleGroup]:
    """Always: of every pool, its fabric, the shared file systems, the object store and the API server."""
    yield RuleGroup(name="atoll-delivered", rules=tuple(_records(facts)))


def _records(facts: AlertFacts) -> Iterator[RecordingRule]:
    for each in facts.owed:
        yield RecordingRule(name=HEALTHY, expr=_count_or_zero(_usable(each)), labels={"pool": each.pool})
        yield RecordingRule(name=OWED, expr=_build_slo_target(each), labels={"pool": each.pool})
        if each.fabric in SEEN_FABRICS:
            yield RecordingRule(name=FABRIC, expr=_fabric(each), labels={"pool": each.pool})
    for tier in facts.shared_tiers:
        yield RecordingRule(name=STORAGE, expr=_build_shared_volume_expression(), labels={"tier": tier})
    if facts.parts & {"minio", "seaweedfs"}:
        health = _minio() if "minio" in facts.parts else _seaweedfs()
        yield RecordingRule(name=STORAGE, expr=health, labels={"tier": OBJECT_STORE})
    yield RecordingRule(name=CONTROL_PLANE, expr='max(up{job="apiserver"})')


def _count_or_zero(nodes: str) -> str:
    """How many, 0 for none, and nothing where no node at all is measured."""
    return f"(count({nodes}) or vector(0)) and on () count({READY})"


def _usable(each: SloTarget) -> str:
    """Ready, not cordoned, through its burn-in, and with every accelerator on offer."""
    found = (
        f"{_of(each)} and on (node) ({READY} == 1)"
        f" unless on (node) (kube_node_spec_unschedulable == 1) unless on (node) {BURN_IN}"
    )
    if not each.accelerators:
        return found
    there = f'kube_node_status_allocatable{{resource="{each.resource}"}}'
    if each.resource == "nvidia_com_gpu":  # a GPU that is cut in parts is offered as those
        there = 'kube_node_status_allocatable{resource=~"nvidia_com_gpu|nvidia_com_mig_.+"}'
    return f"{found} and on (node) (sum by (node) ({there}) >= {each.accelerators})"


def _build_slo_target(each: SloTarget) -> str:
    """What never changes is a number; of nodes that come and go, those that are there and were given time to start."""
    if not each.elastic:
        return f"vector({each.fixed})"
    there = f"{_of(each)} and on (node) (time() - kube_node_created > {STARTING_SECONDS}) unless on (node) {LEAVING}"
    return f"clamp_min(clamp_max(count({there}) or vector(0), {each.most}), {each.fixed}) and on () count({READY})"


def _of(each: SloTarget) -> str:
    return f'atoll:node_pool{{pool="{each.pool}"}}'


def _fabric(each: SloTarget) -> str:
    """Share of the pool's nodes whose ports all work; nodes whose exporter is silent are not in it."""
    # Where the number of ports of a node is unknown, a port counts once it has carried anything: some are left
    # unplugged.
    active = f"node_infiniband_state_id == bool {ACTIVE}"
    if each.ports:
        up = f"sum by (node) ({_on_node(active)}) >= bool {each.ports}"
    else:
        used = "and on (instance, device, port) (node_infiniband_port_data_transmitted_bytes_total > 0)"
        up = f"min by (node) ({_on_node(f'{active} {used}')})"
    return f"avg(({up}) and on (node) {_of(each)})"


def _on_node(series: str) -> str:
    """The node exporter's series under the name of the node that its pod runs on."""
    return (
        f'({series}) * on (namespace, pod) group_left (node) max by (namespace, pod, node) (kube_pod_info{{node!=""}})'
    )


def _build_shared_volume_expression() -> str:
    """Share of the shared volumes in use that a kubelet can read."""
    claim = "namespace, persistentvolumeclaim"
    mounted = (
        f"max by ({claim}) (kube_pod_spec_volumes_persistentvolumeclaims_info"
        ' * on (namespace, pod) group_left () max by (namespace, pod) (kube_pod_status_phase{phase="Running"} == 1))'
        f' and on ({claim}) kube_persistentvolumeclaim_access_mode{{access_mode="ReadWriteMany"}}'
    )
    # A kubelet that cannot read a mounted volume leaves it out. Nothing is known while no pod has one mounted, and a
    # file system that hangs without an error is not seen.
    read = f"max by ({claim}) (kubelet_volume_stats_capacity_bytes)"
    return (
        f"avg((({mounted}) and on ({claim}) {read}) or ({mounted}) * 0)"
        " and on () count(kubelet_volume_stats_capacity_bytes)"
    )


def _minio() -> str:
    """Whether it can be written to, as any of its servers says; down where none says so and no pod of it is ready."""
    # Servers that run and cannot be asked, as when the token was changed by hand, are not known to be down.
    return f"max(minio_cluster_health_status) or (max({STORE_PODS}) == 0)"


def _seaweedfs() -> str:
    """Whether each of its servers has a pod that is ready."""
    # It exports no word on its own health.
    return f"min(clamp_max({STORE_PODS}, 1))"


NO_FABRIC: Final = frozenset({"", "ethernet"})
INCLUDED: Final = "included"  # storage that is the nodes' own
SHARED: Final = "shared"  # items of storage that are file systems begin with it


def list_slo_targets(spec: ClusterSpec) -> tuple[SloTarget, ...]:
    """One for each value that nodes are told apart by: pools where nodes are ours, else machines."""
    found: dict[str, list[Pool]] = {}
    for pool in spec.pools:
        found.setdefault(pool.name if spec.existing is None else pool.machine, []).append(pool)
    return tuple(_build_pool_target(key, pools) for key, pools in found.items())


def list_shared_tiers(spec: ClusterSpec) -> tuple[str, ...]:
    """The tier that many pods mount; none where there are two."""
    found = tuple(tier.tier for tier in spec.storage if tier.item.startswith(SHARED))
    # Nothing tells the claims of two tiers apart.
    return found if len(found) == 1 else ()


def is_counted_tier(tier: Tier) -> bool:
    """Whether a month of it is counted, as it is of file systems."""
    # Buckets are held to their provider's own terms.
    return tier.item.startswith(SHARED)


def is_counted_fabric(fabric: str) -> bool:
    """Whether a month of it is counted."""
    # Of others nothing in the cluster sees whether they work: the acceptance alone is counted.
    return fabric in SEEN_FABRICS


def object_store(spec: ClusterSpec) -> str:
    """The part that is the object store in the cluster; "" where there is none."""
    platform = spec.platform
    return "" if platform is None or platform.part(platform.object_store) is None else platform.object_store


def _build_pool_target(key: str, pools: Sequence[Pool]) -> SloTarget:
    resource = next((device(pool.accelerator) for pool in pools if pool.accelerators), "")
    joined = next((pool for pool in pools if pool.role == "gpu" and pool.fabric not in NO_FABRIC), None)
    return SloTarget(
        pool=key,
        pools=tuple(pool.name for pool in pools),
        fixed=sum(min(pool.min_nodes, pool.working) for pool in pools),
        most=sum(pool.working for pool in pools),
        accelerators=max(pool.accelerators for pool in pools) if resource else 0,
        resource="".join(letter if letter.isalnum() else "_" for letter in resource),
        fabric=joined.fabric if joined else "",
        ports=joined.efa_interfaces if joined else 0,
    )
