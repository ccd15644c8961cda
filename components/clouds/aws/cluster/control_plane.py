"""The control plane on AWS: EKS, private unless the checklist names who may reach it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import attach, partition, role, service_trust
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class KubeconfigArgs:
    """Where the API is and how to sign in."""

    name: str
    region: str
    endpoint: pulumi.Input[str]
    certificate: pulumi.Input[str]
    role_arn: pulumi.Input[str]


def kubeconfig(args: KubeconfigArgs) -> pulumi.Output[str]:
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": args.name,
                    "cluster": {"server": args.endpoint, "certificate-authority-data": args.certificate},
                }
            ],
            "contexts": [{"name": args.name, "context": {"cluster": args.name, "user": "admin"}}],
            "current-context": args.name,
            "users": [{"name": "admin", "user": {"exec": _sign_in(args)}}],
        }
    )


def _sign_in(args: KubeconfigArgs) -> Mapping[str, object]:
    token = ["eks", "get-token", "--cluster-name", args.name, "--region", args.region, "--role-arn", args.role_arn]
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": token,
        "interactiveMode": "Never",
    }


CONTROL_PLANE_LOGS: Final = ("api", "audit", "authenticator", "controllerManager", "scheduler")
ADMIN_POLICY: Final = "AmazonEKSClusterAdminPolicy"


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane needs.

    Args:
        api_cidrs: who may reach the API from the internet; empty keeps it private.
        deletion_protection: EKS refuses to delete the cluster while it is on.
    """

    placement: Placement
    kubernetes_version: str
    subnet_ids: Sequence[pulumi.Input[str]]
    key_arn: pulumi.Input[str]
    api_cidrs: tuple[IPv4Network, ...]
    deletion_protection: bool


@final
class Cluster(pulumi.ComponentResource):
    """An EKS cluster in standard support, secrets encrypted with the customer's key, identities by access entries.

    Nobody is an administrator by having created it: the role `admin` is, and who may take that role is decided in IAM.
    What uses the cluster waits for the whole component: the rights of its roles are parts of it.

    Attributes:
        name: plain, since log groups and kubeconfigs need it before the cluster is there.
        security_group: shared by control plane and nodes.
        node_role_name: plain, since Karpenter names the role beside what is priced.
    """

    name: str
    resource: aws.eks.Cluster
    security_group: pulumi.Output[str]
    node_role: aws.iam.Role
    node_role_name: str
    admin_role_arn: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]

    def __init__(self, name: str, args: ClusterArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:cluster:Cluster", name, _facts(args), opts)
        self.name = build_physical_name(args.placement)
        self.resource = _control_plane(self.name, args, parent=self)
        self.security_group = self.resource.vpc_config.cluster_security_group_id
        self.node_role_name = build_physical_name(args.placement, "node")
        self.node_role = _node_role(self.resource, self.node_role_name, args.placement.region, parent=self)
        self.admin_role_arn = _administrators(self.resource, args.placement.region, parent=self)
        self.kubeconfig = kubeconfig(
            KubeconfigArgs(
                name=self.name,
                region=args.placement.region,
                endpoint=self.resource.endpoint,
                certificate=self.resource.certificate_authority.data,
                role_arn=self.admin_role_arn,
            )
        )
        self.register_outputs({"name": self.name, "adminRoleArn": self.admin_role_arn})


def _facts(args: ClusterArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "kubernetesVersion": args.kubernetes_version,
        "apiCidrs": [str(cidr) for cidr in args.api_cidrs],
    }


def _control_plane(name: str, args: ClusterArgs, *, parent: Cluster) -> aws.eks.Cluster:
    trust = service_trust("eks.amazonaws.com")
    managed = ("AmazonEKSClusterPolicy",)
    own = role("control-plane", trust=trust, parent=parent)
    rights = attach(own, name="control-plane", managed=managed, region=args.placement.region)
    return aws.eks.Cluster(
        "cluster",
        name=name,
        version=args.kubernetes_version,
        role_arn=own.arn,
        vpc_config={
            "subnet_ids": list(args.subnet_ids),
            "endpoint_private_access": True,
            "endpoint_public_access": bool(args.api_cidrs),
            "public_access_cidrs": [str(cidr) for cidr in args.api_cidrs] or None,
        },
        encryption_config={"provider": {"key_arn": args.key_arn}, "resources": ["secrets"]},
        access_config={"authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": False},
        enabled_cluster_log_types=list(CONTROL_PLANE_LOGS),
        upgrade_policy={"support_type": "STANDARD"},  # extended support costs six times as much
        deletion_protection=args.deletion_protection,
        bootstrap_self_managed_addons=False,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=rights),
    )


def _node_role(cluster: aws.eks.Cluster, shown: str, region: str, *, parent: Cluster) -> aws.iam.Role:
    """What every node may do: join, pull images, and be reached by Session Manager. The CNI has a role of its own.

    EKS lets nodes of its own groups in by itself, and Karpenter's only by an entry (github.com/aws/containers-roadmap
    issue 2631: an entry that is there already is used).
    """
    managed = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
    trust = service_trust("ec2.amazonaws.com")
    made = role("node", trust=trust, parent=parent, shown=shown)
    attach(made, name="node", managed=managed, region=region)
    aws.eks.AccessEntry(
        "node",
        cluster_name=cluster.name,
        principal_arn=made.arn,
        type="EC2_LINUX",
        opts=pulumi.ResourceOptions(parent=made),
    )
    return made


def _administrators(cluster: aws.eks.Cluster, region: str, *, parent: Cluster) -> pulumi.Output[str]:
    """A role that the account may hand out in IAM, and its rights inside the cluster; the role's ARN."""
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    principal = {"AWS": pulumi.Output.concat(f"arn:{partition(region)}:iam::", account, ":root")}
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    trust = pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]})
    admin = role("admin", trust=trust, parent=parent)
    entry = aws.eks.AccessEntry(
        "admin",
        cluster_name=cluster.name,
        principal_arn=admin.arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    aws.eks.AccessPolicyAssociation(
        "admin",
        cluster_name=cluster.name,
        principal_arn=entry.principal_arn,
        policy_arn=f"arn:{partition(region)}:eks::aws:cluster-access-policy/{ADMIN_POLICY}",
        access_scope={"type": "cluster"},
        opts=pulumi.ResourceOptions(parent=entry),
    )
    return admin.arn
