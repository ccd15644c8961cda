"""Every provider on whose Kubernetes a cluster can be built: planned whole, with its own classes, and nothing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import specs
from look import at, of_type, one

from catalogs.catalog import load
from catalogs.providers import profile
from components.clouds.existing.builder import build
from components.context.placement import BuiltCluster
from components.stack import targets
from planning.quoting.assembly.cluster import profile_of
from planning.spec.cluster import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.context.placement import PlacementContext
    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

RENTED: Final = ("azure", "nebius", "crusoe", "oci", "hyperstack", "digitalocean", "runpod")
# A chart or daemon set that would own a part, by the part.
OWNED: Final = {"gpu-operator": "gpu_driver", "nvidia-device-plugin": "device_plugin", "dcgm-exporter": "dcgm_exporter"}


def spec_at(provider: str) -> ClusterSpec:
    placement = Placement(provider=provider, region="any", zones=(), target="existing")
    return specs.existing_cluster(placement=placement, profile=profile_of(provider, load()))


@pytest.mark.parametrize("provider", RENTED)
def test_a_cluster_at_any_provider_is_planned_with_all_its_charges(
    provider: str, run_spec: Callable[[ClusterSpec], OfflineRun]
) -> None:
    found = run_spec(spec_at(provider))
    rented = one(found, "atoll:contract:Rented", "rented")
    assert (rented.inputs["provider"], bool(rented.inputs["charges"])) == (provider, True)
    assert of_type(found, "kubernetes:core/v1:Namespace")
    assert not [each for each in found.resources if each.type.split(":")[0] in ("aws", "gcp", "coreweave")]


@pytest.mark.parametrize("provider", RENTED)
def test_what_the_provider_owns_is_not_installed_again(
    provider: str, run_spec: Callable[[ClusterSpec], OfflineRun]
) -> None:
    names = {each.name for each in run_spec(spec_at(provider)).resources}
    for chart, part in OWNED.items():
        if getattr(profile(provider), part) == "provider":
            assert not [name for name in names if chart in name]


@pytest.mark.parametrize(("provider", "disk"), [("azure", "managed-csi"), ("oci", "oci-bv"), ("runpod", "")])
def test_what_runs_on_top_gets_the_providers_storage_classes(
    provider: str, disk: str, monkeypatch: pytest.MonkeyPatch, run_spec: Callable[[ClusterSpec], OfflineRun]
) -> None:
    made: list[BuiltCluster] = []

    def watched(site: PlacementContext) -> BuiltCluster:
        made.append(build(site))
        return made[-1]

    monkeypatch.setitem(targets.BUILDERS, "existing", watched)
    run_spec(spec_at(provider))
    (built,) = made
    assert built.handle.classes.disk == disk
    assert built.handle.profile.title


def test_the_kubeconfig_of_an_existing_cluster_never_stands_in_the_open(existing_run: OfflineRun) -> None:
    assert at(one(existing_run, "pulumi:providers:kubernetes", "cluster"), "kubeconfig") != "not read offline"
