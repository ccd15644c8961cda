"""Places, pools and order in detail: the exceptions that are meant, and what must not slip through."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from lock_kit import with_home, with_pool
from policy_kit import added, changed, made, sound, with_resource

from planning.costs.resources.resource import UNKNOWN, Properties, Secret, UnknownValue, UnreadableError, Value
from planning.spec.cluster import Amounts, Link
from planning.spec.lock import Lock
from planning.values.money import ZERO
from planning.values.verdict import Verdict
from policies.rules.operations import gpu_owner, pinned_versions, pool_bounds, tags
from policies.rules.operations.pinned_versions import floats, in_object
from policies.rules.placement import machines, places

if TYPE_CHECKING:
    from policies.rule import Breach, Rule
    from policies.stack_context import StackContext

GROUP = "aws:ec2/securityGroup:SecurityGroup"
RELEASE = "kubernetes:helm.sh/v3:Release"
MINE = (
    places.ALLOWED_PLACES,
    places.RESIDENCY,
    places.REGION_IN_PLACE,
    machines.ALLOWED_MACHINES,
    pool_bounds.SPARES,
    pool_bounds.IDLE_CONTROLS,
    gpu_owner.RULE,
    pinned_versions.RULE,
    tags.RULE,
)


def said(rule: Rule, stack: StackContext) -> list[Breach]:
    return list(rule.judge(stack))


def second(stack: StackContext, *, region: str) -> StackContext:
    """The same stack with a second cluster in another region, of which one security group is registered."""
    there = stack.lock.spec.placement.model_copy(update={"name": "second", "region": region})
    other = stack.lock.spec.model_copy(update={"placement": there, "pools": (), "platform": None})
    lock: Lock = stack.lock.model_copy(update={"placements": (*stack.lock.placements, other)})
    below = made("atoll:placement:Second", "second", placement="second", provider="aws", region=region)
    return replace(added(stack, below, made(GROUP, "inside", parent=below.urn, region=region)), lock=lock)


def test_the_main_clouds_end_of_a_tunnel_may_lie_elsewhere() -> None:
    none = Amounts(min=ZERO, expected=ZERO, max=ZERO)
    link = Link.model_validate(
        {
            "provider": "aws",
            "region": "eu-west-1",
            "vpc_id": "vpc-1",
            "vpc_cidr": "10.0.0.0/16",
            "account": None,
            "route_table_ids": (),
            "gb_per_month": none.model_dump(),
        }
    )
    stack = sound("gcp")
    linked = with_home(stack, network=stack.lock.spec.network.model_copy(update={"link": link}))
    end = made("atoll:network:MainSide", "main-side", provider="aws", region="eu-west-1")
    gateway = made("aws:ec2/vpnGateway:VpnGateway", "main-cloud", parent=end.urn, region="eu-west-1")
    assert said(places.ALLOWED_PLACES, added(linked, end, gateway)) == []
    assert len(said(places.ALLOWED_PLACES, added(stack, end, gateway))) == 2
    assert len(said(places.ALLOWED_PLACES, added(linked, made(GROUP, "stray", region="eu-west-1")))) == 1


def test_a_machine_without_a_zone_lies_where_its_subnet_does() -> None:
    stack = sound("gcp")
    at = next(index for index, each in enumerate(stack.resources) if each.type == "gcp:compute/instance:Instance")
    gateway = stack.resources[at]
    assert isinstance(gateway.inputs["zone"], UnknownValue)
    assert gateway.property_dependencies["networkInterfaces"]
    lost = with_resource(stack, at, replace(gateway, property_dependencies={}))
    assert said(places.ALLOWED_PLACES, stack) == []
    assert [each.verdict for each in said(places.ALLOWED_PLACES, lost)] == [Verdict.UNDETERMINED]


def test_a_resource_of_one_cluster_at_the_place_of_another_is_misplaced() -> None:
    stack = second(sound(), region="eu-central-1")
    assert said(places.REGION_IN_PLACE, stack) == []
    misplaced = changed(stack, GROUP, {"region": "us-east-1"}, name="inside")
    assert "cluster second" in said(places.REGION_IN_PLACE, misplaced)[0].given
    assert said(places.ALLOWED_PLACES, misplaced) == []


def test_a_placement_that_nobody_can_read_is_not_taken_for_home() -> None:
    stack = changed(second(sound(), region="eu-central-1"), "atoll:placement:Second", {"placement": UNKNOWN})
    assert Verdict.UNDETERMINED in {each.verdict for each in said(places.REGION_IN_PLACE, stack)}


def test_a_cluster_that_is_new_has_not_moved() -> None:
    now = second(sound(), region="eu-central-1")
    assert said(places.REGION_IN_PLACE, replace(now, before=sound().lock)) == []


def test_a_pool_that_nothing_registers_has_no_spares() -> None:
    stack = sound("coreweave")
    kept = tuple(each for each in stack.resources if each.name != "pool-pretrain-13b")
    assert "is missing" in said(pool_bounds.SPARES, replace(stack, resources=kept))[0].given


def test_a_program_that_stops_short_of_the_cluster_is_not_missing_its_inside() -> None:
    stack = sound()
    outside = tuple(each for each in stack.resources if not each.type.startswith("kubernetes:"))
    short = replace(stack, resources=outside, whole=stack.bill)
    for rule in MINE:
        assert said(rule, short) == []


def test_a_machine_beside_the_pools_is_seen() -> None:
    stack = added(sound(), made("aws:ec2/instance:Instance", "mine", instanceType="p5.48xlarge"))
    assert [each.resource for each in said(machines.ALLOWED_MACHINES, stack)] == ["mine"]


def test_a_node_group_below_no_pool_is_nobodys() -> None:
    group = made("aws:eks/nodeGroup:NodeGroup", "stray", instanceTypes=["m6a.xlarge"], scalingConfig={})
    assert [each.verdict for each in said(pool_bounds.IDLE_CONTROLS, added(sound(), group))] == [Verdict.UNDETERMINED]
    assert said(machines.ALLOWED_MACHINES, added(sound(), group)) == []


def test_a_pool_of_karpenter_without_limits_has_no_end() -> None:
    stack = changed(sound(), "kubernetes:karpenter.sh/v1:NodePool", {"spec.limits": None})
    assert "nothing limits" in said(pool_bounds.IDLE_CONTROLS, stack)[0].given


def test_a_pool_of_karpenter_that_asks_for_any_machine_is_not_the_locks() -> None:
    path = "spec.template.spec.requirements"
    stack = changed(sound(), "kubernetes:karpenter.sh/v1:NodePool", {path: []})
    assert "any machine" in said(machines.ALLOWED_MACHINES, stack)[0].given


def test_a_reserved_pool_whose_budget_is_shut_may_be_looked_at() -> None:
    pool = "kubernetes:karpenter.sh/v1:NodePool"
    values: dict[str, Value] = {"spec.template.spec.requirements.1.values": ["reserved"]}
    stack = changed(sound(), pool, {**values, "spec.disruption.budgets": [{"nodes": "0"}]})
    hourly = changed(sound(), pool, {**values, "spec.disruption.budgets": [{"nodes": "0", "schedule": "@daily"}]})
    assert said(pool_bounds.IDLE_CONTROLS, stack) == []
    assert len(said(pool_bounds.IDLE_CONTROLS, hourly)) == 1


def test_a_budget_that_keeps_every_idle_node_is_refused() -> None:
    stack = changed(sound(), "kubernetes:karpenter.sh/v1:NodePool", {"spec.disruption.budgets": [{"nodes": "0"}]})
    assert "never removes its idle nodes" in said(pool_bounds.IDLE_CONTROLS, stack)[0].given


def test_a_login_in_an_address_is_not_repeated() -> None:
    address = "https://me:hush@github.com/kubeflow/katib"
    stack = changed(sound(), "kubernetes:kustomize/v2:Directory", {"directory": address})
    assert "hush" not in said(pinned_versions.RULE, stack)[0].given


def test_an_operator_whose_parts_are_off_owns_nothing() -> None:
    off: dict[str, Value] = {name: {"enabled": False} for name in ("driver", "devicePlugin", "dcgmExporter", "nfd")}
    quiet = made(RELEASE, "gpu-operator", chart="oci://registry.example/nvidia/gpu-operator", values=off)
    assert said(gpu_owner.RULE, added(sound("gcp"), quiet)) == []
    loud = made(RELEASE, "gpu-operator", chart="charts/gpu-operator-v26.7.0.tgz", values={**off, "nfd": {}})
    assert said(gpu_owner.RULE, added(sound("gcp"), loud)) == []
    asked = changed(added(sound("gcp"), quiet), RELEASE, {"values.driver.enabled": Secret()}, name="gpu-operator")
    assert [each.verdict for each in said(gpu_owner.RULE, asked)] == [Verdict.UNDETERMINED]


def test_nodes_of_a_group_without_the_driver_are_refused_where_the_provider_brings_it() -> None:
    stack = with_pool(sound(), "system", accelerator="H100-SXM-80GB", accelerators=8)
    assert "without" in said(gpu_owner.RULE, stack)[0].given


@pytest.mark.parametrize(("tag", "moves"), [("latest", True), ("main", True), ("v1.34.5", False), ("", False)])
def test_a_tag_without_a_number_moves(tag: str, *, moves: bool) -> None:
    assert floats(tag) == moves


def test_containers_that_cannot_be_read_hide_no_image() -> None:
    hidden = Properties({"spec": {"template": {"spec": {"containers": [UNKNOWN]}}}})
    with pytest.raises(UnreadableError):
        list(in_object(hidden))
    beside = Properties({"spec": {"replicas": UNKNOWN, "containers": [{"image": "a:1.2.3", "env": [UNKNOWN]}]}})
    assert [each.text() for each in in_object(beside)] == ["a:1.2.3"]


def test_tags_that_are_handed_on_as_an_object_count_too() -> None:
    given: Value = {"tags": {"atoll:stack": "demo", "atoll:owner": "a", "atoll:customer": "b"}}
    stack = changed(sound(), "pulumi:providers:aws", {"defaultTags": given})
    broken = changed(sound(), "pulumi:providers:aws", {"defaultTags": "{"})
    assert said(tags.RULE, stack) == []
    assert [each.verdict for each in said(tags.RULE, broken)] == [Verdict.UNDETERMINED]


def test_a_machine_of_no_provider_of_ours_needs_tags_of_its_own() -> None:
    stack = added(sound(), made("aws:ec2/instance:Instance", "mine", instanceType="t3.micro"))
    assert [each.resource for each in said(tags.RULE, stack)] == ["mine"]
