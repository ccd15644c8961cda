"""What Atoll does not move is never forgotten: it is listed, and the run stops until each is confirmed by name."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some
from relocation_looked_kit import places
from relocation_plan_kit import Kit

from operations.project.journal import Journal
from operations.project.journal import RecordKind as Record
from operations.relocation.config.endpoints import Places
from operations.relocation.config.manual_confirmations import draft, parse
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps import databases, plan
from planning.relocation.plan_form import plan_form, to_text
from planning.values.errors import InputError

NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
KEYS = {"volumes/notebooks", "objects/people"}


class Nothing:
    def remember(self, key: str, value: object) -> object:
        del key
        return value

    def recall(self, key: str) -> object | None:
        del key
        return None


def move(folder: Path, named: Places) -> Move:
    folder.mkdir(parents=True, exist_ok=True)
    return Move(places=named, folder=folder, secrets={}, memory=Nothing(), say=lambda _: None, now=lambda: NOW)


def planned(kit: Kit, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(to_text(plan_form(kit.plan(kit.west))), encoding="utf-8")


def marks(folder: Path, keys: set[str], *, when: str = "2026-11-22T14:30Z") -> None:
    things = {key: {"who": "anna", "when": when, "how": "files counted and summed"} for key in keys}
    (folder / "by-hand.yaml").write_text(json.dumps({"things": things}), encoding="utf-8")


def open_keys(error: StepError) -> set[str]:
    found = error.evidence["open"]
    assert isinstance(found, list)
    return set(found)


def test_without_a_plan_it_is_said_that_nothing_is_known(tmp_path: Path) -> None:
    found = plan.check_confirmations(move(tmp_path / "atlas--atlas-west", places("mlflow")))
    assert found == {"by_hand": "no plan: nothing is known of volumes"}


def test_everything_that_is_open_is_named_at_once(tmp_path: Path, kit: Kit) -> None:
    folder = tmp_path / "atlas--atlas-west"
    planned(kit, folder)
    with pytest.raises(StepError, match="not confirmed") as raised:
        plan.check_confirmations(move(folder, places("mlflow")))
    keys = open_keys(raised.value)
    assert (
        KEYS | {"secrets/people", "database/mlflow", "database/pipelines", "database/grafana", "names/services"} <= keys
    )
    assert {"store/pipelines", "bucket/cold-data"} <= keys
    assert "store/mlflow" not in keys
    assert all(key in str(raised.value) for key in keys)
    assert "by-hand.yaml" in raised.value.hint


def test_once_each_is_confirmed_who_when_and_how_are_evidence(tmp_path: Path, kit: Kit) -> None:
    folder = tmp_path / "atlas--atlas-west"
    planned(kit, folder)
    with pytest.raises(StepError) as raised:
        plan.check_confirmations(move(folder, places("mlflow")))
    every = open_keys(raised.value)
    marks(folder, every - {"volumes/notebooks"})
    with pytest.raises(StepError, match=r"1 thing is not confirmed: volumes/notebooks \(volumes of notebooks\)"):
        plan.check_confirmations(move(folder, places("mlflow")))
    marks(folder, every)
    found = plan.check_confirmations(move(folder, places("mlflow")))
    confirmed = found["by_hand"]
    assert isinstance(confirmed, dict)
    assert confirmed.keys() == every
    assert confirmed["volumes/notebooks"] == {
        "who": "anna",
        "when": "2026-11-22T14:30:00+00:00",
        "how": "files counted and summed",
    }


def test_what_was_checked_while_it_was_still_written_counts_for_nothing(tmp_path: Path, kit: Kit) -> None:
    folder = tmp_path / "atlas--atlas-west"
    planned(kit, folder)
    with pytest.raises(StepError) as raised:
        plan.check_confirmations(move(folder, places("mlflow")))
    marks(folder, open_keys(raised.value))
    frozen = datetime(2026, 11, 22, 14, 45, tzinfo=UTC)
    journal = Journal(folder / "journal.jsonl", now=lambda: frozen)
    journal.append(Record.OPENED, content={"source": "atlas", "target": "atlas-west"})
    journal.append(Record.BEGUN, step="freeze", content={"attempt": 1})
    journal.close()
    with pytest.raises(StepError, match="before writers stood still") as early:
        plan.check_confirmations(move(folder, places("mlflow")))
    too_early = early.value.evidence["checked_too_early"]
    assert isinstance(too_early, list)
    assert "volumes/notebooks" in too_early
    assert "secrets/people" not in too_early
    marks(folder, open_keys(raised.value), when="2026-11-22T14:50Z")
    assert plan.check_confirmations(move(folder, places("mlflow")))["plan"] == "plan.json"


def test_a_second_relocation_is_held_against_the_first_ones_plan_and_covers_its_buckets(
    tmp_path: Path, kit: Kit
) -> None:
    main, tiers = tmp_path / "atlas--atlas-west", tmp_path / "atlas--atlas-west-tiers"
    planned(kit, main)
    tiers.mkdir()
    form = places("cold-data-1a2b", "cold-artifacts-3c4d").model_dump(mode="json")
    (tiers / "relocation.yaml").write_text(json.dumps(form), encoding="utf-8")
    for folder, named in ((main, places("mlflow")), (tiers, Places.model_validate(form))):
        with pytest.raises(StepError) as raised:
            plan.check_confirmations(move(folder, named))
        keys = open_keys(raised.value)
        assert "bucket/cold-data" not in keys
        assert ("store/mlflow" in keys) == (folder == tiers)


@pytest.mark.parametrize(
    ("touch", "said"),
    [
        (lambda form: form.update(planned_on="2030-01-01"), "was edited"),
        (lambda form: form.clear(), "is no plan of a relocation"),
    ],
)
def test_a_plan_that_cannot_be_believed_stops_the_run(tmp_path: Path, kit: Kit, touch: object, said: str) -> None:
    folder = tmp_path / "atlas--atlas-west"
    planned(kit, folder)
    form = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    assert callable(touch)
    touch(form)
    (folder / "plan.json").write_text(json.dumps(form), encoding="utf-8")
    with pytest.raises(StepError, match=said):
        plan.check_confirmations(move(folder, places("mlflow")))


def test_a_plan_of_other_stacks_stops_the_run(tmp_path: Path, kit: Kit) -> None:
    folder = tmp_path / "atlas--elsewhere"
    planned(kit, folder)
    with pytest.raises(StepError, match="is about atlas and atlas-west"):
        plan.check_confirmations(move(folder, places("mlflow", target="elsewhere")))


def test_the_step_databases_touches_nothing_before_people_have_confirmed(
    tmp_path: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "atlas--atlas-west"
    planned(kit, folder)
    touched: list[object] = []
    monkeypatch.setattr(databases, "list_database_pairs", touched.append)
    with pytest.raises(StepError, match="not confirmed"):
        databases.do(move(folder, places("mlflow")))
    assert not touched


def fault_lines(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(InputError) as raised:
        parse(text, file="by-hand.yaml", known=KEYS, now=NOW)
    return [(each.line, each.column, each.message) for each in raised.value.faults]


def test_every_fault_is_said_at_once_with_line_and_column() -> None:
    text = """\
