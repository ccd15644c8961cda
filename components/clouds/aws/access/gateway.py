"""The WireGuard gateway on AWS: a small machine in a public subnet, created before the contents of the cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import build_statement, create_role, grant, partition, trust_service
from components.clouds.aws.network.vpc import ANYWHERE
from components.connectivity.vpn import UNITS, VpnKeys
from components.context.naming import build_physical_name
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    from components.clouds.aws.cluster.context import ClusterContext
    from planning.spec.cluster import Gateway as GatewaySpec


# Amazon Linux 2023 has wireguard-tools since May 2023 (github.com/amazonlinux/amazon-linux-2023/issues/167), and brings
# the AWS CLI and Python; WireGuard itself is part of its kernel.
FIRST_START: Final = (
    """\
#!/bin/bash
set -euo pipefail
umask 077
# The machine's address, and with it the way out, may come after its start.
until dnf install --assumeyes --setopt=install_weak_deps=0 wireguard-tools iptables-nft; do sleep 5; done
echo net.ipv4.ip_forward=1 > /etc/sysctl.d/60-atoll-vpn.conf
sysctl --system > /dev/null
cat > /etc/atoll-vpn <<'END'
{settings}END
cat > /usr/local/sbin/atoll-vpn <<'END'
{refresh}END
"""
    + UNITS
)

# Users reach the cluster's network under the machine's own address, so that no route back is needed; they reach
# neither each other nor the machine's metadata.
REFRESH: Final = """\
#!/bin/bash
set -euo pipefail
umask 077
. /etc/atoll-vpn
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
aws ssm get-parameters-by-path --region "$REGION" --path "$PARAMETERS" --recursive --with-decryption --output json |
  python3 -c 'import json, sys
