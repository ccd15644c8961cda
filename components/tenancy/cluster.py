"""The order inside a cluster, the same on every provider: namespaces, limits, rights, priorities, storage classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import QUEUED, SYSTEM_NAMESPACE, namespace, workloads
from components.tenancy.workload import EVERYWHERE, ROLES, TenantArgs, claim, fill_tenant_namespace, group_of
from planning.platform.queues import namespace_quotas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.core.v1 import PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

    from components.context.placement import WorkloadVolume
    from planning.spec.cluster import ClusterSpec, Tier


def storage_classes(tiers: Sequence[Tier], *, parent: pulumi.Resource) -> None:
    """`atoll-hot` for the nodes' own disks; classes of a cloud's disks and file systems are made beside its cluster."""
    if any(tier.tier == "hot" for tier in tiers):
        _hot(parent=parent)


def _hot(*, parent: pulumi.Resource) -> None:
    """The class of the nodes' own disks."""
    kubernetes.storage.v1.StorageClass(
        "atoll-hot",
        metadata={"name": "atoll-hot"},
        # Volumes appear where a node's local disks are published.
        provisioner="kubernetes.io/no-provisioner",
        volume_binding_mode="WaitForFirstConsumer",
        reclaim_policy="Delete",
        opts=pulumi.ResourceOptions(parent=parent),
    )


MODE: Final = "1777"  # everyone may make files, and nobody remove those of others: the mode of /tmp
TOP: Final = "/volume"


def register_permissions_job(volume: WorkloadVolume, *, home: kubernetes.core.v1.Namespace, image: str) -> None:
    """Claims the system's volume and has its mode set once."""
    mine = claim(volume, SYSTEM_NAMESPACE, home=home)
    kubernetes.batch.v1.Job(
        f"open-{volume.claim}",
        metadata={
            "name": f"open-{volume.claim}",
            "namespace": home.metadata.name,
            # No update waits for it: the pod starts when the first node can mount the volume.
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        spec={"template": {"spec": _pod(volume, image)}},
        opts=pulumi.ResourceOptions(parent=home, depends_on=[mine]),
    )


def _pod(volume: WorkloadVolume, image: str) -> PodSpecArgsDict:
    """The pod that sets the mode."""
    return {
        "restart_policy": "OnFailure",
        "automount_service_account_token": False,
        "enable_service_links": False,
        "node_selector": {"kubernetes.io/os": "linux", "atoll/role": "system"},
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "open",
                "image": image,
                "command": ["chmod", MODE, TOP],
                "security_context": {
                    # Root owns the top, so that it needs no capability to change the mode.
                    "run_as_user": 0,
                    "allow_privilege_escalation": False,
                    "read_only_root_filesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
                "volume_mounts": [{"name": "volume", "mount_path": TOP}],
            }
        ],
        "volumes": [{"name": "volume", "persistent_volume_claim": {"claim_name": volume.claim}}],
    }


# Who yields to whom when there is no room: what serves users first, then people, then jobs that resume, then the rest.
PRIORITIES: Final[Mapping[str, tuple[int, str]]] = {
    "atoll-serving": (100_000, "services that answer users"),
    "atoll-interactive": (50_000, "notebooks and IDEs that somebody waits for"),
    "atoll-training": (10_000, "training jobs, which resume from a checkpoint"),
    "atoll-batch": (1_000, "jobs that may wait and be started again"),
}
# What the profile controller of Kubeflow wants of a namespace that it did not make: it sets them where they lack, all
# but the first, without which no sidecar would guard the pods (kubeflow/dashboard v2.0.0, profile_controller.go).
PROFILE_LABELS: Final[Mapping[str, str]] = {
    "istio-injection": "enabled",
    "app.kubernetes.io/part-of": "kubeflow-profile",
    "katib.kubeflow.org/metrics-collector-injection": "enabled",
    "pipelines.kubeflow.org/enabled": "true",
    "serving.kubeflow.org/inferenceservice": "enabled",
}
OWNER: Final = "owner"  # annotation: a Profile takes over a namespace only from an owner of the same name
ADMIN: Final = "admin"


@dataclass(frozen=True, kw_only=True)
class TenancyArgs:
    """What the lock says of pools, tiers and people.

    Args:
        identity: how pods get the provider's rights (`Identity.kind`).
        volumes: those that each workload claims.
        image: with a shell, for what opens volumes that are shut.
    """

    spec: ClusterSpec
    identity: str = "none"
    volumes: Sequence[WorkloadVolume] = ()
    image: str = ""


