"""What a state holds, and what a destroy would do to it."""

from __future__ import annotations

from engine_fakes import STACK_ROW, FakeStack, row

from operations.engine.teardown import StackState, list_remaining, read_state

PROVIDER = row("pulumi:providers:aws", "default")
CLUSTER = row("aws:eks/cluster:Cluster", "cluster", inputs={"deletionProtection": True})
BUCKET = row("aws:s3/bucket:Bucket", "models", protect=True, retainOnDelete=True)
LOGS = row("aws:cloudwatch/logGroup:LogGroup", "logs", retainOnDelete=True)
SUBNET = row("aws:ec2/subnet:Subnet", "subnet")
COMPONENT = row("atoll:cluster:AwsCluster", "cluster", id_="")
DATABASE = row("aws:rds/instance:Instance", "database", protect=True, inputs={"deletionProtection": True})


def test_each_resource_has_one_fate() -> None:
    state = read_state(FakeStack([[STACK_ROW, PROVIDER, COMPONENT, CLUSTER, BUCKET, LOGS, DATABASE]]).opened())
    assert [each.name for each in state.going] == ["cluster"]
    assert [each.name for each in state.protected] == ["models", "database"]
    assert [each.name for each in state.forgotten] == ["logs"]
    assert [each.name for each in state.guarded] == ["cluster"]


def test_an_empty_state_holds_no_work() -> None:
    assert not read_state(FakeStack([[STACK_ROW]]).opened()).has_work
    assert not read_state(FakeStack([[]]).opened()).has_work


def test_what_is_only_there_for_something_protected_is_no_work() -> None:
    assert not read_state(FakeStack([[PROVIDER, COMPONENT, BUCKET]]).opened()).has_work
    assert read_state(FakeStack([[PROVIDER, COMPONENT]]).opened()).has_work


def test_what_is_left_behind_says_why() -> None:
    was = read_state(FakeStack([[CLUSTER, SUBNET, BUCKET, LOGS]]).opened())
    after = read_state(FakeStack([[SUBNET, BUCKET]]).opened())
    found = {each.name: why for why, each in list_remaining(was=was, after=after)}
    assert found == {"models": "protected", "subnet": "needed by what is protected", "logs": "left in the cloud"}


def test_what_lay_in_a_cluster_goes_with_it_and_stays_where_the_cluster_does() -> None:
    kept = row("kubernetes:core/v1:Namespace", "mlflow", retainOnDelete=True)
    ours, theirs = ([CLUSTER, kept], [kept])
    said = [
        next(why for why, _ in list_remaining(was=read_state(FakeStack([rows]).opened()), after=StackState(())))
        for rows in (ours, theirs)
    ]
    assert said == ["gone with its cluster; disks of its volumes stay", "left in the cluster"]
