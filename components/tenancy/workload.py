"""What one workload's namespace holds: its share of the accelerators, its rights, and what it may talk to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import METADATA_ADDRESS, NAME_CACHE, POD_IDENTITY_ADDRESS, SERVICE_ACCOUNT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.networking.v1 import (
        IPBlockArgsDict,
        NetworkPolicyPeerArgsDict,
        NetworkPolicySpecArgsDict,
    )

    from components.context.placement import WorkloadVolume


def claim(
    volume: WorkloadVolume, owner: str, *, home: kubernetes.core.v1.Namespace
) -> kubernetes.core.v1.PersistentVolumeClaim:
    """The claim in the namespace `home` of an owner. It holds nothing itself, and may go with its namespace."""
    return kubernetes.core.v1.PersistentVolumeClaim(
        f"{owner}-{volume.claim}",
        metadata={"name": volume.claim, "namespace": home.metadata.name},
        spec={
            "access_modes": ["ReadWriteMany"],
            "storage_class_name": volume.storage_class,
            "volume_name": volume.name(owner),
            "resources": {"requests": {"storage": f"{volume.gib}Gi"}},
        },
        opts=pulumi.ResourceOptions(parent=home),
    )


# Roles of the checklist's users to the roles that every cluster has. Those grow with what is installed: the training
# operators add their kinds to `edit` and `view`. None of them may touch quotas.
ROLES: Final[Mapping[str, str]] = {"admin": "admin", "engineer": "edit", "viewer": "view"}
EVERYWHERE: Final = "admin"  # the one role that is held in every workload's namespace
GROUP_PREFIX: Final = "atoll:"
CONTAINER_DEFAULT: Final = {"cpu": "500m", "memory": "1Gi"}
ANYWHERE: Final = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True)
class TenantArgs:
    """A workload, its quota, and the volumes that are kept for it.

    Args:
        accelerators: that its pods may ask for together, by extended resource.
    """

    workload: str
    accelerators: Mapping[str, int]
    identity: str = "none"
    volumes: Sequence[WorkloadVolume] = ()


def group_of(role: str, *, workload: str) -> str:
    """The group that has a role in a workload's namespace: admins look after all of them, everyone else has a team."""
    return f"{GROUP_PREFIX}{role}" if role == EVERYWHERE else f"{GROUP_PREFIX}{workload}:{role}"


def fill_tenant_namespace(args: TenantArgs, *, home: kubernetes.core.v1.Namespace) -> None:
    """Fills the namespace `home`."""
    _account(args.workload, home=home)
    _quota(args, home=home)
    _limits(args.workload, home=home)
    _rights(args.workload, home=home)
    for volume in args.volumes:
        claim(volume, args.workload, home=home)
    policies = {**build_closed_policies(), "allow-https": ALLOW_HTTPS, **IDENTITY_DOORS.get(args.identity, {})}
    for name, spec in policies.items():
        kubernetes.networking.v1.NetworkPolicy(
            f"{args.workload}-{name}",
            metadata=_build_metadata(name, home=home),
            spec=spec,
            opts=pulumi.ResourceOptions(parent=home),
        )


def _build_metadata(name: str, *, home: kubernetes.core.v1.Namespace) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": home.metadata.name}


def _account(workload: str, *, home: kubernetes.core.v1.Namespace) -> None:
    """The account of the workload's pods."""
    kubernetes.core.v1.ServiceAccount(
        f"{workload}-account",
        metadata=_build_metadata(SERVICE_ACCOUNT, home=home),
        # The Kubernetes API is none of the pods' business.
        automount_service_account_token=False,
        opts=pulumi.ResourceOptions(parent=home),
    )


def _quota(args: TenantArgs, *, home: kubernetes.core.v1.Namespace) -> None:
    """What is beyond it is refused at once, whoever asks, with a queue or without one."""
    hard = {f"requests.{name}": count for name, count in args.accelerators.items()}
    if not hard:
        return
    kubernetes.core.v1.ResourceQuota(
        f"{args.workload}-accelerators",
        metadata=_build_metadata("accelerators", home=home),
        spec={"hard": {name: str(count) for name, count in hard.items()}},
        opts=pulumi.ResourceOptions(parent=home),
    )


def _limits(workload: str, *, home: kubernetes.core.v1.Namespace) -> None:
    """What a container gets that asks for nothing."""
    kubernetes.core.v1.LimitRange(
        f"{workload}-limits",
        metadata=_build_metadata("defaults", home=home),
        # No ceiling of memory: data loaders fill what the node has.
        spec={"limits": [{"type": "Container", "default_request": dict(CONTAINER_DEFAULT)}]},
        opts=pulumi.ResourceOptions(parent=home),
    )


def _rights(workload: str, *, home: kubernetes.core.v1.Namespace) -> None:
    for role, granted in ROLES.items():
        group = group_of(role, workload=workload)
        kubernetes.rbac.v1.RoleBinding(
            f"{workload}-{role}",
            metadata=_build_metadata(role, home=home),
            role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": granted},
            subjects=[{"api_group": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
            opts=pulumi.ResourceOptions(parent=home),
        )


def build_closed_policies() -> dict[str, NetworkPolicySpecArgsDict]:
    """Nothing in, nothing out, but names and pods of the same namespace."""
    names: list[NetworkPolicyPeerArgsDict] = [
        {"namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "kube-system"}}},
        {"ip_block": {"cidr": NAME_CACHE}},
    ]
    own: NetworkPolicyPeerArgsDict = {"pod_selector": {}}
    return {
        "default-deny": {"pod_selector": {}, "policy_types": ["Ingress", "Egress"]},
        "allow-dns": {
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [{"to": names, "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}],
        },
        "allow-own-pods": {
            "pod_selector": {},
            "policy_types": ["Ingress", "Egress"],
            "ingress": [{"from_": [own]}],
            "egress": [{"to": [own]}],
        },
    }


def _allow_egress(*ways: tuple[IPBlockArgsDict, int]) -> NetworkPolicySpecArgsDict:
    return {
        "pod_selector": {},
        "policy_types": ["Egress"],
        "egress": [{"to": [{"ip_block": block}], "ports": [{"protocol": "TCP", "port": port}]} for block, port in ways],
    }


# HTTPS to anyone but the node's metadata, and the agent that hands out identities on EKS.
ALLOW_HTTPS: Final = _allow_egress(
    ({"cidr": ANYWHERE, "except_": [METADATA_ADDRESS]}, 443), ({"cidr": POD_IDENTITY_ADDRESS}, 80)
)
# GKE's metadata server hands out the tokens of workload identity, under Dataplane V2 at this address and port; it shows
# pods their own identity only (cloud.google.com/kubernetes-engine/docs/how-to/network-policy, from memory).
IDENTITY_DOORS: Final[Mapping[str, Mapping[str, NetworkPolicySpecArgsDict]]] = {
    "workload_identity": {"allow-identity": _allow_egress(({"cidr": METADATA_ADDRESS}, 80))}
}
