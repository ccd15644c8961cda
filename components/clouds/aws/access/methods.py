"""Every way into a cluster on AWS: the VPN's gateway, what it may reach, and kubeconfigs by role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.access.gateway import VpnGateway, VpnGatewayArgs, admit
from components.clouds.aws.account.iam import partition, role
from components.context.names import namespace, workloads
from components.tenancy.workload import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.account.key import EncryptionKey
    from components.clouds.aws.cluster.control_plane import Cluster
    from components.clouds.aws.network.vpc import Vpc
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Placement


BY_WORKLOAD: Final = ("engineer", "viewer")


@dataclass(frozen=True, kw_only=True)
class RolesArgs:
    """The cluster, and the workloads whose people get in.

    Args:
        name: of the cluster, plain.
        cluster_name: the same, known once the cluster is there.
    """

    placement: Placement
    name: str
    cluster_name: pulumi.Input[str]
    endpoint: pulumi.Input[str]
    certificate: pulumi.Input[str]
    workloads: Sequence[str]


@final
class Roles(pulumi.ComponentResource):
    """An IAM role for the engineers of each workload and one for its viewers, which IAM hands out by name.

    Attributes:
        kubeconfigs: role to kubeconfig, with a context for each workload and no credential in it.
        arns: ARNs of the roles, "engineer/train" to ARN.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    arns: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: RolesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Roles", name, {"workloads": list(args.workloads)}, opts)
        trust = _anyone_of_the_account(args.placement.region, parent=self)
        made = {
            (each, workload): _role(each, workload, args, trust=trust, parent=self)
            for each in BY_WORKLOAD
            for workload in args.workloads
        }
        self.arns = {f"{each}/{workload}": arn for (each, workload), arn in made.items()}
        self.kubeconfigs = {
            each: _kubeconfig(args, {workload: made[each, workload] for workload in args.workloads})
            for each in BY_WORKLOAD
        }
        self.register_outputs({})


def _anyone_of_the_account(region: str, *, parent: Roles) -> pulumi.Output[str]:
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    principal = {"AWS": pulumi.Output.concat(f"arn:{partition(region)}:iam::", account, ":root")}
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]})


def _role(each: str, workload: str, args: RolesArgs, *, trust: pulumi.Output[str], parent: Roles) -> pulumi.Output[str]:
    name = f"{each}-{workload}"
    made = role(name, trust=trust, parent=parent)
    aws.eks.AccessEntry(
        name,
        cluster_name=args.cluster_name,
        principal_arn=made.arn,
        kubernetes_groups=[group_of(each, workload=workload)],
        opts=pulumi.ResourceOptions(parent=made),
    )
    return made.arn


def _kubeconfig(args: RolesArgs, arns: Mapping[str, pulumi.Output[str]]) -> pulumi.Output[str]:
    """A kubeconfig as JSON, which is YAML too; its first context is the current one."""
    contexts = [
        {"name": workload, "context": {"cluster": args.name, "user": workload, "namespace": namespace(workload)}}
        for workload in arns
    ]
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
            "contexts": contexts,
            "current-context": next(iter(arns), ""),
            "users": [{"name": workload, "user": {"exec": _sign_in(args, arn)}} for workload, arn in arns.items()],
        }
    )


def _sign_in(args: RolesArgs, arn: pulumi.Output[str]) -> Mapping[str, object]:
    """The token that it fetches lasts fifteen minutes (docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html)."""
    place = ["--cluster-name", args.name, "--region", args.placement.region]
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", *place, "--role-arn", arn],
        "interactiveMode": "Never",
    }


@dataclass(frozen=True, kw_only=True)
class AccessMethods:
    """What people get.

    Args:
        kubeconfigs: role to kubeconfig, none of which holds a credential.
        gateway: public address of the VPN; "" where there is none.
        door: what leads to the private API; whatever is put into the cluster goes before it does.
        outputs: what the stack says of it.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    door: Sequence[pulumi.Resource] = ()
    outputs: Mapping[str, pulumi.Input[object]] = field(default_factory=dict[str, "pulumi.Input[object]"])


def register_access(
    site: PlacementContext, *, cloud: aws.Provider, key: EncryptionKey, network: Vpc, cluster: Cluster
) -> AccessMethods:
    roles = Roles(
        "roles",
        RolesArgs(
            placement=site.placement,
            name=cluster.name,
            cluster_name=cluster.resource.name,
            endpoint=cluster.resource.endpoint,
            certificate=cluster.resource.certificate_authority.data,
            workloads=workloads(site.spec),
        ),
        opts=site.options(provider=cloud),
    )
    kubeconfigs = {"admin": cluster.kubeconfig, **roles.kubeconfigs}
    said: dict[str, pulumi.Input[object]] = {"kubeconfigs": kubeconfigs, "roleArns": roles.arns}
    gateway = _gateway(site, cloud=cloud, key=key, network=network)
    if gateway is None:
        return AccessMethods(kubeconfigs=kubeconfigs, outputs=said)
    admit(gateway, to=cluster.security_group, ssh=site.spec.access.ssh)
    said |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return AccessMethods(kubeconfigs=kubeconfigs, gateway=gateway.address, door=(gateway,), outputs=said)


def _gateway(site: PlacementContext, *, cloud: aws.Provider, key: EncryptionKey, network: Vpc) -> VpnGateway | None:
    spec, settings = site.spec, site.settings
    if spec.vpn is None or spec.vpn.kind != "machine":
        return None
    args = VpnGatewayArgs(
        placement=spec.placement,
        gateway=spec.vpn,
        network=spec.network.cidr,
        vpc_id=network.vpc_id,
        subnet_id=network.public_subnets[0],
        key_arn=key.arn,
        key_alias=key.alias,
        users=tuple(user.name for user in spec.access.users),
        rotation=settings.vpn_rotation,
        rotations=settings.vpn_rotations,
    )
    return VpnGateway("gateway", args, opts=site.options(provider=cloud, depends_on=[key.named, network]))
