from __future__ import annotations

import os
import signal
import time
from datetime import timedelta
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from machine_children import CHILDREN, begun, ended
from machine_scene import BEFORE, NAMES, Clock, RealClock, Scene, commit, places, steps

from operations.project.lease import holder, only_writer
from operations.relocation.runner import execution
from operations.relocation.runner.execution import OnFailure, deadline
from operations.relocation.runner.state import StepState, format_duration
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from planning.values.errors import InputError, in_one_line


def refusing(_move: Move) -> Evidence:
    raise StepError("2 keys were written", hint="find who writes", evidence={"keys": ["a", "b"]})


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_steps_run_once_in_their_order(scene: Scene) -> None:
    assert execution.run(scene.parts, steps(scene)).committed
    expected = ["opened"]
    for name in NAMES:
        expected += [f"begun {name}"]
        expected += ["remembered"] if name in {"freeze", "dns"} else []
        expected += [f"done {name}"]
    assert scene.kinds() == [*expected, "committed"]
    execution.run(scene.parts, steps(scene))
    assert scene.kinds() == [*expected, "committed"]


def test_what_changed_is_copied_again_until_writers_stand_still(scene: Scene) -> None:
    rounds: list[str] = []

    def copied(_move: Move) -> Evidence:
        rounds.append("round")
        return {}

    first, *rest = steps(scene)
    every = [first, RelocationStep(name="deltas", do=copied), *rest]
    for until, expected in (("deltas", 1), ("deltas", 2), ("freeze", 3), ("dns", 3)):
        execution.run(scene.parts, every, until=until)
        assert len(rounds) == expected


def test_it_stops_after_the_step_that_was_named(scene: Scene) -> None:
    stands = execution.run(scene.parts, steps(scene), until="freeze")
    assert stands.of("freeze").state == StepState.DONE
    assert stands.of("final_delta").state == StepState.OPEN
    assert execution.run(scene.parts, steps(scene), until="seed").of("final_delta").state == StepState.OPEN


def test_a_step_that_fails_stops_everything_after_it_and_says_how_to_go_on_and_back(scene: Scene) -> None:
    with pytest.raises(StepError) as failed:
        execution.run(scene.parts, steps(scene, final_delta=refusing))
    said = in_one_line(failed.value)
    assert "final_delta: 2 keys were written; find who writes; the write freeze has lasted 0 s" in said
    assert "atoll relocate run old new, or go back: atoll relocate rollback old new" in said
    stands = execution.read_state(scene.moves)
    assert stands.of("final_delta").state == StepState.FAILED
    assert stands.of("final_delta").evidence == {"keys": ["a", "b"]}
    assert stands.of("dns").state == StepState.OPEN
    assert execution.run(scene.parts, steps(scene)).of("final_delta").tries == 2


def test_before_the_freeze_nobody_stands_still(scene: Scene) -> None:
    with pytest.raises(StepError) as failed:
        execution.run(scene.parts, steps(scene, seed=refusing), on_failure=OnFailure.ROLLBACK)
    assert "stand still" not in in_one_line(failed.value)
    assert "rolled_back" not in scene.kinds()


def test_a_failure_within_the_freeze_rolls_back_by_itself_where_that_was_asked(scene: Scene) -> None:
    with pytest.raises(StepError, match="rolled back, the source's writers run again"):
        execution.run(scene.parts, steps(scene, final_delta=refusing), on_failure=OnFailure.ROLLBACK)
    assert scene.world == BEFORE | {"seed": 1}
    assert execution.read_state(scene.moves).attempt == 2


def test_a_mistake_of_ours_is_written_down_as_any_failure(scene: Scene) -> None:
    def wrong(_move: Move) -> Evidence:
        raise KeyError("nothing")

    with pytest.raises(StepError, match="seed: KeyError: 'nothing'"):
        execution.run(scene.parts, steps(scene, seed=wrong))
    assert scene.kinds()[-1] == "failed seed"


def test_after_a_roll_back_everything_is_open_again_and_runs(scene: Scene) -> None:
    execution.run(scene.parts, steps(scene), until="dns")
    execution.roll_back(scene.parts, steps(scene))
    dns, freeze = ["undoing dns", "undone dns"], ["undoing freeze", "undone freeze"]
    assert scene.kinds()[-7:] == [*dns, "undone final_delta", *freeze, "undone seed", "rolled_back"]
    assert execution.read_state(scene.moves).steps == {}
    assert execution.run(scene.parts, steps(scene)).committed


