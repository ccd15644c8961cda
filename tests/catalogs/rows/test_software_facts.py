"""The software catalog against the charts and manifests that it was read from."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from catalogs.software import reader
from catalogs.software.model import HeldIn, InstallationKind
from catalogs.software.reader import downloads, images, images_of, software

if TYPE_CHECKING:
    from collections.abc import Iterable

REPOSITORY = Path(__file__).parents[3]
PLATFORM = Path(os.environ.get("ATOLL_SHARED", REPOSITORY / "../shared")).resolve() / "platform"
pytestmark = pytest.mark.skipif(
    not (PLATFORM / "CRDS.yaml").is_file(), reason=f"the charts' own values are not here: {PLATFORM} (ATOLL_SHARED)"
)

CHARTS = [part.name for part in software().values() if part.kind is InstallationKind.CHART]
MANIFESTS = [part.name for part in software().values() if part.kind is InstallationKind.KUSTOMIZE]
# Keys that a chart's values name only in a comment.
IN_A_COMMENT = {("velero", "image.digest"), ("velero", "kubectl.image.tag"), ("velero", "kubectl.image.digest")}
# Images that a chart renders by default, and that are never pulled here, each with what is switched off.
NEVER = {
    "docker.io/bats/bats:1.14.0": "a test of Grafana's chart, which a release does not run",
    "docker.io/bitnamilegacy/postgresql:16.1.0-debian-11-r15": "Airflow's own database",
    "docker.io/grafana/loki-canary:3.7.6": "lokiCanary",
    "docker.io/library/memcached:1.6.45-alpine": "Loki's caches",
    "docker.io/nginxinc/nginx-unprivileged:1.31-alpine": "Loki's gateway",
    "docker.io/prom/memcached-exporter:v0.17.0": "Loki's caches",
    "ghcr.io/dexidp/dex:v2.45.1": "Argo CD's own Dex",
    "ghcr.io/jkroepke/access-log-exporter:0.4.11": "Loki's gateway",
    "ghcr.io/jkroepke/kube-webhook-certgen:1.8.7": "admission webhooks of the Prometheus operator",
    "otel/opentelemetry-collector-k8s:0.158.0": "the contrib build is pulled, which has every exporter",
}
NEVER_BY_DIGEST = "ghcr.io/opencost/opencost-ui:"  # OpenCost's own pages
# Images of pods that an overlay of ours leaves out.
LEFT_OUT = {
    "chrislusf/seaweedfs:4.00": "the object store of Pipelines: ours takes its place",
    "docker.io/alpine/k8s:1.32.3": "sets up the object store of Pipelines",
    "ghcr.io/metacontroller/metacontroller:v4.11.22": "makes what Pipelines want in each namespace: teams have it",
    "busybox": "waits for the database in a demonstration of the model catalog",
}
# The published chart names the release; the values in the repository name where it is built.
PUBLISHED = {"kueue", "karpenter"}


@cache
def read(path: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PLATFORM / path).read_text(encoding="utf-8"))
    return loaded


@cache
def released() -> dict[str, dict[str, Any]]:
    """Every path of the Kubeflow release."""
    waves = read("kubeflow/KUBEFLOW.yaml")["waves"]
    return {each["path"]: each for wave in waves for each in wave["paths"]}


def value_at(reference: str, dotted: str) -> Any:
    """The default at a key, in the chart's own values or in those of a dependency below its name."""
    keys = dotted.split(".")
    below = PLATFORM / reference / "subcharts" / f"{keys[0]}.values.yaml"
    sources = [(f"{reference}/values.yaml", keys)]
    if below.is_file():
        sources.append((f"{reference}/subcharts/{keys[0]}.values.yaml", keys[1:]))
    for file, path in sources:
        found: Any = read(file)
        for key in path:
            found = found.get(key, KeyError) if isinstance(found, dict) else KeyError
        if found is not KeyError:
            return found
    return KeyError


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_the_one_whose_values_were_read(name: str) -> None:
    part = software()[name]
    source = read(f"{part.reference}/SOURCE.yaml")
    assert (part.chart, part.version, part.repository) == (source["chart"], source["version"], source["repo_url"])
    assert part.licence == str(source["licence"]).split(" ")[0]
    assert part.as_of is not None
    assert part.as_of.isoformat() == str(source["date"])


