from __future__ import annotations

import json

import pytest
import yaml
from look import at, of_type, one
from platform_samples import run_part, spec_with

from components.platform.teams import profiles
from components.platform.teams.profiles import binding_name
from components.tenancy.cluster import PROFILE_LABELS, Tenancy, TenancyArgs, owner_of
from operations.offline.program import OfflineRun, run
from planning.costs.resources.resource import Resource

PEOPLE = [
    {"name": "ada", "email": "ada@lagoon-labs.example", "group": "admin"},
    {"name": "grace", "email": "Grace.Hopper@lagoon-labs.example"},
    {"name": "alan", "email": "alan@lagoon-labs.example", "group": "viewer"},
]


@pytest.fixture(scope="module")
def standard() -> OfflineRun:
    spec = spec_with(access={"users": PEOPLE}, platform={"size": "standard"})
    return run_part("teams", profiles.build, spec)


def kind(run: OfflineRun, name: str) -> list[Resource]:
    return [each for each in run.resources if each.inputs.get("kind") == name]


def test_a_profile_has_the_name_of_the_namespace_and_the_owner_that_the_namespace_names(standard: OfflineRun) -> None:
    (profile,) = kind(standard, "Profile")
    spec = spec_with(access={"users": PEOPLE})
    assert at(profile, "metadata", "name") == "work-burst"
    assert at(profile, "spec", "owner", "name") == owner_of(spec) == "ada@lagoon-labs.example"


def test_tenancy_marks_the_namespace_so_that_the_profile_takes_it_over_and_keeps_its_volumes() -> None:
    spec = spec_with(access={"users": PEOPLE})

    def program() -> None:
        Tenancy("tenancy", TenancyArgs(spec=spec))

    found = one(run("sample", program=program), "kubernetes:core/v1:Namespace", "work-burst")
    labels = at(found, "metadata", "labels")
    assert isinstance(labels, dict)
    assert PROFILE_LABELS.items() <= labels.items()
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert at(found, "metadata", "annotations", "owner") == "ada@lagoon-labs.example"
    assert found.retain_on_delete


def test_without_an_admin_the_checklists_owner_owns_the_namespaces() -> None:
    spec = spec_with(access={"users": PEOPLE[1:]})
    assert owner_of(spec) == spec.customer.owner


