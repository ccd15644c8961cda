"""The control plane on AWS: EKS, private unless the checklist names who may reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import attach, create_role, partition, trust_account, trust_service
from components.context.kubeconfig import KubeconfigContext, build_kubeconfig
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext

CONTROL_PLANE_LOGS: Final = ("api", "audit", "authenticator", "controllerManager", "scheduler")
ADMIN_POLICY: Final = "AmazonEKSClusterAdminPolicy"


@final
class Cluster(pulumi.ComponentResource):
    """An EKS cluster in standard support, secrets encrypted with the customer's key, identities by access entries.

    Its creator is no administrator: only the role `admin` is, and IAM decides who may assume it. Users of the cluster
    wait for the whole component, which includes the rights of its roles.

    Attributes:
        name: a plain value: log groups and kubeconfigs need it before the cluster exists.
        security_group: shared by control plane and nodes.
        node_role_name: a plain value, for Karpenter's node classes, which are priced.
    """

    name: str
    resource: aws.eks.Cluster
    security_group: pulumi.Output[str]
    node_role: aws.iam.Role
    node_role_name: str
    admin_role_arn: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        subnet_ids: Sequence[pulumi.Input[str]],
        key_arn: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = {
            "kubernetesVersion": site.spec.kubernetes_version,
            "apiCidrs": [str(cidr) for cidr in site.spec.network.api_cidrs],
        }
        super().__init__("atoll:cluster:Cluster", name, site.describe(**facts), opts)
        region = site.placement.region
        self.name = build_physical_name(site.placement)
        self.resource = self._create_cluster(site, subnet_ids=subnet_ids, key_arn=key_arn)
        self.security_group = self.resource.vpc_config.cluster_security_group_id
        self.node_role_name = build_physical_name(site.placement, "node")
        self.node_role = self._create_node_role(region)
        self.admin_role_arn = self._create_admin_role(region)
        sign_in = build_sign_in(self.name, region=region, role_arn=self.admin_role_arn)
        self.kubeconfig = self.build_kubeconfig([KubeconfigContext(name=self.name, user="admin", sign_in=sign_in)])
        self.register_outputs({"name": self.name, "adminRoleArn": self.admin_role_arn})

    def build_kubeconfig(self, contexts: Sequence[KubeconfigContext]) -> pulumi.Output[str]:
        authority = self.resource.certificate_authority.data
        return build_kubeconfig(self.name, contexts, server=self.resource.endpoint, certificate=authority)

    def _create_cluster(
        self, site: PlacementContext, *, subnet_ids: Sequence[pulumi.Input[str]], key_arn: pulumi.Input[str]
    ) -> aws.eks.Cluster:
        api_cidrs = [str(cidr) for cidr in site.spec.network.api_cidrs]
        role = create_role("control-plane", trust=trust_service("eks.amazonaws.com"), parent=self)
        managed = ("AmazonEKSClusterPolicy",)
        rights = attach(role, name="control-plane", managed=managed, region=site.placement.region)
        return aws.eks.Cluster(
            "cluster",
            name=self.name,
            version=site.spec.kubernetes_version,
            role_arn=role.arn,
            vpc_config={
                "subnet_ids": list(subnet_ids),
                "endpoint_private_access": True,
                "endpoint_public_access": bool(api_cidrs),
                "public_access_cidrs": api_cidrs or None,
            },
            encryption_config={"provider": {"key_arn": key_arn}, "resources": ["secrets"]},
            access_config={"authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": False},
            enabled_cluster_log_types=list(CONTROL_PLANE_LOGS),
            upgrade_policy={"support_type": "STANDARD"},  # extended support costs six times as much
            deletion_protection=not site.settings.allow_destroy,
            bootstrap_self_managed_addons=False,
            opts=pulumi.ResourceOptions(parent=self, depends_on=rights),
        )

    def _create_node_role(self, region: str) -> aws.iam.Role:
        """Rights of every node: join, pull images, and use Session Manager. The CNI has a role of its own."""
        managed = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
        role = create_role("node", trust=trust_service("ec2.amazonaws.com"), parent=self, shown=self.node_role_name)
        attach(role, name="node", managed=managed, region=region)
        # EKS admits nodes of managed groups by itself, and Karpenter's only by an access entry
        # (github.com/aws/containers-roadmap issue 2631: an existing entry is used).
        aws.eks.AccessEntry(
            "node",
            cluster_name=self.resource.name,
            principal_arn=role.arn,
            type="EC2_LINUX",
            opts=pulumi.ResourceOptions(parent=role),
        )
        return role

    def _create_admin_role(self, region: str) -> pulumi.Output[str]:
        """ARN of the admin role, with its rights inside the cluster; IAM decides who may assume it."""
        admin = create_role("admin", trust=trust_account(region, parent=self), parent=self)
        entry = aws.eks.AccessEntry(
            "admin",
            cluster_name=self.resource.name,
            principal_arn=admin.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        aws.eks.AccessPolicyAssociation(
            "admin",
            cluster_name=self.resource.name,
            principal_arn=entry.principal_arn,
            policy_arn=f"arn:{partition(region)}:eks::aws:cluster-access-policy/{ADMIN_POLICY}",
            access_scope={"type": "cluster"},
            opts=pulumi.ResourceOptions(parent=entry),
        )
        return admin.arn


def build_sign_in(cluster: str, *, region: str, role_arn: pulumi.Input[str]) -> Mapping[str, object]:
    # Its token lasts fifteen minutes (docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html).
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", cluster, "--region", region, "--role-arn", role_arn],
        "interactiveMode": "Never",
    }
    return {"exec": plugin}
