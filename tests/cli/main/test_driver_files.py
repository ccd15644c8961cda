"""Commands that write or look files up: what is there afterwards, whatever happens."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from command_project import CHECKLIST, Atoll, valid

Write = Callable[[str], Path]


class TestAccepting:
    def test_the_lock_and_the_stack_file_are_written_once(self, project: Path, atoll: Atoll) -> None:
        outcome = atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert outcome.code == 0
        lock = project / "stacks" / "demo" / "quote.lock.json"
        form = valid("lock", lock.read_text("utf-8"))
        assert form["option"] in (project / "stacks" / "Pulumi.demo.yaml").read_text("utf-8")
        before = lock.stat()
        again = atoll("accept", "demo", form["option"], "--today", "2026-11-25")
        assert again.code == 0
        assert "nothing was written" in again.out
        assert lock.stat().st_mtime_ns == before.st_mtime_ns
        assert not [path for path in project.rglob(".*") if path.is_file()]

    def test_an_expired_lock_is_renewed(self, project: Path, atoll: Atoll) -> None:
        atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert "written" in atoll("accept", "demo", "cheapest", "--today", "2026-12-24").out
        form = json.loads((project / "stacks" / "demo" / "quote.lock.json").read_text("utf-8"))
        assert form["priced_at"] == "2026-12-24"

    def test_another_checklist_is_another_lock(self, atoll: Atoll, checklist: Write) -> None:
        atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        checklist(CHECKLIST.replace("size: 2TB", "size: 3TB"))
        assert "written" in atoll("accept", "demo", "cheapest", "--today", "2026-11-21").out

    def test_over_the_ceiling_nothing_is_written(self, project: Path, atoll: Atoll, checklist: Write) -> None:
        checklist(CHECKLIST.replace("1000000", "1"))
        outcome = atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert outcome.code == 10
        assert "over the ceiling" in outcome.err
        assert not (project / "stacks" / "demo" / "quote.lock.json").exists()

    def test_where_nobody_can_tell_it_is_accepted_with_a_warning(self, atoll: Atoll, checklist: Write) -> None:
        checklist(CHECKLIST.replace("[aws]", "[hyperstack]").replace("  regions: [us-east-1]\n", ""))
        outcome = atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert outcome.code == 0
        assert "warning: whether this stays under the ceiling is undetermined" in outcome.err

    def test_a_folder_that_cannot_be_written_keeps_what_it_had(
        self, project: Path, atoll: Atoll, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = os.open

        def read_only(path: str, flags: int, *mode: int) -> int:
            if flags & os.O_CREAT:
                raise PermissionError(13, "Permission denied", "stacks/demo")
            return opened(path, flags, *mode)

        monkeypatch.setattr("operations.project.atomic_files.os.open", read_only)
        outcome = atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert outcome.code == 1
        assert outcome.err == "error: stacks/demo: Permission denied\n"
        assert not (project / "stacks" / "Pulumi.demo.yaml").exists()

    def test_ctrl_c_while_writing_leaves_nothing(
        self, project: Path, atoll: Atoll, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(_: int) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("operations.project.atomic_files.os.fsync", interrupted)
        outcome = atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        assert outcome.code == 130
        assert outcome.err.endswith("stopped; nothing was written\n")
        assert sorted(path.name for path in project.rglob("*") if path.is_file()) == ["Pulumi.yaml", "checklist.yaml"]

    def test_a_lock_that_was_edited_is_replaced(self, project: Path, atoll: Atoll) -> None:
        atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        lock = project / "stacks" / "demo" / "quote.lock.json"
        lock.write_text(lock.read_text("utf-8").replace("us-east-1", "us-east-9"), encoding="utf-8")
        assert "written" in atoll("accept", "demo", "cheapest", "--today", "2026-11-21").out
        assert "us-east-9" not in lock.read_text("utf-8")


class TestPlanRefuses:
    """What `atoll plan` says before any program runs."""

    def test_without_a_lock(self, atoll: Atoll) -> None:
        outcome = atoll("plan", "demo")
        assert outcome.code == 1
        assert "there is no lock yet" in outcome.err
        assert "atoll accept" in outcome.err

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ('"us-east-1"', '"us-east-9"', "edited after it was accepted"),
            ('"schema_version": 3', '"schema_version": 99', "written by a newer Atoll"),
            ('"schema_version": 3', '"schema_version": 1', "written by an older Atoll"),
            ("{", "", "not JSON"),
        ],
    )
    def test_a_lock_that_is_not_one(self, old: str, new: str, said: str, project: Path, atoll: Atoll) -> None:
        atoll("accept", "demo", "cheapest", "--today", "2026-11-21")
        lock = project / "stacks" / "demo" / "quote.lock.json"
        lock.write_text(lock.read_text("utf-8").replace(old, new, 1), encoding="utf-8")
        outcome = atoll("plan", "demo")
        assert outcome.code == 1
        assert said in outcome.err


class TestCatalog:
    def test_list_names_every_provider(self, atoll: Atoll) -> None:
        outcome = atoll("catalog", "list")
        assert outcome.code == 0
        assert all(name in outcome.out for name in ("aws", "gcp", "azure", "coreweave"))

    @pytest.mark.parametrize("name", ["p5.48xlarge", "nat_gateway", "H100-SXM-80GB", "H100"])
    def test_show_gives_prices_with_their_sources(self, name: str, atoll: Atoll) -> None:
        outcome = atoll("catalog", "show", name)
        assert outcome.code == 0
        assert "source" in outcome.out

    def test_show_of_nothing_known_suggests(self, atoll: Atoll) -> None:
        outcome = atoll("catalog", "show", "p5.48xlarg")
        assert outcome.code == 1
        assert "did you mean p5.48xlarge" in outcome.err

    def test_check_finds_no_fault_and_counts_flags(self, atoll: Atoll) -> None:
        outcome = atoll("catalog", "check")
        assert outcome.code == 0, outcome.err
        assert "undated" in outcome.out


class Typed(TextIOWrapper):
    """A terminal at which this was typed."""

    def __init__(self, keys: bytes) -> None:
        super().__init__(BytesIO(keys), encoding="utf-8")

    def isatty(self) -> bool:
        return True


class TestInit:
    def test_a_copy_is_a_new_stack(self, project: Path, atoll: Atoll) -> None:
        assert atoll("init", "second", "--from", "demo").code == 0
        assert (project / "stacks" / "second" / "checklist.yaml").read_text("utf-8") == CHECKLIST
        assert atoll("check", "second").code == 0

    def test_what_is_there_is_not_overwritten(self, atoll: Atoll) -> None:
        outcome = atoll("init", "demo", "--from", "demo")
        assert outcome.code == 1
        assert "already there" in outcome.err

    def test_without_a_terminal_nothing_is_asked(self, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
        outcome = atoll("init", "second")
        assert outcome.code == 2
        assert "--from" in outcome.err

    @pytest.mark.parametrize("name", ["../escape", "Upper", "a b", "-x", "a/b"])
    def test_a_name_that_cannot_be_is_refused(self, name: str, project: Path, atoll: Atoll) -> None:
        assert atoll("init", "--from", "demo", "--", name).code == 1
        assert [path.name for path in (project / "stacks").iterdir()] == ["demo"]

    def test_the_answers_become_a_checklist(self, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", Typed(b"\n" * 200))
        assert atoll("init", "second").code == 0
        assert atoll("check", "second").code == 0

    def test_the_end_of_input_writes_nothing(
        self, project: Path, atoll: Atoll, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", Typed(b"second\n"))
        outcome = atoll("init", "second")
        assert outcome.code == 130
        assert not (project / "stacks" / "second").exists()

    def test_list_names_what_can_be_copied(self, atoll: Atoll) -> None:
        assert "tune (fine tuning)" in atoll("init", "--list").out
