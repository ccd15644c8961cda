from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chart_values import PLATFORM, Chart, chart, faults
from platform_samples import spec_with
from platform_variants import VARIANTS, registered

from components.platform.installation import BUILDERS
from operations.offline.program import OfflineRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


RELEASE = "kubernetes:helm.sh/v3:Release"
pytestmark = pytest.mark.skipif(
    not (PLATFORM / "CRDS.yaml").is_file(), reason=f"the charts' own values are not here: {PLATFORM} (ATOLL_SHARED)"
)

# What a chart takes as it is, though neither its values nor its schema says so: chart, dotted path, why.
AS_IT_IS = "another program's own configuration, copied as it is"
TYPED = "copied into a custom object, whose own definition judges it"
COMMENTED = "read by the chart's templates, and only a comment in its values"
FREE: Mapping[str, Mapping[str, str]] = {
    "argo-cd": {"configs.cm": AS_IT_IS, "configs.params": AS_IT_IS},
    "dcgm-exporter": {"customMetrics": COMMENTED},
    "gpu-operator": {"dcgmExporter.config": COMMENTED},
    "aws-load-balancer-controller": {"defaultTags": "tags of what it makes: names of our own"},
    "kube-prometheus-stack": {
        "grafana.additionalDataSources": AS_IT_IS,
        "grafana.grafana.ini": AS_IT_IS,
        "grafana.persistence.storageClassName": COMMENTED,
        "alertmanager.alertmanagerSpec.storage": TYPED,
        "prometheus.prometheusSpec.otlp": TYPED,
        "prometheus.prometheusSpec.storageSpec": TYPED,
    },
    "loki": {
        "loki.limits_config": AS_IT_IS,
        "loki.storage.bucketNames": COMMENTED,
        "loki.storage.object_store.s3": AS_IT_IS,
    },
    "seaweedfs": {
        **{
            f"{server}.{context}": COMMENTED
            for server in ("master", "volume", "filer", "s3")
            for context in ("podSecurityContext", "containerSecurityContext")
        },
        "volume.dataDirs": COMMENTED,
    },
    "tempo": {
        "persistence.storageClassName": COMMENTED,
        "tempo.extraArgs": "arguments of the program, by their names",
        "tempo.storage.trace.s3": AS_IT_IS,
        "tempo.storage.trace.gcs": AS_IT_IS,
    },
    "velero": {"kubectl.image.tag": COMMENTED, "extraObjects": "objects of our own"},
}


def of(name: str) -> Chart:
    return chart(name, frozenset(FREE.get(name, ())))


def releases(found: OfflineRun) -> Mapping[str, Any]:
    """Values of each release by the name of its chart; of one that stands there twice, each in its turn."""
    charts = [each for each in found.resources if each.type == RELEASE]
    return {f"{each.name}/{str(each.inputs['chart']).rpartition('/')[2]}": each.inputs.get("values") for each in charts}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_value_that_is_set_exists_in_its_chart(variant: str) -> None:
    wrong = {
        name: found
        for name, values in releases(registered(variant)).items()
        if (found := faults(of(name.rpartition("/")[2]), values or {}))
    }
    assert not wrong


def test_every_chart_of_the_catalog_that_is_chosen_is_released() -> None:
    decided = spec_with(**VARIANTS["everything"][1]).platform
    assert decided is not None
    charts = {part.chart for part in decided.parts if part.kind == "chart" and part.name in BUILDERS}
    assert charts <= {name.rpartition("/")[2] for name in releases(registered("everything"))}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kueue", {"enablePrometeus": True}),
        ("kueue", {"controllerManager": {"replica": 1}}),
        ("minio", {"users": [{"accessKey": "a", "secret": "b"}]}),
        ("minio", {"resources": {"request": {"cpu": "1"}}}),
        ("kube-prometheus-stack", {"grafana": {"persistance": {"enabled": True}}}),
        ("kube-prometheus-stack", {"prometheus": {"prometheusSpec": {"storage": {}}}}),
        ("nvidia-device-plugin", {"nfd": {"workers": {}}}),
        ("velero", {"configuration": {"backupStorageLocation": [{"name": "a", "provider": "aws", "buckets": "b"}]}}),
        ("mlflow", {"replicaCount": "two"}),
        ("opencost", {"opencost": {"prometheus": {"internal": "yes"}}}),
    ],
)
def test_a_value_that_the_chart_does_not_have_is_found(name: str, values: dict[str, Any]) -> None:
    assert faults(of(name), values)


def test_values_that_the_chart_has_are_let_through() -> None:
    good = {
        "nodeSelector": {"atoll/role": "system"},
        "tolerations": [{"operator": "Exists"}],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
        "users": [{"accessKey": "a", "secretKey": "b", "policy": "c"}],
    }
    assert not faults(of("minio"), good)


def test_every_free_path_begins_in_its_chart() -> None:
    for name, paths in FREE.items():
        known = {"", *dotted(chart(name).defaults)}
        for path, reason in paths.items():
            assert path in known or (reason in {COMMENTED, AS_IT_IS} and parent(path) in known), f"{name}: {path}"


def parent(path: str) -> str:
    return path.rpartition(".")[0]


def dotted(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield f"{path}{key}"
        if isinstance(value, dict):
            yield from dotted(value, f"{path}{key}.")
