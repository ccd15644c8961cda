from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
import specs_gcp
from look import at, of_type, one

from components.clouds.gcp.cluster.machines import accelerator, disk_type, fabric_of, local_ssds
from planning.costs.resources.resource import UnknownValue
from planning.spec.cluster import Profile
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"
MACHINES = [
    ("a3-highgpu-8g", "H100-SXM-80GB", "nvidia-h100-80gb", "pd-balanced"),
    ("a3-megagpu-8g", "H100-SXM-80GB", "nvidia-h100-mega-80gb", "pd-balanced"),
    ("a3-ultragpu-8g", "H200-SXM-141GB", "nvidia-h200-141gb", "hyperdisk-balanced"),
    ("a4-highgpu-8g", "B200-SXM-180GB", "nvidia-b200", "hyperdisk-balanced"),
    ("g2-standard-8", "L4-PCIe-24GB", "nvidia-l4", "pd-balanced"),
    ("a2-highgpu-1g", "A100-SXM-40GB", "nvidia-tesla-a100", "pd-balanced"),
    ("a2-ultragpu-1g", "A100-SXM-80GB", "nvidia-a100-80gb", "pd-balanced"),
    ("n4-standard-8", None, "", "hyperdisk-balanced"),
    ("e2-standard-8", None, "", "pd-balanced"),
]


def node(run: OfflineRun, name: str) -> dict[str, object]:
    found = at(one(run, POOL, f"nodes-{name}"), "nodeConfig")
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("machine", "chip", "name", "disk"), MACHINES)
def test_a_machine_gets_the_accelerator_and_disk_it_takes(machine: str, chip: str | None, name: str, disk: str) -> None:
    pool = specs.pool("any", machine=machine, accelerator=chip)
    assert (accelerator(pool), disk_type(pool)) == (name, disk)


def test_an_accelerator_that_google_does_not_sell_is_refused() -> None:
    with pytest.raises(InputError, match="GKE's name for MI300X-OAM-192GB is unknown"):
        accelerator(specs.pool("any", accelerator="MI300X-OAM-192GB"))


def test_every_gpu_machine_of_the_catalog_has_a_name_for_its_accelerator() -> None:
    from catalogs.catalog import load

    sold = [each for each in load().machines.values() if each.provider == "gcp" and each.accelerator]
    assert sold
    for machine in sold:
        assert accelerator(specs.pool("any", machine=machine.name, accelerator=machine.accelerator))


def test_one_owner_installs_the_driver(gcp_run: OfflineRun, run_spec: RunSpec) -> None:
    assert at(one(gcp_run, POOL, "nodes-train"), "nodeConfig", "guestAccelerators") == [
        {
            "type": "nvidia-h100-mega-80gb",
            "count": 8,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        }
    ]
    ours = Profile.model_validate({**specs_gcp.PROFILE.model_dump(), "gpu_driver": "atoll", "dcgm_exporter": "atoll"})
    run = run_spec(specs_gcp.gcp_cluster(profile=ours))
    for pool in of_type(run, POOL):
        for chip in at(pool, "nodeConfig").get("guestAccelerators", []):
            assert chip["gpuDriverInstallationConfig"]["gpuDriverVersion"] == "INSTALLATION_DISABLED"
    monitored = "monitoringConfig"
    assert "DCGM" in at(one(gcp_run, "gcp:container/cluster:Cluster", "cluster"), monitored, "enableComponents")
    assert "DCGM" not in at(one(run, "gcp:container/cluster:Cluster", "cluster"), monitored, "enableComponents")


def test_the_size_lies_between_the_bounds_of_the_lock_over_all_zones(gcp_run: OfflineRun) -> None:
    scaling = {pool.name: at(pool, "autoscaling") for pool in of_type(gcp_run, POOL)}
    assert {name: (each["totalMinNodeCount"], each["totalMaxNodeCount"]) for name, each in scaling.items()} == {
        "nodes-system": (3, 3),
        "nodes-train": (3, 3),
        "nodes-burst": (0, 2),
        "nodes-serve": (0, 4),
        "nodes-queue": (0, 2),
        "nodes-block": (0, 1),
    }


def test_a_regional_pool_begins_with_its_least_nodes_spread_over_three_zones(gcp_run: OfflineRun) -> None:
    system, train = one(gcp_run, POOL, "nodes-system"), one(gcp_run, POOL, "nodes-train")
    assert (system.inputs["initialNodeCount"], "nodeLocations" in system.inputs) == (1, False)
    assert (train.inputs["initialNodeCount"], len(at(train, "nodeLocations"))) == (3, 1)


