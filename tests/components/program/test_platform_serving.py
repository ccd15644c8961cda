from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from look import of_type, one
from platform_samples import run_part, spec_with

from components.platform.building_blocks.manifests import Patch
from components.platform.installation import BUILDERS
from components.platform.kubeflow import dashboard, serving

PATCHES: Mapping[str, Callable[[Any], list[Patch]]] = {
    "kserve": serving.kserve_patches,
    "knative": serving.knative_patches,
    "dashboard": dashboard.dashboard_patches,
}


def overlay_of(name: str, **changes: Any) -> dict[tuple[str, str], Any]:
    """The part's patches by kind and name."""
    seen: list[Any] = []

    def build(ground: Any, charges: Any, options: Any) -> Any:
        seen.extend(PATCHES[name](ground))
        return BUILDERS[name](ground, charges, options)

    run = run_part(name, build, spec_with(**changes), domain="ml.example.com")
    assert of_type(run, "kubernetes:kustomize/v2:Directory")
    return {(each.kind, each.name): each for each in seen}


def test_models_are_plain_deployments_unless_something_scales_to_zero() -> None:
    found = overlay_of("kserve", platform={"size": "standard"})
    told = found["ConfigMap", "inferenceservice-config"].change["data"]
    assert told["deploy"] == '{"defaultDeploymentMode": "Standard"}'
    assert '"disableIngressCreation": true' in told["ingress"]
    assert "example.com" in told["ingress"]
    assert '"ingressDomain": "ml.example.com"' in told["ingress"]


def test_models_are_on_knative_where_it_is_installed() -> None:
    found = overlay_of("kserve", platform={"size": "standard", "extra": ["knative"]})
    told = found["ConfigMap", "inferenceservice-config"].change["data"]
    assert told["deploy"] == '{"defaultDeploymentMode": "Knative"}'
    assert '"disableIngressCreation": false' in told["ingress"]


def test_serving_runtimes_pass_the_restricted_standard() -> None:
    found = overlay_of("kserve", platform={"size": "standard"})
    (operation,) = found["ClusterServingRuntime", ".*"].operations
    assert operation["value"]["seccompProfile"] == {"type": "RuntimeDefault"}


def test_knative_names_services_below_the_clusters_domain_and_never_example_com() -> None:
    found = overlay_of("knative", platform={"extra": ["knative"]})
    assert found["ConfigMap", "config-domain"].operations[0]["value"] == {"ml.example.com": ""}


@pytest.mark.parametrize(("size", "there"), [("small", False), ("full", True)])
def test_the_menu_leads_only_to_what_is_installed(size: str, *, there: bool) -> None:
    found = overlay_of("dashboard", platform={"size": size})
    links = found["ConfigMap", "dashboard-config"].change["data"]["links"]
    assert "/jupyter/" in links
    assert ("/katib/" in links) is there
    assert ("/pipeline/" in links) is there
    assert "https://grafana.ml.example.com/" in links


def test_nobody_gets_a_namespace_by_opening_the_dashboard() -> None:
    found = overlay_of("dashboard")
    assert found["ConfigMap", "dashboard-parameters"].change == {"data": {"REGISTRATION_FLOW": "false"}}


def test_the_part_says_its_version_and_source() -> None:
    run = run_part("dashboard", dashboard.build_dashboard, spec_with())
    found = one(run, "atoll:platform:Dashboard", "dashboard")
    assert found.inputs["version"] == "2.0.0"


def test_the_definition_of_profiles_depends_on_nothing_and_the_dashboard_on_it() -> None:
    run = run_part("dashboard", dashboard.build_dashboard, spec_with())
    definition = one(run, "atoll:platform:ProfileDefinition", "profile-definition")
    assert definition.dependencies == ()
    (before,) = one(run, "atoll:platform:Dashboard", "dashboard").dependencies
    assert before.endswith("Directory::profile-definition")
    found = overlay_of("dashboard")
    assert found["CustomResourceDefinition", "profiles.kubeflow.org"].change is None
