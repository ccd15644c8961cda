"""The commands of the engine, with the engine itself played by a fake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_project import Atoll
from engine_fakes import STACK_ROW, FakeStack, row

from operations.plans import verdict
from planning.values.verdict import Verdict
from policies.evaluation import PolicyFinding, PolicyReport
from policies.rule import MONEY, Breach, Rule, Severity

CLUSTER = row("aws:eks/cluster:Cluster", "cluster", inputs={"deletionProtection": True})
OPEN_CLUSTER = row("aws:eks/cluster:Cluster", "cluster", inputs={"deletionProtection": False})
BUCKET = row("aws:s3/bucket:Bucket", "models", protect=True)
Engine = Callable[..., FakeStack]


def report_of(verdict: Verdict) -> PolicyReport:
    if verdict is Verdict.WITHIN:
        return PolicyReport(stack="demo", found=())
    breach = Breach(verdict=verdict, given="it costs much", limit="it may cost little", fix="Buy less")
    rule = Rule(
        name="monthly-ceiling",
        title="Monthly ceiling",
        demand="It is kept.",
        why="Money.",
        remedy="Buy less.",
        severity=Severity.HIGH,
        judge=lambda _subject: (breach,),
        exit_code=MONEY,
    )
    return PolicyReport(stack="demo", found=(PolicyFinding(rule=rule, breach=breach, level=rule.level),))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Put a fake stack, and a verdict on it, in place of the engine and the offline run."""

    def put(stack: FakeStack, *, judged: Verdict = Verdict.WITHIN, differs: bool = False) -> FakeStack:
        def opened(*_arguments: object, **_more: object) -> object:
            stack.calls.append(("open", None))
            return stack.opened()

        plan = SimpleNamespace(
            lock=SimpleNamespace(stack="demo", option="aws-1", valid_until=date(2099, 1, 1), bill=()),
            resources=(1, 2),
            bill=SimpleNamespace(usd_per_month=SimpleNamespace(expected=Decimal(0)), unpriced=(), estimated=()),
            differences=(1,) if differs else (),
            judgement=SimpleNamespace(verdict=judged, reason="because"),
            report=report_of(judged),
            unmatched=(),
        )
        monkeypatch.setattr("operations.engine.session.open_stack", opened)
        monkeypatch.setattr(verdict, "judge_stack", lambda *_a, **_m: plan)
        monkeypatch.setattr("cli.views.engine.reminders", lambda *_a, **_m: iter(()))
        monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
        return stack

    return put


def done(stack: FakeStack) -> list[str]:
    return [name for name, _ in stack.calls]


def test_over_the_ceiling_nothing_is_touched_whatever_is_said(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(), judged=Verdict.OVER)
    outcome = atoll("up", "demo", "--yes", "--accept-unknown")
    assert outcome.code == 10
    assert "demo breaks monthly-ceiling; nothing was touched: Monthly ceiling: it costs much" in outcome.err
    assert done(stack) == []


def test_where_nobody_can_tell_a_person_has_to_accept_that(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(), judged=Verdict.UNDETERMINED)
    refused = atoll("up", "demo", "--yes")
    assert refused.code == 11
    assert "--accept-unknown" in refused.err
    assert done(stack) == []
    assert atoll("up", "demo", "--yes", "--accept-unknown").code == 0
    assert done(stack) == ["open", "up"]


def test_a_program_that_costs_something_else_is_not_built(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(), differs=True)
    outcome = atoll("up", "demo", "--yes")
    assert outcome.code == 1
    assert "atoll plan demo shows them" in outcome.err
    assert done(stack) == []


def test_a_preview_shows_everything_and_ends_with_the_verdict(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(changes={"create": 2}), judged=Verdict.OVER)
    outcome = atoll("preview", "demo")
    assert outcome.code == 10
    assert "preview: 2 to create" in outcome.out
    assert done(stack) == ["open", "preview"]


def test_a_preview_can_insist_on_no_changes(engine: Engine, atoll: Atoll) -> None:
    engine(FakeStack())
    assert atoll("preview", "demo", "--expect-no-changes").code == 0
    engine(FakeStack(changes={"update": 1}))
    outcome = atoll("preview", "demo", "--expect-no-changes")
    assert (outcome.code, outcome.err.splitlines()[0]) == (1, "error: demo differs from what was built")


def test_nothing_is_built_without_a_yes(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(changes={"create": 2}))
    outcome = atoll("up", "demo")
    assert outcome.code == 1
    assert "--yes does not ask" in outcome.err
    assert done(stack) == ["open", "preview"]


def test_a_no_is_a_no(engine: Engine, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    stack = engine(FakeStack(changes={"create": 2}))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_a, **_m: False)
    assert "not confirmed; nothing was touched" in atoll("up", "demo").err
    assert done(stack) == ["open", "preview"]


