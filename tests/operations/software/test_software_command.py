"""`atoll software`: lists, pins and copies, and never makes a digest up."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import hand_built
import pytest
from command_project import Atoll, valid
from fake_registry import FakeNetwork, chart_manifest, digest_of
from locked_stack import write_locked

from catalogs.software import reader, validation
from catalogs.software.validation import Flaw
from cli.terminal.console import show
from cli.views.software import software_parts
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror
from operations.plans.plan import Planned, build_left_out_forms, software_forms
from operations.software import registry
from operations.software.lock import resolve
from planning.ceilings.verdict import Judgement
from planning.platform.digests import SoftwareLock, build_pinned_form
from planning.quoting.quote import lock
from planning.spec.lock import read_lock
from planning.spec.platform import Platform, PlatformComponent, Skipped
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from pathlib import Path

PARTS = reader.parts()
KUEUE = "oci://registry.k8s.io/kueue/charts/kueue:0.19.2"
KUEUE_IMAGE = "registry.k8s.io/kueue/kueue:v0.19.2"
MINIO = "https://charts.min.io/minio:5.4.0"
A, B, C = digest_of("a"), digest_of("b"), digest_of("c")


def network() -> FakeNetwork:
    """Where Kueue is whole, MinIO's chart is known and its images' registry does not answer."""
    index = json.dumps({"entries": {"minio": [{"version": "5.4.0", "digest": C.removeprefix("sha256:")}]}})
    return FakeNetwork(
        bodies={
            "https://registry.k8s.io/v2/kueue/charts/kueue/manifests/0.19.2": chart_manifest(A),
            "https://charts.min.io/index.yaml": index.encode(),
        },
        digests={"https://registry.k8s.io/v2/kueue/kueue/manifests/v0.19.2": B},
        silent={"quay.io"},
    )


def installed(name: str) -> PlatformComponent:
    part = PARTS[name]
    fields = {
        key: getattr(part, key) for key in ("name", "title", "chart", "repository", "version", "ref", "namespace")
    }
    return PlatformComponent(kind=part.kind.value, **fields)


def with_platform(
    project: Path, *, mirror: str = "", digests: str = "shown", plain: bool = False, old: bool = False
) -> None:
    quote = hand_built.quote()
    option = quote.options[0]
    names = ("namespaces", "dex", "kueue", "minio")
    kept = [installed(name).model_copy(update={"version": "0.1.2"} if old else {}) for name in names]
    decided = Platform.model_validate(
        {
            "release": reader.RELEASE,
            "size": "small",
            "parts": tuple(kept),
            "skipped": (Skipped(name="katib", title="Katib", reason="platform.without leaves it out"),),
            "mirror": mirror,
            "digests": digests,
        }
    )
    accepted = lock(quote, option, ceiling=hand_built.ceilings(), contract_months=12)
    spec = accepted.spec.model_copy(update={"platform": None if plain else decided})
    accepted = accepted.model_copy(update={"placements": (spec, *accepted.placements[1:]), "stack": "demo"})
    write_locked(project, accepted)


def test_the_catalog_is_listed_with_nothing_floating(atoll: Atoll) -> None:
    outcome = atoll("software")
    assert outcome.code == 0
    assert outcome.out == atoll("software", "list").out
    assert all(name in outcome.out for name in PARTS)
    assert "no version floats" in outcome.out.splitlines()[-1]


def test_the_catalog_as_json_says_what_is_not_resolved(atoll: Atoll) -> None:
    form = valid("software", atoll("software", "list", "--json").out)
    rows = {part["name"]: part for part in form["parts"]}
    assert (rows["kueue"]["digest"], rows["kueue"]["unresolved"]) == (None, [KUEUE, KUEUE_IMAGE])
    assert rows["dex"]["digest"] == PARTS["dex"].ref
    assert rows["queues"]["digest_state"] == "our own"
    assert {each["subject"] for each in form["tested"]} >= {"kubernetes", "istio", "knative"}


def test_a_version_that_floats_ends_with_1_and_is_named(atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "cli.commands.provisioning.software.flaws", lambda **_: [Flaw(file="parts.csv", subject="x", text="moves")]
    )
    outcome = atoll("software")
    assert outcome.code == 1
    assert "fault: catalogs/software/parts.csv: x: moves" in outcome.out
    assert validation.flaws(forbiddable=()) != []


def test_a_stack_lists_what_its_lock_installs_and_what_it_leaves_out(atoll: Atoll, project: Path) -> None:
    with_platform(project)
    outcome = atoll("software", "list", "demo")
    assert "minio" in outcome.out
    assert "airflow" not in outcome.out
    assert "platform.without leaves it out" in outcome.out


def test_a_lock_with_versions_of_another_release_is_told(atoll: Atoll, project: Path) -> None:
    with_platform(project, old=True)
    outcome = atoll("software", "list", "demo")
    assert outcome.code == 1
    assert "fault: demo: kueue 0.1.2, which was tested at 0.19.2" in outcome.out


def test_a_lock_without_a_platform_is_told(atoll: Atoll, project: Path) -> None:
    with_platform(project, plain=True)
    outcome = atoll("software", "list", "demo")
    assert outcome.code == 1
    assert "the lock of demo installs no platform" in outcome.err


def test_what_a_mirror_must_hold_is_printed_with_its_place(atoll: Atoll, project: Path) -> None:
    with_platform(project, mirror="oci://registry.example/atoll")
    lines = atoll("software", "images", "demo").out.splitlines()
    assert f"chart     {KUEUE}  oci://registry.example/atoll/kueue:0.19.2" in lines
    assert f"image     {KUEUE_IMAGE}  registry.example/atoll/{KUEUE_IMAGE}" in lines
    assert [line for line in lines if line.startswith("manifests")] == [
        f"manifests {PARTS['dex'].repository}@{PARTS['dex'].ref}  manifests/{PARTS['dex'].ref}"
    ]
    form = valid("copies", atoll("software", "images", "demo", "--json").out)
    assert len(form["images"]) == 4 + 5  # of the platform, and of what is beneath it on AWS


def test_the_images_of_the_catalog_name_what_manifests_fetch_and_go_where_a_folder_says(
    atoll: Atoll, project: Path
) -> None:
    (project / "copies").mkdir()
    (project / "copies/registry").write_text("registry.example/team\n")
    form = valid("copies", atoll("software", "images", "--mirror", "copies", "--json").out)
    assert {each["part"] for each in form["fetched"]} == {"pipelines", "trainer"}
    targets = {each["name"]: each["target"] for each in form["images"]}
    assert targets["busybox:1.38.0"] == "registry.example/team/docker.io/library/busybox:1.38.0"
    assert "mysql:8.4" not in targets, "a tag that moves is never copied"


def test_what_the_network_says_is_resolved_and_the_rest_is_told_with_its_reason() -> None:
    found = resolve([PARTS["kueue"], PARTS["minio"], PARTS["dex"]], SoftwareLock(), fetch=network())
    assert found.lock.charts == {MINIO: C, KUEUE: A}
    assert found.lock.images == {KUEUE_IMAGE: B}
    assert set(found.failed) == {
        "quay.io/minio/minio:RELEASE.2024-12-18T13-15-44Z",
        "quay.io/minio/mc:RELEASE.2024-11-21T17-21-54Z",
        "ghcr.io/dexidp/dex:v2.45.1",
    }


def test_what_cannot_be_asked_keeps_the_digest_that_it_had() -> None:
    old = SoftwareLock(charts={KUEUE: A}, images={KUEUE_IMAGE: B, "gone:1.2.3": C})
    found = resolve([PARTS["kueue"]], old, fetch=FakeNetwork(silent={"registry.k8s.io"}))
    assert (found.lock.charts, found.lock.images) == (old.charts, {KUEUE_IMAGE: B})
    assert set(found.failed) == {KUEUE, KUEUE_IMAGE}


@pytest.mark.parametrize(("renew", "kept"), [(False, C), (True, B)])
def test_a_tag_that_stands_for_something_else_now_is_told_and_only_taken_when_asked(renew: bool, kept: str) -> None:
    old = SoftwareLock(charts={KUEUE: A}, images={KUEUE_IMAGE: C})
    found = resolve([PARTS["kueue"]], old, fetch=network(), renew=renew)
    assert found.changed == {KUEUE_IMAGE: B}
    assert found.lock.images == {KUEUE_IMAGE: kept}


def test_the_lock_is_written_beside_the_stacks_and_shown_from_then_on(
    atoll: Atoll, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "over_https", network())
    outcome = atoll("software", "lock")
    assert outcome.code == 1, "not everything is resolved"
    assert f"not resolved: {PARTS['loki'].repository}/loki:18.11.0" in outcome.err
    written = read_artifact_mirror("", project=project).lock
    assert written.charts[KUEUE] == A
    valid("software_lock", (project / "stacks/software.lock.json").read_text())
    rows = {part["name"]: part for part in valid("software", atoll("software", "list", "--json").out)["parts"]}
    assert (rows["kueue"]["digest"], rows["kueue"]["digest_state"]) == (A, "resolved")
    assert rows["minio"]["digest_state"] == "unresolved: 2 of 2 images"


@pytest.mark.parametrize("command", [("software",), ("software", "list")])
def test_a_lock_that_is_none_is_refused(atoll: Atoll, project: Path, command: tuple[str, ...]) -> None:
    (project / "stacks/software.lock.json").write_text('{"schema_version": 1, "images": {"x:1.2.3": "md5:1"}}')
    outcome = atoll(*command)
    assert outcome.code == 1
    assert "stacks/software.lock.json is no software lock: images.x:1.2.3" in outcome.err


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"digests": "required"}, ["dex (1 of 1 images)", "kueue (chart and 1 of 1 images)", "atoll software lock"]),
        ({"mirror": "copies"}, ["the mirror lacks manifests/", "charts/kueue-0.19.2.tgz", "charts/minio-5.4.0.tgz"]),
        ({"mirror": "nowhere"}, ["there is no mirror at", "nowhere"]),
    ],
)
def test_a_plan_of_what_cannot_be_installed_names_all_of_it(
    atoll: Atoll, project: Path, wanted: dict[str, str], words: list[str]
) -> None:
    (project / "copies").mkdir()
    with_platform(project, **wanted)
    outcome = atoll("plan", "demo", "--today", "2026-11-21")
    assert outcome.code == 1
    assert [word for word in words if word not in outcome.err] == []


def test_a_plan_says_of_every_part_its_version_its_source_and_its_digest(project: Path) -> None:
    with_platform(project)
    accepted = read_lock(project / "stacks/demo/quote.lock.json")
    plan = Planned(
        lock=accepted,
        resources=(),
        bill=hand_built.bill(),
        accepted=hand_built.bill(),
        differences=(),
        judgement=Judgement(verdict=Verdict.WITHIN, reason="no ceiling is set"),
        config={},
        software=SoftwareLock(charts={KUEUE: A}, images={KUEUE_IMAGE: B}),
    )
    rows = {part["name"]: part for part in software_forms(plan)}
    assert (rows["kueue"]["version"], rows["kueue"]["source"], rows["kueue"]["digest"]) == ("0.19.2", KUEUE, A)
    assert rows["minio"]["digest_state"] == "unresolved: chart and 2 of 2 images"
    assert build_left_out_forms(plan) == [
        {"name": "katib", "title": "Katib", "reason": "platform.without leaves it out"}
    ]


def test_the_tables_of_a_plan_name_what_is_not_resolved_and_what_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    known = SoftwareLock(charts={KUEUE: A}, images={KUEUE_IMAGE: B})
    rows = [build_pinned_form(installed(name), known) for name in ("kueue", "minio", "queues", "dex")]
    show(*software_parts(rows, [{"name": "katib", "title": "Katib", "reason": "platform.without"}]))
    shown = capsys.readouterr().out
    assert re.search(r"kueue +chart +0.19.2 +oci://registry.k8s.io/kueue/charts/kue +resolved", shown)
    assert re.search(r"minio +chart +5.4.0 +charts.min.io/minio +unresolved: chart and 2 of 2 images", shown)
    assert re.search(r"queues +objects +with Atoll +our own", shown)
    assert re.search(r"katib +platform.without", shown)
    assert "4 platform components, digests of 2 of them not resolved" in shown
    assert list(software_parts([], [])) == []
