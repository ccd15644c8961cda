"""What is left of a stack in a made-up AWS account, before its teardown, half-way through, and after."""

from __future__ import annotations

from decimal import Decimal

import pytest
from botocore.stub import Stubber
from samples import STACK, asked, cluster, lock, placement
from small_account import CLUSTER, ROLE, Account, tags

from catalogs.catalog import Catalog
from operations.clouds.aws import orphans
from operations.clouds.aws import placement as aws
from operations.clouds.aws.client import Clients
from operations.clouds.aws.instances import CREATED_FOR
from operations.clouds.aws.tags import Tagged, kind_of, last, marks
from operations.clouds.registry import leftovers_of
from planning.cloud_checks.orphans import Orphan, OrphanReport, PricedOrphan, classify
from planning.spec.lock_content import State


@pytest.fixture
def account(clients_of_aws: Clients) -> Account:
    made = Account(clients_of_aws)
    made.build()
    return made


def look(catalog: Catalog) -> OrphanReport:
    return leftovers_of(lock(), catalog=catalog)


def by_kind(things: tuple[PricedOrphan, ...]) -> dict[str, PricedOrphan]:
    return {each.found.kind: each for each in things}


def test_a_standing_stack_is_listed_whole_and_priced_by_the_catalog(account: Account, catalog: Catalog) -> None:
    found = look(catalog)
    assert found.unanswered == ()
    forgotten = by_kind(found.forgotten)
    machine = catalog.prices.one(provider="aws", item="g6.2xlarge", region="us-east-1", purchase="on_demand").usd
    assert forgotten["EC2 instance g6.2xlarge"].usd_per_month == machine * 730
    assert forgotten["EKS cluster"].usd_per_month == Decimal("73.00")
    assert forgotten["NAT gateway"].found.id == account.ids["nat"]
    assert forgotten["public IPv4 address"].usd_per_month == Decimal("3.650")
    assert forgotten["EBS snapshot of 100 GB"].state is State.UNPRICED
    assert {"network load balancer", "EBS volume gp3, 100 GB"} <= set(forgotten)


def test_the_disk_of_a_claim_is_found_by_the_tag_of_its_driver(account: Account, catalog: Catalog) -> None:
    disk = by_kind(look(catalog).forgotten)["EBS volume gp3, 100 GB"]
    gb, iops = (catalog.prices.one(provider="aws", item=item, region="us-east-1").usd for item in ("disk", "disk_iops"))
    assert disk.found.id == account.ids["volume"]
    assert disk.usd_per_month == gb * 100 + iops * 1000


def test_the_disk_of_a_claim_that_no_machine_has_is_kept_by_its_name(account: Account, catalog: Catalog) -> None:
    made_for = {"namespace": "mlflow", "name": "mlflow-database-1"}
    account.aws.ec2.create_tags(
        Resources=[account.ids["volume"]],
        Tags=[{"Key": f"{CREATED_FOR}/{key}", "Value": value} for key, value in made_for.items()],
    )
    disk = by_kind(look(catalog).kept)["EBS volume gp3, 100 GB"]
    assert "mlflow/mlflow-database-1" in disk.found.kept
    assert disk.usd_per_month is not None


@pytest.mark.usefixtures("account")
def test_data_is_kept_and_not_forgotten(catalog: Catalog) -> None:
    kept = by_kind(look(catalog).kept)
    assert set(kept) == {"S3 bucket", "KMS key", "EFS file system"}
    assert kept["KMS key"].usd_per_month == 1
    assert kept["S3 bucket"].state is State.UNPRICED


def test_after_the_teardown_only_kept_data_and_free_things_are_left(account: Account, catalog: Catalog) -> None:
    account.tear_down()
    found = look(catalog)
    assert found.forgotten == ()
    assert found.unanswered == ()
    assert {each.found.kind for each in found.kept} == {"S3 bucket", "KMS key", "EFS file system"}
    assert "VPC" in {each.found.kind for each in found.free}


def test_whatever_a_teardown_forgets_is_named(account: Account, catalog: Catalog) -> None:
    ec2 = account.aws.ec2
    account.tear_down()
    ec2.allocate_address(Domain="vpc", TagSpecifications=tags("elastic-ip"))
    (only,) = look(catalog).forgotten
    assert (only.found.kind, only.found.status) == ("public IPv4 address", "idle")


