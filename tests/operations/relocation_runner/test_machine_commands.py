from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
import yaml
from machine_children import begun, ended
from machine_scene import BEFORE, Scene, steps

from cli.commands.relocation import relocate as run
from components.agents.mover.compare import ComparisonTerms
from operations.relocation import workspace
from operations.relocation.copies.verification import BucketProof
from operations.relocation.runner import execution
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps import table as every_step
from planning.values.errors import InputError

VARIABLES = {"MOVER_KEY": "mover", "MOVER_SECRET": "a-very-secret-key", "CANARY_KEY": "c", "CANARY_SECRET": "d"}


def observed(move: Move) -> Evidence:
    return {"looks": 1, "secret": move.secrets["MOVER_SECRET"]}


def table(scene: Scene) -> tuple[RelocationStep, ...]:
    """The fake steps, with the two that commands speak of before and after."""
    *most, commit = steps(scene)
    return (RelocationStep(name="plan", do=planned), *most, RelocationStep(name="observe", do=observed), commit)


def planned(move: Move) -> Evidence:
    from operations.relocation.steps import plan

    return plan.do(move)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    (tmp_path / "Pulumi.yaml").write_text("name: x\n")
    found = Scene(tmp_path)
    form = found.places.model_dump(mode="json")
    form["source"]["store"]["kind"] = "other"
    form["buckets"] = form["buckets"][:1]
    (tmp_path / "relocation.yaml").write_text(yaml.safe_dump(form))
    monkeypatch.chdir(tmp_path)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("operations.relocation.steps.table.every_step", lambda: table(found))
    monkeypatch.setattr(found.__class__, "moves", property(lambda self: self.folder / "relocations" / "old--new"))
    return found


