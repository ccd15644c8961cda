from __future__ import annotations

from typing import Any

import pytest
from look import at, of_type, one
from platform_samples import run_part, spec_with

from components.platform.building_blocks import names
from components.platform.observability import collector
from operations.offline.program import OfflineRun

RELEASE = "kubernetes:helm.sh/v3:Release"
CREDENTIALS = "[default]\naws_access_key_id = AKIA\n"


def installed(cloud: str = "", **settings: Any) -> OfflineRun:
    main = {"provider": cloud, "region": "eu-west-1", "account": "lagoon-main", "logs_and_metrics": True}
    spec = spec_with(platform={"size": "full"}, **({"main_cloud": main} if cloud else {}))
    return run_part("collector", collector.build, spec, settings=settings)


def told(run: OfflineRun, release: str, *path: str | int) -> Any:
    return at(one(run, RELEASE, release), "values", *path)


def test_agents_read_every_nodes_logs_and_remember_how_far() -> None:
    values = told(installed(), "collector-agent")
    assert values["mode"] == "daemonset"
    assert values["presets"]["logsCollection"] == {"enabled": True, "storeCheckpoints": True}
    assert values["tolerations"] == [{"operator": "Exists"}]
    assert values["alternateConfig"]["exporters"]["otlp_http"]["endpoint"] == names.COLLECTOR


def test_no_agent_opens_a_port_of_its_node() -> None:
    ports = told(installed(), "collector-agent", "ports")
    assert set(ports) >= {"otlp", "otlp-http", "zipkin", "jaeger-grpc"}
    assert not any(each["enabled"] for each in ports.values())


def test_the_gateway_sends_each_signal_to_its_store() -> None:
    config = told(installed(), "collector", "alternateConfig")
    pipelines = config["service"]["pipelines"]
    assert {signal: each["exporters"] for signal, each in pipelines.items()} == {
        "logs": ["otlp_http/loki"],
        "metrics": ["otlp_http/prometheus"],
        "traces": ["otlp_http/tempo"],
    }
    assert config["exporters"]["otlp_http/loki"]["endpoint"] == f"{names.LOKI}/otlp"
    assert config["exporters"]["otlp_http/prometheus"]["endpoint"] == f"{names.PROMETHEUS}/api/v1/otlp"


def test_a_small_platform_has_nowhere_for_traces() -> None:
    run = run_part("collector", collector.build, spec_with(platform={"size": "small"}))
    assert set(told(run, "collector", "alternateConfig", "service", "pipelines")) == {"logs", "metrics"}


def test_pods_of_every_namespace_may_send() -> None:
    way = one(installed(), "kubernetes:networking.k8s.io/v1:NetworkPolicy", "pods-to-collector-in")
    assert [each["port"] for each in at(way, "spec", "ingress", 0, "ports")] == [4317, 4318]  # type: ignore[index, union-attr]


@pytest.mark.parametrize(
    ("cloud", "logs", "metrics"),
    [
        ("aws", "awscloudwatchlogs", "awsemf"),
        ("gcp", "googlecloud", "googlecloud"),
        ("azure", "azuremonitor", "azuremonitor"),
    ],
)
def test_the_main_cloud_gets_logs_and_chosen_metrics(cloud: str, logs: str, metrics: str) -> None:
    run = installed(cloud, forwarding_credentials=CREDENTIALS)
    config = told(run, "collector", "alternateConfig")
    pipelines = config["service"]["pipelines"]
    assert pipelines["logs"]["exporters"] == ["otlp_http/loki", logs]
    assert pipelines["metrics/forwarded"]["exporters"] == [metrics]
    assert {logs, metrics} <= set(config["exporters"])
    assert CREDENTIALS not in str(told(run, "collector"))
    assert told(run, "collector", "extraVolumes")[0]["secret"] == {"secretName": "forwarding"}


def test_without_credentials_the_pods_identity_is_tried() -> None:
    run = installed("aws")
    assert "extraVolumes" not in told(run, "collector")
    assert told(run, "collector", "serviceAccount") == {"name": "collector"}
    assert not [each for each in run.resources if each.type == "kubernetes:core/v1:Secret"]


def test_that_another_cloud_needs_credentials_is_said(caplog: pytest.LogCaptureFixture) -> None:
    installed("aws")
    assert "atoll:forwardingCredentials" in caplog.text
    caplog.clear()
    installed("aws", forwarding_credentials=CREDENTIALS)
    assert "atoll:forwardingCredentials" not in caplog.text


def test_a_cloud_that_no_way_is_known_to_gets_nothing() -> None:
    config = told(installed("lambda"), "collector", "alternateConfig")
    assert set(config["service"]["pipelines"]) == {"logs", "metrics", "traces"}


def test_nothing_is_sent_on_unless_it_was_asked_for() -> None:
    names_of = {each.name for each in of_type(installed(), "kubernetes:networking.k8s.io/v1:NetworkPolicy")}
    assert names_of == {"pods-to-collector-in", "agents-to-collector-in", "agents-to-collector-out"}
