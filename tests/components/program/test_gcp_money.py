from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
import specs_gcp
from look import of_type, unknowns

from catalogs.catalog import Catalog, load
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from operations.plans.plan import differences
from operations.plans.price_book import as_book
from planning.costs.bill import Bill
from planning.costs.resources.counters import counter_of, free_by_rule
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.spec.cluster import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.spec.cluster import ClusterSpec

POOL = "gcp:container/nodePool:NodePool"
PRICED = (
    (POOL, "autoscaling"),
    ("gcp:lustre/instance:Instance", "capacityGib"),
    ("gcp:lustre/instance:Instance", "perUnitStorageThroughput"),
    ("gcp:container/cluster:Cluster", "releaseChannel"),
    ("gcp:compute/instance:Instance", "machineType"),
    ("pulumi:providers:gcp", "region"),
)


@cache
def catalog() -> Catalog:
    return load()


def counted(run: OfflineRun) -> Bill:
    return price_resources(run.resources, catalog=as_book(catalog()), default_region=None).bill


def billed(spec: ClusterSpec) -> Bill:
    return whole_bill((spec,), Market(catalog()))


@pytest.mark.parametrize(("token", "name"), PRICED)
def test_what_is_priced_is_plain(gcp_run: OfflineRun, token: str, name: str) -> None:
    for resource in of_type(gcp_run, token):
        assert not list(unknowns(resource.inputs[name])), resource.urn


def test_machines_and_disks_of_a_node_are_plain(gcp_run: OfflineRun) -> None:
    for pool in of_type(gcp_run, POOL):
        config = pool.inputs["nodeConfig"]
        for name in ("machineType", "diskType", "diskSizeGb"):
            assert not list(unknowns(config[name])), pool.urn


def test_every_type_has_a_counter_or_is_free_by_rule(gcp_run: OfflineRun) -> None:
    for resource in gcp_run.resources:
        if resource.type.startswith("gcp:"):
            assert counter_of(resource.type) or free_by_rule(resource.type), resource.type


def test_the_bill_equals_the_takeoff_to_the_cent(gcp_run: OfflineRun) -> None:
    spec = specs_gcp.gcp_cluster()
    ours, theirs = billed(spec), counted(gcp_run)
    assert differences(ours, theirs) == ()
    assert {line.key for line in ours.lines} == {line.key for line in theirs.lines}
    priced = {line.key for line in theirs.lines if line.usd_per_month is not None}
    assert {"control_plane", "network/nat_gateway", "network/public_ipv4", "security/keys", "access/vpn/machine",
            "access/vpn/disk", "access/vpn/address", "pool/train/machine", "pool/train/disk",
            "storage/cold"} <= priced  # fmt: skip


def test_a_plain_shared_disk_is_filestore_of_the_priced_tier(run_spec: Callable[[ClusterSpec], OfflineRun]) -> None:
    warm = specs_gcp.STORAGE[1].model_copy(update={"item": "shared_disk", "provisioned_gb": 2048})
    spec = specs_gcp.gcp_cluster(storage=(warm,))
    run = run_spec(spec)
    (files,) = of_type(run, "gcp:filestore/instance:Instance")
    assert (files.inputs["tier"], files.protect) == ("BASIC_HDD", True)
    assert differences(billed(spec), counted(run)) == ()


def test_an_open_cluster_without_extras_agrees_too(run_spec: Callable[[ClusterSpec], OfflineRun]) -> None:
    network = specs_gcp.network(peering=None, domain="", nat_gateways=1)
    spec = specs_gcp.gcp_cluster(network=network, storage=(), pools=specs_gcp.POOLS[:1], vpn=None)
    assert differences(billed(spec), counted(run_spec(spec))) == ()


def test_two_clusters_of_one_stack_have_their_own_lines() -> None:
    there = Placement(name="train", provider="gcp", region="us-east4", zones=(), target="gcp")
    network = specs_gcp.network(peering=None, domain="")
    placements = (specs_gcp.gcp_cluster(), specs_gcp.gcp_cluster(placement=there, network=network))

    def program() -> None:
        build(placements)

    found = counted(run("sample", program=program))
    assert differences(whole_bill(placements, Market(catalog())), found) == ()
    assert {"network/nat_gateway", "train/network/nat_gateway"} <= {line.key for line in found.lines}
