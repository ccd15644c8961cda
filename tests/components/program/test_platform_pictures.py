"""Charts and manifests take their images from the mirror, at exact tags, and by digest where it is known."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from platform_samples import checklist, spec_with

from catalogs.software.reader import images, images_of, parts
from components.platform.building_blocks import artifact_mirror
from components.platform.building_blocks.chart import find_chart_source
from components.platform.building_blocks.images import image_map, image_values, merge_values, resolve_image
from components.platform.building_blocks.manifests import kustomization
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.platform.building_blocks.context import PlatformContext

REGISTRY = "oci://mirror.example/atoll"
EVERYTHING = {"size": "full", "extra": ["seaweedfs", "airflow", "slurm_operator", "slurm", "argo_cd", "knative"]}
ROOM = Path(artifact_mirror.__file__).parents[1]
LITERAL = re.compile(r"(?:[\w-]+(?:\.[\w-]+)+/)?[\w.-]+(?:/[\w.-]+)+:\w[\w.-]*(?:@sha256:[0-9a-f]{64})?|busybox:\S+")
DIGEST = f"sha256:{'a' * 64}"


class Settings:
    def __init__(self, *, offline: bool) -> None:
        self.offline = offline


class Site:
    """As much of a ground as pictures look at."""

    def __init__(self, *, mirror: str = "", offline: bool = True) -> None:
        self.platform = spec_with(platform={**EVERYTHING, "mirror": mirror or None}).platform
        self.settings = Settings(offline=offline)


def ground(**fields: Any) -> PlatformContext:
    return cast("PlatformContext", Site(**fields))


def part(name: str, where: PlatformContext) -> Any:
    found = where.platform.part(name)
    assert found is not None, name
    return found


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose program runs in its folder of stacks, as under the engine."""
    (tmp_path / "stacks").mkdir()
    monkeypatch.chdir(tmp_path / "stacks")
    artifact_mirror.read_program_mirror.cache_clear()
    yield tmp_path
    artifact_mirror.read_program_mirror.cache_clear()


def pin(project: Path, **digests: dict[str, str]) -> None:
    (project / "stacks/software.lock.json").write_text(json.dumps(digests))


def test_without_a_mirror_only_a_tag_that_moves_is_changed() -> None:
    where = ground()
    assert image_values(part("minio", where), where) == {}
    assert image_values(part("slurm", where), where)["controller"]["logfile"] == {"image": {"tag": "3.22.2"}}  # type: ignore[index]
    assert image_map(part("katib", where), where) == {"mysql": "mysql:8.0.44"}
    assert image_map(part("dex", where), where) == {}


def test_a_mirrors_registry_stands_before_every_image_of_a_chart() -> None:
    where = ground(mirror=REGISTRY)
    assert image_values(part("minio", where), where)["image"] == {
        "repository": "mirror.example/atoll/quay.io/minio/minio"
    }
    operator = image_values(part("prometheus", where), where)["prometheusOperator"]
    assert operator["image"] == {  # type: ignore[index]
        "registry": "mirror.example/atoll/quay.io",
        "repository": "prometheus-operator/prometheus-operator",
    }


@pytest.mark.parametrize("name", [part.name for part in parts().values() if part.kind == "chart"])
def test_every_image_that_values_name_goes_to_the_mirror(name: str) -> None:
    where = ground(mirror=REGISTRY)
    found = where.platform.part(name)
    if found is None:
        pytest.skip(f"{name} is a part of another provider")
    text = json.dumps(image_values(found, where))
    wanted = {image.repository_key for image in images_of(name) if image.repository_key}
    assert text.count("mirror.example/atoll/") == len(wanted)


def test_kustomize_sends_every_image_of_pods_to_the_mirror_and_keeps_tags_that_it_cannot_tell_apart() -> None:
    where = ground(mirror=REGISTRY)
    changed = image_map(part("notebooks", where), where)
    assert changed["quay.io/brancz/kube-rbac-proxy"] == "mirror.example/atoll/quay.io/brancz/kube-rbac-proxy"
    assert image_map(part("katib", where), where)["mysql"] == "mirror.example/atoll/docker.io/library/mysql:8.0.44"