for each in sorted(json.load(sys.stdin)["Parameters"], key=lambda each: each["Name"]): print(each["Value"])' > "$wanted"
ip link show dev wg0 > /dev/null 2>&1 || ip link add dev wg0 type wireguard
wg syncconf wg0 "$wanted"
ip address replace "$ADDRESS" dev wg0
ip link set dev wg0 up
rule() { iptables -w -t "$1" -C "${@:2}" 2> /dev/null || iptables -w -t "$1" -A "${@:2}"; }
rule filter FORWARD -i wg0 -d 169.254.0.0/16 -j DROP
rule filter FORWARD -i wg0 -o wg0 -j DROP
rule nat POSTROUTING -s "$TUNNEL" ! -o wg0 -j MASQUERADE
"""


def render_script(cidr: IPv4Network, *, region: str, path: str) -> str:
    """The first-start script of the machine, independent of the VPN's users.

    Args:
        cidr: range of the tunnel.
        path: prefix of its parameters in Systems Manager.
    """
    settings = {
        "ADDRESS": f"{server_address(cidr)}/{cidr.prefixlen}",
        "TUNNEL": str(cidr),
        "REGION": region,
        "PARAMETERS": path,
    }
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    return FIRST_START.replace("{settings}", lines).replace("{refresh}", REFRESH)


# Kept by AWS: docs.aws.amazon.com/linux/al2023/ug/ec2.html (public parameters); the machines of the table are arm64.
IMAGE: Final = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"
# What Session Manager needs and no more: the managed policy for it may read every parameter of the account
# (docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html).
SESSION: Final = (
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
)
HTTPS: Final = 443
SSH: Final = 22


@final
class VpnGateway(pulumi.ComponentResource):
    """A machine that fetches its configuration every minute, so that users come and go without a restart.

    The keys are in encrypted parameters, one for each user, which only the machine's role may read; its user data
    holds none. There is no login over the network: administration is by Session Manager.

    Attributes:
        address: public address, which stays when the machine is replaced.
        profiles: WireGuard profile of each user, secret.
        security_group: admitted by nodes and the API.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]
    security_group: pulumi.Output[str]

    def __init__(self, name: str, gateway: GatewaySpec, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        facts = here.site.describe(part="access/vpn", cidr=str(gateway.cidr))
        super().__init__("atoll:access:Gateway", name, facts, opts)
        keys, inside = VpnKeys(here.site, gateway, parent=self), pulumi.ResourceOptions(parent=self)
        path = f"/{build_physical_name(here.site.placement)}/vpn"
        # One parameter for the server and one for each user: a standard parameter holds 4 KB at most.
        parts = {"server": keys.server, **{f"users/{user}": peer for user, peer in keys.peers.items()}}
        parameters = [
            aws.ssm.Parameter(
                f"vpn-{part.replace('/', '-')}",
                name=f"{path}/{part}",
                type="SecureString",
                tier="Standard",
                key_id=here.key.arn,
                value=text,
                opts=inside,
            )
            for part, text in parts.items()
        ]
        group = _create_security_group(gateway, here, parent=self)
        machine = _create_machine(gateway, here, group=group, path=path, after=parameters, parent=self)
        address = aws.ec2.Eip("gateway", domain="vpc", opts=inside)
        aws.ec2.EipAssociation("gateway", allocation_id=address.allocation_id, instance_id=machine.id, opts=inside)
        self.address = address.public_ip
        self.security_group = group.id
        self.profiles = keys.build_profiles(host=address.public_ip)
        self.register_outputs({"address": self.address})


def admit(gateway: VpnGateway, *, to: pulumi.Input[str], ssh: bool) -> None:
    """Admits the VPN's users to the Kubernetes API, and by SSH to the nodes where that is wanted."""
    for name, port in (("api", HTTPS), *((("ssh", SSH),) if ssh else ())):
        aws.vpc.SecurityGroupIngressRule(
            f"from-gateway-{name}",
            security_group_id=to,
            description=f"{name} from the VPN gateway",
            referenced_security_group_id=gateway.security_group,
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
            opts=pulumi.ResourceOptions(parent=gateway),
        )


def _create_security_group(gateway: GatewaySpec, here: ClusterContext, *, parent: VpnGateway) -> aws.ec2.SecurityGroup:
    # WireGuard is open to the internet: it answers only peers with a key, so the port looks closed to everyone else.
    group = aws.ec2.SecurityGroup(
        "gateway",
        description="WireGuard in; the cluster network and HTTPS out",
        vpc_id=here.network.vpc_id,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=group)
    aws.vpc.SecurityGroupIngressRule(
        "gateway-wireguard",
        security_group_id=group.id,
        description="WireGuard, the one door of the cluster",
        cidr_ipv4=ANYWHERE,
        ip_protocol="udp",
        from_port=gateway.port,
        to_port=gateway.port,
        opts=inside,
    )
    aws.vpc.SecurityGroupEgressRule(
        "gateway-inside",
        security_group_id=group.id,
        description="The cluster network",
        cidr_ipv4=str(here.spec.network.cidr),
        ip_protocol="-1",
        opts=inside,
    )
    aws.vpc.SecurityGroupEgressRule(
        "gateway-https",
        security_group_id=group.id,
        description="Packages, Systems Manager and KMS",
        cidr_ipv4=ANYWHERE,
        ip_protocol="tcp",
        from_port=HTTPS,
        to_port=HTTPS,
        opts=inside,
    )
    return group


def _create_machine(
    gateway: GatewaySpec,
    here: ClusterContext,
    *,
    group: aws.ec2.SecurityGroup,
    path: str,
    after: Sequence[pulumi.Resource],
    parent: VpnGateway,
) -> aws.ec2.Instance:
    image = aws.ssm.get_parameter_output(name=IMAGE, opts=pulumi.InvokeOutputOptions(parent=parent))
    role = create_role("gateway", trust=trust_service("ec2.amazonaws.com"), parent=parent)
    known = pulumi.Output.all(role.arn, here.key.arn)
    grant(role, "gateway", known.apply(lambda arns: _build_policy(here.region, path, role_arn=arns[0], key=arns[1])))
    profile = aws.iam.InstanceProfile("gateway", role=role.name, opts=pulumi.ResourceOptions(parent=role))
    return aws.ec2.Instance(
        "gateway",
        ami=image.value,
        instance_type=gateway.machine,
        subnet_id=here.network.public_subnets[0],
        vpc_security_group_ids=[group.id],
        iam_instance_profile=profile.name,
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 1},
        root_block_device={
            "volume_type": "gp3",
            "volume_size": gateway.disk_gb,
            "encrypted": True,
            "kms_key_id": here.key.alias,  # a plain value: an unknown one would hide the disk's size from the bill
        },
        ebs_optimized=True,
        credit_specification={"cpu_credits": "standard"},  # "unlimited" bills bursts
        user_data=render_script(gateway.cidr, region=here.region, path=path),
        user_data_replace_on_change=True,
        tags={"Name": build_physical_name(here.site.placement, "vpn")},
        # A newer image, or the key's ARN where its alias was given, must not disconnect all users.
        opts=pulumi.ResourceOptions(
            parent=parent, depends_on=list(after), ignore_changes=["ami", "rootBlockDevice.kmsKeyId"]
        ),
    )


def _build_policy(region: str, path: str, *, role_arn: str, key: str) -> str:
    account, arn = role_arn.split(":")[4], f"arn:{partition(region)}"
    parameters = f"{arn}:ssm:{region}:{account}:parameter{path}"
    through = {"StringEquals": {"kms:ViaService": f"ssm.{region}.amazonaws.com"}}
    statements = [
        build_statement("ssm:GetParametersByPath", [parameters, f"{parameters}/*"]),
        build_statement("kms:Decrypt", key, condition=through),
        build_statement("ssm:UpdateInstanceInformation", f"{arn}:ec2:{region}:{account}:instance/*"),
        build_statement(SESSION, "*"),
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
