from __future__ import annotations

import json
import os
import subprocess
from base64 import b64decode
from collections import Counter
from ipaddress import IPv4Network
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pulumi
import pytest
import specs_coreweave as specs
import yaml
from look import at, of_type, one, unknowns
from specs import amounts, pool

from components.clouds.coreweave.cluster.control_plane import TOKEN_ENV, _sign_in, build_unmanaged_endpoint, with_scheme
from components.clouds.coreweave.cluster.settings import read
from components.clouds.coreweave.network.vpc import split_range
from components.context.placement import ChargeLedger, PlacementContext
from components.context.settings import StackSettings
from components.stack.targets import build
from operations.offline.program import run
from planning.costs.resources.resource import UnknownValue
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

VPC = "coreweave:index/networkingVpc:NetworkingVpc"
CLUSTER = "coreweave:index/cksCluster:CksCluster"
BUCKET = "coreweave:index/objectStorageBucket:ObjectStorageBucket"
POOL = "kubernetes:compute.coreweave.com/v1alpha1:NodePool"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
POLICY = "coreweave:index/objectStorageOrganizationAccessPolicy:ObjectStorageOrganizationAccessPolicy"
GOLDEN = Path(__file__).parents[2] / "golden" / "program" / "coreweave.json"
UPDATE = "ATOLL_UPDATE_GOLDENS"
COMMAND = f"{UPDATE}=1 .venv/bin/python -m pytest tests/components/program/test_coreweave_program.py"


@pytest.fixture(scope="session")
def coreweave_run(run_spec: RunSpec) -> OfflineRun:
    return run_spec(specs.coreweave_cluster())


def test_counts_by_type_are_the_golden_ones(coreweave_run: OfflineRun) -> None:
    counts = dict(sorted(Counter(resource.type for resource in coreweave_run.resources).items()))
    if os.environ.get(UPDATE):
        GOLDEN.write_text(json.dumps(counts, indent=2) + "\n")
    assert counts == json.loads(GOLDEN.read_text()), f"if this is meant: {COMMAND}"


def test_the_networks_ranges_lie_in_the_clusters_and_do_not_meet(coreweave_run: OfflineRun) -> None:
    (vpc,) = of_type(coreweave_run, VPC)
    ranges = [IPv4Network(each["value"]) for each in vpc.inputs["vpcPrefixes"]]
    ranges += [IPv4Network(each) for each in at(vpc, "hostPrefixes", 0, "prefixes")]
    whole = specs.coreweave_cluster().network.cidr
    assert all(each.subnet_of(whole) for each in ranges)
    assert not any(one is not other and one.overlaps(other) for one in ranges for other in ranges)


@pytest.mark.parametrize("prefix", [10, 15, 16])
def test_hosts_have_the_only_size_that_is_taken(prefix: int) -> None:
    assert split_range(IPv4Network(f"10.0.0.0/{prefix}")).hosts.prefixlen == 18


def test_a_range_that_is_too_narrow_is_refused_by_the_checklists_name() -> None:
    with pytest.raises(InputError, match=r"where\.cidr is 10\.0\.0\.0/17; a cluster on CoreWeave needs a /16"):
        split_range(IPv4Network("10.0.0.0/17"))


def test_the_api_is_private_and_what_is_done_is_logged(coreweave_run: OfflineRun) -> None:
    (cluster,) = of_type(coreweave_run, CLUSTER)
    assert cluster.inputs["public"] is False
    assert cluster.inputs["version"] == "v1.35"
    policy = yaml.safe_load(b64decode(cluster.inputs["auditPolicy"]))
    assert policy["rules"][-1] == {"level": "Metadata"}


def test_no_token_is_in_any_input(coreweave_run: OfflineRun) -> None:
    assert "token" not in one(coreweave_run, "pulumi:providers:coreweave", "coreweave").inputs


def test_the_kubeconfig_signs_in_with_the_token_of_whoever_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in = _sign_in()["exec"]
    monkeypatch.setenv(TOKEN_ENV, "CW-SECRET-of-mine")
    command = [sign_in["command"], *sign_in["args"]]
    credential = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert (credential["kind"], credential["status"]) == ("ExecCredential", {"token": "CW-SECRET-of-mine"})
    monkeypatch.delenv(TOKEN_ENV)
    missing = subprocess.run(command, capture_output=True, text=True, check=False)
    assert missing.returncode != 0
    assert TOKEN_ENV in missing.stderr


@pytest.mark.parametrize("endpoint", ["a.k8s.us-east-04a.coreweave.com", "https://a.k8s.us-east-04a.coreweave.com"])
def test_the_kubeconfigs_server_is_a_url(endpoint: str) -> None:
    assert with_scheme(endpoint) == "https://a.k8s.us-east-04a.coreweave.com"
    assert build_unmanaged_endpoint(endpoint) == "https://api.a.k8s.us-east-04a.coreweave.com"


def test_pools_are_asked_for_by_the_names_that_coreweave_knows(coreweave_run: OfflineRun) -> None:
    asked = {each.name: at(each, "spec", "instanceType") for each in of_type(coreweave_run, POOL)}
    assert asked == {"nodes-system": "named-at-preview", "nodes-train": "gd-8xh100ib-i128", "nodes-burst": "b200-8x"}


