"""Whatever stands in the inputs: no exception, and no price out of thin air."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from takeoff_fakes import Book, declared, urn

from planning.costs.resources.counters import COUNTERS
from planning.costs.resources.resource import Resource, Secret, UnknownValue
from planning.costs.resources.stack_cost import price_resources
from planning.spec.lock_content import State
from planning.values.money import to_cents

NAMES = tuple(
    re.findall(
        r"\S+",
        "annotations blockDeviceMappings capacityType charges computeConfig deploymentType desiredSize "
        "diskSize ebs ebsBlockDevices enabled expected group iops instanceMarketOptions instanceType "
        "instanceTypes item key label launchTemplate loadBalancerType marketType max maxSize metadata min "
        "minSize name nodeHours parameters perUnitStorageThroughput pool provider provisioner purchase "
        "quantity region replicas requests resources rootBlockDevice scalingConfig size spec statedUsd "
        "storage storageCapacity storageClassName subnetIds supportType tenancy throughput throughputMode "
        "tier type upgradePolicy volumeClaimTemplates volumeSize volumeType vpcEndpointType",
    )
)
WORDS = tuple(
    re.findall(
        r"\S+",
        "gp3 io2 g6.xlarge SPOT ON_DEMAND us-east-1 aws Interface LoadBalancer PERSISTENT_2 EXTENDED 10Gi 1e9 "
        "1e999999 NaN object true compute list",
    )
)
TYPES = (
    *COUNTERS,
    "atoll:nodepool:NodePool",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "kubernetes:x.io/v1:Y",
    "a:b:c",
    "",
)
RESOURCE_NAMES = ("a", "b", "c")

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=8),
    st.just(UnknownValue()),
    st.just(Secret()),
    st.just(declared("x", "object", 3)),
    st.just({**declared("y", "object", 0), "ofBill": True}),
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(NAMES), values, max_size=8)
urns = st.builds(urn, st.sampled_from(TYPES), st.sampled_from(RESOURCE_NAMES))


@st.composite
def resources(draw: st.DrawFn) -> Resource:
    token, name = draw(st.sampled_from(TYPES)), draw(st.sampled_from(RESOURCE_NAMES))
    linked = draw(st.dictionaries(st.sampled_from(("launchTemplate", "x")), st.lists(urns, max_size=2), max_size=2))
    return Resource(
        urn=urn(token, name),
        type=token,
        name=name,
        parent=draw(st.none() | urns),
        custom=draw(st.booleans()),
        inputs=draw(objects),
        property_dependencies={key: tuple(found) for key, found in linked.items()},
        provider=draw(st.none() | urns),
    )


@settings(max_examples=120)
@given(st.lists(resources(), max_size=6), st.none() | st.just("us-east-1"))
def test_any_inputs_give_a_state_and_amounts_that_can_be_shown(found: list[Resource], region: str | None) -> None:
    off = price_resources(found, catalog=Book(), default_region=region)
    assert [taken.urn for taken in off.resources] == [each.urn for each in found]
    for taken in off.resources:
        unpriced = any(line.state is State.UNPRICED for line in taken.lines)
        assert unpriced == (taken.state is State.UNPRICED)
        assert all(line.note for line in taken.lines if line.state is State.UNPRICED)
        assert bool(taken.reason) <= (taken.state is State.FREE)
    for line in off.bill.lines:
        assert (line.usd_per_month is None) == (line.state is State.UNPRICED)
    total = off.bill.usd_per_month
    assert 0 <= to_cents(total.min) <= to_cents(total.expected) <= to_cents(total.max)
    assert len({line.key for line in off.bill.lines}) == len(off.bill.lines)


@settings(max_examples=40)
@given(st.lists(resources(), min_size=1, max_size=4))
def test_the_bill_is_the_sum_of_the_resources(found: list[Resource]) -> None:
    off = price_resources(found, catalog=Book(), default_region="us-east-1")
    amounts: list[Any] = [taken.usd_per_month for taken in off.resources if taken.usd_per_month is not None]
    assert off.bill.usd_per_month.max == sum(amount.max for amount in amounts)
