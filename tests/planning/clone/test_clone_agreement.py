"""What was settled with the source's provider does not cross over to another unseen; within the provider it stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clone_kit import call, enter, example, open_at, project_at

from cli.commands.relocation import clone as command
from cli.main import application
from planning.checklist.model.agreement import Agreement
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.clone.decisions.answers_file import read_answers
from planning.clone.decisions.decision import CloneDecision, Need, replace_value
from planning.clone.field_table import FieldHandling, FieldRow, checklist_rows
from planning.clone.target import Target
from planning.clone.transformation import transform_checklist
from planning.values.errors import InputError

FIXED = ("--allow-stale", "--today", "2026-11-21")
# As the customer of a walk through the handover has it: speeds, people and a day that one provider agreed to.
SETTLED = """
agreement:
  starts: 2026-12-01
  burn_in_hours: 48
  replace_within_hours: 4
  credits:
    - {below_percent: 99, credit_percent: 5}
    - {below_percent: 95.5, credit_percent: 20}
  tier_speeds:    # of the shelf in us-east-1
    - {tier: warm, read_mb_per_s: 500, write_mb_per_s: 500}
  contacts:
    - {role: customer_lead, name: Ada Byron, email: ada@lagoon.example}
    - {role: account, name: Ines Duarte, email: ines@old.example}
    - {role: support, name: Ines Duarte, email: desk@old.example}
"""
GONE = "starts, credits, tier_speeds, replace_within_hours, contacts (account, support)"


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project_at(tmp_path_factory.mktemp("agreed"), "demo")
    checklist = folder / "stacks/demo/checklist.yaml"
    checklist.write_text(checklist.read_text(encoding="utf-8") + SETTLED, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert application.run(["accept", "demo", "same_cloud", *FIXED]) == 0
    return folder


@pytest.fixture
def settled(accepted: Path, monkeypatch: pytest.MonkeyPatch) -> Checklist:
    enter(accepted, monkeypatch)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(command, "preview_resources", lambda *_, **__: ())
    return read_file(accepted / "stacks/demo/checklist.yaml")


def asked_of(found: tuple[CloneDecision, ...]) -> dict[str, CloneDecision]:
    return {each.path: each for each in found if each.path.startswith("agreement")}


def cloned(checklist: Checklist, provider: str, region: str, **answers: str) -> tuple[Agreement, dict[str, FieldRow]]:
    """The clone's agreement, and the rows of what the checklist says of it."""
    found, target = open_at(checklist, provider, region), Target(provider=provider, region=region)
    told = {f"agreement{'.starts' if key == 'starts' else ''}": answer for key, answer in answers.items()}
    new = transform_checklist(checklist, target=target, decisions=found, answers=told, taken=())
    rows = checklist_rows(checklist, new, decisions=found, answers=told)
    return new.agreement, {each.field: each for each in rows if each.field.startswith("agreement.") and each.is_said}


def test_another_provider_is_bound_by_nothing_that_the_old_one_agreed_to(settled: Checklist) -> None:
    (decision,) = asked_of(open_at(settled, "gcp", "us-central1")).values()
    assert (decision.path, decision.need, decision.assumed) == ("agreement", Need.ASSUMED, "drop")
    assert [choice.word for choice in decision.choices] == ["drop", "keep"]
    assert decision.why == f"settled with aws, which binds gcp to nothing: {GONE}"
    agreement, rows = cloned(settled, "gcp", "us-central1")
    assert agreement == Agreement(burn_in_hours=48, contacts=settled.agreement.contacts[:1])
    gone = {
        field
        for field, row in rows.items()
        if (row.care, row.new, row.answer) == (FieldHandling.DECISION, "none", "drop")
    }
    assert {"agreement.starts", "agreement.tier_speeds.home/warm.read_mb_per_s"} <= gone
    assert {f"agreement.credits.{below}.credit_percent" for below in ("99", "95.5")} <= gone
    assert {f"agreement.contacts.{role}.email" for role in ("account", "support")} <= gone
    kept = {field for field in rows if field not in gone}
    assert kept == {"agreement.burn_in_hours", *(field for field in rows if ".customer_lead." in field)}
    assert {rows[field].care for field in kept} == {FieldHandling.KEPT}