@pytest.mark.parametrize("name", CHARTS)
def test_every_key_that_names_an_image_exists_in_the_chart(name: str) -> None:
    part = software()[name]
    for image in images_of(name):
        for key in (image.registry_key, image.repository_key, image.tag_key, image.digest_key):
            if key and (name, key) not in IN_A_COMMENT:
                assert value_at(part.reference, key) is not KeyError, f"{image.name}: {key}"


@pytest.mark.parametrize("name", [name for name in CHARTS if name not in PUBLISHED])
def test_the_defaults_at_those_keys_name_the_image(name: str) -> None:
    part = software()[name]
    for image in images_of(name):
        if image.held_in is not HeldIn.VALUES:
            continue
        said = [value_at(part.reference, key) for key in (image.registry_key, image.repository_key) if key]
        parts_of = [str(each) for each in said if each not in (None, "", KeyError)]
        assert all(re.search(rf"(^|/){re.escape(each)}([:@/]|$)", image.name) for each in parts_of), image.name
        tag = value_at(part.reference, image.tag_key) if image.tag_key else None
        if tag not in (None, "", KeyError):
            assert str(tag) in image.name


@pytest.mark.parametrize("name", CHARTS)
def test_every_image_that_a_chart_renders_by_default_is_listed(name: str) -> None:
    rendered = set(read(f"{software()[name].reference}/SOURCE.yaml").get("images", ()))
    if name in PUBLISHED:
        rendered = {image.partition("@")[0] for image in rendered}
    left = rendered - {image.name for image in images_of(name)} - set(NEVER)
    assert [image for image in left if not image.startswith(NEVER_BY_DIGEST)] == []


def named(paths: Iterable[str], *keys: str) -> set[str]:
    """Images that some paths of the release name."""
    known = [released()[path] for path in paths if path in released()]
    return {image for each in known for key in keys for image in each.get(key, ())}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests_are_those_of_the_release(name: str) -> None:
    part = software()[name]
    whole = {each["version"] for each in released().values()}
    known = {released()[path]["version"] for path in part.chart.split() if path in released()} or whole
    assert part.ref == read("kubeflow/KUBEFLOW.yaml")["commit"]
    assert part.version in known


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_image_of_a_parts_pods_is_listed_unless_they_are_left_out(name: str) -> None:
    listed = {image.name for image in images_of(name)}
    assert named(software()[name].chart.split(), "images") - listed - set(LEFT_OUT) == set()


def test_no_image_of_manifests_is_made_up() -> None:
    whole = named(released(), "images", "images_in_configuration")
    ours = {image.name for image in images() if image.held_in in (HeldIn.OBJECTS, HeldIn.CONFIGURATION)}
    assert ours - whole == set()


def test_what_manifests_fetch_while_they_are_built_is_listed() -> None:
    wanted = {
        (name, address)
        for name in MANIFESTS
        for path in software()[name].chart.split()
        for address in released().get(path, {}).get("downloads_at_build_time", ())
    }
    assert {(each.part, each.address) for each in downloads()} == wanted


def test_the_driver_of_the_tuple_is_the_one_that_the_operators_chart_installs() -> None:
    versions = {each.subject: each.version for each in reader.read_tested_versions()}
    assert versions["nvidia_driver"] == read("gpu-operator/values.yaml")["driver"]["version"]
    assert f"jobset:v{versions['jobset']}" in " ".join(image.name for image in images())
    assert f"workflow-controller:v{versions['argo_workflows']}" in " ".join(image.name for image in images())
