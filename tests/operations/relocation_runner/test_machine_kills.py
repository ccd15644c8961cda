from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_children import killed
from machine_scene import BEFORE, NAMES, Scene, steps

from operations.project.journal import read_journal
from operations.relocation.runner import execution

COPIED = {name: 1 for name in NAMES if name not in {"freeze", "dns", "commit"}}
MOVED = {"replicas": 0, "names": "target", "open": "target"} | COPIED
ROLLED_BACK = BEFORE | COPIED


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_disks() -> Iterator[None]:
    """A kill loses nothing that was written; only a power cut would, and that is not tried here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _file: None)
        yield


def test_a_kill_at_any_point_is_resumed_with_every_effect_once(tmp_path: Path) -> None:
    at, was_killed = 1, True
    while was_killed:
        scene = Scene(tmp_path / f"at-{at}")
        scene.folder.mkdir()
        was_killed = killed(scene, at)
        stands = execution.run(scene.parts, steps(scene))
        assert stands.committed
        assert scene.world == MOVED, at
        assert [name for name in NAMES if f"done {name}" not in scene.kinds()] == []
        assert all(scene.kinds().count(f"done {name}") == 1 for name in NAMES)
        at += 1
    assert at > 100


def test_a_kill_at_any_point_of_a_roll_back_is_resumed_and_the_source_is_as_it_was(tmp_path: Path) -> None:
    at, was_killed = 1, True
    while was_killed:
        scene = Scene(tmp_path / f"at-{at}")
        scene.folder.mkdir()
        execution.run(scene.parts, steps(scene), until="dns")
        assert scene.world["replicas"] == 0
        was_killed = killed(scene, at, back=True)
        if execution.read_state(scene.moves).begun:
            execution.roll_back(scene.parts, steps(scene))
        assert scene.world == ROLLED_BACK, at
        assert execution.read_state(scene.moves).attempt == 2
        assert execution.read_state(scene.moves).frozen_since is None
        at += 1
    assert at > 40


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 160), st.booleans()), max_size=6), st.booleans())
def test_after_any_history_of_kills_and_roll_backs_it_ends_moved_or_as_it_was(
    history: list[tuple[int, bool]], back: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder))
        for at, wanted in history:
            stands = execution.read_state(scene.moves)
            can_go_back = stands.begun and not stands.past_return
            killed(scene, at, back=can_go_back and (wanted or stands.rolling_back))
        stands = execution.read_state(scene.moves)
        if stands.begun and not stands.past_return and (back or stands.rolling_back):
            stands = execution.roll_back(scene.parts, steps(scene))
            assert {name: scene.world[name] for name in BEFORE} == BEFORE
        else:
            stands = execution.run(scene.parts, steps(scene))
            assert stands.committed
            assert scene.world == MOVED
        assert [each.seq for each in read_journal(scene.journal).records] == list(range(1, len(scene.kinds()) + 1))


def test_what_is_remembered_is_how_it_was_before_the_first_try(tmp_path: Path) -> None:
    found = 0
    for at in range(1, 60):
        scene = Scene(tmp_path / f"at-{at}")
        scene.folder.mkdir()
        execution.run(scene.parts, steps(scene), until="seed")
        killed(scene, at)
        if scene.world["replicas"] == 3 or "done freeze" in scene.kinds():
            continue
        execution.run(scene.parts, steps(scene), until="freeze")  # finds them stopped
        execution.roll_back(scene.parts, steps(scene))
        assert scene.world["replicas"] == 3
        found += 1
    assert found >= 3


def test_a_process_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert killed(scene, 30)
    assert (scene.moves / "writer.lock").read_text()
    execution.run(scene.parts, steps(scene))
    assert not (scene.moves / "writer.lock").read_text()
