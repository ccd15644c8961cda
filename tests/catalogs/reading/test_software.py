"""The software catalog holds no floating version, no torn tuple and nothing that hangs in the air."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from catalogs.providers import FORBIDDABLE
from catalogs.software import reader, validation
from catalogs.software.model import HeldIn, InstallationKind, is_exact_image, is_exact_version, split
from planning.quoting.assembly.cluster import KUBERNETES_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.software.model import SoftwareComponent


def said(monkeypatch: pytest.MonkeyPatch, **changed: Mapping[str, Any]) -> list[str]:
    """What the check says once some parts have other fields."""
    known = dict(reader.software())
    changes: dict[str, SoftwareComponent] = {name: replace(known[name], **fields) for name, fields in changed.items()}
    monkeypatch.setattr(reader, "software", lambda: {**known, **changes})
    return [str(flaw) for flaw in validation.flaws(forbiddable=FORBIDDABLE)]


def test_no_version_of_the_catalog_floats_and_nothing_else_is_wrong() -> None:
    assert [str(flaw) for flaw in validation.flaws(forbiddable=FORBIDDABLE)] == []


@pytest.mark.parametrize("version", ["latest", "", "1", "^1.2.0", ">=1.2", "1.x", "~0.5", "stable", "1.2.*"])
def test_what_moves_is_no_exact_version(version: str) -> None:
    assert not is_exact_version(version)


@pytest.mark.parametrize("version", ["0.19.2", "v26.7.0", "26.03.1", "1.35", "5.4.0-rc.1", "0"])
def test_what_names_one_release_is_exact(version: str) -> None:
    assert is_exact_version(version)


@pytest.mark.parametrize(
    "image", ["busybox", "busybox:latest", "mysql:8.4", "postgres:16-alpine", "redis:7.2-bookworm", "x@sha256:abc"]
)
def test_a_tag_that_moves_stands_for_no_build(image: str) -> None:
    assert not is_exact_image(image)


@pytest.mark.parametrize(
    "image",
    [
        "busybox:1.38.0",
        "postgres:17.6",
        "quay.io/minio/minio:RELEASE.2024-12-18T13-15-44Z",
        "nvcr.io/nvidia/jax:25.10-py3",
        f"gcr.io/knative/queue@sha256:{'a' * 64}",
        "registry.local:5000/team/tool:1.2.3",
    ],
)
def test_a_whole_tag_or_a_digest_stands_for_one_build(image: str) -> None:
    assert is_exact_image(image)


def test_an_image_falls_into_repository_tag_and_digest() -> None:
    assert split("registry.local:5000/a/b:1.2@sha256:ff") == ("registry.local:5000/a/b", "1.2", "sha256:ff")
    assert split("registry.local:5000/a/b") == ("registry.local:5000/a/b", "", "")


@pytest.mark.parametrize(
    ("part", "fields", "words"),
    [
        ("kueue", {"version": "latest"}, "kueue: version 'latest' is not exact"),
        ("kueue", {"version": "0.20.0"}, "kueue: version 0.20.0, and 0.19.2 was tested in 26.03.1"),
        ("istio", {"ref": "main"}, "istio: manifests are read at 'main', which is no commit"),
        ("istio", {"version": "1.31.1"}, "istio: version 1.31.1, and 1.30.1 was tested in 26.03.1"),
        ("minio", {"repository": ""}, "minio: chart, repository and licence are wanted"),
        ("minio", {"needs": ("moon",)}, "minio: needs 'moon', which is no part"),
        ("istio", {"needs": ("ingress",)}, "needs: go round in a circle"),
        ("minio", {"forbidden_by": "rain"}, "minio: 'rain' is nothing that a provider forbids"),
        ("minio", {"owns": ("rain",)}, "minio: 'rain' is no column of profiles.csv"),
        ("minio", {"sizes": ("huge",)}, "minio: 'huge' is no size of a platform"),
        ("minio", {"source": "hearsay"}, "minio: unknown source 'hearsay', or no date"),
    ],
)
def test_each_fault_of_a_part_is_named(
    part: str, fields: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert any(words in flaw for flaw in said(monkeypatch, **{part: fields}))


def test_a_part_from_manifests_must_stand_in_the_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(each for each in reader.read_tested_versions() if each.subject != "dex")
    monkeypatch.setattr(reader, "read_tested_versions", lambda: kept)
    (flaw,) = validation.flaws(forbiddable=FORBIDDABLE)
    assert str(flaw) == "catalogs/software/parts.csv: dex: its version is not in the tested tuple 26.03.1"


def test_an_image_whose_tag_moves_is_named_and_so_is_one_that_nothing_can_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = reader.images()[0]
    moving = replace(first, name="mysql:8.4", instead="")
    stuck = replace(first, name="mysql:8.4", instead="mysql:8.4.10", held_in=HeldIn.VALUES)
    other = replace(first, name="mysql:8.4", instead="mariadb:11.8.2")
    monkeypatch.setattr(reader, "images", lambda: (moving, stuck, other))
    texts = [flaw.text for flaw in validation.flaws(forbiddable=FORBIDDABLE)]
    assert texts == [
        "the tag moves; say another in `instead`",
        "nothing can change its tag",
        "`instead` is another image",
        "nothing can change its tag",
    ]


def test_the_tuple_has_the_kubernetes_that_clusters_start_with_and_every_subject_once() -> None:
    rows = [each for each in reader.read_tested_versions() if each.release == reader.RELEASE]
    subjects = [each.subject for each in rows]
    assert len(subjects) == len(set(subjects))
    assert {"kubernetes", "nvidia_driver", "istio", "knative", "cert_manager", "kserve", "kubeflow_base"} <= {*subjects}
    assert next(each.version for each in rows if each.subject == "kubernetes") == KUBERNETES_VERSION


def test_every_manifest_is_of_one_commit() -> None:
    assert len({part.ref for part in reader.parts().values() if part.kind is InstallationKind.KUSTOMIZE}) == 1


def test_a_row_without_a_holder_is_held_by_its_keys() -> None:
    assert all(image.held_in is HeldIn.VALUES for image in reader.images() if image.repository_key)
    assert all(not image.repository_key for image in reader.images() if image.held_in is not HeldIn.VALUES)