def test_an_overlay_says_a_tag_a_digest_or_neither() -> None:
    images = {"a": "m.example:5000/a", "b": "m.example:5000/b:1.2.3", "c": f"m.example/c@{DIGEST}"}
    where = ground()
    written = kustomization(part("dex", where), paths=(), mirror="", at=artifact_mirror.UP, images=images)
    assert written["images"] == [
        {"name": "a", "newName": "m.example:5000/a"},
        {"name": "b", "newName": "m.example:5000/b", "newTag": "1.2.3"},
        {"name": "c", "newName": "m.example/c", "digest": DIGEST},
    ]


def test_a_digest_that_is_known_is_set_where_the_chart_takes_one(program: Path) -> None:
    images = ["burakince/mlflow:3.15.1", "docker.io/grafana/grafana:13.2.0", "ghcr.io/dexidp/dex:v2.45.1"]
    pin(program, images=dict.fromkeys(images, DIGEST))
    where = ground(offline=False)
    assert image_values(part("mlflow", where), where) == {"image": {"digest": DIGEST}}
    grafana = image_values(part("prometheus", where), where)["grafana"]
    assert grafana == {"image": {"sha": DIGEST.removeprefix("sha256:")}}
    assert image_map(part("dex", where), where) == {"ghcr.io/dexidp/dex": f"ghcr.io/dexidp/dex@{DIGEST}"}
    assert resolve_image("ghcr.io/dexidp/dex:v2.45.1", where) == f"ghcr.io/dexidp/dex:v2.45.1@{DIGEST}"


def test_a_mirrors_folder_gives_charts_manifests_and_names_the_registry_of_images(program: Path) -> None:
    (program / "copies").mkdir()
    (program / "copies/registry").write_text("mirror.example/team\n")
    where = ground(mirror="copies", offline=False)
    assert find_chart_source(part("minio", where), mirror="copies").chart == "../copies/charts/minio-5.4.0.tgz"
    assert resolve_image("busybox:1.38.0", where) == "mirror.example/team/docker.io/library/busybox:1.38.0"
    dex = part("dex", where)
    written = kustomization(dex, paths=("common/dex",), mirror="copies", at=artifact_mirror.UP / ".atoll/x")
    assert written["resources"] == [f"../../copies/manifests/{dex.ref}/common/dex"]


def test_a_mirrors_registry_gives_charts() -> None:
    where = ground(mirror=f"{REGISTRY}/")
    assert find_chart_source(part("minio", where), mirror=f"{REGISTRY}/").chart == f"{REGISTRY}/minio"
    assert find_chart_source(part("kueue", where), mirror="").chart == "oci://registry.k8s.io/kueue/charts/kueue"


def test_a_run_without_an_engine_reads_no_file(program: Path) -> None:
    pin(program, images={"burakince/mlflow:3.15.1": DIGEST})
    where = ground(mirror="nowhere")
    assert image_values(part("mlflow", where), where) == {}


def test_what_cannot_be_installed_stops_the_program_with_all_of_it(program: Path) -> None:
    (program / "copies").mkdir()
    decided = spec_with(platform={"size": "small", "mirror": "copies", "digests": "required"}).platform
    assert decided is not None
    with pytest.raises(InputError) as refused:
        artifact_mirror.refuse(
            decided.parts, artifact_mirror.read_program_mirror("copies", offline=False), required=True
        )
    assert "kueue (chart and 1 of 1 images)" in str(refused.value)
    assert "charts/kueue-0.19.2.tgz" in str(refused.value)


def test_values_are_laid_over_others_mapping_by_mapping() -> None:
    assert merge_values({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}}) == {"a": {"b": 1, "d": 3}, "c": 2}
    with pytest.raises(AtollError, match="where images are named below it"):
        merge_values({"image": "minio:1"}, {"image": {"tag": "2"}})


def test_every_image_that_the_program_names_is_a_row_of_the_catalog() -> None:
    known = {image.pulled for image in images()}
    named = [
        (path.name, node.value)
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and LITERAL.fullmatch(node.value)
    ]
    assert named
    assert [each for each in named if each[1] not in known] == []


def test_the_sample_is_the_whole_platform() -> None:
    assert checklist(platform=EVERYTHING).platform.size == "full"
