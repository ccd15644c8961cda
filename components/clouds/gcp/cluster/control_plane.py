"""The control plane on Google Cloud: a regional GKE cluster, private unless the checklist names who may reach it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, CLUSTER_LENGTH, build_gcp_name
from components.clouds.gcp.network.vpc import PODS, SERVICES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Placement


# Flags: kubernetes/cloud-provider-gcp at 0a5be104, cmd/gke-gcloud-auth-plugin/cred.go. Google's access tokens last an
# hour at most.
PLUGIN: Final = "gke-gcloud-auth-plugin"
ADMIN: Final = "admin"


@dataclass(frozen=True, kw_only=True)
class KubeconfigUser:
    """Who somebody is in the cluster.

    Args:
        account: service account that is taken; "" for the caller's own identity.
        group: group that the account acts as; "" for none.
        namespace: where its context begins; "" for "default".
    """

    account: pulumi.Input[str] = ""
    group: str = ""
    namespace: str = ""


def kubeconfig(
    *,
    name: str,
    endpoint: pulumi.Input[str],
    certificate: pulumi.Input[str],
    users: Mapping[str, KubeconfigUser] | None = None,
) -> pulumi.Output[str]:
    """The kubeconfig as JSON, which is YAML too; a context for each user, the first of which is the current one."""
    wanted = {ADMIN: KubeconfigUser()} if users is None else users
    server = pulumi.Output.concat("https://", endpoint)
    contexts = [{"name": each, "context": _context(each, user, cluster=name)} for each, user in wanted.items()]
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": certificate}}],
            "contexts": contexts,
            "current-context": next(iter(wanted), ""),
            "users": [{"name": each, "user": _sign_in(user)} for each, user in wanted.items()],
        }
    )


def _context(name: str, user: KubeconfigUser, *, cluster: str) -> dict[str, object]:
    begun = {"namespace": user.namespace} if user.namespace else {}
    return {"cluster": cluster, "user": name, **begun}


def _sign_in(user: KubeconfigUser) -> dict[str, object]:
    taken = pulumi.Output.concat("--impersonate_service_account=", user.account)
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": PLUGIN,
        "args": [taken] if user.group else [],
        "installHint": f"gcloud components install {PLUGIN}",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    return {"exec": plugin, **({"as": user.group, "as-groups": [user.group]} if user.group else {})}


# Cluster Toolkit at 10470803 (June 2026), examples/gke-a4; terraform-provider-google 7.46. With this scope an exclusion
# may last until the minor version leaves support: the control plane is patched, nodes are left alone.
EXCLUSION_SCOPE: Final = "NO_MINOR_OR_NODE_UPGRADES"
EXCLUSION_END: Final = "UNTIL_END_OF_SUPPORT"
EXCLUSION_START: Final = "2026-01-01T00:00:00Z"  # any day past; a moving one would be a change at every update
CHANNEL: Final = "REGULAR"  # an exclusion of that scope needs a channel
MAINTENANCE_START: Final = "02:00"  # UTC, four hours each day, more than GKE asks to be left
LOGS: Final = ("SYSTEM_COMPONENTS", "APISERVER", "CONTROLLER_MANAGER", "SCHEDULER")
METRICS: Final = ("SYSTEM_COMPONENTS",)  # not charged; every other component is, by the sample
NODE_ROLES: Final = ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane needs.

    Args:
        control_plane: /28 of the control plane's own end.
        inside: ranges that may always reach the API: the network's own, and the peered network's.
        api_cidrs: who may reach it from the internet; empty keeps it private.
        deletion_protection: refuses to delete the cluster while it is on.
        shared: item of the shared file system, whose driver is switched on; "" for none.
        several_networks: nodes of a pool are in more networks than the cluster's.
        gpu_metrics: whether GKE runs the exporter of GPU metrics.
    """

    placement: Placement
    kubernetes_version: str
    project: pulumi.Input[str]
    network_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    control_plane: IPv4Network
    pods_per_node: int
    key_id: pulumi.Input[str]
    inside: Sequence[IPv4Network]
    api_cidrs: Sequence[IPv4Network]
    deletion_protection: bool
    shared: str
    several_networks: bool
    gpu_metrics: bool
    labels: Mapping[str, str]


