"""Access methods of a cluster on AWS: the VPN gateway, and kubeconfigs by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.access.gateway import VpnGateway, admit
from components.clouds.aws.account.iam import create_role, trust_account
from components.clouds.aws.cluster.control_plane import build_sign_in
from components.context.kubeconfig import KubeconfigContext
from components.context.names import WORKLOAD_ROLES, namespace, workloads
from components.context.placement import AccessMethods
from components.tenancy.workload import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.aws.cluster.context import ClusterContext


@final
class Roles(pulumi.ComponentResource):
    """An IAM role for the engineers of each workload and one for its viewers; IAM decides who may assume it.

    Attributes:
        kubeconfigs: role to kubeconfig, with a context for each workload and no credential in it.
        arns: ARNs of the roles, "engineer/train" to ARN.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    arns: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        names = workloads(here.spec)
        super().__init__("atoll:access:Roles", name, {"workloads": list(names)}, opts)
        trust = trust_account(here.region, parent=self)
        self.arns = {
            f"{role}/{workload}": self._create_role(role, workload, here, trust=trust)
            for role in WORKLOAD_ROLES
            for workload in names
        }
        self.kubeconfigs = {
            role: here.cluster.build_kubeconfig(
                [
                    KubeconfigContext(
                        name=workload,
                        user=workload,
                        namespace=namespace(workload),
                        sign_in=build_sign_in(
                            here.cluster.name, region=here.region, role_arn=self.arns[f"{role}/{workload}"]
                        ),
                    )
                    for workload in names
                ]
            )
            for role in WORKLOAD_ROLES
        }
        self.register_outputs({})

    def _create_role(
        self, role: str, workload: str, here: ClusterContext, *, trust: pulumi.Output[str]
    ) -> pulumi.Output[str]:
        name = f"{role}-{workload}"
        created = create_role(name, trust=trust, parent=self)
        aws.eks.AccessEntry(
            name,
            cluster_name=here.cluster.resource.name,
            principal_arn=created.arn,
            kubernetes_groups=[group_of(role, workload=workload)],
            opts=pulumi.ResourceOptions(parent=created),
        )
        return created.arn


def register_access(here: ClusterContext) -> AccessMethods:
    roles = Roles("roles", here, opts=here.options())
    kubeconfigs = {"admin": here.cluster.kubeconfig, **roles.kubeconfigs}
    outputs: dict[str, pulumi.Input[object]] = {"kubeconfigs": kubeconfigs, "roleArns": roles.arns}
    vpn = here.spec.vpn
    if vpn is None or vpn.kind != "machine":
        return AccessMethods(kubeconfigs=kubeconfigs, outputs=outputs)
    gateway = VpnGateway("gateway", vpn, here, opts=here.options(depends_on=[here.key.named, here.network]))
    admit(gateway, to=here.cluster.security_group, ssh=here.spec.access.ssh)
    outputs |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return AccessMethods(kubeconfigs=kubeconfigs, gateway=gateway.address, door=(gateway,), outputs=outputs)
