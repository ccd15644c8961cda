"""What AWS says about one placement: before it is built, and after it is gone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from operations.clouds.aws.client import REFUSALS, clients
from operations.clouds.aws.orphans import SEARCHES
from operations.clouds.aws.tags import STACK, Tagged
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import (
    CLOUD,
    CloudReport,
    OfferReport,
    QuotaReport,
    ReservationReport,
    UnknownFact,
)
from planning.cloud_checks.quotas import ELASTIC_IPS, NETWORKS, aws_class, codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mypy_boto3_ec2.literals import InstanceTypeType
    from mypy_boto3_ec2.type_defs import CapacityReservationTypeDef, InstanceTypeDef, TagTypeDef

    from operations.clouds.aws.client import Clients
    from operations.clouds.registry import Asked


RUNNING: Final = ("pending", "running")  # states that count against the limits (EC2 user guide, On-Demand quotas)
NO_RESERVATION: Final = "InvalidCapacityReservationId"  # .NotFound and .Malformed (EC2 API error codes)


def read_report_of(aws: Clients, asked: Asked) -> CloudReport:
    """What one region says; what it refuses to say is unknown, with its reason."""
    machines = sorted({pool.machine for pool in asked.spec.pools})
    return CloudReport(
        quotas=_quotas(aws, asked),
        offers={machine: REFUSALS.attempt(lambda name=machine: offer(aws, name)) for machine in machines},
        reservations=read_reservations(aws, asked.reservations.values()),
    )


def read_reservations(aws: Clients, ids: Iterable[str]) -> dict[str, ReservationReport | UnknownFact | None]:
    return {id_: REFUSALS.attempt(lambda name=id_: reservation(aws, name)) for id_ in sorted(ids)}


def _quotas(aws: Clients, asked: Asked) -> dict[str, QuotaReport | UnknownFact]:
    """Every quota that a pool or the network counts against."""
    asked_for = codes(asked.spec)
    used = (
        REFUSALS.attempt(lambda: count_used_vcpus(aws, stack=asked.stack))
        if asked_for - {ELASTIC_IPS[0], NETWORKS[0]}
        else {}
    )
    counted: dict[str, int] | UnknownFact = used
    return {
        code: REFUSALS.attempt(lambda name=code: _quota(aws, name, asked=asked, used=counted))
        for code in sorted(asked_for)
    }


def _quota(aws: Clients, code: str, *, asked: Asked, used: Mapping[str, int] | UnknownFact) -> QuotaReport:
    service = "vpc" if code == NETWORKS[0] else "ec2"
    quota = aws.quotas.get_service_quota(ServiceCode=service, QuotaCode=code)["Quota"]
    limit = int(quota.get("Value", 0))
    name = quota.get("QuotaName", "")
    if code == ELASTIC_IPS[0]:
        return QuotaReport(limit=limit, used=count_used_addresses(aws, stack=asked.stack), name=name)
    if code == NETWORKS[0]:
        return QuotaReport(limit=limit, used=count_used_networks(aws, stack=asked.stack), name=name)
    return QuotaReport(limit=limit, used=None if isinstance(used, UnknownFact) else used.get(code, 0), name=name)


def count_used_vcpus(aws: Clients, *, stack: str) -> dict[str, int]:
    """VCPUs by quota code of what runs in the region and is not of this stack."""
    pages = aws.ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "instance-state-name", "Values": list(RUNNING)}]
    )
    used: dict[str, int] = {}
    for page in pages:
        for reservation_ in page.get("Reservations", []):
            for instance in reservation_.get("Instances", []):
                code = _code(instance)
                if code and not _ours(instance.get("Tags", []), stack=stack):
                    used[code] = used.get(code, 0) + _vcpus(instance)
    return used


def _code(instance: InstanceTypeDef) -> str:
    """Code of the quota that an instance counts against; "" where it counts against none."""
    lifecycle = instance.get("InstanceLifecycle", "")
    # A capacity block counts against no quota of instances.
    if lifecycle == "capacity-block":
        return ""
    found = aws_class(str(instance.get("InstanceType", "")), spot=lifecycle == "spot")
    return found[0] if found else ""


def _vcpus(instance: InstanceTypeDef) -> int:
    options = instance.get("CpuOptions", {})
    return options.get("CoreCount", 1) * options.get("ThreadsPerCore", 1)


def count_used_addresses(aws: Clients, *, stack: str) -> int:
    """Elastic addresses of the region that are not of this stack."""
    found = aws.ec2.describe_addresses().get("Addresses", [])
    return sum(1 for each in found if not _ours(each.get("Tags", []), stack=stack))


def count_used_networks(aws: Clients, *, stack: str) -> int:
    """VPCs of the region, the default one too, that are not of this stack."""
    pages = aws.ec2.get_paginator("describe_vpcs").paginate()
    return sum(1 for page in pages for each in page.get("Vpcs", []) if not _ours(each.get("Tags", []), stack=stack))


def _ours(tags: Iterable[TagTypeDef], *, stack: str) -> bool:
    return any(tag.get("Key") == STACK and tag.get("Value") == stack for tag in tags)


def offer(aws: Clients, machine: str) -> OfferReport:
    """Zone ids that offer a machine, and how many EFA interfaces it has."""
    pages = aws.ec2.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone-id", Filters=[{"Name": "instance-type", "Values": [machine]}]
    )
    zones = sorted(each.get("Location", "") for page in pages for each in page.get("InstanceTypeOfferings", []))
    efa = _efa_interfaces(aws, machine) if zones else None
    return OfferReport(zones=tuple(zones), offered=bool(zones), efa_interfaces=efa, source=CLOUD)


def _efa_interfaces(aws: Clients, machine: str) -> int:
    wanted: list[InstanceTypeType] = [machine]  # pyright: ignore[reportAssignmentType] - the stubs' list is never new enough
    (described,) = aws.ec2.describe_instance_types(InstanceTypes=wanted)["InstanceTypes"]
    network = described.get("NetworkInfo", {})
    return network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 1) if network.get("EfaSupported") else 0


def reservation(aws: Clients, id_: str) -> ReservationReport | None:
    """A capacity reservation or block; None where the region has none of this id."""
    try:
        found = aws.ec2.describe_capacity_reservations(CapacityReservationIds=[id_])
    except ClientError as error:
        if error.response.get("Error", {}).get("Code", "").startswith(NO_RESERVATION):
            return None
        raise
    listed = found.get("CapacityReservations", [])
    return _reservation(listed[0], id_=id_) if listed else None


def _reservation(said: CapacityReservationTypeDef, *, id_: str) -> ReservationReport:
    ends = said.get("EndDate")
    return ReservationReport(
        id=id_,
        status=said.get("State", ""),
        machine=said.get("InstanceType", ""),
        zone=said.get("AvailabilityZoneId", ""),
        count=said.get("TotalInstanceCount", 0),
        ends=ends.date() if ends else None,
    )


def read_capacity(asked: Asked) -> CloudReport:
    aws = clients(asked.spec.placement.region)
    return CloudReport(silence=aws) if isinstance(aws, str) else read_report_of(aws, asked)


def search(asked: Asked) -> Search:
    """Everything of the stack that the placement's region still has, one service after the other."""
    aws = clients(asked.spec.placement.region)
    if isinstance(aws, str):
        return Search((), (asked.build_unanswered("AWS", aws),))
    return search_tagged(Tagged(aws, asked))


def search_tagged(tagged: Tagged) -> Search:
    return REFUSALS.search(tagged.asked, {what: partial(look, tagged) for what, look in SEARCHES.items()})