def test_a_roll_back_is_refused_once_commit_was_begun(scene: Scene) -> None:
    def cut_short(move: Move) -> Evidence:
        commit(scene, move)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execution.run(scene.parts, steps(scene, commit=cut_short))
    assert scene.kinds()[-1] == "begun commit"
    with pytest.raises(InputError, match="point of no return") as refused:
        execution.roll_back(scene.parts, steps(scene))
    assert "atoll relocate run old new" in refused.value.hint
    assert scene.world["open"] == "target"
    execution.run(scene.parts, steps(scene))
    with pytest.raises(InputError, match="point of no return"):
        execution.roll_back(scene.parts, steps(scene))


def test_a_commit_that_fails_is_never_rolled_back(scene: Scene) -> None:
    with pytest.raises(StepError):
        execution.run(scene.parts, steps(scene, commit=refusing), on_failure=OnFailure.ROLLBACK)
    assert scene.kinds()[-1] == "failed commit"
    assert scene.world["names"] == "target"


def test_there_is_nothing_to_take_back_where_nothing_was_begun(scene: Scene) -> None:
    with pytest.raises(InputError, match="nothing was begun"):
        execution.roll_back(scene.parts, steps(scene))
    execution.run(scene.parts, steps(scene), until="seed")
    execution.roll_back(scene.parts, steps(scene))
    with pytest.raises(InputError, match="nothing was begun"):
        execution.roll_back(scene.parts, steps(scene))


def test_a_roll_back_that_was_begun_is_finished_before_anything_runs(scene: Scene) -> None:
    execution.run(scene.parts, steps(scene), until="dns")
    broken = [each for each in steps(scene) if each.name != "freeze"]
    freeze = next(each for each in steps(scene) if each.name == "freeze")
    failing = type(freeze)(name="freeze", do=freeze.do, undo=refusing)
    with pytest.raises(StepError, match="freeze cannot be taken back: 2 keys"):
        execution.roll_back(scene.parts, [broken[0], failing, *broken[1:]])
    assert execution.read_state(scene.moves).of("freeze").state == StepState.UNDOING
    with pytest.raises(InputError, match="not finished") as refused:
        execution.run(scene.parts, steps(scene))
    assert "atoll relocate rollback old new" in refused.value.hint
    execution.roll_back(scene.parts, steps(scene))
    assert scene.kinds().count("undoing dns") == 1
    assert scene.world["replicas"] == 3


def test_the_window_that_is_over_is_said(tmp_path: Path) -> None:
    clock = Clock()
    scene = Scene(tmp_path, clock=clock)

    def slow(_move: Move) -> Evidence:
        clock.wait(31 * 60)
        return {}

    with pytest.raises(StepError) as failed:
        execution.run(scene.parts, steps(scene, final_delta=slow))
    said = in_one_line(failed.value)
    assert "dns: the window of 30 min is over" in said
    assert "the write freeze has lasted 31 min" in said
    assert scene.world["names"] == "source"
    scene.places = places(window_minutes=60)
    assert execution.run(scene.parts, steps(scene)).committed


def test_the_window_ends_a_step_while_it_runs_and_rolls_back(tmp_path: Path) -> None:
    clock = RealClock()
    scene = Scene(tmp_path, clock=clock, places=places(window_minutes=1))

    ended: list[bool] = []

    def hanging(_move: Move) -> Evidence:
        time.sleep(60)
        ended.append(True)
        return {}

    execution.run(scene.parts, steps(scene), until="freeze")
    clock.ahead = timedelta(seconds=59)
    with pytest.raises(StepError, match=r"the window of 1 min is over .*; rolled back"):
        execution.run(scene.parts, steps(scene, final_delta=hanging), on_failure=OnFailure.ROLLBACK)
    assert not ended
    assert scene.world["replicas"] == 3
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_observing_has_its_own_time_beside_the_window() -> None:
    known = places(window_minutes=30, observe_minutes=60)
    frozen = Clock()()
    assert deadline(known, step="dns", frozen_since=frozen) == frozen + timedelta(minutes=30)
    assert deadline(known, step="observe", frozen_since=frozen) == frozen + timedelta(minutes=90)
    assert format_duration(timedelta(hours=2, minutes=5, seconds=9)) == "2 h 5 min"


def test_a_second_run_at_once_is_refused_and_says_who_runs(scene: Scene) -> None:
    def meanwhile(_move: Move) -> Evidence:
        with pytest.raises(InputError) as refused:
            execution.run(scene.parts, steps(scene))
        assert f"process {os.getpid()} on " in str(refused.value)
        with pytest.raises(InputError, match="is being run by"):
            execution.roll_back(scene.parts, steps(scene))
        assert f"process {os.getpid()} on " in holder(scene.moves)
        assert execution.read_state(scene.moves).of("seed").state == StepState.BEGUN
        return {"refused": True}

    assert execution.run(scene.parts, steps(scene, seed=meanwhile), until="seed").of("seed").evidence == {
        "refused": True
    }
    assert holder(scene.moves) == ""


