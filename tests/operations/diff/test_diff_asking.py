"""A tree is asked in a process of its own, and whatever that process does, every case has its answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operations.diff.protocol import UNREADABLE, CaseForm, failure, read_policy_answer, resources
from operations.diff.worker_client import Asker
from operations.diff.worktrees import Tree, Worktree

HEAD = """\
import json, os, sys
request = json.load(sys.stdin)
def tell(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
def answer(case, body):
    with open(case["answer"], "w") as file:
        json.dump(body, file)
"""
GOOD = """\
tell("ready")
for case in request["cases"]:
    tell("started")
    answer(case, {"failure": "", "resources": [], "seen": dict(os.environ)})
    tell("done")
"""
THIRD_DIES = """\
tell("ready")
for case in request["cases"]:
    tell("started")
    if case["stack"] == "s2":
        print("no memory left", file=sys.stderr)
        os._exit(9)
    answer(case, {"failure": "", "resources": []})
    tell("done")
"""


def asked(folder: Path, program: str, *, count: int = 4, deadline_s: float = 1.0) -> list[Path]:
    """Where the answers of a tree are whose `operations.diff.worker` is `program`."""
    package = folder / "tree" / "operations" / "diff"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "worker.py").write_text(HEAD + program)
    place = Worktree(Tree(ref="x", commit="x", files={"operations/diff/worker.py": "x"}), folder / "tree")
    cases = [_case(f"s{number}", folder / f"{number}.json") for number in range(count)]
    asker = Asker(folder=folder, today="2026-11-21", deadline_s=deadline_s)
    asker.ask(place, "register", cases)
    return [Path(case["answer"]) for case in cases]


def _case(stack: str, answer: Path) -> CaseForm:
    return {
        "stack": stack,
        "answer": str(answer),
        "resources": "",
        "lock": "",
        "before": "",
        "settings": "",
    }


def test_nothing_of_our_environment_reaches_a_tree_but_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "PULUMI_ACCESS_TOKEN"):
        monkeypatch.setenv(name, "secret")
    (answer, *_) = asked(tmp_path, GOOD)
    seen = json.loads(answer.read_text())["seen"]
    assert seen["PYTHONPATH"] == str(tmp_path / "tree")
    assert seen["HOME"] == str(tmp_path / "home")
    assert "secret" not in seen.values()


def test_a_process_that_dies_fails_the_stack_it_was_at_and_no_other(tmp_path: Path) -> None:
    said = [failure(answer) for answer in asked(tmp_path, THIRD_DIES)]
    assert [bool(each) for each in said] == [False, False, True, False]
    assert said[2] == "it ended with code 9: no memory left"


def test_a_tree_that_does_not_start_fails_every_stack_with_its_own_words(tmp_path: Path) -> None:
    said = {failure(answer) for answer in asked(tmp_path, "import nothing_like_it\n")}
    assert said == {
        "its Atoll does not start: it ended with code 1: ModuleNotFoundError: No module named 'nothing_like_it'"
    }


def test_a_tree_that_never_answers_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.diff.worker_client.GRACE_S", 0.5)
    said = [failure(answer) for answer in asked(tmp_path, "import time; time.sleep(60)\n", count=1, deadline_s=0.5)]
    assert said[0].endswith("it did not end in time")


def test_a_tree_that_never_stops_talking_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.diff.worker_client.GRACE_S", 0.5)
    slowly = 'import time\nwhile True:\n    tell("started")\n    time.sleep(0.05)\n'
    said = [failure(answer) for answer in asked(tmp_path, slowly, count=1, deadline_s=0.5)]
    assert said[0]


@pytest.mark.parametrize("sign", ["x", "\\n"])
def test_endless_output_fills_no_memory(tmp_path: Path, sign: str) -> None:
    endless = f'while True:\n    sys.stdout.write("{sign}" * 2**16)\n'
    said = [failure(answer) for answer in asked(tmp_path, endless, count=1)]
    assert said[0]


def test_of_many_last_words_only_the_end_is_read(tmp_path: Path) -> None:
    loud = 'sys.stderr.write("x" * 2**20 + "\\nthe end\\n")\nsys.exit(3)\n'
    assert [failure(answer) for answer in asked(tmp_path, loud, count=1)] == [
        "its Atoll does not start: it ended with code 3: the end"
    ]


@pytest.mark.parametrize("trap", ["os.mkfifo(path)", 'os.symlink("/dev/zero", path)', "os.mkdir(path)"])
def test_an_answer_that_is_no_file_is_a_failure_and_is_not_waited_for(tmp_path: Path, trap: str) -> None:
    program = f'tell("ready")\nfor case in request["cases"]:\n    path = case["answer"]\n    {trap}\n'
    program += '    tell("started")\n    tell("done")\n'
    (answer, *_) = asked(tmp_path, program)
    assert failure(answer) == UNREADABLE
    assert resources(answer) == ()


def test_a_tree_from_before_the_rooms_answers_by_its_own_worker(tmp_path: Path) -> None:
    package = tmp_path / "tree" / "driver"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "side.py").write_text(HEAD + GOOD)
    tree = Tree(ref="x", commit="x", files={"driver/side.py": "x", "driver/entry.py": "x"})
    case = _case("s", tmp_path / "0.json")
    Asker(folder=tmp_path, today="2026-11-21", deadline_s=5.0).ask(
        Worktree(tree, tmp_path / "tree"), "register", [case]
    )
    assert tree.can_judge
    assert failure(tmp_path / "0.json") == ""


def test_a_tree_is_asked_by_the_newest_worker_and_command_that_it_has() -> None:
    new = {"operations/diff/worker.py": "x", "cli/main/entry.py": "x"}
    both = Tree(ref="x", commit="x", files={**new, "driver/side.py": "x", "driver/entry.py": "x"})
    older = Tree(ref="x", commit="x", files={"driver/entry.py": "x"})
    assert (both.worker, both.entry) == ("operations.diff.worker", "cli.main.entry")
    assert (older.worker, older.entry, older.can_judge) == ("", "driver.entry", False)


def test_an_older_tree_whose_plan_is_none_is_a_failure(tmp_path: Path) -> None:
    entry = tmp_path / "tree" / "driver" / "entry.py"
    entry.parent.mkdir(parents=True)
    entry.write_text("import sys, pathlib\npathlib.Path(sys.argv[4]).write_text('[]')\n")
    (entry.parent / "__init__.py").write_text("")
    place = Worktree(Tree(ref="x", commit="x", files={}), tmp_path / "tree")
    case = _case("s", tmp_path / "0.json")
    Asker(folder=tmp_path, today="2026-11-21", deadline_s=5.0).ask(place, "register", [case])
    assert failure(tmp_path / "0.json").startswith("it ended with code 0")


@pytest.mark.parametrize("lie", ["done\\n" * 99, "ready\\ndone\\ndone\\n", "ready\\nstarted\\n", "\\x00\\xff"])
def test_a_tree_that_lies_about_what_it_did_leaves_failures(tmp_path: Path, lie: str) -> None:
    answers = asked(tmp_path, f'sys.stdout.write("{lie}")\n', count=2)
    assert all(failure(answer) for answer in answers)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"failure": 3}', "[" * 100_000])
def test_an_answer_that_is_none_is_a_failure(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(text)
    assert failure(path) == UNREADABLE
    assert read_policy_answer(path)["failure"]
    assert resources(path) == ()


def test_an_answer_without_its_verdict_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text('{"failure": "", "codes": []}')
    assert read_policy_answer(path)["failure"] == UNREADABLE
