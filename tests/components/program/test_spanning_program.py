"""One stack over two places: equal names do not meet, keys begin with the placement, the bill is one."""

from __future__ import annotations

from collections import Counter

import specs
from look import at, of_type

from catalogs.catalog import load
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from operations.plans.plan import differences
from operations.plans.price_book import as_book
from planning.costs.resources.resource import Secret
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.spec.platform import Platform


def quotas(groups: object) -> dict[str, str]:
    assert isinstance(groups, list)
    return {each["name"]: each["nominalQuota"] for group in groups for each in group["flavors"][0]["resources"]}


def test_every_urn_is_unique_and_equal_clusters_have_equal_resources(spanning_run: OfflineRun) -> None:
    counts = Counter(each.urn for each in spanning_run.resources)
    assert max(counts.values()) == 1
    vpcs = [each for each in spanning_run.resources if each.type == "aws:ec2/vpc:Vpc"]
    assert len(vpcs) == 2
    assert {each.inputs["cidrBlock"] for each in vpcs} == {"10.64.0.0/16", "10.80.0.0/16"}


def test_the_bill_of_all_placements_equals_the_takeoff(spanning_run: OfflineRun) -> None:
    catalog = load()
    counted = price_resources(spanning_run.resources, catalog=as_book(catalog), default_region="us-east-1").bill
    accepted = whole_bill(specs.PLACEMENTS, Market(catalog))
    assert differences(accepted, counted) == ()
    keys = {line.key.partition("#")[0] for line in counted.lines}
    assert {"pool/train/machine", "west/pool/train/machine", "far/pool/burst/machine"} <= keys
    away = {line.label for line in counted.lines if line.key.startswith("west/")}
    assert away
    assert all(label.startswith("west: ") for label in away)


def test_outputs_of_other_placements_stand_below_their_names(spanning_run: OfflineRun) -> None:
    beside_home = spanning_run.exports["placements"]
    assert isinstance(beside_home, dict)
    assert set(beside_home) == {"west", "far", "north"}
    west = beside_home["west"]
    assert isinstance(west, dict)
    assert west["clusterName"] == "atoll-sample-west"
    assert spanning_run.exports["clusterName"] == "atoll-sample"


def test_home_sends_the_jobs_of_each_placement_to_it_and_no_further_than_its_accelerators(
    spanning_run: OfflineRun,
) -> None:
    queues = [each for each in spanning_run.resources if each.type == "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue"]
    groups = {
        (each.name, "admissionChecksStrategy" in str(each.inputs["spec"])): at(each, "spec", "resourceGroups")
        for each in queues
    }
    sent = {name: group for (name, sending), group in groups.items() if sending}
    assert sent
    for name, group in sent.items():
        assert quotas(group) == quotas(groups[name, False])
    clusters = [each for each in spanning_run.resources if each.type.endswith(":MultiKueueCluster")]
    assert {each.name for each in clusters} == {f"multikueuecluster-{place}" for place in ("west", "far", "north")}


def test_the_credential_of_a_worker_is_a_secret(spanning_run: OfflineRun) -> None:
    held = [
        each for each in spanning_run.resources if each.name.endswith("-kubeconfig") and each.type.endswith(":Secret")
    ]
    assert len(held) == 3
    assert all(isinstance(each.inputs["stringData"], Secret) for each in held)


def test_clusters_beside_home_take_their_software_from_homes_mirror() -> None:
    mirror = "oci://registry.example/atoll"
    platform = Platform.model_validate({"release": "x", "size": "small", "parts": (), "mirror": mirror})
    home = specs.aws_cluster().model_copy(update={"platform": platform})

    def program() -> None:
        build((home, specs.PLACEMENTS[1]), joined=True)

    found = of_type(run("sample", program=program), "kubernetes:helm.sh/v3:Release")
    beside = [each for each in found if "atoll:placement:" in each.urn]
    assert beside
    assert {str(each.inputs["chart"]).rpartition("/")[0] for each in beside} == {mirror}
    assert all("registry.example/atoll/" in str(each.inputs.get("values")) for each in beside if each.name == "kueue")
