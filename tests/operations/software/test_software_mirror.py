"""A mirror that lacks something, holds something else or fetches on: named with the checklist's line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command_project import CHECKLIST, Atoll
from fake_registry import digest_of

from catalogs.software.reader import downloads, parts
from planning.platform.digests import address
from planning.platform.mirror import files, target, whole_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTEBOOKS = """\
customer: {name: acme, owner: ops@acme.example}
workloads:
  - {name: lab, kind: notebooks}
engineers: {count: 2, ides: [jupyterlab]}
where: {wanted: [aws], regions: [us-east-1]}
platform:
  mirror: copies
"""
KUEUE = parts()["kueue"]


def fill(folder: Path) -> None:
    """A mirror's folder with an empty copy of everything."""
    for part in parts().values():
        for file in files(part):
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("") if file.endswith(".tgz") else path.mkdir(exist_ok=True)


@pytest.fixture
def mirrored(project: Path, checklist: Callable[[str], Path]) -> Path:
    checklist(NOTEBOOKS)
    fill(project / "copies")
    return project / "copies"


def test_a_checklist_without_a_mirror_looks_at_no_folder(atoll: Atoll, checklist: Callable[[str], Path]) -> None:
    checklist(CHECKLIST)
    assert atoll("check", "demo").code == 0


def test_a_mirror_that_holds_everything_is_sound(atoll: Atoll, mirrored: Path) -> None:
    assert mirrored.is_dir()
    assert atoll("check", "demo").code == 0


def test_everything_that_a_mirror_lacks_is_named_at_once_under_its_line(atoll: Atoll, mirrored: Path) -> None:
    (mirrored / "charts/kueue-0.19.2.tgz").unlink()
    (mirrored / "charts/minio-5.4.0.tgz").unlink()
    (mirrored / f"manifests/{parts()['dex'].ref}/common/dex/overlays/oauth2-proxy").rmdir()
    outcome = atoll("check", "demo")
    assert outcome.code == 1
    assert "stacks/demo/checklist.yaml:7:11: the mirror lacks manifests/" in outcome.err
    assert "dex/overlays/oauth2-proxy, charts/kueue-0.19.2.tgz, charts/minio-5.4.0.tgz" in outcome.err
    assert "  7 |   mirror: copies\n    |           ^" in outcome.err
    assert outcome.err.rstrip().endswith("stacks/demo/checklist.yaml: 1 fault")


def test_of_a_checkout_that_is_not_there_only_its_folder_is_named(
    atoll: Atoll, project: Path, checklist: Callable[[str], Path]
) -> None:
    checklist(NOTEBOOKS)
    (project / "copies").mkdir()
    outcome = atoll("check", "demo")
    assert f"the mirror lacks manifests/{parts()['dex'].ref}, charts/" in outcome.err


def test_a_chart_that_is_not_the_one_of_the_lock_is_refused(atoll: Atoll, mirrored: Path, project: Path) -> None:
    digests = {"charts": {address(KUEUE): digest_of("the real one")}}
    (project / "stacks/software.lock.json").write_text(json.dumps(digests))
    (mirrored / "charts/kueue-0.19.2.tgz").write_text("another")
    outcome = atoll("check", "demo")
    assert outcome.code == 1
    said = f"charts/kueue-0.19.2.tgz is {digest_of('another')}, and the lock has {digest_of('the real one')}"
    assert said in outcome.err
    (mirrored / "charts/kueue-0.19.2.tgz").write_text("the real one")
    assert atoll("check", "demo").code == 0


def test_manifests_that_fetch_on_are_named(atoll: Atoll, mirrored: Path) -> None:
    fetched = next(each for each in downloads() if each.part == "trainer")
    file = mirrored / f"manifests/{parts()['trainer'].ref}" / fetched.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"resources: [{fetched.address}]\n")
    assert f"{fetched.file} still fetches {fetched.address}" in atoll("check", "demo").err


def test_digests_that_are_required_are_asked_for_under_their_own_line(
    atoll: Atoll, checklist: Callable[[str], Path]
) -> None:
    checklist(NOTEBOOKS.replace("mirror: copies", "digests: required"))
    outcome = atoll("check", "demo")
    assert outcome.code == 1
    assert "stacks/demo/checklist.yaml:7:12: digests are required, and not resolved of: cert_manager" in outcome.err
    assert "kueue (chart and 1 of 1 images)" in outcome.err


def test_a_file_of_the_registry_that_says_nothing_is_refused(atoll: Atoll, mirrored: Path) -> None:
    (mirrored / "registry").write_text("\n")
    outcome = atoll("check", "demo")
    assert outcome.code == 1
    assert "must hold one line" in outcome.err


@pytest.mark.parametrize(
    ("image", "whole"),
    [
        ("busybox:1.38.0", "docker.io/library/busybox:1.38.0"),
        ("kserve/agent:v0.18.0", "docker.io/kserve/agent:v0.18.0"),
        ("localhost/x:1", "localhost/x:1"),
        ("registry.local:5000/x:1", "registry.local:5000/x:1"),
    ],
)
def test_an_image_keeps_its_whole_name_under_the_mirror(image: str, whole: str) -> None:
    assert whole_name(image) == whole
    assert target(image, "mirror.example/atoll/") == f"mirror.example/atoll/{whole}"
    assert target(image, "") == image