things:
  volumes/notebook: {who: anna, when: "2026-11-22", how: looked}
  volumes/notebooks:
    who: anna
    whem: "2026-11-22"
    when: "tomorrow"
    how: ""
  objects/people: {who: 3, when: "2030-01-01", how: x}
more: 1
"""
    found = fault_lines(text)
    assert [(line, message) for line, _, message in found] == [
        (2, '"volumes/notebook" is nothing that the plan knows'),
        (5, '"whem" is not a field of "volumes/notebooks"'),
        (6, '"tomorrow" is no time'),
        (7, '"how" of "volumes/notebooks" is empty'),
        (8, '"who" of "objects/people" is words'),
        (8, '"2030-01-01" lies ahead'),
        (9, '"more" is not a field of the file'),
    ]
    assert found[2][1] == 11


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ('"2026-11-22T14:30"', "does not say its zone"),
        ("2026-11-22T14:30Z", "must stand in quotes"),
        ('"2026-11-23"', "lies ahead"),
        ('"soon"', "is no time"),
    ],
)
def test_a_time_that_cannot_be_is_refused(when: str, said: str) -> None:
    text = f"things:\n  objects/people: {{who: anna, when: {when}, how: looked}}\n"
    assert said in fault_lines(text)[0][2]


@pytest.mark.parametrize("text", ["", "things:", "things: {}", "things:\n  objects/people:\n"])
def test_a_file_without_marks_confirms_nothing(text: str) -> None:
    if not text:
        assert fault_lines(text)
        return
    assert not parse(text, file="f", known=KEYS, now=NOW).confirmed


@pytest.mark.parametrize("text", ["- a", "things: 3", "things: {objects/people: 3}", "a: &x 1\nb: *x", "{", "\x00"])
def test_what_is_no_such_file_is_refused(text: str) -> None:
    assert fault_lines(text)


def test_a_day_means_all_of_it_and_a_key_twice_is_a_fault() -> None:
    found = parse(
        'things: {objects/people: {who: anna, when: "2026-11-21", how: x}}', file="f", known=KEYS, now=NOW
    ).confirmed["objects/people"]
    assert (found.when.day, found.until.day, found.until.hour) == (21, 22, 0)
    assert fault_lines("things:\n  objects/people: {}\n  objects/people: {}\n")


@given(keys=some.sets(some.text(min_size=1, max_size=30).filter(str.isprintable), max_size=6))
def test_a_draft_is_read_back_as_empty_marks_whatever_things_are_called(keys: set[str]) -> None:
    text = draft([(key, "a\ntitle", "why: not") for key in sorted(keys)])
    assert yaml.safe_load(text)["things"].keys() == keys
    found = parse(text, file="by-hand.yaml", known=keys, now=NOW)
    assert not found.confirmed
    assert found.empty == keys
