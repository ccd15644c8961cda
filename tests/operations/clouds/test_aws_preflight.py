"""Quota, offer and reservation of a stack's pools, asked of a made-up AWS account."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from botocore.stub import Stubber
from samples import TODAY, asked, cluster, cpu_pool, pool
from small_account import TAGS, tags

from catalogs.catalog import Catalog
from operations.clouds.aws import placement
from operations.clouds.aws.client import Clients
from planning.cloud_checks.cloud_reports import (
    CLOUD,
    CloudReport,
    OfferReport,
    QuotaReport,
    ReservationReport,
    UnknownFact,
)
from planning.cloud_checks.preflight import PoolFacts, QuotaFact, placement_facts
from planning.cloud_checks.quotas import aws_class
from planning.spec.cluster import Pool

P_CODE = "L-417A185B"
STANDARD_CODE = "L-1216C47A"
VPC_CODE = "L-F678F1CE"
BLOCK = "cr-0123456789abcdef0"


def quota_answer(code: str, value: float, name: str = "") -> dict[str, Any]:
    return {"Quota": {"ServiceCode": "ec2", "QuotaCode": code, "QuotaName": name or code, "Value": value}}


def facts(told: CloudReport, *pools: Pool, reservations: dict[str, str] | None = None) -> dict[str, PoolFacts]:
    spec = cluster(pools=pools) if pools else cluster()
    found = placement_facts(spec, told, reservations=reservations or {}, today=TODAY)
    return {each.pool: each for each in found.pools}


def offer(*zones: str, efa: int | None = 32) -> OfferReport:
    return OfferReport(zones=zones, offered=bool(zones), efa_interfaces=efa, source=CLOUD)


def test_quotas_are_asked_by_the_code_of_each_family(clients_of_aws: Clients) -> None:
    codes = ("L-0263D0A3", STANDARD_CODE, P_CODE, VPC_CODE)
    with Stubber(clients_of_aws.quotas) as stub:
        for code in codes:
            stub.add_response(
                "get_service_quota",
                quota_answer(code, 64),
                {"ServiceCode": "vpc" if code == VPC_CODE else "ec2", "QuotaCode": code},
            )
        told = placement.read_report_of(clients_of_aws, asked())
        stub.assert_no_pending_responses()
    in_use = dict.fromkeys(codes, 0) | {VPC_CODE: 1}  # a new account has a default VPC
    assert told.quotas == {code: QuotaReport(limit=64, used=in_use[code], name=code) for code in codes}
    found = facts(told)
    assert (found["train"].quota.state, found["train"].quota.needed) == ("short", 384)
    assert found["system"].quota.state == "enough"


def test_what_others_run_is_taken_off_and_what_the_stack_runs_is_not(clients_of_aws: Clients) -> None:
    ec2 = clients_of_aws.ec2
    image = ec2.register_image(Name="any", Architecture="x86_64")["ImageId"]
    for marked in (TAGS, [{"Key": "atoll:stack", "Value": "other"}]):
        ec2.run_instances(
            ImageId=image,
            InstanceType="m5.large",
            MinCount=1,
            MaxCount=1,
            CpuOptions={"CoreCount": 1, "ThreadsPerCore": 2},
            TagSpecifications=tags("instance", marked=marked),
        )
    assert set(placement.count_used_vcpus(clients_of_aws, stack="demo")) == {STANDARD_CODE}
    everything = placement.count_used_vcpus(clients_of_aws, stack="nobody")[STANDARD_CODE]
    assert everything == 2 * placement.count_used_vcpus(clients_of_aws, stack="demo")[STANDARD_CODE]


def test_a_quota_that_service_quotas_does_not_know_is_unknown_and_says_why(clients_of_aws: Clients) -> None:
    told = placement.read_report_of(clients_of_aws, asked())  # moto knows the quotas of "vpc" alone
    unknown = told.quotas[P_CODE]
    assert isinstance(unknown, UnknownFact)
    assert "NoSuchResource" in unknown.reason
    assert facts(told)["train"].quota.state == "unknown"


def test_a_region_full_of_networks_is_found_before_anything_is_created(clients_of_aws: Clients) -> None:
    def fact() -> QuotaFact:
        found = placement_facts(
            cluster(), placement.read_report_of(clients_of_aws, asked()), reservations={}, today=TODAY
        )
        return next(each for each in found.quotas if each.code == VPC_CODE)

    assert (fact().state, fact().limit, fact().used) == ("enough", 5, 1)
    for number in range(4):
        clients_of_aws.ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")
    assert (fact().state, fact().used) == ("short", 5)
    mine = clients_of_aws.ec2.describe_vpcs()["Vpcs"][-1]["VpcId"]
    clients_of_aws.ec2.create_tags(Resources=[mine], Tags=TAGS)
    assert fact().state == "enough"


def test_offers_are_zone_ids_and_count_efa_interfaces(clients_of_aws: Clients) -> None:
    told = placement.read_report_of(clients_of_aws, asked())
    train, system = told.offers["p5.48xlarge"], told.offers["m7i.2xlarge"]
    assert isinstance(train, OfferReport)
    assert isinstance(system, OfferReport)
    assert (train.efa_interfaces, system.efa_interfaces) == (32, 0)
    assert "use1-az4" in train.zones
    assert facts(told)["train"].offered.state == "offered"


def test_a_machine_that_the_region_does_not_have_is_not_offered(clients_of_aws: Clients) -> None:
    told = CloudReport(offers={"nothing.large": placement.offer(clients_of_aws, "nothing.large")})
    found = facts(told, pool("train", machine="nothing.large"))["train"].offered
    assert (found.state, found.reason) == ("not_offered", "us-east-1 does not offer nothing.large")


def test_a_zone_without_the_machine_is_one_without_efa() -> None:
    found = facts(CloudReport(offers={"p5.48xlarge": offer("use1-az2")}), pool("train"))["train"].offered
    assert (found.state, found.missing) == ("not_offered", ("use1-az4",))
    assert "and so EFA, is not offered in use1-az4, but in use1-az2" in found.reason


@pytest.mark.parametrize(("efa", "words"), [(0, "has no EFA"), (16, "has 16")])
def test_a_machine_with_fewer_efa_interfaces_than_the_lock_is_not_what_was_quoted(efa: int, words: str) -> None:
    told = CloudReport(offers={"p5.48xlarge": offer("use1-az4", efa=efa)})
    found = facts(told, pool("train"))["train"].offered
    assert (found.state, words in found.reason) == ("not_offered", True)


def test_a_pool_without_zones_of_its_own_needs_one_of_the_clusters() -> None:
    found = facts(CloudReport(offers={"m7i.2xlarge": offer("use1-az6", efa=0)}), cpu_pool())["system"].offered
    assert (found.state, found.zones, found.missing) == ("offered", ("use1-az6",), ("use1-az4", "use1-az2"))


def test_pools_of_one_family_share_one_quota_and_spot_has_its_own() -> None:
    told = CloudReport(quotas={P_CODE: QuotaReport(limit=600, used=0), "L-7212CCBC": QuotaReport(limit=384, used=96)})
    found = facts(told, pool("one"), pool("two", max_nodes=1), pool("cheap", kind="spot"))
    assert {found[name].quota.needed for name in ("one", "two")} == {576}
    assert found["one"].quota.state == "enough"
    assert (found["cheap"].quota.state, found["cheap"].quota.code) == ("short", "L-7212CCBC")


def test_what_spot_falls_back_to_is_claimed_on_demand_too() -> None:
    spec = cluster(pools=(pool("base", max_nodes=1), pool("cheap", kind="spot", fallback="on_demand")))
    told = CloudReport(quotas={P_CODE: QuotaReport(limit=192, used=0), "L-7212CCBC": QuotaReport(limit=384, used=0)})
    found = placement_facts(spec, told, reservations={}, today=TODAY)
    fallback = found.quotas[0]
    assert [each.quota.state for each in found.pools] == ["enough", "enough"]
    assert (fallback.state, fallback.needed, fallback.code) == ("short", 576, P_CODE)
    assert fallback.name.endswith("once spot falls back to it")


def test_a_capacity_block_needs_no_quota_and_a_reservation_by_name() -> None:
    found = facts(CloudReport(), pool("block", kind="capacity_block"))["block"]
    assert found.quota.state == "not_needed"
    assert found.reserved.state == "missing"
    assert "atoll:capacityReservations.block" in found.reserved.reason


def block(**changes: Any) -> ReservationReport:
    fields: dict[str, Any] = {
        "id": BLOCK, "status": "active", "machine": "p5.48xlarge", "zone": "use1-az4", "count": 2,
        "ends": date(2026, 12, 24),
    }  # fmt: skip
    return ReservationReport(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"machine": "p4d.24xlarge"}, "it is of p4d.24xlarge, and the pool runs p5.48xlarge"),
        ({"status": "payment-failed"}, "its state is payment-failed"),
        ({"ends": date(2026, 11, 20)}, "it ended on 2026-11-20"),
        ({"zone": "use1-az1"}, "it is in use1-az1, and the pool may start in use1-az4"),
        ({"count": 1}, "it holds 1, and the pool has up to 2 nodes"),
        ({}, ""),
    ],
)
def test_a_reservation_must_fit_its_pool(changes: dict[str, Any], reason: str) -> None:
    told = CloudReport(reservations={BLOCK: block(**changes)})
    found = facts(told, pool("block", kind="capacity_block"), reservations={"block": BLOCK})["block"].reserved
    assert (found.state, found.reason) == ("mismatch" if reason else "reserved", reason)


def test_a_reservation_is_read_as_the_cloud_tells_it(clients_of_aws: Clients) -> None:
    said = {
        "CapacityReservationId": BLOCK, "State": "scheduled", "InstanceType": "p5.48xlarge",
        "AvailabilityZoneId": "use1-az4", "TotalInstanceCount": 2,
        "EndDate": datetime(2026, 12, 24, 11, 30, tzinfo=UTC),
    }  # fmt: skip
    with Stubber(clients_of_aws.ec2) as stub:
        stub.add_response("describe_capacity_reservations", {"CapacityReservations": [said]})
        assert placement.reservation(clients_of_aws, BLOCK) == block(status="scheduled")
        stub.add_client_error("describe_capacity_reservations", "InvalidCapacityReservationId.NotFound")
        assert placement.reservation(clients_of_aws, BLOCK) is None


def test_a_reservation_that_the_region_does_not_have_is_named() -> None:
    found = facts(CloudReport(reservations={BLOCK: None}), pool("block"), reservations={"block": BLOCK})[
        "block"
    ].reserved
    assert (found.state, found.reason) == ("mismatch", f"us-east-1 has no reservation {BLOCK}")


def test_a_refused_question_is_unknown_with_the_clouds_own_words(clients_of_aws: Clients) -> None:
    with Stubber(clients_of_aws.ec2) as stub:
        stub.add_client_error("describe_capacity_reservations", "UnauthorizedOperation", "not you")
        told = placement.read_reservations(clients_of_aws, [BLOCK])
    assert told[BLOCK] == UnknownFact("DescribeCapacityReservations: UnauthorizedOperation: not you")


def test_every_machine_of_the_catalog_counts_against_a_quota(catalog: Catalog) -> None:
    names = [name for provider, name in catalog.machines if provider == "aws"]
    assert [name for name in names if aws_class(name, spot=False) is None] == []


@pytest.mark.parametrize(
    ("machine", "words"),
    [("d3.xlarge", "Standard"), ("dl1.24xlarge", "DL"), ("is4gen.large", "Standard"), ("gr6.4xlarge", "G and VT"),
     ("inf2.xlarge", "Inf"), ("i4i.large", "Standard"), ("trn1.32xlarge", "Trn"), ("t3.large", "Standard")],
)  # fmt: skip
def test_families_that_begin_alike_are_told_apart(machine: str, words: str) -> None:
    found = aws_class(machine, spot=False)
    assert found is not None
    assert words in found[1]
