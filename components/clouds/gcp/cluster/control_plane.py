"""The control plane on Google Cloud: a regional GKE cluster, private unless the checklist allows ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import (
    ACCOUNT_LENGTH,
    CLUSTER_LENGTH,
    FILESTORE,
    LUSTRE,
    build_gcp_name,
    labels,
)
from components.clouds.gcp.cluster.machines import fabric_of
from components.clouds.gcp.cluster.settings import find_file_system_item
from components.clouds.gcp.network.vpc import PODS, SERVICES
from components.context.kubeconfig import KubeconfigContext, build_kubeconfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.gcp.network.vpc import Vpc
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec
    from planning.values.addresses import GkeRanges

ADMIN: Final = "admin"
# Flags: kubernetes/cloud-provider-gcp at 0a5be104, cmd/gke-gcloud-auth-plugin/cred.go. Google's access tokens last an
# hour at most.
PLUGIN: Final = "gke-gcloud-auth-plugin"
# Cluster Toolkit at 10470803 (June 2026), examples/gke-a4; terraform-provider-google 7.46. With this scope an exclusion
# may last until the minor version leaves support: the control plane is patched, nodes are left alone.
EXCLUSION_SCOPE: Final = "NO_MINOR_OR_NODE_UPGRADES"
EXCLUSION_END: Final = "UNTIL_END_OF_SUPPORT"
EXCLUSION_START: Final = "2026-01-01T00:00:00Z"  # any past day; a variable one would be a change at every update
CHANNEL: Final = "REGULAR"  # required by an exclusion of that scope
MAINTENANCE_START: Final = "02:00"  # UTC, four hours each day, more than GKE requires
LOGS: Final = ("SYSTEM_COMPONENTS", "APISERVER", "CONTROLLER_MANAGER", "SCHEDULER")
METRICS: Final = ("SYSTEM_COMPONENTS",)  # free of charge; others are billed by the sample
NODE_ROLES: Final = ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")


MAINTENANCE: Final[gcp.container.ClusterMaintenancePolicyArgsDict] = {
    "daily_maintenance_window": {"start_time": MAINTENANCE_START},
    "maintenance_exclusions": [
        {
            "exclusion_name": "no-minor-or-node-upgrades",
            "start_time": EXCLUSION_START,
            "exclusion_options": {"scope": EXCLUSION_SCOPE, "end_time_behavior": EXCLUSION_END},
        }
    ],
}


NO_INSECURE_BINDINGS: Final[gcp.container.ClusterRbacBindingConfigArgsDict] = {
    "enable_insecure_binding_system_authenticated": False,
    "enable_insecure_binding_system_unauthenticated": False,
}


@final
class Cluster(pulumi.ComponentResource):
    """A GKE cluster in the lock's minor version, which GKE may not change by itself.

    Attributes:
        workload_pool: issuer of the pods' identities.
        node_account: email of the service account of every node.
        kubeconfig: holds no credential.
    """

    name: str
    resource: gcp.container.Cluster
    workload_pool: pulumi.Output[str]
    node_account: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        project: pulumi.Input[str],
        network: Vpc,
        ranges: GkeRanges,
        key_id: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = {
            "kubernetesVersion": site.spec.kubernetes_version,
            "apiCidrs": [str(cidr) for cidr in site.spec.network.api_cidrs],
        }
        super().__init__("atoll:cluster:Cluster", name, site.describe(**facts), opts)
        self.name = build_gcp_name(site.placement, longest=CLUSTER_LENGTH)
        self.workload_pool = pulumi.Output.concat(project, ".svc.id.goog")
        account, self._rights = self._create_node_account(site, project=project)
        self.node_account = account.email
        self.resource = self._create_cluster(site, network, ranges, key_id=key_id)
        self.kubeconfig = self.build_kubeconfig([KubeconfigContext(name=ADMIN, user=ADMIN, sign_in=build_sign_in())])
        self.register_outputs({"name": self.name})

    def build_kubeconfig(self, contexts: Sequence[KubeconfigContext]) -> pulumi.Output[str]:
        server = pulumi.Output.concat("https://", self.resource.endpoint)
        authority = self.resource.master_auth.cluster_ca_certificate
        return build_kubeconfig(self.name, contexts, server=server, certificate=authority)

    def _create_node_account(
        self, site: PlacementContext, *, project: pulumi.Input[str]
    ) -> tuple[gcp.serviceaccount.Account, list[pulumi.Resource]]:
        # The default account may edit the whole project.
        opts = pulumi.ResourceOptions(parent=self)
        account = gcp.serviceaccount.Account(
            "nodes",
            account_id=build_gcp_name(site.placement, "nodes", longest=ACCOUNT_LENGTH),
            display_name="Nodes of the Atoll cluster",
            opts=opts,
        )
        rights: list[pulumi.Resource] = [
            gcp.projects.IAMMember(
                f"nodes-{role.rpartition('.')[2]}",
                project=project,
                role=role,
                member=account.email.apply("serviceAccount:{}".format),
                opts=opts,
            )
            for role in NODE_ROLES
        ]
        return account, rights

    def _build_first_node(self, key_id: pulumi.Input[str]) -> gcp.container.ClusterNodeConfigArgsDict:
        # The default pool's node exists for minutes, but the same rules apply to it.
        return {
            "service_account": self.node_account,
            "boot_disk_kms_key": key_id,
            "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
            "workload_metadata_config": {"mode": "GKE_METADATA"},
        }

    def _create_cluster(
        self, site: PlacementContext, network: Vpc, ranges: GkeRanges, *, key_id: pulumi.Input[str]
    ) -> gcp.container.Cluster:
        # The default node pool is removed at once: GKE creates no cluster without one.
        spec = site.spec
        return gcp.container.Cluster(
            "cluster",
            name=self.name,
            location=site.placement.region,
            min_master_version=spec.kubernetes_version,
            release_channel={"channel": CHANNEL},
            maintenance_policy=MAINTENANCE,
            network=network.id,
            subnetwork=network.subnet_id,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy={"cluster_secondary_range_name": PODS, "services_secondary_range_name": SERVICES},
            default_max_pods_per_node=ranges.pods_per_node,
            datapath_provider="ADVANCED_DATAPATH",
            enable_intranode_visibility=True,
            enable_multi_networking=any(fabric_of(pool) for pool in spec.pools),
            private_cluster_config={
                "enable_private_nodes": True,
                "enable_private_endpoint": not spec.network.api_cidrs,
                "master_ipv4_cidr_block": str(ranges.control_plane),
            },
            master_authorized_networks_config=_authorize_networks(spec),
            control_plane_endpoints_config={"dns_endpoint_config": {"allow_external_traffic": False}},
            workload_identity_config={"workload_pool": self.workload_pool},
            database_encryption={"state": "ENCRYPTED", "key_name": key_id},
            enable_shielded_nodes=True,
            enable_legacy_abac=False,
            rbac_binding_config=NO_INSECURE_BINDINGS,
            anonymous_authentication_config={"mode": "LIMITED"},  # health checks only
            master_auth={"client_certificate_config": {"issue_client_certificate": False}},
            binary_authorization={"evaluation_mode": "PROJECT_SINGLETON_POLICY_ENFORCE"},
            security_posture_config={"mode": "BASIC", "vulnerability_mode": "VULNERABILITY_DISABLED"},
            logging_config={"enable_components": list(LOGS)},
            monitoring_config=_select_metrics(spec),
            addons_config=_select_add_ons(spec),
            cost_management_config={"enabled": True},
            initial_node_count=1,
            remove_default_node_pool=True,
            node_config=self._build_first_node(key_id),
            deletion_protection=not site.settings.allow_destroy,
            resource_labels=labels(spec),
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._rights, ignore_changes=["nodeConfig"]),
        )


def _authorize_networks(spec: ClusterSpec) -> gcp.container.ClusterMasterAuthorizedNetworksConfigArgsDict:
    """Ranges with access to the API: the cluster's, the peered network's, and those of the checklist."""
    peer = spec.network.peering.vpc_cidr if spec.network.peering else None
    inside = (spec.network.cidr,) if peer is None else (spec.network.cidr, peer)
    named = [("inside", cidr) for cidr in inside] + [("checklist", cidr) for cidr in spec.network.api_cidrs]
    return {
        "cidr_blocks": [{"cidr_block": str(cidr), "display_name": name} for name, cidr in named],
        # Machines of other customers of Google Cloud are not trusted.
        "gcp_public_cidrs_access_enabled": False,
    }


def _select_metrics(spec: ClusterSpec) -> gcp.container.ClusterMonitoringConfigArgsDict:
    """GPU metrics come from one exporter: GKE's where the profile says so, else the platform's."""
    # One exporter only: a second one would count every GPU twice.
    of_gpus = spec.profile.dcgm_exporter == "provider"
    return {
        "enable_components": [*METRICS, *(["DCGM"] if of_gpus else [])],
        "managed_prometheus": {"enabled": of_gpus},
    }


def _select_add_ons(spec: ClusterSpec) -> gcp.container.ClusterAddonsConfigArgsDict:
    shared = find_file_system_item(spec)
    return {
        "gce_persistent_disk_csi_driver_config": {"enabled": True},
        "gcs_fuse_csi_driver_config": {"enabled": True},
        "lustre_csi_driver_config": {"enabled": shared == LUSTRE},
        "gcp_filestore_csi_driver_config": {"enabled": shared == FILESTORE},
        "dns_cache_config": {"enabled": True},
        "http_load_balancing": {"disabled": False},
        "network_policy_config": {"disabled": True},  # Calico; the data path enforces policies itself
    }


def build_sign_in(*, account: pulumi.Input[str] = "", group: str = "") -> Mapping[str, object]:
    """Signs in with the caller's own identity, or by impersonating a service account and its group."""
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": PLUGIN,
        "args": [pulumi.Output.concat("--impersonate_service_account=", account)] if group else [],
        "installHint": f"gcloud components install {PLUGIN}",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    return {"exec": plugin, **({"as": group, "as-groups": [group]} if group else {})}