@final
class Cluster(pulumi.ComponentResource):
    """A GKE cluster whose minor version the lock says and nobody changes behind it.

    Attributes:
        workload_pool: issuer of the pods' identities.
        node_account: e-mail of the service account of every node.
        kubeconfig: holds no credential.
    """

    name: str
    resource: gcp.container.Cluster
    workload_pool: pulumi.Output[str]
    node_account: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]

    def __init__(self, name: str, args: ClusterArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:cluster:Cluster", name, _facts(args), opts)
        self.name = build_gcp_name(args.placement, longest=CLUSTER_LENGTH)
        self.workload_pool = pulumi.Output.concat(args.project, ".svc.id.goog")
        account, rights = _node_account(args, parent=self)
        self.node_account = account.email
        self.resource = _control_plane(self, args, rights=rights)
        self.kubeconfig = kubeconfig(
            name=self.name,
            endpoint=self.resource.endpoint,
            certificate=self.resource.master_auth.cluster_ca_certificate,
        )
        self.register_outputs({"name": self.name})


def _facts(args: ClusterArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "kubernetesVersion": args.kubernetes_version,
        "apiCidrs": [str(cidr) for cidr in args.api_cidrs],
    }


def _node_account(
    args: ClusterArgs, *, parent: Cluster
) -> tuple[gcp.serviceaccount.Account, Sequence[pulumi.Resource]]:
    """An account of the nodes' own, since the default one may edit the whole project."""
    opts = pulumi.ResourceOptions(parent=parent)
    account = gcp.serviceaccount.Account(
        "nodes",
        account_id=build_gcp_name(args.placement, "nodes", longest=ACCOUNT_LENGTH),
        display_name="Nodes of the Atoll cluster",
        opts=opts,
    )
    rights = [
        gcp.projects.IAMMember(
            f"nodes-{role.rpartition('.')[2]}",
            project=args.project,
            role=role,
            member=account.email.apply("serviceAccount:{}".format),
            opts=opts,
        )
        for role in NODE_ROLES
    ]
    return account, rights


def _control_plane(cluster: Cluster, args: ClusterArgs, *, rights: Sequence[pulumi.Resource]) -> gcp.container.Cluster:
    """The default node pool is made and removed at once: GKE makes no cluster without one."""
    return gcp.container.Cluster(
        "cluster",
        name=cluster.name,
        location=args.placement.region,
        min_master_version=args.kubernetes_version,
        release_channel={"channel": CHANNEL},
        maintenance_policy=_maintenance(),
        network=args.network_id,
        subnetwork=args.subnet_id,
        networking_mode="VPC_NATIVE",
        ip_allocation_policy={"cluster_secondary_range_name": PODS, "services_secondary_range_name": SERVICES},
        default_max_pods_per_node=args.pods_per_node,
        datapath_provider="ADVANCED_DATAPATH",
        enable_intranode_visibility=True,
        enable_multi_networking=args.several_networks,
        private_cluster_config={
            "enable_private_nodes": True,
            "enable_private_endpoint": not args.api_cidrs,
            "master_ipv4_cidr_block": str(args.control_plane),
        },
        master_authorized_networks_config=_who(args),
        control_plane_endpoints_config={"dns_endpoint_config": {"allow_external_traffic": False}},
        workload_identity_config={"workload_pool": cluster.workload_pool},
        database_encryption={"state": "ENCRYPTED", "key_name": args.key_id},
        enable_shielded_nodes=True,
        enable_legacy_abac=False,
        rbac_binding_config={
            "enable_insecure_binding_system_authenticated": False,
            "enable_insecure_binding_system_unauthenticated": False,
        },
        anonymous_authentication_config={"mode": "LIMITED"},  # health checks only
        master_auth={"client_certificate_config": {"issue_client_certificate": False}},
        binary_authorization={"evaluation_mode": "PROJECT_SINGLETON_POLICY_ENFORCE"},
        security_posture_config={"mode": "BASIC", "vulnerability_mode": "VULNERABILITY_DISABLED"},
        logging_config={"enable_components": list(LOGS)},
        monitoring_config=_metrics(args),
        addons_config=_addons(args),
        cost_management_config={"enabled": True},
        initial_node_count=1,
        remove_default_node_pool=True,
        node_config=_first_node(cluster, args),
        deletion_protection=args.deletion_protection,
        resource_labels=dict(args.labels),
        opts=pulumi.ResourceOptions(parent=cluster, depends_on=list(rights), ignore_changes=["nodeConfig"]),
    )


def _maintenance() -> gcp.container.ClusterMaintenancePolicyArgsDict:
    return {
        "daily_maintenance_window": {"start_time": MAINTENANCE_START},
        "maintenance_exclusions": [
            {
                "exclusion_name": "no-minor-or-node-upgrades",
                "start_time": EXCLUSION_START,
                "exclusion_options": {"scope": EXCLUSION_SCOPE, "end_time_behavior": EXCLUSION_END},
            }
        ],
    }


def _who(args: ClusterArgs) -> gcp.container.ClusterMasterAuthorizedNetworksConfigArgsDict:
    """Who reaches the API: machines of Google Cloud are not trusted for being there."""
    named = [("inside", cidr) for cidr in args.inside] + [("checklist", cidr) for cidr in args.api_cidrs]
    return {
        "cidr_blocks": [{"cidr_block": str(cidr), "display_name": name} for name, cidr in named],
        "gcp_public_cidrs_access_enabled": False,
    }


def _metrics(args: ClusterArgs) -> gcp.container.ClusterMonitoringConfigArgsDict:
    """GPU metrics come from one exporter: GKE's where the profile says so, else the platform's."""
    return {
        "enable_components": [*METRICS, *(["DCGM"] if args.gpu_metrics else [])],
        "managed_prometheus": {"enabled": args.gpu_metrics},
    }


def _addons(args: ClusterArgs) -> gcp.container.ClusterAddonsConfigArgsDict:
    return {
        "gce_persistent_disk_csi_driver_config": {"enabled": True},
        "gcs_fuse_csi_driver_config": {"enabled": True},
        "lustre_csi_driver_config": {"enabled": args.shared == "shared_ssd"},
        "gcp_filestore_csi_driver_config": {"enabled": args.shared == "shared_disk"},
        "dns_cache_config": {"enabled": True},
        "http_load_balancing": {"disabled": False},
        "network_policy_config": {"disabled": True},  # Calico; the data path enforces policies itself
    }


def _first_node(cluster: Cluster, args: ClusterArgs) -> gcp.container.ClusterNodeConfigArgsDict:
    """The node of the default pool lives for minutes, under the same rules as every other."""
    return {
        "service_account": cluster.node_account,
        "boot_disk_kms_key": args.key_id,
        "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }
