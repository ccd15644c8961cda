"""The WireGuard gateway on AWS: a small machine in a public subnet, there before the private API that it leads to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import partition, role, service_trust
from components.connectivity.vpn import UNITS, VpnKeys, VpnKeysArgs
from components.context.naming import build_physical_name
from planning.values.addresses import server_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Address, IPv4Network

    from planning.spec.cluster import Gateway as GatewaySpec
    from planning.spec.cluster import Placement


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineScript:
    """A machine of AWS that keeps its configuration in parameters of Systems Manager.

    Args:
        address: the server's own, in the tunnel.
        cidr: range of the tunnel.
        path: below which the parameters lie.
    """

    address: IPv4Address
    cidr: IPv4Network
    region: str
    path: str

    def text(self) -> str:
        """The script, the same for the same gateway whoever its users are."""
        settings = {
            "ADDRESS": f"{self.address}/{self.cidr.prefixlen}",
            "TUNNEL": str(self.cidr),
            "REGION": self.region,
            "PARAMETERS": self.path,
        }
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        return FIRST_START.replace("{settings}", lines).replace("{refresh}", REFRESH)


ANYWHERE: Final = "0.0.0.0/0"
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


@dataclass(frozen=True, kw_only=True)
class VpnGatewayArgs:
    """Where the gateway stands and for whom.

    Args:
        network: range of the cluster's network, which is all that the VPN leads to.
        subnet_id: a public subnet.
        key_alias: a plain text, so that nothing unknown stands beside the disk's size.
        users: names, in the checklist's order.
        rotation: counter of all keys.
        rotations: counters of single users.
    """

    placement: Placement
    gateway: GatewaySpec
    network: IPv4Network
    vpc_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    key_alias: str
    users: Sequence[str]
    rotation: int
    rotations: Mapping[str, int]


@final
class VpnGateway(pulumi.ComponentResource):
    """A machine that fetches its configuration every minute, so that users come and go without a restart.

    The keys lie in encrypted parameters, one for each user, which the machine's role alone may read; its user data
    holds none. Nobody logs in from the network: administration is by Session Manager.

    Attributes:
        address: public address, which stays when the machine is replaced.
        profiles: what each user imports, secrets.
        security_group: what nodes and the API let in.
    """

    address: pulumi.Output[str]
    profiles: Mapping[str, pulumi.Output[str]]
    security_group: pulumi.Output[str]

    def __init__(self, name: str, args: VpnGatewayArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "part": "access/vpn",
            "cidr": str(args.gateway.cidr),
        }
        super().__init__("atoll:access:Gateway", name, facts, opts)
        keys = VpnKeys(
            "vpn-keys",
            VpnKeysArgs(gateway=args.gateway, users=args.users, rotation=args.rotation, rotations=args.rotations),
            opts=pulumi.ResourceOptions(parent=self),
        )
        configured = _parameters(keys, args, parent=self)
        group = _group(args, parent=self)
        machine = _machine(args, group=group, configured=configured, parent=self)
        address = aws.ec2.Eip("gateway", domain="vpc", opts=pulumi.ResourceOptions(parent=self))
        aws.ec2.EipAssociation(
            "gateway",
            allocation_id=address.allocation_id,
            instance_id=machine.id,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.address = address.public_ip
        self.security_group = group.id
        self.profiles = keys.profiles(host=address.public_ip, routes=(args.network,))
        self.register_outputs({"address": self.address})


def admit(gateway: VpnGateway, *, to: pulumi.Input[str], ssh: bool) -> None:
    """Lets the VPN's users through to the Kubernetes API, and by SSH to the nodes where that is wanted."""
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


def _path(args: VpnGatewayArgs) -> str:
    return f"/{build_physical_name(args.placement)}/vpn"


def _parameters(keys: VpnKeys, args: VpnGatewayArgs, *, parent: VpnGateway) -> list[aws.ssm.Parameter]:
    """The server's part of the configuration and one for each user: a standard parameter holds 4 KB at most."""
    parts = {"server": keys.server, **{f"users/{user}": peer for user, peer in keys.peers.items()}}
    return [
        aws.ssm.Parameter(
            f"vpn-{name.replace('/', '-')}",
            name=f"{_path(args)}/{name}",
            type="SecureString",
            tier="Standard",
            key_id=args.key_arn,
            value=text,
            opts=pulumi.ResourceOptions(parent=parent),
        )
        for name, text in parts.items()
    ]


