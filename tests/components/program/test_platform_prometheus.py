from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pytest
import specs
from look import at, of_type, one
from platform_samples import run_part, spec_with

from components.context.settings import read_settings
from components.platform.building_blocks import names
from components.platform.observability import prometheus
from operations.offline.program import run
from planning.values.errors import InputError

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

RELEASE = "kubernetes:helm.sh/v3:Release"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def installed(**settings: Any) -> OfflineRun:
    return run_part("prometheus", prometheus.build, spec_with(), settings=settings)


def told(run: OfflineRun, *path: str | int) -> Any:
    return at(one(run, RELEASE, "prometheus"), "values", *path)


def test_definitions_come_from_a_chart_that_updates_them() -> None:
    run = run_part("prometheus_crds", prometheus.build_definitions, spec_with())
    assert at(one(run, RELEASE, "prometheus-crds"), "version") == "31.0.1"
    assert told(installed(), "crds", "enabled") is False


def test_every_monitor_of_every_namespace_counts() -> None:
    spec = told(installed(), "prometheus", "prometheusSpec")
    chosen = {key for key in spec if key.endswith("SelectorNilUsesHelmValues")}
    assert len(chosen) == 5
    assert not any(spec[key] for key in chosen)


def test_a_managed_control_plane_is_not_asked_for_what_it_hides() -> None:
    values = told(installed())
    for part in ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy"):
        assert values[part] == {"enabled": False}
    assert values["coreDns"] == {"enabled": True}


def test_cluster_dns_of_google_is_another() -> None:
    spec = spec_with(specs.existing_cluster())
    on_google = spec.model_copy(update={"placement": spec.placement.model_copy(update={"target": "gcp"})})
    run = run_part("prometheus", prometheus.build, on_google)
    assert (told(run, "coreDns"), told(run, "kubeDns")) == ({"enabled": False}, {"enabled": True})


def test_what_it_measures_outlives_its_pod_and_fits_its_disk() -> None:
    spec = told(installed(), "prometheus", "prometheusSpec")
    claim = spec["storageSpec"]["volumeClaimTemplate"]["spec"]
    assert claim["storageClassName"] == "disk"
    assert claim["resources"]["requests"]["storage"] == "50Gi"
    assert (spec["retention"], spec["retentionSize"]) == ("45d", "45GB")


def test_addresses_of_other_parts_hold() -> None:
    assert told(installed(), "fullnameOverride") == "prometheus"
    assert names.PROMETHEUS.startswith("http://prometheus-prometheus.observability.")


def test_nobody_gets_into_grafana_without_signing_in() -> None:
    ini = told(installed(), "grafana", "grafana.ini")
    assert ini["auth.anonymous"] == {"enabled": False}
    sign_in = ini["auth.generic_oauth"]
    assert sign_in["enabled"] is True
    assert sign_in["auth_url"].startswith("https://auth.")
    assert "client_secret" not in sign_in
    assert "ada@lagoon-labs.example" in sign_in["role_attribute_path"]
    assert "grace@" not in sign_in["role_attribute_path"]


def test_passwords_are_generated_and_secret() -> None:
    run = installed()
    admin = one(run, "kubernetes:core/v1:Secret", "grafana-admin")
    shared = one(run, "kubernetes:core/v1:Secret", "grafana-sign-in")
    assert told(run, "grafana", "admin", "existingSecret") == at(admin, "metadata", "name")
    assert told(run, "grafana", "envFromSecret") == at(shared, "metadata", "name")
    assert {each.name for each in of_type(run, "random:index/randomPassword:RandomPassword")} == {
        "grafana-admin",
        "oidc-grafana",
    }


def test_only_installed_stores_are_sources() -> None:
    small = run_part("prometheus", prometheus.build, spec_with(platform={"size": "small"}))
    full = run_part("prometheus", prometheus.build, spec_with(platform={"size": "full"}))
    found = [[each["uid"] for each in told(run, "grafana", "additionalDataSources")] for run in (small, full)]
    assert found == [["loki"], ["loki", "tempo"]]


def test_without_an_address_alerts_are_sent_nowhere() -> None:
    config = told(installed(), "alertmanager", "config")
    assert config["route"]["receiver"] == "null"
    assert [each["name"] for each in config["receivers"]] == ["null"]


@pytest.mark.parametrize(
    ("kind", "field"), [("webhook", "url_file"), ("slack", "api_url_file"), ("teams", "webhook_url_file")]
)
def test_the_address_of_alerts_is_in_a_secret_and_read_from_a_file(kind: str, field: str) -> None:
    address = "https://hooks.example/t0ken"
    run = installed(alert_receiver=address, alert_kind=kind)
    config = told(run, "alertmanager", "config")
    assert config["route"]["receiver"] == "receiver"
    (_, receiver) = config["receivers"]
    (found,) = next(value for key, value in receiver.items() if key != "name")
    assert found[field] == "/etc/alertmanager/secrets/alert-receiver/url"
    assert address not in str(told(run))
    assert told(run, "alertmanager", "alertmanagerSpec", "secrets") == ["alert-receiver"]
    assert {"alerts-to-receiver"} <= {each.name for each in of_type(run, POLICY)}


def test_prometheus_may_ask_every_pod_and_every_node() -> None:
    run = installed()
    pods = one(run, POLICY, "prometheus-to-pods")
    assert at(pods, "spec", "egress", 0, "to") == [{"namespaceSelector": {}}]
    assert [each["port"] for each in at(pods, "spec", "egress", 1, "ports")] == [9100, 10250]  # type: ignore[index, union-attr]
    assert "to" not in at(pods, "spec", "egress", 1)  # type: ignore[operator]


def test_an_unknown_kind_of_receiver_is_refused() -> None:
    def program() -> None:
        pulumi.runtime.set_config("atoll:alertKind", "pager")
        read_settings()

    with pytest.raises(InputError, match="alertKind is 'pager', and must be one of webhook, slack, teams"):
        run("sample", program=program)
