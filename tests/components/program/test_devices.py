from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
import specs
from look import at, one

from catalogs.catalog import load
from planning.quoting.assembly.cluster import profile_of
from planning.spec.cluster import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

RELEASE: Final = "kubernetes:helm.sh/v3:Release"
GPUS: Final = "nvidia-device-plugin"
FABRIC: Final = "aws-efa-k8s-device-plugin"


def releases(found: OfflineRun) -> set[str]:
    return {each.name for each in found.resources if each.type == RELEASE}


def at_provider(provider: str) -> ClusterSpec:
    placement = Placement(provider=provider, region="any", zones=(), target="existing")
    return specs.existing_cluster(placement=placement, profile=profile_of(provider, load()))


def test_a_pod_on_aws_can_ask_for_a_gpu_and_for_efa(aws_run: OfflineRun) -> None:
    gpus, fabric = one(aws_run, RELEASE, GPUS), one(aws_run, RELEASE, FABRIC)
    assert (gpus.inputs["version"], fabric.inputs["version"]) == ("0.20.0", "v0.5.30")
    said = json.dumps(at(gpus, "values", "affinity"))
    assert "atoll/pool" in said
    assert all(f'"{pool}"' in said for pool in ("train", "burst", "serve", "block"))
    assert at(fabric, "values", "supportedInstanceLabels") == {
        "keys": ["atoll/pool"],
        "values": ["train", "burst", "block"],
    }


def test_device_plugins_run_on_tainted_nodes(aws_run: OfflineRun) -> None:
    for name in (GPUS, FABRIC):
        assert at(one(aws_run, RELEASE, name), "values", "tolerations") == [{"operator": "Exists"}]


def test_where_nothing_has_a_gpu_nothing_is_installed_for_it(run_spec: Callable[[ClusterSpec], OfflineRun]) -> None:
    found = run_spec(specs.aws_cluster(pools=(specs.system_pool(),)))
    assert not releases(found) & {GPUS, FABRIC}


@pytest.mark.parametrize(
    ("provider", "installed"),
    [("azure", True), ("hyperstack", True), ("nebius", False), ("lambda", False), ("runpod", False)],
)
def test_a_cluster_that_exists_gets_the_plugin_only_where_its_provider_does_not_bring_it(
    provider: str, *, installed: bool, run_spec: Callable[[ClusterSpec], OfflineRun]
) -> None:
    assert (GPUS in releases(run_spec(at_provider(provider)))) is installed


def test_nodes_without_labels_are_told_apart_by_what_they_are_discovered_to_have(
    run_spec: Callable[[ClusterSpec], OfflineRun],
) -> None:
    plugin = one(run_spec(at_provider("hyperstack")), RELEASE, GPUS)
    assert at(plugin, "values", "gfd") == {"enabled": True}
    with pytest.raises(KeyError):
        at(plugin, "values", "affinity")


def test_where_nodes_cannot_be_told_apart_the_plugin_waits_on_those_without_a_gpu(
    run_spec: Callable[[ClusterSpec], OfflineRun],
) -> None:
    plugin = one(run_spec(at_provider("azure")), RELEASE, GPUS)
    assert at(plugin, "values", "failOnInitError") is False