def test_contributors_are_written_as_kubeflows_access_management_writes_them(standard: OfflineRun) -> None:
    bindings = of_type(standard, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
    found = {at(each, "subjects", 0, "name"): each for each in bindings if at(each, "subjects", 0, "kind") == "User"}
    assert set(found) == {"Grace.Hopper@lagoon-labs.example", "alan@lagoon-labs.example"}
    grace = found["Grace.Hopper@lagoon-labs.example"]
    assert at(grace, "metadata", "name") == "user-grace-hopper-lagoon-labs-example-clusterrole-edit"
    assert at(grace, "metadata", "annotations") == {"user": "Grace.Hopper@lagoon-labs.example", "role": "edit"}
    assert at(grace, "roleRef", "name") == "kubeflow-edit"
    assert at(found["alan@lagoon-labs.example"], "roleRef", "name") == "kubeflow-view"


def test_each_contributor_gets_through_the_sidecars_by_the_gateway_only(standard: OfflineRun) -> None:
    name = binding_name("alan@lagoon-labs.example", "view")
    (policy,) = [each for each in kind(standard, "AuthorizationPolicy") if at(each, "metadata", "name") == name]
    (rule,) = at(policy, "spec", "rules")  # type: ignore[misc]
    assert rule["when"] == [{"key": "request.headers[kubeflow-userid]", "values": ["alan@lagoon-labs.example"]}]
    assert all(each.startswith("cluster.local/ns/") for each in rule["from"][0]["source"]["principals"])


def test_a_group_of_the_identity_provider_gets_rights_at_the_kubernetes_api() -> None:
    team = {"name": "vision", "group": "ML Vision", "workloads": ["burst"]}
    found = run_part("teams", profiles.build, spec_with(teams=[team]))
    groups = [
        each
        for each in of_type(found, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
        if at(each, "subjects", 0, "kind") == "Group"
    ]
    assert {at(each, "subjects", 0, "name"): at(each, "roleRef", "name") for each in groups} == {
        "ML Vision": "kubeflow-edit",
        "atoll:admin": "kubeflow-admin",
        "atoll:burst:engineer": "kubeflow-edit",
        "atoll:burst:viewer": "kubeflow-view",
    }
    for each in groups:
        assert "annotations" not in each.inputs["metadata"]  # type: ignore[operator]  # the page of contributors lists people


def test_the_culler_may_ask_for_kernels_and_terminals_and_for_nothing_else(standard: OfflineRun) -> None:
    (policy,) = [
        each for each in kind(standard, "AuthorizationPolicy") if at(each, "metadata", "name") == "atoll-culler"
    ]
    operation = at(policy, "spec", "rules", 0, "to", 0, "operation")
    assert operation == {"methods": ["GET"], "paths": ["*/api/kernels", "*/api/terminals"]}


def test_pods_are_given_store_and_tracker_by_label(standard: OfflineRun) -> None:
    defaults = {str(at(each, "metadata", "name")): each for each in kind(standard, "PodDefault")}
    assert set(defaults) == {"s3", "mlflow"}
    assert at(defaults["s3"], "spec", "selector") == {"matchLabels": {"s3": "true"}}
    names = {each["name"] for each in at(defaults["s3"], "spec", "env")}  # type: ignore[union-attr]
    assert {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_CA_BUNDLE"} <= names
    assert at(defaults["mlflow"], "spec", "env", 0, "name") == "MLFLOW_TRACKING_URI"


@pytest.mark.parametrize(("settings", "kept"), [({}, []), ({"wandb_api_key": "key"}, ["tracker"])])
def test_another_tracker_gets_its_key_from_the_stacks_settings_or_from_people(
    settings: dict[str, str], kept: list[str]
) -> None:
    spec = spec_with().model_copy(update={"tracker": "wandb"})
    found = run_part("teams", profiles.build, spec, settings=settings)
    (default,) = [each for each in kind(found, "PodDefault") if at(each, "metadata", "name") == "wandb"]
    reference = at(default, "spec", "env", -1, "valueFrom", "secretKeyRef")
    assert reference == {"name": "tracker", "key": "WANDB_API_KEY", "optional": True}
    secrets = of_type(found, "kubernetes:core/v1:Secret")
    assert [name for each in secrets if (name := at(each, "metadata", "name")) == "tracker"] == kept


def test_pipelines_keep_artifacts_in_the_teams_own_bucket(standard: OfflineRun) -> None:
    maps = {str(at(each, "metadata", "name")): each for each in of_type(standard, "kubernetes:core/v1:ConfigMap")}
    launcher = at(maps["kfp-launcher"], "data")
    assert isinstance(launcher, dict)
    assert launcher["defaultPipelineRoot"] == "s3://team-everybody/pipelines"
    default = yaml.safe_load(launcher["providers"])["s3"]["default"]
    assert default["credentials"]["secretRef"]["secretName"] == "mlpipeline-minio-artifact"
    assert default["disableSSL"] is False
    logs = json.loads(str(at(maps["artifact-repositories"], "data", "default-namespaced")))["s3"]
    assert logs["bucket"] == "team-everybody"
    assert logs["caSecret"] == {"name": "s3-ca", "key": "ca.crt"}


def test_a_small_platform_has_nothing_of_pipelines() -> None:
    found = run_part("teams", profiles.build, spec_with(platform={"size": "small"}))
    assert not [each for each in found.resources if each.type.endswith(":ConfigMap")]


def test_the_namespace_is_open_to_the_mesh_and_kubeflow_alone(standard: OfflineRun) -> None:
    policies = {
        str(at(each, "metadata", "name")): each
        for each in of_type(standard, "kubernetes:networking.k8s.io/v1:NetworkPolicy")
    }
    assert set(policies) == {
        "from-gateway", "from-kubeflow", "from-prometheus",
        "to-mesh", "to-kubeflow", "to-api-server", "to-store", "to-collector",
    }  # fmt: skip
    for name, policy in policies.items():
        if name.startswith("from-"):
            assert at(policy, "spec", "ingress", 0, "from", 0, "namespaceSelector", "matchLabels")


def test_nobody_opens_a_way_or_gets_a_namespace_on_their_own(standard: OfflineRun) -> None:
    policies = of_type(standard, "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy")
    assert {each.name for each in policies} == {"atoll-doors", "atoll-profiles"}
    bound = of_type(standard, "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding")
    assert {at(each, "spec", "policyName") for each in bound} == {"atoll-doors", "atoll-profiles"}