@final
class Tenancy(pulumi.ComponentResource):
    """A namespace for each workload, shut and bounded, and one for the system.

    Tenants' namespaces enforce the restricted pod security standard. The system namespace is privileged, because node
    tests reach the accelerators and disks of the host, which no lower level admits; no user has rights in it.
    """

    def __init__(self, name: str, args: TenancyArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Tenancy", name, {"workloads": list(workloads(args.spec))}, opts)
        system = shut_namespace(SYSTEM_NAMESPACE, level="privileged", parent=self)
        for volume in args.volumes:
            if volume.shut:
                register_permissions_job(volume, home=system, image=args.image)
        marks = _marks(args.spec)
        quotas = namespace_quotas(args.spec.pools, args.spec.platform)
        for workload in workloads(args.spec):
            home = shut_namespace(namespace(workload), level="restricted", parent=self, marks=marks)
            held = quotas.get(workload, {})
            mine = TenantArgs(workload=workload, accelerators=held, identity=args.identity, volumes=args.volumes)
            fill_tenant_namespace(mine, home=home)
        _priorities(parent=self)
        storage_classes(args.spec.storage, parent=self)
        self.register_outputs({})


@dataclass(frozen=True, kw_only=True)
class NamespaceMetadata:
    """What a namespace carries beside its pod security standard.

    Args:
        kept: whether it outlives the stack, with the volumes in it.
    """

    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: bool = False


def owner_of(spec: ClusterSpec) -> str:
    """Who owns the namespaces of the workloads, by e-mail: the first admin, or who signed the checklist."""
    return next((user.email for user in spec.access.users if user.group == ADMIN), spec.customer.owner)


def shut_namespace(
    name: str, *, level: str, parent: pulumi.Resource, marks: NamespaceMetadata | None = None
) -> kubernetes.core.v1.Namespace:
    """A namespace under a pod security standard, whose violations are refused, warned of and logged alike."""
    modes = ("enforce", "warn", "audit")
    own = marks or NamespaceMetadata()
    labels = {f"pod-security.kubernetes.io/{mode}": level for mode in modes}
    metadata: ObjectMetaArgsDict = {
        "name": name,
        "labels": {**labels, "app.kubernetes.io/managed-by": "atoll", **own.labels},
    }
    if own.annotations:
        metadata["annotations"] = dict(own.annotations)
    return kubernetes.core.v1.Namespace(
        name, metadata=metadata, opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=own.kept or None)
    )


def _marks(spec: ClusterSpec) -> NamespaceMetadata:
    """People work in these namespaces only where there is a platform to work with; then their volumes are kept."""
    if spec.platform is None:
        return NamespaceMetadata()
    profiles = spec.platform.part("dashboard") is not None
    return NamespaceMetadata(
        labels={QUEUED: "yes", **(PROFILE_LABELS if profiles else {})},
        annotations={OWNER: owner_of(spec)} if profiles else {},
        kept=True,
    )


def _priorities(*, parent: Tenancy) -> None:
    for name, (value, description) in PRIORITIES.items():
        kubernetes.scheduling.v1.PriorityClass(
            name,
            metadata={"name": name},
            value=value,
            description=description,
            preemption_policy="Never" if name == "atoll-batch" else "PreemptLowerPriority",
            opts=pulumi.ResourceOptions(parent=parent),
        )


READ: Final = ("get", "list", "watch")
RBAC: Final = "rbac.authorization.k8s.io"
READER_ROLE: Final = "atoll-reader"
ADMIN_ROLE: Final = "atoll-admin"


def _read(group: str, *resources: str) -> PolicyRuleArgsDict:
    return {"api_groups": [group], "resources": list(resources), "verbs": list(READ)}


# Names of places and machines, never what is in them: no pods, no secrets, no configuration of another team.
READING: Final[Sequence[PolicyRuleArgsDict]] = (
    _read("", "nodes", "namespaces"),
    _read("storage.k8s.io", "storageclasses"),
    _read("scheduling.k8s.io", "priorityclasses"),
    _read("metrics.k8s.io", "nodes"),
)
# Whoever runs the cluster cordons and drains nodes, which means to see and evict pods; secrets stay closed.
TURNING: Final[Sequence[PolicyRuleArgsDict]] = (
    _read("", "pods", "persistentvolumes", "events"),
    _read("apps", "daemonsets", "deployments", "replicasets", "statefulsets"),
    _read("batch", "jobs"),
    {"api_groups": [""], "resources": ["nodes"], "verbs": ["patch"]},
    {"api_groups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
    {"api_groups": [""], "resources": ["pods"], "verbs": ["delete"]},
)
GRANTED: Final[Mapping[str, Sequence[PolicyRuleArgsDict]]] = {READER_ROLE: READING, ADMIN_ROLE: TURNING}


@dataclass(frozen=True, kw_only=True)
class ClusterRolesArgs:
    """Workloads that have people."""

    workloads: Sequence[str]


@final
class ClusterRoles(pulumi.ComponentResource):
    """Two roles of the whole cluster and who has them."""

    def __init__(self, name: str, args: ClusterRolesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Rights", name, {"workloads": list(args.workloads)}, opts)
        admins = group_of(EVERYWHERE, workload="")
        everyone = [
            group_of(role, workload=workload) for workload in args.workloads for role in ROLES if role != EVERYWHERE
        ]
        for granted, groups in ((READER_ROLE, [admins, *everyone]), (ADMIN_ROLE, [admins])):
            _grant(granted, groups, parent=self)
        self.register_outputs({})


def _grant(name: str, groups: Sequence[str], *, parent: ClusterRoles) -> None:
    made = kubernetes.rbac.v1.ClusterRole(
        name,
        metadata={"name": name},
        rules=list(GRANTED[name]),
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.rbac.v1.ClusterRoleBinding(
        name,
        metadata={"name": name},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": name},
        subjects=[{"api_group": RBAC, "kind": "Group", "name": group} for group in groups],
        opts=pulumi.ResourceOptions(parent=made),
    )
