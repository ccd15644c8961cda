"""A cluster in memory, the stack whose nodes it has, and a clock that never waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError
from operations.nodes.health import MaintenanceContext
from operations.nodes.repair_steps import Waiting
from planning.incidents.node import Condition, Node
from planning.incidents.pods import Pod, PodDisruptionBudget
from planning.spec.cluster import Amounts, ClusterSpec, Placement, Profile
from planning.spec.cluster import Pool as NodePool

START = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
NOTHING = Amounts(min=Decimal(0), expected=Decimal(0), max=Decimal(0))
SPINE = "topology.k8s.aws/network-node-layer-1"
LEAF = "topology.k8s.aws/network-node-layer-3"
XID_79 = Condition(
    type="SysLogsXIDError",
    status="True",
    reason="SysLogsXIDErrorIsNotHealthy",
    message="ErrorCode:79 PCI:0002:00:00 GPU_UUID:GPU-22222222-2222-2222-2222-222222222222 "
    "kernel: NVRM: Xid (PCI:0002:00:00): 79, pid=1582259 Recommended Action=RESTART_BM;",
    since=START - timedelta(minutes=5),
)
READY = Condition(type="Ready", status="True", reason="KubeletReady", since=START - timedelta(days=3))


def node_pool(name: str = "train", **changes: object) -> NodePool:
    fields: dict[str, object] = {
        "name": name,
        "role": "gpu",
        "workload": name,
        "machine": "p5.48xlarge",
        "accelerator": "H100-SXM-80GB",
        "accelerators": 8,
        "vcpus": 192,
        "memory_gib": Decimal(2048),
        "architecture": "x86_64",
        "purchase": "reserved_12m",
        "kind": "reserved",
        "working": 3,
        "spares": 1,
        "min_nodes": 4,
        "max_nodes": 4,
        "node_hours": NOTHING,
        "disk_gb": 500,
        "local_nvme_gb": 30400,
        "fabric": "efa",
        "efa_interfaces": 32,
        "placement_group": False,
        "zones": ("use1-az4",),
        "burn_in": True,
    }
    return NodePool.model_validate({**fields, **changes})


def spec(*, target: str = "aws", provider: str = "aws", repair: str = "provider", **pool: object) -> ClusterSpec:
    system = node_pool(
        "system", role="system", spares=0, working=2, min_nodes=2, max_nodes=2, fabric="ethernet", burn_in=False
    )
    owners = ("gpu_driver", "device_plugin", "node_feature_discovery", "dcgm_exporter", "network_plugin", "autoscaler")
    fields: dict[str, Any] = dict.fromkeys(owners, "provider")
    profile = Profile.model_validate({"provider": provider, "title": "X", "node_repair": repair, **fields})
    place = Placement.model_validate({"provider": provider, "region": "us-east-1", "zones": (), "target": target})
    return ClusterSpec.model_construct(
        placement=place, pools=(system, node_pool(**pool)), profile=profile, existing=None
    )


def scene(folder: Path, of: ClusterSpec | None = None, *, hours: Decimal | None = None) -> MaintenanceContext:
    folder.mkdir(parents=True, exist_ok=True)
    return MaintenanceContext(
        stack="demo", spec=of or spec(), folder=folder, eks="atoll-demo", replace_within_hours=hours
    )


def node(name: str, *conditions: Condition, pool: str = "train", role: str = "gpu", **changes: Any) -> Node:
    labels = {
        "atoll/pool": pool,
        "atoll/role": role,
        "atoll/burn-in": "passed",
        "topology.kubernetes.io/zone": "us-east-1a",
        SPINE: "nn-1",
        LEAF: "nn-11",
        "eks.amazonaws.com/nodegroup": pool,
        **changes.pop("labels", {}),
    }
    machine = "i-" + "".join(f"{ord(each):02x}" for each in name)[:17]
    told = conditions if any(each.type == "Ready" for each in conditions) else (READY, *conditions)
    return replace(
        Node(name=name, uid=f"uid-{name}", version="1", provider_id=f"aws:///us-east-1a/{machine}", labels=labels),
        conditions=told,
        **changes,
    )


def spare(name: str, **changes: Any) -> Node:
    return node(name, cordoned=True, labels={"atoll/spare": "true", **changes.pop("labels", {})}, **changes)


def systems() -> list[Node]:
    return [node(f"sys-{number}", pool="system", role="system") for number in range(2)]


def pod(name: str, **changes: Any) -> Pod:
    return Pod(namespace="team", name=name, uid=f"uid-{name}", owner="Job", phase="Running", **changes)


@dataclass
class FakeCluster:
    """Evictions take effect at once, but for pods that a budget covers or that will not end."""

    all: list[Node]
    pods: dict[str, list[Pod]] = field(default_factory=dict)
    rules: list[PodDisruptionBudget] = field(default_factory=list)
    told: Mapping[str, tuple[int, ...]] | str = field(default_factory=dict)
    clashes: int = 0
    refuses: str = ""
    graces: dict[str, int] = field(default_factory=dict)
    changes: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    stuck: bool = False

    def list_nodes(self) -> Sequence[Node]:
        return list(self.all)

    def list_pods_on(self, node: str) -> Sequence[Pod]:
        return list(self.pods.get(node, []))

    def list_budgets(self) -> Sequence[PodDisruptionBudget]:
        return self.rules

    def change(self, node: Node, change: Mapping[str, Any]) -> None:
        if self.refuses:
            raise ClusterError(self.refuses)
        if self.clashes:
            self.clashes -= 1
            raise ChangedMeanwhileError(node.name)
        self.changes.append((node.name, change))
        self.all = [_patched(each, change) if each.name == node.name else each for each in self.all]

    def evict(self, pod: Pod, *, grace_seconds: int) -> str:
        self.graces[pod.name] = grace_seconds
        if any(each.allowed < 1 and each.covers(pod) for each in self.rules):
            return "Cannot evict pod as it would violate the pod's disruption budget."
        for name, there in self.pods.items():
            gone = [each for each in there if each.uid == pod.uid]
            rest = [each for each in there if each.uid != pod.uid]
            self.pods[name] = [*rest, *(replace(each, ending=True) for each in gone)] if self.stuck else rest
        return ""

    def delete(self, node: Node) -> None:
        self.all = [each for each in self.all if each.name != node.name]

    def read_xids(self) -> Mapping[str, tuple[int, ...]] | str:
        return self.told

    def node(self, name: str) -> Node:
        return next(each for each in self.all if each.name == name)


def _patched(node: Node, change: Mapping[str, Any]) -> Node:
    meta, spec = change.get("metadata", {}), change.get("spec", {})
    cordoned = bool(spec["unschedulable"]) if "unschedulable" in spec else node.cordoned
    return replace(
        node,
        cordoned=cordoned,
        labels=_merged(node.labels, meta.get("labels", {})),
        annotations=_merged(node.annotations, meta.get("annotations", {})),
    )


def _merged(old: Mapping[str, str], new: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in {**old, **new}.items() if value is not None}


@dataclass
class Clock:
    """Seconds pass only when somebody sleeps."""

    passed: float = 0.0

    def __call__(self) -> float:
        return self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += seconds

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    def waiting(self, **changes: Any) -> Waiting:
        wanted: dict[str, Any] = {"timeout_s": 60, "every_s": 5, "grace_s": 0, **changes}
        return Waiting(clock=self, sleep=self.sleep, **wanted)