def _group(args: VpnGatewayArgs, *, parent: VpnGateway) -> aws.ec2.SecurityGroup:
    """WireGuard from anywhere: it answers nobody who has no key, so the port looks closed to everyone else."""
    group = aws.ec2.SecurityGroup(
        "gateway",
        description="WireGuard in; the cluster network and HTTPS out",
        vpc_id=args.vpc_id,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=group)
    aws.vpc.SecurityGroupIngressRule(
        "gateway-wireguard",
        security_group_id=group.id,
        description="WireGuard, the one door of the cluster",
        cidr_ipv4=ANYWHERE,
        ip_protocol="udp",
        from_port=args.gateway.port,
        to_port=args.gateway.port,
        opts=inside,
    )
    aws.vpc.SecurityGroupEgressRule(
        "gateway-inside",
        security_group_id=group.id,
        description="The cluster network",
        cidr_ipv4=str(args.network),
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


def _machine(
    args: VpnGatewayArgs,
    *,
    group: aws.ec2.SecurityGroup,
    configured: Sequence[pulumi.Resource],
    parent: VpnGateway,
) -> aws.ec2.Instance:
    script = MachineScript(
        address=server_address(args.gateway.cidr),
        cidr=args.gateway.cidr,
        region=args.placement.region,
        path=_path(args),
    )
    image = aws.ssm.get_parameter_output(name=IMAGE, opts=pulumi.InvokeOutputOptions(parent=parent))
    allowed = _profile(args, parent=parent)
    return aws.ec2.Instance(
        "gateway",
        ami=image.value,
        instance_type=args.gateway.machine,
        subnet_id=args.subnet_id,
        vpc_security_group_ids=[group.id],
        iam_instance_profile=allowed.name,
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 1},
        root_block_device={
            "volume_type": "gp3",
            "volume_size": args.gateway.disk_gb,
            "encrypted": True,
            "kms_key_id": args.key_alias,
        },
        ebs_optimized=True,
        credit_specification={"cpu_credits": "standard"},  # "unlimited" would be paid for by the burst
        user_data=script.text(),
        user_data_replace_on_change=True,
        tags={"Name": build_physical_name(args.placement, "vpn")},
        # A newer image, or the key's ARN where its alias was given, is no reason to cut everybody off.
        opts=pulumi.ResourceOptions(
            parent=parent, depends_on=list(configured), ignore_changes=["ami", "rootBlockDevice.kmsKeyId"]
        ),
    )


def _profile(args: VpnGatewayArgs, *, parent: VpnGateway) -> aws.iam.InstanceProfile:
    own = role("gateway", trust=service_trust("ec2.amazonaws.com"), parent=parent)
    allowed = pulumi.Output.all(own.arn, args.key_arn).apply(lambda arns: _policy(args, role_arn=arns[0], key=arns[1]))
    aws.iam.RolePolicy("gateway", role=own.id, policy=allowed, opts=pulumi.ResourceOptions(parent=own))
    return aws.iam.InstanceProfile("gateway", role=own.name, opts=pulumi.ResourceOptions(parent=own))


def _policy(args: VpnGatewayArgs, *, role_arn: str, key: str) -> str:
    """Its own parameters, the key that they are encrypted with, and Session Manager."""
    region = args.placement.region
    account = role_arn.split(":")[4]
    parameters = f"arn:{partition(region)}:ssm:{region}:{account}:parameter{_path(args)}"
    machines = f"arn:{partition(region)}:ec2:{region}:{account}:instance/*"
    through = {"StringEquals": {"kms:ViaService": f"ssm.{region}.amazonaws.com"}}
    statements: list[dict[str, object]] = [
        {"Effect": "Allow", "Action": "ssm:GetParametersByPath", "Resource": [parameters, f"{parameters}/*"]},
        {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": key, "Condition": through},
        {"Effect": "Allow", "Action": "ssm:UpdateInstanceInformation", "Resource": machines},
        {"Effect": "Allow", "Action": list(SESSION), "Resource": "*"},
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