def test_a_stopped_machine_costs_nothing_but_its_disk(account: Account, catalog: Catalog) -> None:
    account.aws.ec2.stop_instances(InstanceIds=[account.ids["machine"]])
    stopped = by_kind(look(catalog).free)["EC2 instance g6.2xlarge"]
    assert stopped.note == "stopped: only its disks cost"


def test_a_key_that_waits_for_its_deletion_is_free(account: Account, catalog: Catalog) -> None:
    account.aws.kms.schedule_key_deletion(KeyId=account.ids["key"], PendingWindowInDays=7)
    key = by_kind(look(catalog).free)["KMS key"]
    assert key.found.status == "PendingDeletion"


def test_another_stack_is_none_of_ours(account: Account, catalog: Catalog) -> None:
    theirs = [{"Key": "atoll:stack", "Value": f"{STACK}-two"}]
    account.tear_down()
    account.aws.ec2.allocate_address(Domain="vpc", TagSpecifications=tags("elastic-ip", marked=theirs))
    account.aws.eks.create_cluster(name=f"{CLUSTER}-two", roleArn=ROLE, resourcesVpcConfig={})
    assert look(catalog).forgotten == ()


def test_one_service_that_refuses_leaves_the_others_answered(account: Account) -> None:
    tagged = Tagged(account.aws, asked())
    with Stubber(account.aws.eks) as stub:
        stub.add_client_error("describe_cluster", service_error_code="AccessDeniedException", http_status_code=403)
        search = aws.search_tagged(tagged)
    (refused,) = search.unanswered
    assert (refused.what, "AccessDeniedException" in refused.reason) == ("EKS", True)
    assert "NAT gateway" in {each.kind for each in search.found}


def test_two_placements_of_one_region_do_not_double_what_is_left(account: Account, catalog: Catalog) -> None:
    second = cluster(placement=placement(name="training"))
    found = leftovers_of(lock(cluster(), second), catalog=catalog)
    addresses = [each for each in found.forgotten if each.found.kind == "public IPv4 address"]
    assert [each.found.id for each in addresses] == [account.ids["address"]]


def test_a_hosted_zone_is_asked_for_where_aws_names_what_belongs_to_no_region(clients_of_aws: Clients) -> None:
    zone, topic = "arn:aws:route53:::hostedzone/Z1", "arn:aws:sns:us-east-1:1:topic"
    answer = {"ResourceTagMappingList": [{"ResourceARN": arn, "Tags": []} for arn in (zone, topic)]}
    tagged = Tagged(clients_of_aws, asked())
    with Stubber(clients_of_aws.global_tagging) as stub:
        for _ in marks(tagged.asked):
            stub.add_response("get_resources", answer)
        found = list(orphans.SEARCHES["what belongs to no region"](tagged))
    assert clients_of_aws.global_tagging.meta.region_name == "us-east-1"
    assert [(each.kind, each.id, each.free) for each in found] == [("route53:hostedzone", zone, "")]


@pytest.mark.parametrize(
    ("arn", "kind", "rest"),
    [
        ("arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/a/1", "elasticloadbalancing:loadbalancer", "1"),
        ("arn:aws:eks:us-east-1:1:nodegroup/c/g/1", "eks:nodegroup", "1"),
        ("arn:aws:fsx:us-east-1:1:file-system/fs-1", "fsx:file-system", "fs-1"),
        ("arn:aws:logs:us-east-1:1:log-group:/a/b", "logs:log-group", "b"),
        ("arn:aws:s3:::bucket", "s3", "bucket"),
    ],
)
def test_an_arn_tells_its_kind(arn: str, kind: str, rest: str) -> None:
    assert (kind_of(arn), last(arn)) == (kind, rest)


def test_what_nobody_knows_a_price_of_is_unpriced_and_never_free(catalog: Catalog) -> None:
    odd = Orphan(kind="quantum:computer", id="q", provider="aws", region="us-east-1")
    (only,) = classify(STACK, [odd], catalog_prices=catalog.prices).forgotten
    assert (only.state, only.usd_per_month) == (State.UNPRICED, None)
    assert only.note == "quantum:computer has no price here"


@pytest.mark.usefixtures("no_credentials")
def test_without_credentials_nobody_can_tell(catalog: Catalog) -> None:
    found = look(catalog)
    (nothing,) = found.unanswered
    assert found.things == ()
    assert "no AWS credentials" in nothing.reason


@pytest.mark.usefixtures("no_credentials")
def test_a_profile_that_is_not_there_is_said(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    (nothing,) = leftovers_of(lock(), catalog=catalog).unanswered
    assert nothing.reason == "The config profile (nobody) could not be found"
