"""The GPU layer: one owner of each part, whichever provider it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import specs
import yaml
from chart_values import PLATFORM, chart, faults
from look import at, of_type, one
from platform_samples import checklist, run_part, spec_with

from catalogs.catalog import load
from components.platform.gpu import device_plugins, operators
from planning.quoting.assembly.cluster import profile_of
from planning.quoting.assembly.platform import device_parts, platform
from planning.spec.cluster import ExistingCluster, Placement, Pool
from planning.values.errors import InputError

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Builder
    from planning.spec.cluster import ClusterSpec

RELEASE: Final = "kubernetes:helm.sh/v3:Release"
LAB: Final = {"kind": "notebooks", "name": "lab", "frameworks": ["pytorch"]}
SLICED: Final = {"workloads": [LAB], "platform": {"sharing": "mig", "mig_profile": "all-1g.10gb"}}
TURNS: Final = {"workloads": [LAB], "platform": {"sharing": "time_slicing"}}


def lab(**changes: object) -> Pool:
    return specs.pool("lab", efa_interfaces=0, fabric="ethernet", **changes)


def on(provider: str, *pools: Pool) -> ClusterSpec:
    """A cluster that exists at a provider."""
    placement = Placement(provider=provider, region="any", zones=(), target="existing")
    profile = profile_of(provider, load())
    existing = ExistingCluster(kubeconfig_env="KUBECONFIG", context=None)
    return specs.aws_cluster(placement=placement, profile=profile, pools=pools, existing=existing)


def names(provider: str, *pools: Pool) -> list[str]:
    found, _ = device_parts(profile_of(provider, load()), pools)
    return [part.name for part in found]


@pytest.mark.parametrize(
    ("provider", "ours"),
    [
        ("aws", ["device_plugin", "dcgm_exporter", "efa_plugin"]),
        ("gcp", []),
        ("coreweave", []),
        ("lambda", []),
        ("nebius", ["dcgm_exporter"]),
        ("azure", ["device_plugin", "dcgm_exporter"]),
        ("runpod", ["gpu_operator", "node_problem_detector"]),
    ],
)
def test_each_provider_leaves_us_what_nobody_else_owns(provider: str, ours: list[str]) -> None:
    assert names(provider, specs.pool("train")) == ours


def test_infiniband_that_nobody_announces_gets_the_network_operator() -> None:
    joined = specs.pool("train", fabric="infiniband", efa_interfaces=0)
    assert names("runpod", joined) == ["gpu_operator", "network_operator", "node_problem_detector"]
    assert "network_operator" not in names("coreweave", joined)


def test_accelerators_of_others_get_no_parts_of_nvidia() -> None:
    found, against = device_parts(profile_of("aws", load()), [specs.pool("neuron", accelerator="Trainium2-96GB")])
    assert [part.name for part in found] == ["efa_plugin"]
    assert against["device_plugin"] == "no pool has accelerators of NVIDIA"


def test_a_device_part_can_be_left_out() -> None:
    asked = checklist(platform={"without": ["dcgm_exporter"]})
    decided = platform(asked, profile=specs.PROFILE, pools=specs.POOLS)
    assert decided.part("dcgm_exporter") is None
    assert {each.name: each.reason for each in decided.skipped}["dcgm_exporter"] == "left out by platform.without"


def test_the_operator_brings_driver_plugin_and_metrics_and_cuts_accelerators() -> None:
    found = run_part("gpu_operator", operators.build_gpu_operator, spec_with(on("runpod", lab()), **SLICED))
    release = one(found, RELEASE, "gpu-operator")
    for part in ("driver", "devicePlugin", "dcgmExporter", "nfd"):
        assert at(release, "values", part, "enabled") is True
    assert at(release, "values", "mig", "strategy") == "mixed"
    assert at(release, "values", "migManager", "config", "default") == "all-1g.10gb"


def test_gpus_of_notebooks_are_shared_and_those_of_jobs_are_not() -> None:
    spec = specs.aws_cluster(pools=(specs.system_pool(), specs.pool("train"), lab()))
    works = [LAB, {"kind": "training", "name": "train", "model": {"parameters": "7B"}, "tokens": "2B"}]
    found = run_part(
        "device_plugin", device_plugins.build_device_plugin, spec_with(spec, **{**TURNS, "workloads": works})
    )
    whole, shared = (one(found, RELEASE, f"nvidia-device-plugin{end}") for end in ("", "-shared"))
    assert '"lab"' not in json.dumps(at(whole, "values", "affinity"))
    assert '"train"' not in json.dumps(at(shared, "values", "affinity"))
    said: Any = yaml.safe_load(str(at(shared, "values", "config", "map", "turns")))
    assert said["sharing"]["timeSlicing"]["renameByDefault"] is True


def test_metrics_come_from_nodes_that_have_gpus() -> None:
    at_home = one(
        run_part("dcgm_exporter", operators.build_dcgm_exporter, spec_with(specs.aws_cluster())),
        RELEASE,
        "dcgm-exporter",
    )
    assert "atoll/pool" in json.dumps(at(at_home, "values", "affinity"))
    rented = run_part(
        "dcgm_exporter", operators.build_dcgm_exporter, spec_with(on("nebius", lab(machine="gpu-h100-sxm")))
    )
    assert "gpu-h100-sxm" in json.dumps(at(one(rented, RELEASE, "dcgm-exporter"), "values", "affinity"))


def test_efa_is_announced_where_jobs_span_nodes() -> None:
    found = one(run_part("efa_plugin", device_plugins.build_efa_plugin, spec_with(specs.aws_cluster())), RELEASE,
                "aws-efa-k8s-device-plugin")  # fmt: skip
    assert at(found, "values", "supportedInstanceLabels", "values") == ["train", "burst", "block"]


def test_features_are_discovered_once() -> None:
    spec = spec_with(on("runpod", specs.pool("train", fabric="infiniband", efa_interfaces=0)))
    found = run_part("network_operator", operators.build_network_operator, spec)
    assert at(one(found, RELEASE, "network-operator"), "values", "nfd", "enabled") is False
    policy = one(found, "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy", "nic-cluster-policy")
    said = json.loads(str(at(policy, "spec", "rdmaSharedDevicePlugin", "config")))
    assert [f"{each['resourcePrefix']}/{each['resourceName']}" for each in said["configList"]] == ["rdma/ib"]


@pytest.mark.parametrize(
    ("accelerator", "profile", "said"),
    [
        ("L4-PCIe-24GB", "all-1g.6gb", "L4-PCIe-24GB has no MIG"),
        ("H100-SXM-80GB", "all-1g.5gb", "H100-SXM-80GB cannot be cut into all-1g.5gb"),
    ],
)
def test_slices_that_an_accelerator_does_not_have_are_refused(accelerator: str, profile: str, said: str) -> None:
    asked = checklist(workloads=[LAB], platform={"sharing": "mig", "mig_profile": profile})
    with pytest.raises(InputError, match=said):
        platform(asked, profile=profile_of("runpod", load()), pools=[lab(accelerator=accelerator)])


INFINIBAND: Final = {"fabric": "infiniband", "efa_interfaces": 0}
# The user's own keys: names of configurations, each a text of its own; and what stands in the values as comments only.
FREE: Final = frozenset({"devicePlugin.config.data", "config.map", "dcgmExporter.config", "customMetrics"})


@pytest.mark.skipif(not PLATFORM.is_dir(), reason=f"the charts' own values are not here: {PLATFORM} (ATOLL_SHARED)")
@pytest.mark.parametrize(
    ("part", "build", "provider", "asked"),
    [
        ("gpu_operator", operators.build_gpu_operator, "runpod", SLICED),
        ("gpu_operator", operators.build_gpu_operator, "runpod", TURNS),
        ("device_plugin", device_plugins.build_device_plugin, "azure", TURNS),
        ("device_plugin", device_plugins.build_device_plugin, "hyperstack", TURNS),
        ("dcgm_exporter", operators.build_dcgm_exporter, "hyperstack", {}),
        ("network_operator", operators.build_network_operator, "runpod", {}),
        ("network_operator", operators.build_network_operator, "azure", {}),
    ],
)
def test_every_value_that_is_set_is_one_of_its_chart(part: str, build: Builder, provider: str, asked: Any) -> None:
    pool = specs.pool("lab", **INFINIBAND) if part == "network_operator" else lab()
    for release in of_type(run_part(part, build, spec_with(on(provider, pool), **asked)), RELEASE):
        values: Any = release.inputs["values"]
        assert faults(chart(str(release.inputs["chart"]), FREE), values) == []