def test_all_of_it_crosses_over_where_somebody_says_that_it_was_agreed_again(settled: Checklist) -> None:
    agreement, rows = cloned(settled, "gcp", "us-central1", agreement="keep")
    assert agreement == settled.agreement
    assert rows["agreement.tier_speeds.home/warm.read_mb_per_s"].answer == "keep"
    assert rows["agreement.starts"].care is FieldHandling.DECISION


def test_at_the_same_provider_all_is_kept_but_the_day_of_the_beginning(settled: Checklist) -> None:
    (decision,) = asked_of(open_at(settled, "aws", "us-west-2")).values()
    assert (decision.path, decision.assumed, decision.old) == ("agreement.starts", "none", "2026-12-01")
    agreement, rows = cloned(settled, "aws", "us-west-2")
    assert agreement == settled.agreement.model_copy(update={"starts": None})
    assert {row.field for row in rows.values() if row.care is not FieldHandling.KEPT} == {"agreement.starts"}
    assert cloned(settled, "aws", "us-west-2", starts="keep")[0] == settled.agreement
    assert str(cloned(settled, "aws", "us-west-2", starts="2027-01-31")[0].starts) == "2027-01-31"


@pytest.mark.parametrize(
    ("place", "line", "words"),
    [
        (("gcp", "us-central1"), "agreement: perhaps", "is no answer to it"),
        (("aws", "us-west-2"), "agreement.starts: DAY", "stands for a word of your own"),
        (("aws", "us-west-2"), "agreement.starts: soon", "agreement.starts: "),
        (("aws", "us-west-2"), "agreement: drop", "is not decided here"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(
    place: tuple[str, str], line: str, words: str, settled: Checklist
) -> None:
    with pytest.raises(InputError) as refused:
        read_answers(line, file="d.yaml", decisions=open_at(settled, *place), checklist=settled)
    (fault,) = refused.value.faults
    assert (fault.line, words in fault.message) == (1, True)


def test_where_nothing_binds_a_provider_nothing_is_asked() -> None:
    lead = {"role": "customer_lead", "name": "Ada", "email": "ada@lagoon.example"}
    own = replace_value(example("demo"), ("agreement",), {"burn_in_hours": 48, "contacts": [lead]})
    for checklist in (example("demo"), own):
        for place in (("gcp", "us-central1"), ("aws", "us-west-2")):
            assert asked_of(open_at(checklist, *place)) == {}
            assert cloned(checklist, *place)[0] == checklist.agreement


def test_the_command_says_first_what_it_leaves_behind_and_the_file_has_none_of_it(
    accepted: Path, settled: Checklist, capsys: pytest.CaptureFixture[str]
) -> None:
    told = call(capsys, "clone", "demo", "demo-gcp", "--provider", "gcp", "--region", "us-central1", *FIXED)
    assert told.code == 0, told.err
    first = " ".join(told.out.partition("Decided:")[0].split())
    said = f"assumed, as it was not decided: agreement: drop (settled with aws, which binds gcp to nothing: {GONE})"
    assert said in first.partition("Look at these first:")[2]
    assert "2026-12-01" in told.out.partition("Decided:")[2].partition("Re-derived:")[0]
    text = (accepted / "stacks/demo-gcp/checklist.yaml").read_text(encoding="utf-8")
    assert "old.example" not in text
    assert "tier_speeds" not in text
    assert "# A clone of demo" in text
    assert "the comments are those of demo" in text
    assert read_file(accepted / "stacks/demo-gcp/checklist.yaml").agreement.contacts == settled.agreement.contacts[:1]


def test_json_has_the_decision(settled: Checklist, capsys: pytest.CaptureFixture[str]) -> None:
    assert settled.agreement.starts
    near = ("clone", "demo", "demo-near", "--region", "us-west-2", "--dry-run", "--json", "-", *FIXED)
    form = json.loads(call(capsys, *near).out)
    assert form["assumed"]["agreement.starts"] == "none"
    (row,) = [each for each in form["fields"] if each["field"] == "agreement.starts"]
    assert (row["care"], row["old"], row["new"]) == ("needs a decision", "2026-12-01", "none")
