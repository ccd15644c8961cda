"""Several relocations between the same two stacks: folders that do not collide, drafts of each, one end for all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from locked_stack import write_locked
from relocation_looked_kit import places
from relocation_plan_kit import Kit

from cli.commands.relocation import plan as command
from cli.commands.relocation import relocate as run
from cli.commands.relocation import retire
from operations.offline import program
from operations.project.journal import Journal, RecordKind
from operations.relocation import workspace
from operations.relocation.config.draft import FILL, drafts
from operations.relocation.config.manual_confirmations import parse
from operations.relocation.config.reader import parse as parse_places
from operations.relocation.copies import bucket_usage
from planning.relocation.steps import NAMES
from planning.values.errors import InputError

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    for lock in (kit.source, kit.west):
        path = write_locked(tmp_path, lock)
        path.with_name("checklist.yaml").write_text("customer: {}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATOLL_KUBECONFIG", raising=False)
    monkeypatch.setattr(program, "run", lambda *_, **__: program.OfflineRun(resources=(), outputs={}))
    return tmp_path


def committed(folder: Path, *, target: str = "atlas-west", days: int = 30, until: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "journal.jsonl", now=lambda: NOW)
    journal.append(RecordKind.OPENED, content={"source": "atlas", "target": target})
    for name in NAMES:
        journal.append(RecordKind.BEGUN, step=name, content={"attempt": 1})
        evidence = {"committed_at": NOW.isoformat(), "retain_days": days} if name == "commit" else {}
        journal.append(RecordKind.DONE, step=name, content={"seconds": 1, "evidence": evidence})
        if name == until:
            journal.close()
            return
    journal.append(RecordKind.COMMITTED)
    journal.close()


def test_each_relocation_has_a_folder_of_its_own(project: Path) -> None:
    home = project / "relocations"
    assert workspace.folder_of("atlas", "atlas-west") == home / "atlas--atlas-west"
    assert workspace.folder_of("atlas", "atlas-west", name="tiers") == home / "atlas--atlas-west-tiers"


@pytest.mark.parametrize("name", ["../x", "Tiers", "a/b", "-x", " "])
def test_a_name_that_is_no_name_is_refused(project: Path, name: str) -> None:
    assert project
    with pytest.raises(InputError, match="cannot name a relocation"):
        workspace.folder_of("atlas", "atlas-west", name=name)


def test_a_name_that_makes_another_stacks_folder_is_refused(project: Path) -> None:
    assert project
    with pytest.raises(InputError, match="--name west is taken"):
        workspace.folder_of("atlas", "atlas", name="west")


def test_folders_of_other_stacks_are_not_taken_for_ours(project: Path) -> None:
    home = project / "relocations"
    committed(home / "atlas--atlas-west")
    committed(home / "atlas--atlas-west-tiers")
    committed(home / "atlas--atlas-west-2", target="atlas-west-2")
    assert [each.name for each in workspace.folders_of("atlas", "atlas-west")] == [
        "atlas--atlas-west",
        "atlas--atlas-west-tiers",
    ]


def test_retire_waits_for_the_last_of_all_relocations(project: Path) -> None:
    home = project / "relocations"
    committed(home / "atlas--atlas-west", days=5)
    committed(home / "atlas--atlas-west-tiers", days=30)
    with pytest.raises(InputError, match="atlas is kept until 2026-12-22"):
        retire.run_retire("atlas", "atlas-west", today="2026-12-01")


def test_retire_is_refused_while_one_of_them_is_open_and_says_which(project: Path) -> None:
    home = project / "relocations"
    committed(home / "atlas--atlas-west")
    committed(home / "atlas--atlas-west-tiers", until="verify")
    with pytest.raises(InputError, match="1 of 2 relocations from atlas are open") as raised:
        retire.run_retire("atlas", "atlas-west", today="2027-12-01")
    (fault,) = raised.value.faults
    assert fault.file == "atlas--atlas-west-tiers"
    assert "--name tiers" in fault.hint


def test_retire_counts_one_that_has_places_and_was_never_run(project: Path) -> None:
    home = project / "relocations"
    committed(home / "atlas--atlas-west")
    (home / "atlas--atlas-west-tiers").mkdir()
    (home / "atlas--atlas-west-tiers" / "relocation.yaml").write_text("not: places\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 of 2 relocations"):
        retire.run_retire("atlas", "atlas-west", today="2027-12-01")


def test_where_everything_has_a_name_nothing_without_one_is_waited_for(project: Path) -> None:
    home = project / "relocations"
    committed(home / "atlas--atlas-west-store")
    committed(home / "atlas--atlas-west-tiers")
    (home / "atlas--atlas-west").mkdir()
    (home / "atlas--atlas-west" / "plan.json").write_text("{}", encoding="utf-8")
    assert [each.name for each in workspace.find_relocation_folders("atlas", "atlas-west")] == [
        "atlas--atlas-west-store",
        "atlas--atlas-west-tiers",
    ]


def test_status_is_of_the_one_that_was_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(project / "relocations" / "atlas--atlas-west-tiers")
    assert run.run_status("atlas", "atlas-west", name="tiers", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "committed"
    run.run_status("atlas", "atlas-west", as_json=True)
    assert json.loads(capsys.readouterr().out)["state"] != "committed"


def test_drafts_part_the_buckets_of_two_stores_and_name_each_once(kit: Kit, tmp_path: Path) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_text("certificate", encoding="utf-8")
    found = drafts(kit.source, kit.west)
    assert found.keys() == {"", "tiers"}
    text = found["tiers"].replace(f"target: {FILL}", "target: new").replace(f"source: {FILL}", "source: old")
    loaded = yaml.safe_load(text)
    assert [each["loss"] for each in loaded["buckets"]] == ["irreplaceable", "large"]
    assert loaded["source"]["store"]["kind"] == "aws"
    assert "databases" not in loaded["source"]
    one = text.replace("source: old", "source: older", 1).replace("target: new", "target: newer", 1)
    environment = {each: each for each in one.replace(":", " ").split() if each.startswith(("SOURCE_", "TARGET_"))}
    assert parse_places(one, file="x", environment=environment).places.target.stack == "atlas-west"
    variables = set(yaml.safe_load(found[""])["source"]["store"]["mover"].values())
    assert not variables & set(loaded["source"]["store"]["mover"].values())


def test_the_plan_writes_every_draft_beside_its_relocation(project: Path) -> None:
    main = project / "relocations" / "atlas--atlas-west"
    command.run_plan("atlas", "atlas-west", draft_file=str(main / "relocation.yaml"), today="2026-11-21")
    assert "tiers" in (main.with_name("atlas--atlas-west-tiers") / "relocation.yaml").read_text(encoding="utf-8")
    text = (main / "by-hand.yaml").read_text(encoding="utf-8")
    keys = set(yaml.safe_load(text)["things"])
    assert {"volumes/notebooks", "secrets/people", "objects/people"} <= keys
    assert parse(text, file="x", known=keys, now=NOW).empty == keys


def test_no_draft_is_written_where_one_of_them_is_there(project: Path) -> None:
    (project / "by-hand.yaml").write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"by-hand.yaml already there"):
        command.run_plan("atlas", "atlas-west", draft_file="relocation.yaml", today="2026-11-21")
    assert not (project / "relocation.yaml").exists()
    assert (project / "by-hand.yaml").read_text(encoding="utf-8") == "mine\n"


def test_a_look_without_a_store_is_refused(project: Path) -> None:
    assert project
    with pytest.raises(InputError, match="--look asks the source's store"):
        command.run_plan("atlas", "atlas-west", look=True, today="2026-11-21")


def test_a_look_asks_the_stores_of_every_relocation(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, bucket in (("atlas--atlas-west", "mlflow"), ("atlas--atlas-west-tiers", "cold-data-1")):
        (project / "relocations" / name).mkdir(parents=True)
        form = places(bucket).model_dump(mode="json")
        (project / "relocations" / name / "relocation.yaml").write_text(json.dumps(form), encoding="utf-8")
    asked: list[str] = []
    monkeypatch.setattr(
        bucket_usage, "look_now", lambda known, *_, **__: asked.extend(each.source for each in known.buckets)
    )
    command.run_plan("atlas", "atlas-west", look=True, output=["plan.json"], today="2026-11-21")
    assert asked == ["mlflow", "cold-data-1"]
    assert "!by-hand.yaml" in (project / "relocations" / ".gitignore").read_text(encoding="utf-8")
    form = json.loads((project / "plan.json").read_text(encoding="utf-8"))
    keys = {each["key"] for each in form["by_hand"]}
    assert "bucket/cold-data" not in keys
    assert {"store/pipelines", "database/mlflow"} <= keys


def test_places_that_are_named_are_those_of_the_folder_they_lie_in(project: Path, kit: Kit) -> None:
    folder = project / "relocations" / "atlas--atlas-west-tiers"
    folder.mkdir(parents=True)
    (folder / "relocation.yaml").write_text(json.dumps(places("x").model_dump(mode="json")), encoding="utf-8")
    known = command.relocations(kit.source, kit.west, places=places("mine"), file=str(folder / "relocation.yaml"))
    assert [(each.buckets[0].source, where.name) for each, where in known] == [("mine", folder.name)]
