"""Digests as registries and chart repositories say them; what they do not say is never made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_registry import FakeNetwork, chart_manifest, digest_of

from operations.project.http import HttpError, HttpResponse
from operations.software import chart_repository, registry

IMAGE = "quay.io/minio/minio:RELEASE.2024-12-18T13-15-44Z"
MANIFEST = "https://quay.io/v2/minio/minio/manifests/RELEASE.2024-12-18T13-15-44Z"
A, B = digest_of("a"), digest_of("b")
CHARTS = "https://charts.example/stable"


def test_the_digest_of_an_image_is_the_one_in_the_header() -> None:
    network = FakeNetwork(digests={MANIFEST: A})
    assert registry.image_digest(IMAGE, fetch=network) == A
    assert network.asked == [f"HEAD {MANIFEST}"]


def test_an_image_without_a_registry_is_asked_for_at_docker_hub() -> None:
    network = FakeNetwork(digests={"https://registry-1.docker.io/v2/library/busybox/manifests/1.38.0": B})
    assert registry.image_digest("busybox:1.38.0", fetch=network) == B


def test_a_registry_that_wants_a_token_gets_the_one_that_it_gives() -> None:
    network = FakeNetwork(digests={MANIFEST: A}, token="t0")
    assert registry.image_digest(IMAGE, fetch=network) == A
    assert network.asked[1].startswith("GET https://tokens.example/give?service=quay.io&scope=repository%3Aa%3Apull")


def test_without_the_header_the_manifest_itself_is_hashed() -> None:
    network = FakeNetwork(bodies={MANIFEST: b"{}"})
    assert registry.image_digest(IMAGE, fetch=network) == digest_of("{}")


@pytest.mark.parametrize(
    ("status", "words"), [(401, "a login is wanted"), (404, "there is no such tag"), (429, "try again"), (500, "500")]
)
def test_a_refusal_is_said_in_words(status: int, words: str) -> None:
    with pytest.raises(HttpError, match=words):
        registry.image_digest(IMAGE, fetch=lambda *_, **__: HttpResponse(status=status))


def test_what_is_no_digest_is_not_taken_for_one() -> None:
    with pytest.raises(HttpError, match="no SHA-256 digest"):
        registry.image_digest(IMAGE, fetch=FakeNetwork(digests={MANIFEST: "md5:12"}))


def test_the_digest_of_a_chart_in_a_registry_is_that_of_its_archive() -> None:
    url = "https://registry.example/v2/kueue/charts/kueue/manifests/0.19.2"
    network = FakeNetwork(bodies={url: chart_manifest(A)})
    found = registry.chart_digest("oci://registry.example/kueue/charts", "kueue", "0.19.2", fetch=network)
    assert found == A


@pytest.mark.parametrize(
    ("body", "words"), [(b"[]", "is no manifest"), (json.dumps({"layers": []}).encode(), "there is no chart")]
)
def test_a_tag_without_a_chart_is_named(body: bytes, words: str) -> None:
    with pytest.raises(HttpError, match=words):
        registry.chart_digest(
            "oci://r.example/c", "x", "1.0.0", fetch=lambda *_, **__: HttpResponse(status=200, body=body)
        )


def test_a_manifest_that_is_not_the_one_of_its_header_is_refused() -> None:
    lying = HttpResponse(status=200, headers={"docker-content-digest": B}, body=chart_manifest(A))
    with pytest.raises(HttpError, match="is not the one"):
        registry.chart_digest("oci://r.example/c", "x", "1.0.0", fetch=lambda *_, **__: lying)


def index(**entry: Any) -> FakeNetwork:
    text = json.dumps({"entries": {"minio": [{"version": "5.4.0", **entry}]}})
    return FakeNetwork(bodies={f"{CHARTS}/index.yaml": text.encode(), f"{CHARTS}/minio-5.4.0.tgz": b"archive"})


def chart(network: FakeNetwork, version: str = "5.4.0") -> str:
    found = chart_repository.read_index(CHARTS, fetch=network)
    return chart_repository.chart_digest(found, CHARTS, "minio", version, fetch=network)


def test_the_digest_of_a_chart_in_a_repository_stands_in_its_index() -> None:
    assert chart(index(digest=A.removeprefix("sha256:"))) == A


def test_where_the_index_is_silent_the_archive_is_hashed() -> None:
    assert chart(index(urls=["minio-5.4.0.tgz"])) == digest_of("archive")


@pytest.mark.parametrize(
    ("network", "version", "words"),
    [
        (index(), "5.5.0", "no such version"),
        (index(), "5.4.0", "neither a digest nor an archive"),
        (index(urls=["gone.tgz"]), "5.4.0", "the archive cannot be read"),
        (FakeNetwork(), "5.4.0", "the repository answers 404"),
        (FakeNetwork(bodies={f"{CHARTS}/index.yaml": b"{"}), "5.4.0", "is not YAML"),
        (FakeNetwork(bodies={f"{CHARTS}/index.yaml": b"[]"}), "5.4.0", "is no index"),
    ],
)
def test_what_a_repository_does_not_say_is_named(network: FakeNetwork, version: str, words: str) -> None:
    with pytest.raises(HttpError, match=words):
        chart(network, version)
