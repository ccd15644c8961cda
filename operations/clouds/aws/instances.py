"""What is left of a stack in EC2: machines, disks, addresses and gateways, each alive as EC2 itself says."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.cloud_checks.orphans import Orphan, Use
from planning.costs.resources.clouds.aws.storage import GP3_IOPS, GP3_MBPS
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mypy_boto3_ec2.type_defs import FilterTypeDef, InstanceTypeDef, VolumeTypeDef

    from operations.clouds.aws.tags import Tagged

GONE: Final = frozenset({"terminated", "shutting-down", "deleted", "deleting", "failed", "rejected", "expired"})
STOPPED: Final = frozenset({"stopped", "stopping"})
# Types without a price of their own (vpc, ec2 and launch template pages of docs.aws.amazon.com), by id prefix.
FREE: Final[Mapping[str, str]] = {
    "vpc": "VPC", "subnet": "subnet", "sg": "security group", "sgr": "security group rule", "rtb": "route table",
    "igw": "internet gateway", "eigw": "egress-only internet gateway", "acl": "network ACL", "dopt": "DHCP options",
    "lt": "launch template", "eni": "network interface", "pcx": "peering connection", "fl": "flow log",
    "pg": "placement group", "key": "key pair", "fleet": "fleet request", "cgw": "customer gateway",
    "vgw": "virtual private gateway", "sir": "spot request",
}  # fmt: skip
FREE_RULE: Final = "costs nothing by itself"
MOST_VALUES: Final = 200  # of the filters of one call (EC2 answers FilterLimitExceeded to more)
CREATED_FOR: Final = "kubernetes.io/created-for/pvc"  # tags of the disks' driver (aws-ebs-csi-driver, docs/tagging.md)


def machines(tagged: Tagged) -> Iterator[Orphan]:
    """Instances; a stopped one costs nothing but its disks."""
    pages = tagged.aws.ec2.get_paginator("describe_instances")
    for named in _build_id_filters("instance-id", tagged.ec2.get("i", ())):
        for reservation in (each for page in pages.paginate(Filters=named) for each in page.get("Reservations", [])):
            for instance in reservation.get("Instances", []):
                state = str(instance.get("State", {}).get("Name", ""))
                if state not in GONE:
                    yield _machine(tagged, instance, state=state)


def _machine(tagged: Tagged, instance: InstanceTypeDef, *, state: str) -> Orphan:
    machine = str(instance.get("InstanceType", ""))
    purchase = "spot" if instance.get("InstanceLifecycle") == "spot" else "on_demand"
    return tagged.asked.build_orphan(
        kind=f"EC2 instance {machine}",
        id_=instance.get("InstanceId", ""),
        status=state,
        uses=(Use(item=machine, purchase=purchase),),
        free="stopped: only its disks cost" if state in STOPPED else "",
    )


def volumes(tagged: Tagged) -> Iterator[Orphan]:
    """EBS volumes, attached or not."""
    pages = tagged.aws.ec2.get_paginator("describe_volumes")
    for named in _build_id_filters("volume-id", tagged.ec2.get("vol", ())):
        for volume in (each for page in pages.paginate(Filters=named) for each in page.get("Volumes", [])):
            state = volume.get("State", "")
            if state not in GONE:
                kind = volume.get("VolumeType", "")
                uses = _DISKS.get(kind, _without_price)(volume)
                words = f"EBS volume {kind}, {volume.get('Size', 0)} GB"
                claim = _claim(volume)
                kept = f"data of claim {claim}: kept when the stack is destroyed" if claim else ""
                yield tagged.asked.build_orphan(
                    kind=words, id_=volume.get("VolumeId", ""), status=state, uses=uses, kept=kept
                )


def _claim(volume: VolumeTypeDef) -> str:
    """Namespace and name of the claim that a volume was made for; "" for none, or while a machine has it."""
    said = {tag.get("Key", ""): tag.get("Value", "") for tag in volume.get("Tags", [])}
    parts = [said.get(f"{CREATED_FOR}/{key}", "") for key in ("namespace", "name")]
    return "/".join(parts) if all(parts) and not volume.get("Attachments") else ""


def _gp3(volume: VolumeTypeDef) -> tuple[Use, ...]:
    counted = {
        Item.DISK: Decimal(volume.get("Size", 0)),
        Item.DISK_IOPS: Decimal(volume.get("Iops", GP3_IOPS) - GP3_IOPS),
        Item.DISK_THROUGHPUT: Decimal(volume.get("Throughput", GP3_MBPS) - GP3_MBPS),
    }
    return tuple(Use(item=item, quantity=amount) for item, amount in counted.items() if amount > ZERO)


def _io2(volume: VolumeTypeDef) -> tuple[Use, ...]:
    size, iops = Decimal(volume.get("Size", 0)), Decimal(volume.get("Iops", 0))
    return (Use(item=Item.DISK_FAST, quantity=size), Use(item=Item.DISK_FAST_IOPS, quantity=iops))


def _without_price(_: VolumeTypeDef) -> tuple[Use, ...]:
    return ()


_DISKS: Final[Mapping[str, Callable[[VolumeTypeDef], tuple[Use, ...]]]] = {"gp3": _gp3, "io2": _io2}


def snapshots(tagged: Tagged) -> Iterator[Orphan]:
    """Snapshots of volumes; the catalog has no price for them."""
    pages = tagged.aws.ec2.get_paginator("describe_snapshots")
    for named in _build_id_filters("snapshot-id", tagged.ec2.get("snap", ())):
        for each in (one for page in pages.paginate(Filters=named) for one in page.get("Snapshots", [])):
            words = f"EBS snapshot of {each.get('VolumeSize', 0)} GB"
            yield tagged.asked.build_orphan(kind=words, id_=each.get("SnapshotId", ""), status=each.get("State", ""))


def addresses(tagged: Tagged) -> Iterator[Orphan]:
    """Elastic addresses, which cost whether something uses them or not."""
    for named in _build_id_filters("allocation-id", tagged.ec2.get("eipalloc", ())):
        for each in tagged.aws.ec2.describe_addresses(Filters=named).get("Addresses", []):
            status = "in use" if each.get("AssociationId") else "idle"
            id_ = each.get("AllocationId", "")
            yield tagged.asked.build_orphan(
                kind="public IPv4 address", id_=id_, status=status, uses=(Use(item=Item.PUBLIC_IPV4),)
            )


def gateways(tagged: Tagged) -> Iterator[Orphan]:
    pages = tagged.aws.ec2.get_paginator("describe_nat_gateways")
    for named in _build_id_filters("nat-gateway-id", tagged.ec2.get("nat", ())):
        for each in (one for page in pages.paginate(Filters=named) for one in page.get("NatGateways", [])):
            state = each.get("State", "")
            if state not in GONE:
                uses = (Use(item=Item.NAT_GATEWAY),)
                yield tagged.asked.build_orphan(
                    kind="NAT gateway", id_=each.get("NatGatewayId", ""), status=state, uses=uses
                )


def endpoints(tagged: Tagged) -> Iterator[Orphan]:
    """VPC endpoints: gateways are free, an interface is paid for in each subnet."""
    ids = tagged.ec2.get("vpce", ())
    if not ids:
        return
    for page in tagged.aws.ec2.get_paginator("describe_vpc_endpoints").paginate():
        for each in page.get("VpcEndpoints", []):
            state = str(each.get("State", "")).lower()
            # An interface endpoint is charged in each subnet.
            subnets = max(len(each.get("SubnetIds", [])), 1)
            gateway = each.get("VpcEndpointType") == "Gateway"
            if state not in GONE and each.get("VpcEndpointId") in ids:
                yield tagged.asked.build_orphan(
                    kind="VPC endpoint",
                    id_=each.get("VpcEndpointId", ""),
                    status=state,
                    uses=(Use(item=Item.INTERFACE_ENDPOINT),) * subnets,
                    free="gateway endpoints are not charged" if gateway else "",
                )


def tunnels(tagged: Tagged) -> Iterator[Orphan]:
    for named in _build_id_filters("vpn-connection-id", tagged.ec2.get("vpn", ())):
        for each in tagged.aws.ec2.describe_vpn_connections(Filters=named).get("VpnConnections", []):
            state = each.get("State", "")
            if state not in GONE:
                uses = (Use(item=Item.VPN_CONNECTION),)
                yield tagged.asked.build_orphan(
                    kind="VPN connection", id_=each.get("VpnConnectionId", ""), status=state, uses=uses
                )


DESCRIBED: Final = frozenset({"i", "vol", "snap", "eipalloc", "nat", "vpce", "vpn"})


def others(tagged: Tagged) -> Iterator[Orphan]:
    """Whatever else of EC2 carries a tag of the stack: free by its type, or without a price here."""
    for prefix, ids in tagged.ec2.items():
        kind = FREE.get(prefix, "")
        for id_ in ids if prefix not in DESCRIBED else ():
            yield tagged.asked.build_orphan(kind=kind or f"EC2 {prefix}", id_=id_, free=FREE_RULE if kind else "")


def _build_id_filters(name: str, ids: Sequence[str]) -> Iterator[list[FilterTypeDef]]:
    """Filters of one call each."""
    for first in range(0, len(ids), MOST_VALUES):
        # A filter finds nothing where an id is gone; a call that names ids as such is refused then.
        yield [{"Name": name, "Values": list(ids[first : first + MOST_VALUES])}]
