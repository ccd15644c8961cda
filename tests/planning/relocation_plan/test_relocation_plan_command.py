"""`atoll relocate plan` over a small project: files written or none, faults at once, a draft that can be read."""

from __future__ import annotations

import json
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from locked_stack import write_locked
from pydantic import TypeAdapter
from relocation_plan_kit import Kit

from cli.commands.relocation import plan as command
from components.platform.building_blocks import names
from operations.offline import program
from operations.relocation.config.draft import FILL, draft
from operations.relocation.config.endpoints import Places
from operations.relocation.config.plan_inputs import MeasuredFile, build_plan_inputs, rates, read_measured
from operations.relocation.config.reader import ALL_SET, parse
from operations.relocation.config.reader import read_file as places_file
from planning.relocation.plan_form import RelocationPlanForm
from planning.values.errors import InputError


@pytest.fixture
def project(tmp_path: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two accepted stacks and one that is not; its program registers nothing."""
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    for lock in (kit.source, kit.google):
        path = write_locked(tmp_path, lock)
        path.with_name("checklist.yaml").write_text("customer: {}\n", encoding="utf-8")
    (tmp_path / "stacks" / "later").mkdir()
    (tmp_path / "stacks" / "later" / "checklist.yaml").write_text("customer: {}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATOLL_KUBECONFIG", raising=False)
    monkeypatch.setattr(program, "run", lambda *_, **__: program.OfflineRun(resources=(), outputs={}))
    return tmp_path


def test_all_files_are_written_and_the_plan_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = command.run_plan(
        "atlas",
        "atlas-google",
        bandwidth="1Gbps",
        output=["plan.json", "plan.html", "plan.md"],
        today="2026-11-21",
    )
    assert code == 0
    form = json.loads((project / "plan.json").read_text(encoding="utf-8"))
    TypeAdapter(RelocationPlanForm).validate_python(form)
    assert form["unlooked"] == [{"what": "cluster", "why": "ATOLL_KUBECONFIG is not set, which names its kubeconfig"}]
    assert (project / "plan.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert form["digest"] in (project / "plan.md").read_text(encoding="utf-8")
    assert "Point of no return: the step commit" in capsys.readouterr().out


def test_json_to_stdout_is_nothing_but_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run_plan("atlas", "atlas-google", as_json=True, today="2026-11-21") == 0
    assert json.loads(capsys.readouterr().out)["source"]["stack"] == "atlas"
    assert sorted(each.name for each in project.iterdir()) == ["Pulumi.yaml", "stacks"]


@pytest.mark.usefixtures("project")
def test_a_target_that_is_not_accepted_is_named_with_what_to_do() -> None:
    with pytest.raises(InputError, match="not accepted") as raised:
        command.run_plan("atlas", "later", today="2026-11-21")
    (fault,) = raised.value.faults
    assert "there is no lock yet" in fault.message
    assert "atoll accept" in fault.hint


def test_a_file_that_counts_what_is_not_there_is_refused_with_what_there_is(project: Path) -> None:
    (project / "counted.yaml").write_text("things: {bucket/nothing: {size: 1GB}}\n", encoding="utf-8")
    with pytest.raises(InputError, match="names what is not there") as raised:
        command.run_plan("atlas", "atlas-google", volumes_file="counted.yaml", today="2026-11-21")
    assert "bucket/cold-data" in raised.value.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("things: {a: {size: 5 apples}}", "unknown unit"),
        ("things: {a: {uses: {wings: 2}}}", "wings: not known; there are: content types"),
        ("rates: {objects_per_s: 0}", "greater than 0"),
        ("surprise: 1", "surprise"),
        ("{", "not YAML"),
    ],
)
def test_faults_of_the_file_are_said(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "counted.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_measured(path)
    assert said in " ".join([str(raised.value), *(each.message for each in raised.value.faults)])


def test_a_draft_is_relocation_yaml_once_its_marks_are_filled_in(kit: Kit, tmp_path: Path) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_text("certificate", encoding="utf-8")
    text = draft(kit.source, kit.west)
    assert FILL in text
    assert "has a relocation.yaml of its own" in text
    environment = {name: f"value-of-{name}" for name in _variables(text)}
    known = parse(text.replace(FILL, str(authority)), file="relocation.yaml", environment=environment)
    assert known.places.source.stack == "atlas"
    assert names.S3_HOST in known.places.source.store.endpoint
    assert {each.source for each in known.places.buckets} == {"mlflow", "pipelines", "team-everybody"}
    assert {each.part for each in known.places.source.databases} == {"mlflow", "pipelines", "katib", "model_registry"}


def test_a_draft_names_both_databases_of_pipelines_in_the_same_order(kit: Kit) -> None:
    text = draft(kit.source, kit.west)
    assert "SOURCE_PIPELINES_URI   # mysql://user:password@host:3306/mlpipeline\n" in text
    assert "TARGET_LINEAGE_URI   # mysql://user:password@host:3306/metadb\n" in text
    loaded = yaml.safe_load(text)
    for side in ("source", "target"):
        named = [each["uri_env"] for each in loaded[side]["databases"] if each["part"] == "pipelines"]
        assert named == [f"{side.upper()}_PIPELINES_URI", f"{side.upper()}_LINEAGE_URI"]


def test_a_draft_gives_each_side_an_mlflow_of_its_own(kit: Kit) -> None:
    text = draft(kit.source, kit.west)
    for port in (5000, 5001):
        tunnel = f"kubectl -n mlflow port-forward service/mlflow {port}:80"
        assert f"  mlflow_url: http://localhost:{port}   # {tunnel}\n" in text


def test_a_draft_is_refused_at_each_mark_that_is_left(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "relocation.yaml"
    path.write_text(draft(kit.source, kit.west), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        places_file(path, environment=ALL_SET)
    assert {each.message for each in raised.value.faults} == {"still to be filled in"}
    lines = path.read_text(encoding="utf-8").splitlines()
    marks = [number for number, line in enumerate(lines, start=1) if FILL in line]
    assert [each.line for each in raised.value.faults] == marks


def _variables(text: str) -> set[str]:
    words = text.replace(":", " ").split()
    return {each for each in words if each.startswith(("SOURCE_", "TARGET_"))}


def test_a_draft_is_never_written_over_a_file(project: Path) -> None:
    path = project / "relocation.yaml"
    path.write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError, match="already there"):
        command.run_plan("atlas", "atlas-google", draft_file="relocation.yaml", today="2026-11-21")
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_a_draft_holds_no_secret(kit: Kit) -> None:
    loaded = yaml.safe_load(draft(kit.source, kit.google))
    keys = loaded["source"]["store"]["mover"]
    assert set(keys) == {"access_key_env", "secret_key_env"}


def test_places_decide_window_retention_and_time_to_live(kit: Kit) -> None:
    loaded = yaml.safe_load(draft(kit.source, kit.west).replace(FILL, "x"))
    loaded["window_minutes"], loaded["names"]["ttl_seconds"], loaded["sample_percent"] = 12, 45, 20
    decided = build_plan_inputs(
        MeasuredFile(),
        places=Places.model_validate(loaded),
        inventory=kit.inventory(),
        speeds=rates(MeasuredFile().rates, bandwidth_gbps=None, objects_per_s=None),
        leaves_by="nat",
        today=date(2026, 11, 21),
    )
    assert decided.asked.window_seconds == 12 * 60
    assert decided.asked.dns_ttl_seconds == 45
    assert str(decided.sample) == "0.2"
    assert all("stand still" not in each for each in decided.assumed)


def test_places_are_read_without_a_key_and_their_digest_is_held(
    project: Path, kit: Kit, capsys: pytest.CaptureFixture[str]
) -> None:
    authority = project / "ca.crt"
    authority.write_text("certificate", encoding="utf-8")
    text = draft(kit.source, kit.google).replace(FILL, str(authority))
    (project / "relocation.yaml").write_text(text, encoding="utf-8")
    code = command.run_plan("atlas", "atlas-google", places_file="relocation.yaml", as_json=True, today="2026-11-21")
    assert code == 0
    form = json.loads(capsys.readouterr().out)
    assert form["places_digest"] == "sha256:" + sha256(text.encode()).hexdigest()
    assert form["times"]["window_seconds"] == 30 * 60
    (project / "other.yaml").write_text(text.replace("stack: atlas\n", "stack: other\n"), encoding="utf-8")
    with pytest.raises(InputError, match="is about other and atlas-google"):
        command.run_plan("atlas", "atlas-google", places_file="other.yaml", today="2026-11-21")
