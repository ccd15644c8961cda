from __future__ import annotations

from differences_kit import ROOT, across, at, catalog, demo, with_spec

from planning.clone.comparison.difference import Difference
from planning.clone.comparison.stack_comparison import compare
from planning.spec.cluster import Link, Peering
from planning.spec.lock import Lock

HOME = demo("aws", "us-east-1")


def differing(old: Lock, new: Lock) -> dict[tuple[str, str], Difference]:
    found = compare(old, new, catalog=catalog()).capabilities
    return {(each.topic, each.what): each for each in found}


def test_every_difference_is_one_and_says_where_it_stands() -> None:
    assert across().capabilities
    for each in across().capabilities:
        assert each.old != each.new, each.what
        assert each.source, each.what
        assert each.old
        assert each.new


def test_sources_name_rows_that_are_there() -> None:
    known = set(catalog().sources)
    text = " ".join(each.source for each in across().capabilities)
    assert {"eks-sla", "gke-sla", "fsx-docs", "gcp-lustre-docs"} <= {word.strip("(),") for word in text.split()} & known
    assert (ROOT / "catalogs/providers.py").exists()


def test_between_aws_and_google_what_jobs_notice_is_named() -> None:
    found = {(each.topic, each.what): each for each in across().capabilities}
    assert found["pool finetune-7b", "fabric"].new == "roce"
    assert found["pool finetune-7b", "local NVMe per node"].new == "12,000 GB"
    assert found["storage warm", "engine"].old.startswith("FSx for Lustre")
    assert found["storage warm", "engine"].new.startswith("Managed Lustre")
    assert found["storage warm", "provisioned"].note == "sold from 9,000 GB in steps of 9,000 GB"
    assert found["storage", "provider's buckets over S3"].new == "with keys"
    assert found["cluster", "resource name of the fabric"].new == "none"
    assert found["platform", "NVIDIA device plugin"].new == "not installed: the provider brings it"
    assert found["pool system", "bought as"].note == "what was promised at the source is still paid to its end"


def test_a_fact_that_no_source_says_is_not_known_and_not_nothing() -> None:
    pools = tuple(pool.model_copy(update={"local_nvme_gb": None, "memory_gib": None}) for pool in HOME.spec.pools)
    found = differing(HOME, with_spec(HOME, pools=pools))
    assert found["pool finetune-7b", "local NVMe per node"].new == "not known"
    assert found["pool finetune-7b", "memory per node"].new == "not known"


def test_a_pool_of_one_side_is_named_whole() -> None:
    found = differing(HOME, with_spec(HOME, pools=HOME.spec.pools[1:]))
    gone = HOME.spec.pools[0]
    assert found[f"pool {gone.name}", "pool"].new == "none"
    assert gone.machine in found[f"pool {gone.name}", "pool"].old


def test_a_tunnel_in_place_of_a_peering_says_what_that_costs() -> None:
    peering = HOME.spec.network.peering
    assert isinstance(peering, Peering)
    link = Link(
        provider="aws",
        region="us-east-1",
        vpc_id=peering.vpc_id,
        vpc_cidr=peering.vpc_cidr,
        account=None,
        route_table_ids=(),
        gb_per_month=peering.gb_per_month,
    )
    network = HOME.spec.network.model_copy(update={"peering": None, "link": link})
    found = differing(HOME, with_spec(HOME, network=network))["network", "joint with the main cloud"]
    assert found.new.startswith("VPN tunnel to vpc-")
    assert "less bandwidth" in found.note


def test_no_way_to_the_main_cloud_is_said() -> None:
    network = HOME.spec.network.model_copy(update={"peering": None})
    found = differing(HOME, with_spec(HOME, network=network))["network", "joint with the main cloud"]
    assert found.note == "the main cloud is no longer reached by a private way"


def test_spot_in_place_of_on_demand_asks_for_checkpoints() -> None:
    bought = [pool.model_copy(update={"kind": "on_demand"}) for pool in HOME.spec.pools]
    spot = [pool.model_copy(update={"kind": "spot"}) for pool in HOME.spec.pools]
    found = differing(with_spec(HOME, pools=tuple(bought)), with_spec(HOME, pools=tuple(spot)))
    assert "checkpoints must be in place" in found["pool finetune-7b", "bought as"].note


def test_another_version_of_kubernetes_and_what_a_provider_forbids_are_named() -> None:
    profile = HOME.spec.profile.model_copy(update={"node_repair": "none", "forbidden": ("ssh",)})
    found = differing(HOME, with_spec(HOME, kubernetes_version="1.99", profile=profile))
    assert found["cluster", "Kubernetes version"].new == "1.99"
    assert found["cluster", "broken nodes are replaced by"].new == "nobody"
    assert found["cluster", "nodes have no SSH"].new == "yes"


def test_a_part_that_cannot_reach_its_store_at_the_clone_says_why() -> None:
    platform = HOME.spec.platform
    assert platform is not None
    bare = platform.model_copy(
        update={
            "object_store": "provider",
            "parts": tuple(each for each in platform.parts if each.name != "pipelines"),
        }
    )
    clone = at(with_spec(HOME, platform=bare), provider="gcp", region="us-central1", target="gcp")
    found = differing(HOME, clone)["platform", platform.part("pipelines").title]
    assert found.new == "not installed"
    assert "without keys" in found.note


def test_a_cluster_of_one_side_is_named() -> None:
    far = HOME.spec.model_copy(update={"placement": HOME.spec.placement.model_copy(update={"name": "far"})})
    both = HOME.model_copy(update={"placements": (HOME.spec, far)})
    found = differing(both, HOME)
    assert found["cluster", "cluster far"].new == "none"