def test_a_relocation_is_run_step_by_step_and_committed_by_word(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.run_relocation("old", "new", until="freeze") == 0
    assert "done until freeze; next: final_delta" in capsys.readouterr().err
    assert run.run_relocation("old", "new", yes=True) == 0
    assert capsys.readouterr().err.endswith("committed: the target is open\n")
    assert scene.world["open"] == "target"
    assert run.run_relocation("old", "new", yes=True) == 0


def test_nobody_commits_without_a_word(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(typer.BadParameter, match="--until observe"):
        run.run_relocation("old", "new")
    assert not scene.moves.exists()
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "prompt", lambda *_words, **_more: "no")
    assert run.run_relocation("old", "new") == 0
    assert scene.kinds()[-1] == "done observe"
    monkeypatch.setattr(typer, "prompt", lambda *_words, **_more: "new")
    assert run.run_relocation("old", "new") == 0
    assert scene.kinds()[-1] == "committed"


def test_a_step_that_is_none_is_refused_with_the_one_that_was_meant(scene: Scene) -> None:
    with pytest.raises(typer.BadParameter, match='did you mean "freeze"'):
        run.run_relocation("old", "new", until="freez")
    assert not scene.moves.exists()


def test_the_folder_is_its_owners_and_git_leaves_it_alone(scene: Scene) -> None:
    run.run_relocation("old", "new", until="plan")
    assert scene.moves.stat().st_mode & 0o777 == 0o700
    assert (scene.moves.parent / ".gitignore").read_text().startswith("*\n")


def test_a_file_of_other_stacks_is_refused(scene: Scene) -> None:
    with pytest.raises(InputError, match="is of old and new, not of old and newer"):
        run.run_relocation("old", "newer", until="plan")
    with pytest.raises(InputError, match="cannot name a stack"):
        run.run_relocation("old", "../new", until="plan")
    assert not scene.moves.exists()


def test_the_relocations_own_file_goes_before_the_projects(scene: Scene) -> None:
    scene.moves.mkdir(parents=True)
    (scene.moves / "relocation.yaml").write_text("{}")
    with pytest.raises(InputError, match="3 faults") as refused:
        run.run_relocation("old", "new", until="plan")
    assert "old--new/relocation.yaml" in str(refused.value)
    run.run_relocation("old", "new", until="plan", places="relocation.yaml")


def test_places_that_change_on_the_way_stop_a_run_and_not_a_roll_back(scene: Scene) -> None:
    run.run_relocation("old", "new", until="dns")
    path = scene.folder / "relocation.yaml"
    whole = path.read_text()
    path.write_text(whole.replace("target: mlflow", "target: other"))
    with pytest.raises(StepError, match="changed since the plan was held: buckets"):
        run.run_relocation("old", "new", until="observe")
    path.write_text(whole.replace("window_minutes: 30", "window_minutes: 90"))
    assert run.run_relocation("old", "new", until="observe") == 0
    path.write_text("{")
    assert run.run_rollback("old", "new") == 0
    assert {name: scene.world[name] for name in BEFORE} == BEFORE


def test_a_roll_back_without_its_variables_says_which(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    run.run_relocation("old", "new", until="freeze")
    monkeypatch.delenv("MOVER_SECRET")
    with pytest.raises(InputError, match="not set: MOVER_SECRET"):
        run.run_rollback("old", "new")
    assert scene.world["replicas"] == 0


@pytest.mark.usefixtures("scene")
def test_status_says_how_far_it_is_and_what_is_next(capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> dict[str, object]:
        capsys.readouterr()
        assert run.run_status("old", "new", as_json=True) == 0
        return json.loads(capsys.readouterr().out)

    assert (told()["state"], told()["can_go_back"]) == ("not_begun", False)
    run.run_relocation("old", "new", until="freeze")
    form = told()
    assert (form["state"], form["can_go_back"]) == ("stopped", True)
    assert form["next"] == "atoll relocate run old new, or atoll relocate rollback old new"
    assert isinstance(form["frozen_seconds"], int)
    run.run_rollback("old", "new")
    assert told()["state"] == "rolled_back"
    run.run_relocation("old", "new", yes=True)
    form = told()
    assert (form["state"], form["attempt"], form["can_go_back"]) == ("committed", 2, False)
    assert "point of no return" in str(form["why"])
    run.run_status("old", "new")
    shown = capsys.readouterr().out
    assert "the source stays frozen, and is kept" in shown
    assert "a-very-secret-key" not in shown


def test_status_of_a_failure_shows_its_reason(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_move: Move) -> Evidence:
        raise StepError("2 keys were written")

    monkeypatch.setattr("operations.relocation.steps.table.every_step", lambda: steps(scene, final_delta=failing))
    with pytest.raises(StepError):
        run.run_relocation("old", "new", until="observe")
    run.run_status("old", "new")
    shown = capsys.readouterr().out
    assert "2 keys were written" in shown
    assert "the write freeze of the source has lasted 0 s" in shown


def test_a_run_that_rolls_back_by_itself_says_so(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_move: Move) -> Evidence:
        raise StepError("2 keys were written")

    monkeypatch.setattr("operations.relocation.steps.table.every_step", lambda: steps(scene, final_delta=failing))
    with pytest.raises(StepError, match="rolled back"):
        run.run_relocation("old", "new", until="observe", on_failure="rollback")
    assert scene.world["replicas"] == 3


def hanging(_move: Move) -> Evidence:
    time.sleep(60)
    return {}


def run_and_hang(scene: Scene, said: Path) -> None:
    """As the command of its own process, with the environment and the steps of the fixture."""
    os.environ.update(VARIABLES)
    every_step.every_step = lambda: steps(scene, final_delta=hanging)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with said.open("w") as file:
        os.dup2(file.fileno(), 2)
        sys.stderr = file
        code = run.run_relocation("old", "new", until="observe")
    os._exit(code)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_at_once_and_says_what_to_run_next(
    scene: Scene, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = begun(run_and_hang, scene, tmp_path / "said")
    for _ in range(2400):
        if execution.read_state(scene.moves).of("final_delta").tries:
            break
        time.sleep(0.05)
    assert process.pid
    os.kill(process.pid, number)
    assert ended(process) == code
    said = (tmp_path / "said").read_text()
    assert "go on: atoll relocate run old new" in said
    assert "or go back: atoll relocate rollback old new" in said
    assert "write freeze for" in said
    assert scene.kinds()[-1] == "begun final_delta"
    assert run.run_rollback("old", "new") == 0


def test_verify_proves_without_a_step(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = BucketProof(
        bucket="mlflow",
        sentence="2 objects",
        proven=False,
        path=Path("r.json"),
        first=('extra "a"',),
        text='2 objects\nextra: "a"\n',
        manifests=(Path("source"), Path("target")),
        terms=ComparisonTerms(),
    )
    monkeypatch.setattr("operations.relocation.copies.verification.prove", lambda _asked: [found])
    run.run_relocation("old", "new", until="plan")
    before = scene.journal.read_bytes()
    capsys.readouterr()
    assert run.run_verify("old", "new", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["buckets"][0]["first"] == ['extra "a"']
    assert run.run_verify("old", "new") == 1
    assert 'mlflow: not proven\n  2 objects\n  extra: "a"\n  report: r.json' in capsys.readouterr().out
    assert scene.journal.read_bytes() == before


def test_where_nothing_was_begun_that_is_said_and_not_what_is_not_set(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name)
    with pytest.raises(InputError, match=r"^nothing was begun: there is nothing to take back$"):
        run.run_rollback("old", "new")
    with pytest.raises(InputError, match=r"^nothing was begun: there is no copy to prove$") as refused:
        run.run_verify("old", "new", name="tiers")
    assert refused.value.hint == "atoll relocate run old new --name tiers --until seed makes the first copy"
    assert not scene.moves.exists()


def test_a_second_roll_back_has_nothing_to_take_back_and_copies_can_still_be_proved(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.run_relocation("old", "new", until="seed")
    assert run.run_rollback("old", "new") == 0
    with pytest.raises(InputError, match="nothing was begun since the last roll back"):
        run.run_rollback("old", "new")
    monkeypatch.setattr("operations.relocation.copies.verification.prove", lambda _asked: [])
    assert run.run_verify("old", "new") == 0
    assert scene.world["seed"] == 1


def test_a_folder_is_named_after_both_stacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: x\n")
    monkeypatch.chdir(tmp_path)
    assert workspace.folder_of("old", "new") == tmp_path / "relocations" / "old--new"
