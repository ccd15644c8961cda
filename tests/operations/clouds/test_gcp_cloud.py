"""What Google Cloud says, from the typed messages of its SDK, by way of a project that answers from memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.api_core.exceptions import Forbidden
from google.cloud import asset_v1, compute_v1
from samples import STACK, TODAY, asked, cluster, cpu_pool, placement, pool

from catalogs.catalog import Catalog
from operations.clouds.gcp import placement as gcp
from operations.clouds.gcp.client import NO_CREDENTIALS
from operations.clouds.registry import leftovers_of
from planning.cloud_checks.orphans import classify
from planning.cloud_checks.preflight import PlacementFacts, placement_facts

ZONES = "https://www.googleapis.com/compute/v1/projects/p/zones/"
LABELS = {"atoll-stack": STACK}
CREATED_FOR = "kubernetes.io/created-for/pvc"
CLAIM = f'{{"{CREATED_FOR}/namespace": "mlflow", "{CREATED_FOR}/name": "mlflow-database-1"}}'
PLACE = placement(provider="gcp", region="us-central1", zones=("us-central1-a", "us-central1-c"), target="gcp")
L4 = {"accelerator": "L4-PCIe-24GB", "machine": "g2-standard-12", "zones": (), "efa_interfaces": 0, "accelerators": 1}


@dataclass
class Memory:
    """A project that answers from what it was given."""

    quotas: dict[str, tuple[float, float]] = field(default_factory=dict)
    offered: set[tuple[str, str]] = field(default_factory=set)
    reserved: list[compute_v1.Reservation] = field(default_factory=list)
    machines: list[compute_v1.Instance] = field(default_factory=list)
    drives: list[compute_v1.Disk] = field(default_factory=list)
    ways: list[compute_v1.Router] = field(default_factory=list)
    rules: list[compute_v1.ForwardingRule] = field(default_factory=list)
    rest: list[asset_v1.ResourceSearchResult] = field(default_factory=list)
    refuses: bool = False

    def get_region(self, name: str) -> compute_v1.Region:
        if self.refuses:
            raise Forbidden("Compute Engine API has not been used")
        quotas = [compute_v1.Quota(metric=k, limit=limit, usage=used) for k, (limit, used) in self.quotas.items()]
        return compute_v1.Region(name=name, quotas=quotas, zones=[ZONES + "us-central1-a"])

    def offers(self, *, zone: str, machine: str) -> bool:
        return (zone, machine) in self.offered

    def list_reservations(self, name: str) -> Iterable[compute_v1.Reservation]:
        return [each for each in self.reserved if each.name == name]

    def list_instances(self, label: str, value: str) -> Iterable[compute_v1.Instance]:
        return [each for each in self.machines if each.labels.get(label) == value]

    def list_disks(self, label: str, value: str) -> Iterable[compute_v1.Disk]:
        return [each for each in self.drives if each.labels.get(label) == value]

    def list_routers(self, region: str) -> Iterable[compute_v1.Router]:
        assert region == "us-central1"
        return self.ways

    def list_forwarding_rules(self, region: str) -> Iterable[compute_v1.ForwardingRule]:
        assert region == "us-central1"
        return self.rules

    def search_assets(self, label: str, value: str) -> Iterable[asset_v1.ResourceSearchResult]:
        assert (label, value) == ("atoll-stack", STACK)
        if self.refuses:
            raise Forbidden("Cloud Asset API has not been used")
        return self.rest


def facts(memory: Memory, *pools: Any, reservations: dict[str, str] | None = None) -> PlacementFacts:
    spec = cluster(placement=PLACE, pools=pools)
    told = gcp.read_project_capacity(memory, asked(spec, reservations=reservations or {}))
    return placement_facts(spec, told, reservations=reservations or {}, today=TODAY)


def test_gpu_quotas_count_gpus_and_spot_has_its_own() -> None:
    memory = Memory(quotas={"NVIDIA_L4_GPUS": (4, 0), "PREEMPTIBLE_NVIDIA_L4_GPUS": (1, 0), "N2_CPUS": (500, 8)})
    serve, cheap, system = facts(
        memory, pool("serve", **L4), pool("cheap", kind="spot", **L4), cpu_pool(machine="n2-standard-8")
    ).pools
    assert (serve.quota.state, serve.quota.needed, serve.quota.unit) == ("enough", 2, "GPUs")
    assert (cheap.quota.state, cheap.quota.code) == ("short", "PREEMPTIBLE_NVIDIA_L4_GPUS")
    assert (system.quota.state, system.quota.needed) == ("enough", 24)


def test_what_is_used_may_be_the_stacks_own_so_nobody_can_tell() -> None:
    (serve,) = facts(Memory(quotas={"NVIDIA_L4_GPUS": (2, 2)}), pool("serve", **L4)).pools
    assert (serve.quota.state, serve.quota.reason) == ("unknown", "enough if what is used is this stack's own")


def test_a_gpu_whose_quota_the_region_does_not_report_is_unknown() -> None:
    (train,) = facts(Memory(), pool("train", machine="a3-highgpu-8g")).pools
    assert train.quota.state == "unknown"
    assert "H100-SXM-80GB" in train.quota.reason


def test_a_machine_is_offered_zone_by_zone() -> None:
    memory = Memory(offered={("us-central1-c", "g2-standard-12")})
    (serve,) = facts(memory, pool("serve", **L4)).pools
    assert (serve.offered.state, serve.offered.zones) == ("offered", ("us-central1-c",))
    (pinned,) = facts(memory, pool("serve", **{**L4, "zones": ("us-central1-a",)})).pools
    assert (pinned.offered.state, pinned.offered.missing) == ("not_offered", ("us-central1-a",))


def reservation(machine: str) -> compute_v1.Reservation:
    properties = compute_v1.AllocationSpecificSKUAllocationReservedInstanceProperties(machine_type=machine)
    held = compute_v1.AllocationSpecificSKUReservation(count=2, instance_properties=properties)
    return compute_v1.Reservation(name="ours", status="READY", zone=ZONES + "us-central1-a", specific_reservation=held)


@pytest.mark.parametrize(("machine", "state"), [("g2-standard-12", "reserved"), ("a2-highgpu-1g", "mismatch")])
def test_a_reservation_is_one_of_the_pools_machine_or_a_mismatch(machine: str, state: str) -> None:
    memory = Memory(reserved=[reservation(machine)])
    (serve,) = facts(memory, pool("serve", **L4), reservations={"serve": "ours"}).pools
    assert (serve.reserved.state, serve.reserved.count, serve.reserved.zone) == (state, 2, "us-central1-a")


def test_a_project_that_refuses_leaves_every_fact_unknown() -> None:
    (serve,) = facts(Memory(refuses=True), pool("serve", **L4)).pools
    assert {serve.quota.state, serve.offered.state} == {"unknown"}
    assert "Compute Engine API has not been used" in serve.quota.reason


def machine(name: str, status: str) -> compute_v1.Instance:
    type_ = ZONES + "us-central1-a/machineTypes/g2-standard-12"
    return compute_v1.Instance(name=name, status=status, machine_type=type_, labels=LABELS)


def asset(type_: str, name: str) -> asset_v1.ResourceSearchResult:
    return asset_v1.ResourceSearchResult(asset_type=type_, display_name=name, location="us-central1", state="ACTIVE")


def left_in(memory: Memory, catalog: Catalog) -> tuple[Any, tuple[Any, ...]]:
    search = gcp.search_project(memory, asked(cluster(placement=PLACE)))
    return classify(STACK, search.found, catalog_prices=catalog.prices), search.unanswered


def test_leftovers_are_priced_kept_free_or_unpriced(catalog: Catalog) -> None:
    memory = Memory(
        machines=[
            machine("up", "RUNNING"),
            machine("down", "TERMINATED"),
        ],
        drives=[
            compute_v1.Disk(name="d", size_gb=100, type_=ZONES + "a/diskTypes/pd-balanced", labels=LABELS),
            compute_v1.Disk(
                name="c", size_gb=10, type_=ZONES + "a/diskTypes/pd-balanced", labels=LABELS, description=CLAIM
            ),
        ],
        rest=[
            asset("container.googleapis.com/Cluster", "atoll-demo"),
            asset("compute.googleapis.com/Instance", "up"),
            asset("storage.googleapis.com/Bucket", "cold"),
            asset("compute.googleapis.com/Network", "net"),
            asset("redis.googleapis.com/Instance", "odd"),
        ],
    )
    left, unanswered = left_in(memory, catalog)
    costs = {each.found.id: each.usd_per_month for each in left.forgotten}
    hour = catalog.prices.one(provider="gcp", item="g2-standard-12", region="us-central1", purchase="on_demand").usd
    assert costs == {"up": hour * 730, "atoll-demo": 73, "d": 10, "odd": None}
    kept = {each.found.id: each for each in left.kept}
    assert set(kept) == {"cold", "c"}
    assert "mlflow/mlflow-database-1" in kept["c"].found.kept
    assert kept["c"].usd_per_month == 1
    assert {each.found.id for each in left.free} == {"down", "net"}
    assert unanswered == ()


def test_what_carries_no_label_of_ours_is_found_by_its_cluster_or_its_network(catalog: Catalog) -> None:
    ours, theirs = "https://x/networks/atoll-demo", "https://x/networks/atoll-demo-two"
    claim = compute_v1.Disk(
        name="pvc", size_gb=10, type_="x/pd-balanced", labels={"goog-k8s-cluster-name": "atoll-demo"}
    )
    memory = Memory(
        drives=[claim],
        ways=[
            compute_v1.Router(name="router-1", network=ours, nats=[compute_v1.RouterNat(name="nat")]),
            compute_v1.Router(name="router-2", network=theirs, nats=[compute_v1.RouterNat(name="nat")]),
        ],
        rules=[compute_v1.ForwardingRule(name="a1", network=ours)],
    )
    left, _ = left_in(memory, catalog)
    kinds = {each.found.kind: each.found.id for each in left.forgotten}
    assert kinds == {"disk pd-balanced, 10 GB": "pvc", "Cloud NAT": "router-1", "forwarding rule": "a1"}


def test_an_inventory_that_refuses_is_said_and_the_machines_are_still_found(catalog: Catalog) -> None:
    left, (refused,) = left_in(Memory(machines=[machine("up", "RUNNING")], refuses=True), catalog)
    assert [each.found.id for each in left.forgotten] == ["up"]
    assert "Cloud Asset API" in refused.reason


@pytest.mark.usefixtures("no_credentials")
def test_without_credentials_nobody_can_tell(catalog: Catalog) -> None:
    from samples import lock

    (nothing,) = leftovers_of(lock(cluster(placement=PLACE)), catalog=catalog).unanswered
    assert nothing.reason == NO_CREDENTIALS