def test_each_purchase_is_asked_for_in_googles_words(gcp_run: OfflineRun) -> None:
    assert node(gcp_run, "serve")["spot"] is True
    assert (node(gcp_run, "queue")["flexStart"], node(gcp_run, "queue")["maxRunDuration"]) == (True, "604800s")
    assert at(one(gcp_run, POOL, "nodes-queue"), "management", "autoRepair") is False
    booked = node(gcp_run, "block")["reservationAffinity"]
    assert booked["consumeReservationType"] == "SPECIFIC_RESERVATION"
    assert isinstance(booked["values"], list | UnknownValue)
    assert node(gcp_run, "train")["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}


def test_nodes_that_must_be_close_are_placed_so_unless_they_are_reserved(gcp_run: OfflineRun) -> None:
    assert at(one(gcp_run, POOL, "nodes-burst"), "placementPolicy") == {"type": "COMPACT"}
    assert "placementPolicy" not in one(gcp_run, POOL, "nodes-train").inputs


def test_cpu_nodes_that_mount_lustre_load_its_module(run_spec: RunSpec) -> None:
    cpu = specs.pool("prepare", role="cpu", workload="train", machine="n4-standard-8", accelerator=None, accelerators=0,
                     **specs_gcp.OFF)  # fmt: skip
    pools = (*specs_gcp.POOLS[:2], cpu)
    for storage, secure in ((specs_gcp.STORAGE, False), (specs_gcp.STORAGE[2:], True)):
        run = run_spec(specs_gcp.gcp_cluster(pools=pools, storage=storage))
        nodes = {each.name: at(each, "nodeConfig", "shieldedInstanceConfig") for each in of_type(run, POOL)}
        boots = {name: each["enableSecureBoot"] for name, each in nodes.items()}
        assert boots == {"nodes-system": True, "nodes-train": True, "nodes-prepare": secure}


def placed(run_spec: RunSpec, **changes: object) -> bool:
    """Whether a pool of these properties, which is to be close together, gets a placement."""
    pool = specs.pool("only", workload="train", machine="a3-megagpu-8g", zones=("us-central1-a",), **changes)
    found = run_spec(specs_gcp.gcp_cluster(pools=(specs_gcp.POOLS[0], pool)))
    return "placementPolicy" in one(found, POOL, "nodes-only").inputs


def test_a_flexible_start_close_together_is_asked_of_machines_that_have_it_alone(run_spec: RunSpec) -> None:
    flex = {"kind": "flex", "purchase": "dws_flex_start"}
    assert placed(run_spec)
    assert not placed(run_spec, **flex)
    ultra = specs.pool("only", workload="train", machine="a4-highgpu-8g", accelerator="B200-SXM-180GB", **flex)
    found = run_spec(specs_gcp.gcp_cluster(pools=(specs_gcp.POOLS[0], ultra)))
    assert "placementPolicy" in one(found, POOL, "nodes-only").inputs


def test_a_reservation_brings_its_own_placement(run_spec: RunSpec) -> None:
    assert not placed(run_spec, kind="capacity_block", purchase="dws_calendar")


def test_local_disks_are_scratch_space_of_the_count_that_the_machine_has(gcp_run: OfflineRun) -> None:
    assert node(gcp_run, "train")["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 16}
    assert node(gcp_run, "burst")["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 32}
    assert "ephemeralStorageLocalSsdConfig" not in node(gcp_run, "system")
    assert local_ssds(specs.pool("any", local_nvme_gb=None)) == 0


def test_gpu_nodes_are_tainted_and_tested_ones_too(gcp_run: OfflineRun) -> None:
    assert [taint["key"] for taint in node(gcp_run, "train")["taints"]] == ["nvidia.com/gpu", "atoll/burn-in"]
    assert [taint["key"] for taint in node(gcp_run, "burst")["taints"]] == ["nvidia.com/gpu"]
    assert node(gcp_run, "system")["taints"] == []


def test_every_node_is_shielded_and_hides_its_own_identity(gcp_run: OfflineRun) -> None:
    for pool in of_type(gcp_run, POOL):
        config = at(pool, "nodeConfig")
        assert config["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
        assert config["metadata"] == {"disable-legacy-endpoints": "true"}
        assert config["shieldedInstanceConfig"] == {"enableSecureBoot": True, "enableIntegrityMonitoring": True}
        assert isinstance(config["serviceAccount"], UnknownValue)


def test_fabrics_have_the_networks_that_the_machine_has_cards_for(gcp_run: OfflineRun) -> None:
    counts = {
        pool.name: len(at(pool, "networkConfig", "additionalNodeNetworkConfigs")) for pool in of_type(gcp_run, POOL)
    }
    assert counts == {
        "nodes-system": 0,
        "nodes-train": 8,
        "nodes-burst": 9,
        "nodes-serve": 0,
        "nodes-queue": 9,
        "nodes-block": 0,  # one node alone has nobody to talk to
    }
    assert at(one(gcp_run, NETWORK, "tcpxo-0"), "mtu") == 8244
    assert "networkProfile" in one(gcp_run, NETWORK, "a3-rdma-lanes").inputs
    assert at(one(gcp_run, "gcp:container/cluster:Cluster", "cluster"), "enableMultiNetworking") is True


def test_every_further_network_is_known_in_the_cluster_by_its_kind(gcp_run: OfflineRun) -> None:
    sets = of_type(gcp_run, "kubernetes:networking.gke.io/v1:GKENetworkParamSet")
    modes = {at(each, "metadata", "name"): at(each, "spec", "deviceMode") for each in sets}
    assert len(modes) == 8 + 9 + 9
    assert {modes[name] for name in modes if "lane" in name} == {"RDMA"}
    assert {modes[name] for name in modes if "lane" not in name} == {"NetDevice"}
    assert len(of_type(gcp_run, "kubernetes:networking.gke.io/v1:Network")) == len(modes)


def test_subnets_of_all_networks_lie_apart(gcp_run: OfflineRun) -> None:
    ranges = [at(subnet, "ipCidrRange") for subnet in of_type(gcp_run, "gcp:compute/subnetwork:Subnetwork")]
    assert len(set(ranges)) == len(ranges) == 1 + 8 + 9 + 9


def test_a_single_node_has_no_fabric() -> None:
    assert fabric_of(specs.pool("one", machine="a3-megagpu-8g", max_nodes=1)) is None
    assert fabric_of(specs.pool("two", machine="a3-megagpu-8g")) is not None


def test_an_accelerator_of_another_cloud_stops_the_plan(run_spec: RunSpec) -> None:
    with pytest.raises(AtollError, match="GKE's name for TPU-v5e is unknown"):
        run_spec(specs_gcp.gcp_cluster(pools=(specs_gcp.POOLS[0], specs.pool("odd", accelerator="TPU-v5e"))))
