"""CoreWeave's resources at its own prices: pools by their bounds, claims by their size, buckets as declared."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from takeoff_fakes import declared, injected, resource, usd

from catalogs.catalog import load
from catalogs.model import Item
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.costs.resources.resource import Resource, UnknownValue
from planning.costs.resources.stack_cost import ResourceCost, price_resources
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from catalogs.catalog import Catalog

POOL = "kubernetes:compute.coreweave.com/v1alpha1:NodePool"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
CLUSTER = "coreweave:index/cksCluster:CksCluster"
BUCKET = "coreweave:index/objectStorageBucket:ObjectStorageBucket"
HERE = {"provider": "coreweave", "region": "north-america"}
SPEC = {
    "computeClass": "default",
    "instanceType": "gd-8xh100ib-i128",
    "autoscaling": True,
    "targetNodes": 1,
    "minNodes": 0,
    "maxNodes": 4,
}
HOURS = {"min": "0", "expected": "1000", "max": "2920"}


@cache
def catalog() -> Catalog:
    return load()


def below(child: Resource, owner: Resource) -> ResourceCost:
    """What the takeoff says of a resource below a component."""
    owner = replace(owner, custom=False)
    return price_resources((replace(child, parent=owner.urn), owner), catalog=catalog()).resources[0]


def pool(**facts: object) -> Resource:
    return resource("atoll:nodepool:NodePool", "pool", **HERE, pool="train", nodeHours=HOURS, **facts)


def nodes(**changes: object) -> Resource:
    return resource(POOL, "nodes", spec={**SPEC, **changes})


def test_a_pool_is_priced_between_its_bounds_and_expected_as_its_component_foresees() -> None:
    found = below(nodes(), pool(purchase="on_demand"))
    (line,) = found.lines
    assert line.key == "pool/train/machine"
    assert line.item == "HGX-H100"
    assert line.usd_per_month == usd("0", "49240", "143780.80")


def test_a_pool_that_does_not_scale_is_priced_at_its_size() -> None:
    found = below(nodes(autoscaling=False, targetNodes=2), pool(purchase="on_demand"))
    assert found.usd_per_month == usd("71890.40")


def test_spot_nodes_have_the_spot_price() -> None:
    found = below(nodes(computeClass="spot", minNodes=4), pool(purchase="spot"))
    assert found.usd_per_month == usd("57553.20")


@pytest.mark.parametrize(
    ("changes", "purchase", "said"),
    [
        ({"computeClass": "spot"}, "on_demand", "contradicts compute class spot"),
        ({"computeClass": "sometimes"}, "on_demand", "'sometimes' has no rule"),
        ({"instanceType": "cpu-of-some-kind"}, "on_demand", "cpu-of-some-kind"),
        ({"minNodes": 5}, "on_demand", "above spec.maxNodes"),
    ],
)
def test_what_cannot_be_priced_says_why(changes: dict[str, object], purchase: str, said: str) -> None:
    found = below(nodes(**changes), pool(purchase=purchase))
    assert found.state is State.UNPRICED
    assert said in " ".join(line.note for line in found.lines)


@pytest.mark.parametrize("field", sorted(SPEC))
def test_a_priced_field_that_is_unknown_leaves_the_pool_unpriced(field: str) -> None:
    unknown = injected(dict(nodes().inputs), ("spec", field), UnknownValue())
    found = below(resource(POOL, "nodes", **unknown), pool(purchase="on_demand"))
    assert found.state is State.UNPRICED


@pytest.mark.parametrize(
    ("size", "price"), [("1000G", "70.00"), ("1T", "70.00"), ("1000Gi", "75.16"), ("1Ti", "76.97")]
)
def test_a_claim_on_the_shared_class_is_a_file_system_of_its_size(size: str, price: str) -> None:
    spec = {"storageClassName": "shared-vast", "resources": {"requests": {"storage": size}}}
    tier = resource("atoll:storage:SharedFileSystem", "tier", **HERE, tier="warm")
    found = below(resource(CLAIM, "warm", spec=spec), tier)
    (line,) = found.lines
    assert (line.key, line.item) == ("storage/warm", Item.SHARED_SSD)
    assert line.usd_per_month is not None
    assert round(line.usd_per_month.expected, 2) == usd(price).expected


@pytest.mark.parametrize("size", ["1000", "many", "10Ki", "G"])
def test_a_claim_whose_size_is_no_size_is_unpriced(size: str) -> None:
    spec = {"storageClassName": "shared-vast", "resources": {"requests": {"storage": size}}}
    tier = resource("atoll:storage:SharedFileSystem", "tier", **HERE, tier="warm")
    assert below(resource(CLAIM, "warm", spec=spec), tier).state is State.UNPRICED


def test_a_control_plane_is_free_by_the_price_page_and_says_so_with_a_line() -> None:
    found = below(resource(CLUSTER, "cluster"), resource("atoll:cluster:Cluster", "cluster", **HERE))
    assert [line.key for line in found.lines] == ["control_plane"]
    assert found.usd_per_month == usd("0")


def test_a_bucket_is_free_below_what_declares_its_volume_and_unpriced_alone() -> None:
    tier = resource("atoll:storage:ObjectTier", "tier", **HERE, charges=[declared("storage/cold", Item.OBJECT, 10)])
    assert below(resource(BUCKET, "cold"), tier).state is State.FREE
    alone = resource("atoll:storage:ObjectTier", "tier", **HERE, charges=[])
    assert below(resource(BUCKET, "cold"), alone).state is State.UNPRICED


def test_every_machine_of_the_price_book_can_be_asked_for() -> None:
    assert set(INSTANCE_TYPES) == {name for provider, name in catalog().machines if provider == "coreweave"}
    assert len(set(INSTANCE_TYPES.values())) == len(INSTANCE_TYPES)
