"""Google Cloud's types: counted when all is said, unpriced when a priced property is unknown, free by rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from takeoff_fakes import Book, injected, notes, resource, term, urn, usd

from catalogs.model import Item, Price, PurchaseKind, UnpricedError
from planning.costs.bill import LIST_PRICE
from planning.costs.resources.clouds.gcp import compute, network
from planning.costs.resources.counters import free_by_rule
from planning.costs.resources.resource import Secret, UnknownValue
from planning.costs.resources.stack_cost import ResourceCost, price_resources
from planning.spec.lock_content import State
from planning.values.money import Range
from tests.kits.regional_prices import NoOtherRegions

if TYPE_CHECKING:
    from planning.costs.resources.resource import Resource

REGION = "us-central1"
USD = {
    "g2-standard-8": "0.80",
    "e2-micro": "0.01",
    Item.CONTROL_PLANE: "0.10",
    Item.NAT_GATEWAY: "0.01",
    Item.PUBLIC_IPV4: "0.005",
    Item.DISK: "0.10",
    Item.SHARED_SSD: "0.50",
    Item.SHARED_DISK: "0.16",
    Item.ENCRYPTION_KEY: "0.06",
    Item.VPN_CONNECTION: "0.05",
    Item.DNS_ZONE: "0.20",
}
SHARE = {"spot": Decimal("0.5"), "dws_flex_start": Decimal("0.6"), "cud_12m": Decimal("0.7")}
POOL = compute.NODE_POOL
CLUSTER = "gcp:container/cluster:Cluster"
NAT = "gcp:compute/routerNat:RouterNat"
NODES: dict[str, Any] = {
    "location": REGION,
    "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4},
    "nodeConfig": {"machineType": "g2-standard-8", "diskType": "pd-balanced", "diskSizeGb": 100},
}


class Prices(NoOtherRegions):
    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        if item not in USD or (provider, region) != ("gcp", REGION):
            raise UnpricedError(f"no price for {provider} {item} in {region} ({purchase})")
        usd_ = Decimal(USD[item]) * SHARE.get(purchase, Decimal(1))
        said = {"provider": provider, "item": item, "region": region, "purchase": purchase, "unit": "hour"}
        return (Price(**said, usd=usd_, above=Decimal(0), source="made up", as_of=date(2026, 9, 1)),)


TERMS = {
    ("on_demand", "*"): term("on_demand", PurchaseKind.ON_DEMAND),
    ("spot", "*"): term("spot", PurchaseKind.SPOT),
    ("cud_12m", "gcp"): term("cud_12m", PurchaseKind.RESERVED),
    ("dws_flex_start", "gcp"): term("dws_flex_start", PurchaseKind.FLEX),
}


def taken(subject: Resource, *around: Resource, region: str | None = REGION) -> ResourceCost:
    book = Book(prices=Prices(), terms=TERMS)  # type: ignore[arg-type]
    return price_resources((subject, *around), catalog=book, default_region=region).resources[0]


def pool(**inputs: Any) -> Resource:
    return resource(POOL, "nodes", **{**NODES, **inputs})


def config(**changes: Any) -> dict[str, Any]:
    return {"nodeConfig": {**NODES["nodeConfig"], **changes}}


def owned(member: Resource, **facts: Any) -> tuple[Resource, Resource]:
    hours = {"min": "730", "expected": "1000", "max": "2920"}
    said = {"provider": "gcp", "region": REGION, "pool": "train", "nodeHours": hours, **facts}
    owner = resource("atoll:nodepool:NodePool", "pool-train", **said)
    return replace(member, parent=owner.urn), owner


def test_a_node_pool_is_machines_and_disks_between_its_bounds() -> None:
    machine, disk = taken(pool()).lines
    assert machine.quantity == Range(Decimal(730), Decimal(730), Decimal(2920))
    assert machine.usd_per_month == usd("584.00", "584.00", "2336.00")
    assert disk.usd_per_month == usd("10.00", "10.00", "40.00")


def test_a_pool_of_ours_is_counted_by_its_forecast_under_its_own_keys() -> None:
    machine, disk = taken(*owned(pool())).lines
    assert (machine.key, disk.key) == ("pool/train/machine", "pool/train/disk")
    assert machine.quantity.expected == 1000


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        ({}, "1"),
        ({"spot": True}, "0.5"),
        ({"flexStart": True}, "0.6"),
        ({"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}, "1"),
    ],
)
def test_machines_are_priced_by_how_they_are_asked_for(changes: dict[str, Any], share: str) -> None:
    machine = taken(pool(**config(**changes))).lines[0]
    assert machine.usd_per_unit == Decimal("0.80") * Decimal(share)


def test_a_declared_purchase_counts_where_it_does_not_contradict() -> None:
    assert taken(*owned(pool(), purchase="cud_12m")).lines[0].usd_per_unit == Decimal("0.56")
    found = taken(*owned(pool(**config(spot=True)), purchase="cud_12m"))
    assert "contradicts" in notes(found)
    assert found.state is State.UNPRICED


def test_counts_for_each_zone_are_multiplied_by_the_zones() -> None:
    each = {"minNodeCount": 1, "maxNodeCount": 2}
    in_two = pool(autoscaling=each, nodeLocations=[f"{REGION}-a", f"{REGION}-b"])
    assert taken(in_two).lines[0].quantity == Range(Decimal(1460), Decimal(1460), Decimal(2920))
    in_one = pool(autoscaling=None, nodeCount=3, location=f"{REGION}-a")
    assert taken(in_one).lines[0].quantity == Range.exactly(2190)
    assert "nodeLocations is not said" in notes(taken(pool(autoscaling=each)))


@pytest.mark.parametrize(
    "path",
    [
        ("autoscaling", "totalMaxNodeCount"),
        ("autoscaling", "totalMinNodeCount"),
        ("nodeConfig", "machineType"),
        ("nodeConfig", "diskSizeGb"),
        ("nodeConfig", "diskType"),
        ("nodeConfig",),
    ],
)
@pytest.mark.parametrize("hidden", [UnknownValue(), Secret()])
def test_a_pool_with_a_hidden_part_is_unpriced(path: tuple[str, ...], hidden: UnknownValue | Secret) -> None:
    found = taken(replace(pool(), inputs=injected(NODES, path, hidden)))
    assert found.state is State.UNPRICED
    assert path[-1] in notes(found)


@pytest.mark.parametrize("extra", [{"diskType": "pd-extreme"}, {"bootDisk": {"provisionedIops": 9000}}])
def test_a_disk_without_a_price_leaves_the_machine_priced(extra: dict[str, Any]) -> None:
    found = taken(pool(**config(**extra)))
    machine, disk = found.lines
    assert machine.state is State.PRICED
    assert disk.state is State.UNPRICED


def test_bounds_out_of_order_price_nothing() -> None:
    found = taken(pool(autoscaling={"totalMinNodeCount": 4, "totalMaxNodeCount": 1}))
    assert found.state is State.UNPRICED


def test_nat_is_paid_for_each_node_behind_it() -> None:
    (line,) = taken(resource(NAT, region=REGION), pool()).lines
    assert line.quantity == Range(Decimal(730), Decimal(730), Decimal(2920))
    assert line.usd_per_month == usd("7.30", "7.30", "29.20")
    assert taken(resource(NAT, region=REGION, type="PRIVATE")).state is State.UNPRICED


SINGLE = [
    (CLUSTER, {"location": REGION, "removeDefaultNodePool": True}, "73.00"),
    ("gcp:compute/address:Address", {"region": REGION}, "3.65"),
    ("gcp:compute/vPNTunnel:VPNTunnel", {"region": REGION}, "36.50"),
    ("gcp:dns/managedZone:ManagedZone", {}, "0.20"),
    ("gcp:kms/cryptoKey:CryptoKey", {}, "0.06"),
    ("gcp:compute/disk:Disk", {"zone": f"{REGION}-a", "type": "pd-balanced", "size": 50}, "5.00"),
    (
        "gcp:lustre/instance:Instance",
        {"location": f"{REGION}-a", "capacityGib": "9000", "perUnitStorageThroughput": "1000"},
        "4500.00",
    ),
    (
        "gcp:filestore/instance:Instance",
        {"location": f"{REGION}-b", "tier": "BASIC_HDD", "fileShares": {"capacityGb": 1024}},
        "163.84",
    ),
]


@pytest.mark.parametrize(("token", "inputs", "expected"), SINGLE)
def test_each_type_costs_what_is_said(token: str, inputs: dict[str, Any], expected: str) -> None:
    (line,) = taken(resource(token, **inputs)).lines
    assert line.usd_per_month == usd(expected)


@pytest.mark.parametrize(
    ("token", "inputs", "word"),
    [
        (CLUSTER, {"location": REGION}, "removeDefaultNodePool"),
        (CLUSTER, {"location": REGION, "enableAutopilot": True}, "Autopilot"),
        (CLUSTER, {"location": REGION, "clusterAutoscaling": {"enabled": True}}, "provisions itself"),
        (CLUSTER, {"location": REGION, "removeDefaultNodePool": True, "releaseChannel": {"channel": "EXTENDED"}},
         "control_plane_extended"),
        ("gcp:lustre/instance:Instance", {"capacityGib": "72000", "perUnitStorageThroughput": "125"}, "125 MB/s"),
        ("gcp:filestore/instance:Instance", {"tier": "ENTERPRISE", "fileShares": {"capacityGb": 1024}}, "ENTERPRISE"),
        ("gcp:compute/disk:Disk", {"type": "pd-ssd", "size": 10}, "pd-ssd"),
        ("gcp:storage/bucket:Bucket", {"location": REGION}, "volume unknown"),
        ("gcp:sql/databaseInstance:DatabaseInstance", {}, "no rule"),
    ],
)  # fmt: skip
def test_what_has_no_price_is_a_gap_that_says_why(token: str, inputs: dict[str, Any], word: str) -> None:
    found = taken(resource(token, **inputs))
    assert found.state is State.UNPRICED
    assert word in notes(found)


def test_addresses_inside_a_network_are_free() -> None:
    assert taken(resource("gcp:compute/globalAddress:GlobalAddress", addressType="INTERNAL")).state is State.FREE


def test_a_forwarding_rule_is_free_in_front_of_a_vpn_gateway_only() -> None:
    gateway = resource("gcp:compute/vPNGateway:VPNGateway", "gateway")
    rule = resource("gcp:compute/forwardingRule:ForwardingRule", "rule", target=UnknownValue())
    assert taken(replace(rule, property_dependencies={"target": (gateway.urn,)}), gateway).state is State.FREE
    assert taken(rule).state is State.UNPRICED


def test_a_machine_is_counted_with_its_boot_disk() -> None:
    token = "gcp:compute/instance:Instance"
    boot = {"initializeParams": {"type": "pd-balanced", "size": 10}}
    machine, disk = taken(resource(token, machineType="e2-micro", zone=f"{REGION}-a", bootDisk=boot)).lines
    assert (machine.usd_per_month, disk.usd_per_month) == (usd("7.30"), usd("1.00"))
    bare = taken(resource(token, machineType="e2-micro", zone=f"{REGION}-a", bootDisk={"initializeParams": {}}))
    assert [line.state for line in bare.lines] == [State.PRICED, State.UNPRICED]
    more = taken(resource(token, machineType="e2-micro", bootDisk=boot, guestAccelerators=[{"count": 1}]))
    assert "guestAccelerators are paid for" in notes(more)


def test_a_place_known_only_later_is_that_of_the_component_above() -> None:
    files = resource("gcp:lustre/instance:Instance", location=UnknownValue(), capacityGib="9000",
                     perUnitStorageThroughput="1000")  # fmt: skip
    owner = resource("atoll:storage:SharedFileSystem", "tier-warm", provider="gcp", region=REGION, tier="warm")
    found = taken(replace(files, parent=urn("atoll:storage:SharedFileSystem", "tier-warm")), owner, region=None)
    assert found.lines[0].key == "storage/warm"
    assert found.state is State.PRICED


def test_another_region_has_its_own_prices() -> None:
    assert taken(resource(CLUSTER, location="europe-west4", removeDefaultNodePool=True)).state is State.UNPRICED


def test_counted_and_free_types_are_apart() -> None:
    counted = {**compute.COUNTERS, **network.COUNTERS}
    assert not [token for token in counted if free_by_rule(token)]
    assert free_by_rule("gcp:compute/vPNGateway:VPNGateway") == "a VPN gateway is paid for by its tunnels"
    assert free_by_rule("gcp:projects/iAMMember:IAMMember") == "settings and rights of a project are not charged"


def claim(kind: str | None, *, provisioner: str = "pd.csi.storage.gke.io") -> tuple[Resource, Resource]:
    parameters = {} if kind is None else {"type": kind}
    named = resource(
        "kubernetes:storage.k8s.io/v1:StorageClass",
        "class",
        metadata={"name": "atoll-disk"},
        provisioner=provisioner,
        parameters=parameters,
    )
    spec = {"storageClassName": "atoll-disk", "resources": {"requests": {"storage": "20Gi"}}}
    return resource("kubernetes:core/v1:PersistentVolumeClaim", "claim", spec=spec), named


@pytest.mark.parametrize("kind", ["pd-balanced", "hyperdisk-balanced"])
def test_a_claim_on_a_disk_class_of_google_cloud_is_a_disk_there(kind: str) -> None:
    subject, named = claim(kind)
    found = taken(subject, named, resource(CLUSTER, "cluster", location=REGION), region=None)
    assert found.usd_per_month == usd("2.00")


@pytest.mark.parametrize(("kind", "provisioner"), [(None, "pd.csi.storage.gke.io"), ("gp3", "other.csi")])
def test_a_claim_on_a_class_without_a_rule_is_unpriced(kind: str | None, provisioner: str) -> None:
    subject, named = claim(kind, provisioner=provisioner)
    found = taken(subject, named, resource(CLUSTER, "cluster", location=REGION))
    assert found.state is State.UNPRICED


def test_objects_of_two_clusters_of_different_clouds_have_no_place() -> None:
    subject, named = claim("pd-balanced")
    two = (resource(CLUSTER, "cluster", location=REGION), resource("aws:eks/cluster:Cluster", "other"))
    assert "which provider hosts the cluster is not known" in notes(taken(subject, named, *two))


def test_a_cluster_of_coreweave_without_a_component_has_no_region_of_prices() -> None:
    subject, named = claim("pd-balanced")
    alone = resource("coreweave:index/cksCluster:CksCluster", "cluster", zone="US-EAST-04A")
    assert "in which region the cluster is priced is not said" in notes(taken(subject, named, alone))
