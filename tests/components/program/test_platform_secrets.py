"""No secret of a whole platform lies where it can be read, and no login that upstream publishes is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pytest
from chart_values import PLATFORM, chart
from look import of_type
from platform_variants import VARIANTS, registered, spec_of

from components.stack.targets import build
from operations.offline.program import run
from planning.costs.resources.resource import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.offline.program import OfflineRun

SECRET = "kubernetes:core/v1:Secret"
RELEASE = "kubernetes:helm.sh/v3:Release"
SERVICE = "kubernetes:core/v1:Service"
GIVEN = {
    "ssoClientSecret": "given-sso",
    "alertReceiver": "https://hooks.example/given-alerts",
    "forwardingCredentials": "given-forwarding",
    "backupBucket": "lagoon-backups",
    "backupEndpoint": "https://s3.lagoon.example",
    "backupAccessKey": "given-access",
    "backupSecretKey": "given-backup",
    "wandbApiKey": "given-wandb",
    "cometApiKey": "given-comet",
}
PUBLIC = {"backupBucket", "backupEndpoint"}
# Charts that can be told a secret by value alone; they put it into a Secret of their own.
BY_VALUE = {"mlflow": {"flaskServerSecretKey"}}


def secrets(value: object, path: str = "") -> Iterator[str]:
    """Dotted paths of secrets in a value."""
    if isinstance(value, Secret):
        yield path.removeprefix(".")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from secrets(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from secrets(each, path)


def misplaced(found: OfflineRun) -> dict[str, set[str]]:
    """Objects in the cluster, and components, that hold a secret and are none."""
    inside = (each for each in found.resources if each.type.startswith(("kubernetes:", "atoll:platform:")))
    held = {each.name: set(secrets(each.inputs)) for each in inside if each.type != SECRET}
    return {name: paths for name, paths in held.items() if paths - {f"values.{key}" for key in BY_VALUE.get(name, ())}}


@pytest.mark.parametrize("variant", VARIANTS)
def test_generated_secrets_are_in_secrets_alone(variant: str) -> None:
    assert misplaced(registered(variant)) == {}


@pytest.mark.parametrize("variant", ["everything", "full"])
def test_secrets_that_the_stack_is_given_are_in_secrets_alone(variant: str) -> None:
    spec = spec_of(variant)

    def program() -> None:
        for name, value in GIVEN.items():
            pulumi.runtime.set_config(f"atoll:{name}", value)
        for name, value in build((spec,)).items():
            pulumi.export(name, value)

    found = run("sample", program=program)
    assert misplaced(found) == {}
    written = f"{[each.inputs for each in found.resources]}{found.outputs}"
    assert [name for name, value in GIVEN.items() if name not in PUBLIC and value in written] == []


def test_what_the_stack_says_of_passwords_is_secret() -> None:
    said = {name: value for each in VARIANTS for name, value in registered(each).exports.items()}
    assert not [name for name, value in said.items() if "assword" in name and not isinstance(value, Secret)]


def told(found: OfflineRun) -> dict[str, Any]:
    return {
        str(each.inputs["chart"]).rpartition("/")[2]: each.inputs.get("values") or {}
        for each in of_type(found, RELEASE)
    }


def at(values: Any, path: str) -> Any:
    for key in path.split("/"):
        values = values[key]
    return values


# What each chart must be told, lest a login of its documentation opens it: chart, path of the value, value.
LOGINS = (
    ("minio", "existingSecret", "minio-root"),
    ("minio", "users", []),
    ("kube-prometheus-stack", "grafana/admin/existingSecret", "grafana-admin"),
    ("kube-prometheus-stack", "grafana/grafana.ini/auth.anonymous/enabled", False),
    ("argo-cd", "configs/cm/admin.enabled", False),
    ("argo-cd", "configs/rbac/policy.default", "role:readonly"),
    ("airflow", "createUserJob/enabled", False),
    ("opencost", "opencost/ui/enabled", False),
    ("slurm", "slurmKey/create", False),
)
# What keeps a chart's pods from reading every Secret of the cluster.
RIGHTS = (
    ("kube-prometheus-stack", "grafana/rbac/namespaced", True),
    ("loki", "sidecar/rules/enabled", False),
)


@pytest.mark.parametrize(("name", "path", "value"), [*LOGINS, *RIGHTS])
def test_nothing_is_open_to_whoever_read_the_charts_documentation(name: str, path: str, value: object) -> None:
    assert at(told(registered("everything"))[name], path) == value


def test_the_other_engine_knows_its_users_by_a_secret() -> None:
    s3 = told(registered("seaweedfs"))["seaweedfs"]["s3"]
    assert s3["enableAuth"] is True
    assert s3["existingConfigSecret"] == "seaweedfs-users"


def test_what_counts_objects_may_read_none_that_holds_secrets() -> None:
    counted = told(registered("everything"))["kube-prometheus-stack"]["kube-state-metrics"]["collectors"]
    assert not {"secrets", "configmaps"} & set(counted)


@pytest.mark.parametrize("variant", VARIANTS)
def test_roles_of_ours_name_what_they_are_for(variant: str) -> None:
    for each in registered(variant).resources:
        if not each.type.startswith("kubernetes:rbac") or "rules" not in each.inputs:
            continue
        for rule in each.inputs["rules"]:
            assert "*" not in {*rule.get("resources", []), *rule.get("verbs", []), *rule.get("apiGroups", [])}, (
                each.name
            )
            assert "secrets" not in rule.get("resources", []), each.name


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_service_of_ours_has_an_address_outside(variant: str) -> None:
    found = [each for each in registered(variant).resources if each.type == SERVICE]
    assert {each.inputs["spec"].get("type", "ClusterIP") for each in found} <= {"ClusterIP"}


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    both = {**old, **new}
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            both[key] = merged(old[key], value)
    return both


def outward(values: object, path: str = "") -> Iterator[str]:
    """Paths of services with an address outside, and of ingresses that are on."""
    if not isinstance(values, dict) or values.get("enabled") is False:
        return
    for key, value in values.items():
        if key == "type" and value in {"LoadBalancer", "NodePort"}:
            yield path
        elif "ingress" in key.lower() and isinstance(value, dict) and value.get("enabled") is True:
            yield f"{path}/{key}"
        else:
            yield from outward(value, f"{path}/{key}")


# Argo CD's pages speak HTTP behind the gateway, which ends TLS, as all pages do.
PLAIN = {"server.insecure"}


def marks(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Each leaf with the last key that leads to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from marks(each, str(key))
    elif isinstance(value, list):
        for each in value:
            yield from marks(each, path)
    else:
        yield path, value


def leaves(variant: str) -> Iterator[tuple[str, str, object]]:
    for each in registered(variant).resources:
        if each.type.startswith("kubernetes:"):
            yield from ((each.name, *leaf) for leaf in marks(each.inputs))


@pytest.mark.parametrize("variant", VARIANTS)
def test_whoever_speaks_tls_checks_who_answers(variant: str) -> None:
    loose = [
        (name, key)
        for name, key, value in leaves(variant)
        if ("insecure" in key.lower() and value is True and key not in PLAIN)
        or (key.lower() in {"verify", "tlsverify", "ssl_verify"} and value is False)
    ]
    assert loose == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_image_of_ours_moves(variant: str) -> None:
    images = {
        str(value) for _, key, value in leaves(variant) if key in {"image", "imageName"} and isinstance(value, str)
    }
    assert not [
        each for each in images if "/" in each and (":" not in each.rpartition("/")[2] or each.endswith(":latest"))
    ]


# Doors in a chart's defaults that no release of ours has: the switch that is off, or what is set in its place.
SHUT = {
    "kueue": {"/kueueViz/backend/ingress", "/kueueViz/frontend/ingress"},  # enableKueueViz
    "slurm": {"/loginsetDefaults/service/spec"},  # our login pods say ClusterIP, by test_platform_slurm.py
}


@pytest.mark.skipif(not (PLATFORM / "CRDS.yaml").is_file(), reason=f"the charts' own values are not here: {PLATFORM}")
@pytest.mark.parametrize("variant", ["everything", "seaweedfs", "bare"])
def test_no_chart_opens_a_door_of_its_own(variant: str) -> None:
    whole = {name: merged(chart(name).defaults, values) for name, values in told(registered(variant)).items()}
    found = {name: set(outward(values)) - SHUT.get(name, set()) for name, values in whole.items()}
    assert {name: paths for name, paths in found.items() if paths} == {}
    assert whole["kueue"]["enableKueueViz"] is False