def test_where_nothing_changes_nobody_is_asked(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack())
    assert atoll("up", "demo").code == 0
    assert done(stack) == ["open", "preview"]


def test_a_failed_update_says_what_was_done_before(engine: Engine, atoll: Atoll) -> None:
    engine(FakeStack(changes={"create": 3}, fails={"up": "quota exceeded"}))
    outcome = atoll("up", "demo", "--yes")
    assert outcome.code == 1
    assert "up: 3 created" in outcome.out
    assert "error: up of demo failed: quota exceeded" in outcome.err


def test_a_refresh_shows_what_it_found_before_it_writes(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(changes={"delete": 40}))
    assert atoll("refresh", "demo").code == 1
    assert done(stack) == ["open", "preview_refresh"]
    assert atoll("refresh", "demo", "--yes").code == 0
    assert done(stack)[-1] == "refresh"


def test_a_guarded_cluster_is_updated_alone_then_everything_goes_but_what_is_protected(
    engine: Engine, atoll: Atoll
) -> None:
    states = [[STACK_ROW, CLUSTER, BUCKET], [STACK_ROW, OPEN_CLUSTER, BUCKET], [STACK_ROW, BUCKET]]
    stack = engine(FakeStack(states=list(states), changes={"delete": 1}))
    outcome = atoll("destroy", "demo", "--yes")
    assert outcome.code == 0
    assert stack.calls == [
        ("open", None),
        ("set", ("atoll:allowDestroy", "true")),
        ("up", [CLUSTER["urn"]]),
        ("destroy", True),
        ("remove", "atoll:allowDestroy"),
    ]
    assert "1 resources are deleted, 1 are kept" in outcome.out
    assert "models" in outcome.out.partition("Kept")[2]
    assert "atoll orphans demo" in outcome.err


def test_a_cluster_that_is_still_guarded_is_not_destroyed(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(states=[[CLUSTER]]))
    outcome = atoll("destroy", "demo", "--yes")
    assert outcome.code == 1
    assert "cluster is still protected against deletion; nothing was deleted" in outcome.err
    assert "destroy" not in done(stack)


def test_a_failed_destroy_leaves_the_setting_and_says_how_to_go_on(engine: Engine, atoll: Atoll) -> None:
    stack = engine(FakeStack(states=[[OPEN_CLUSTER]], fails={"destroy": "subnet is in use"}))
    outcome = atoll("destroy", "demo", "--yes")
    assert outcome.code == 1
    assert "destroy of demo failed: subnet is in use" in outcome.err
    assert "atoll destroy demo goes on" in outcome.err
    assert "remove" not in done(stack)


def test_a_destroy_wants_the_stacks_name(engine: Engine, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    stack = engine(FakeStack(states=[[OPEN_CLUSTER]]))
    assert "there is no terminal to confirm at" in atoll("destroy", "demo").err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *_a, **_m: "yes")
    assert "'yes' is not 'demo'; nothing was touched" in atoll("destroy", "demo").err
    assert "destroy" not in done(stack)
    monkeypatch.setattr("typer.prompt", lambda *_a, **_m: "demo")
    assert atoll("destroy", "demo").code == 0
    assert ("destroy", True) in stack.calls


def test_outputs_mask_what_is_secret(engine: Engine, atoll: Atoll) -> None:
    answers = {
        "stack output --json": {"kubeconfig": "[secret]"},
        "stack output --json --show-secrets": {"kubeconfig": "hidden"},
    }
    engine(FakeStack(answers=dict(answers)))
    assert "hidden" not in atoll("outputs", "demo").out
    assert atoll("outputs", "demo", "--json").out == '{\n  "kubeconfig": "[secret]"\n}\n'
    assert "hidden" in atoll("outputs", "demo", "--show-secrets").out


def test_outputs_are_written_for_one_pair_of_eyes(engine: Engine, atoll: Atoll, tmp_path: Path) -> None:
    engine(FakeStack(answers={"stack output --json --show-secrets": {"vpnProfiles": {"ann": "[Interface]"}}}))
    outcome = atoll("outputs", "demo", "--write", str(tmp_path / "hand"))
    assert (outcome.code, outcome.out) == (0, "")
    assert (tmp_path / "hand" / "ann.conf").stat().st_mode & 0o777 == 0o600


def test_a_stack_without_files_to_hand_over_says_so(engine: Engine, atoll: Atoll) -> None:
    engine(FakeStack())
    assert "hands over no kubeconfig" in atoll("outputs", "demo", "--write", "hand").err
    assert "has no outputs" in atoll("outputs", "demo").out


def test_the_commands_import_no_pulumi_before_they_run() -> None:
    code = "import sys\nimport cli.commands.provisioning.engine\n"
    code += "print([each for each in sys.modules if each.split('.')[0] == 'pulumi'])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