def hold_the_lease(scene: Scene, ready: Event, done: Event) -> None:
    with only_writer(scene.moves, at=scene.clock()):
        ready.set()
        done.wait(30)


def test_a_second_process_is_refused_and_the_first_goes_on(scene: Scene) -> None:
    scene.moves.mkdir()
    ready, done = CHILDREN.Event(), CHILDREN.Event()
    child = begun(hold_the_lease, scene, ready, done)
    assert ready.wait(30)
    with pytest.raises(InputError, match=f"process {child.pid} on"):
        execution.run(scene.parts, steps(scene))
    assert not scene.journal.exists()
    child.kill()
    assert ended(child) == -signal.SIGKILL
    assert execution.run(scene.parts, steps(scene)).committed


def test_a_lease_of_another_host_is_not_taken_over_in_silence(scene: Scene) -> None:
    scene.moves.mkdir()
    lock = scene.moves / "writer.lock"
    lock.write_text('{"host": "elsewhere", "pid": 7, "since": "2026-11-22"}')
    with pytest.raises(InputError, match="process 7 on elsewhere") as refused:
        execution.run(scene.parts, steps(scene))
    assert str(lock) in refused.value.hint
    lock.unlink()
    assert execution.run(scene.parts, steps(scene)).committed


def test_a_folder_is_of_one_pair_of_stacks(scene: Scene) -> None:
    execution.run(scene.parts, steps(scene), until="seed")
    other = places(target={**places().target.model_dump(), "stack": "newer"})
    scene.places = other
    with pytest.raises(InputError, match="is of old and new, not of old and newer"):
        execution.run(scene.parts, steps(scene))


def test_no_secret_reaches_the_journal(scene: Scene) -> None:
    def careless(move: Move) -> Evidence:
        return {"said": f"key {move.secrets['MOVER_SECRET']}!", "all": [dict(move.secrets)]}

    def complaining(move: Move) -> Evidence:
        raise StepError(f"refused {move.secrets['MOVER_SECRET']}", evidence=dict(move.secrets))

    with pytest.raises(StepError, match=r"refused \*\*\*"):
        execution.run(scene.parts, steps(scene, seed=careless, freeze=complaining))
    assert "a-very-secret-key" not in scene.journal.read_text()
    assert execution.read_state(scene.moves).of("seed").evidence["said"] == "key ***!"


def test_evidence_of_any_kind_is_written_as_text(scene: Scene) -> None:
    def odd(move: Move) -> Evidence:
        return {
            "path": scene.folder / move.secrets["MOVER_SECRET"],
            "keys": ("\ud800", "a\n"),
            "at": {1: None, (2,): 3.5},
        }

    found = execution.run(scene.parts, steps(scene, seed=odd), until="seed").of("seed").evidence
    expected = {"path": f"{scene.folder}/***", "keys": ["\ud800", "a\n"], "at": {"1": None, "(2,)": 3.5}}
    assert found == expected
    assert len(scene.journal.read_bytes().splitlines()) == 3


def test_only_its_owner_may_look_into_the_folder(scene: Scene) -> None:
    scene.moves.mkdir(mode=0o755)
    execution.run(scene.parts, steps(scene), until="seed")
    assert scene.moves.stat().st_mode & 0o777 == 0o700


def test_a_torn_line_is_said_and_its_step_runs_again(scene: Scene) -> None:
    execution.run(scene.parts, steps(scene), until="seed")
    with scene.journal.open("a") as file:
        file.write('{"seq":')
    execution.run(scene.parts, steps(scene))
    assert "the journal's last line was never finished: dropped, its step runs again" in scene.said


def test_a_journal_that_was_cut_runs_nothing_and_rolls_nothing_back(scene: Scene) -> None:
    execution.run(scene.parts, steps(scene), until="freeze")
    lines = scene.journal.read_text().splitlines(keepends=True)
    scene.journal.write_text("".join(lines[:-2]))
    for act in (
        partial(execution.run, scene.parts, steps(scene)),
        partial(execution.roll_back, scene.parts, steps(scene)),
    ):
        with pytest.raises(InputError, match="cannot be trusted, nothing was done") as refused:
            act()
        assert "journal truncated" in in_one_line(refused.value)
    assert scene.world["replicas"] == 0


def test_every_step_of_the_plan_is_known_to_the_machine() -> None:
    assert set(NAMES) <= set(execution.FACTS)