def test_only_a_pool_that_may_shrink_is_scaled_and_only_spot_is_spot(coreweave_run: OfflineRun) -> None:
    train, burst = (at(one(coreweave_run, POOL, f"nodes-{name}"), "spec") for name in ("train", "burst"))
    assert (train["autoscaling"], train["targetNodes"], train["computeClass"]) == (False, 2, "default")
    assert (burst["autoscaling"], burst["minNodes"], burst["maxNodes"], burst["computeClass"]) == (True, 0, 2, "spot")


def test_what_is_priced_is_plain(coreweave_run: OfflineRun) -> None:
    for resource in coreweave_run.resources:
        if resource.type in (POOL, CLAIM):
            assert not list(unknowns(resource.inputs["spec"])), resource.urn
        if resource.type.startswith("atoll:"):
            assert not list(unknowns(dict(resource.inputs))), resource.urn


def test_data_is_protected_and_kept(coreweave_run: OfflineRun) -> None:
    for token in (BUCKET, CLAIM):
        for resource in of_type(coreweave_run, token):
            assert resource.protect, resource.urn
            assert resource.retain_on_delete, resource.urn


def test_no_gpu_operator_is_installed(coreweave_run: OfflineRun) -> None:
    assert not [each for each in coreweave_run.resources if "gpu-operator" in each.name]


def test_rules_for_what_is_left_over_hold_for_whole_buckets(coreweave_run: OfflineRun) -> None:
    lifecycles = [each for each in coreweave_run.resources if "LifecycleConfiguration" in each.type]
    assert lifecycles
    for each in lifecycles:
        (rule,) = each.inputs["rules"]
        assert (rule["filter"], "prefix" in rule) == ({"prefix": ""}, False)


def test_buckets_carry_the_stacks_tags(coreweave_run: OfflineRun) -> None:
    for bucket in of_type(coreweave_run, BUCKET):
        assert at(bucket, "tags", "atoll:customer") == "acme"


def test_nobody_but_the_workloads_gains_a_right_to_the_buckets(coreweave_run: OfflineRun) -> None:
    (policy,) = of_type(coreweave_run, POLICY)
    (statement,) = policy.inputs["statements"]
    assert "*" not in statement["resources"]
    assert "*" not in statement["principals"]
    assert len(statement["principals"]) == 2
    assert all(isinstance(each, UnknownValue) for each in statement["principals"])


def test_a_rack_that_would_have_to_scale_is_refused(run_spec: RunSpec) -> None:
    rack = pool("racks", machine="GB200-NVL72-4x", disk_gb=0, node_hours=amounts(0, 100, 1460))
    with pytest.raises(AtollError, match="comes in racks of 18 nodes"):
        run_spec(specs.coreweave_cluster(pools=(rack,)))


def test_a_real_run_asks_for_what_the_checklist_does_not_say() -> None:
    settings = StackSettings(offline=False, allow_destroy=False, reservations={})
    site = PlacementContext(spec=specs.coreweave_cluster(), ledger=ChargeLedger({}), settings=settings)
    with pytest.raises(InputError, match="needs the setting atoll:zone") as caught:
        read(site)
    assert caught.value.hint == "pulumi config set atoll:zone US-EAST-04A"


def test_a_first_update_from_outside_makes_the_cloud_and_nothing_inside_the_cluster() -> None:
    types = {resource.type for resource in configured(reach="cloud").resources}
    assert {VPC, CLUSTER, BUCKET} <= types
    assert not [token for token in types if token.startswith("kubernetes:")]


def test_zone_and_machine_come_from_the_stacks_configuration() -> None:
    found = configured(zone="US-EAST-04A", cpuMachine="cd-hc-a384-genoa", publicApi="true")
    assert {at(each, "zone") for token in (VPC, CLUSTER, BUCKET) for each in of_type(found, token)} == {"US-EAST-04A"}
    assert at(one(found, POOL, "nodes-system"), "spec", "instanceType") == "cd-hc-a384-genoa"
    assert one(found, CLUSTER, "cluster").inputs["public"] is True


def test_the_locks_zone_holds_until_the_stack_names_another(run_spec: RunSpec) -> None:
    there = specs.coreweave_cluster().placement.model_copy(update={"zones": ("US-WEST-09B",)})
    found = run_spec(specs.coreweave_cluster(placement=there))
    assert at(one(found, CLUSTER, "cluster"), "zone") == "US-WEST-09B"


def test_a_stacks_name_that_is_too_long_is_refused() -> None:
    def program() -> None:
        build((specs.coreweave_cluster(),))

    with pytest.raises(AtollError, match="has 30 at most"):
        run("a-stack-with-a-long-long-name", program=program)


def configured(**values: str) -> OfflineRun:
    def program() -> None:
        for name, value in values.items():
            pulumi.runtime.set_config(f"atoll:{name}", value)
        build((specs.coreweave_cluster(),))

    return run("sample", program=program)


def test_people_sign_in_with_the_customers_groups_where_an_issuer_is_named() -> None:
    found = configured(oidcIssuer="https://id.acme.example", oidcClient="atoll")
    said = one(found, CLUSTER, "cluster").inputs["oidc"]
    assert (said["issuerUrl"], said["clientId"], said["groupsPrefix"]) == ("https://id.acme.example", "atoll", "atoll:")


def test_half_an_issuer_is_refused() -> None:
    with pytest.raises(AtollError, match="must both be set"):
        configured(oidcIssuer="https://id.acme.example")
