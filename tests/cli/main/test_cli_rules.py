"""Every command follows one way of options, exit codes and help (decision 0033)."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_project import Atoll, Outcome
from typer.core import TyperOption

from cli.main import reference_page
from cli.main.application import app
from cli.main.command_group import CheckedCommand
from cli.main.command_table import (
    COMMANDS,
    EXIT_CODES,
    GROUPS,
    RENAMED,
    example_of,
    exit_code_lines,
    rewrite_arguments,
)
from planning.service_levels.month import parse_month
from planning.values.errors import InputError

LEAVES = {path.removeprefix("atoll "): command for path, command in reference_page.leaves()}
FOLDERS = {"onboard", "handbook", "gitops export", "outputs", "relocate rehearse", "rfq"}
OWN_FORMS = {"contract"}  # documents without a JSON form


def options_of(command: Any) -> dict[str, TyperOption]:
    return {name: each for each in command.params if isinstance(each, TyperOption) for name in each.opts}


def single_options(path: str) -> Iterator[tuple[str, TyperOption]]:
    """Every option of a command that takes a value."""
    for name, option in options_of(LEAVES[path]).items():
        if not option.is_flag:
            yield name, option


@pytest.mark.parametrize("path", LEAVES)
class TestEveryCommand:
    def test_its_help_has_an_example_and_the_exit_codes(self, path: str, atoll: Atoll) -> None:
        shown = atoll(*path.split(), "--help")
        assert shown.code == 0
        assert "\n  Example:\n" in shown.out
        assert f"    {example_of(path)}\n" in shown.out
        assert shown.out.endswith("".join(f"    {each}\n" for each in exit_code_lines()))

    def test_its_example_is_a_command_line_of_it(self, path: str) -> None:
        words = shlex.split(example_of(path))[1:]
        assert words[: len(path.split())] == path.split()
        command = LEAVES[path]
        assert isinstance(command, CheckedCommand)
        command.make_context(path, words[len(path.split()) :], resilient_parsing=False)

    @pytest.mark.parametrize("columns", [60, 80])
    def test_its_help_fits(self, path: str, columns: int, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = atoll(*path.split(), "--help").out.splitlines()
        example = f"    {example_of(path)}"
        unbreakable = {word for line in lines for word in line.split() if len(word) > columns - 30}
        wide = [each for each in lines if len(each) > columns and each != example]
        assert [each for each in wide if not unbreakable & set(each.split())] == []

    def test_an_unknown_option_is_wrong_usage(self, path: str, atoll: Atoll) -> None:
        refused = atoll(*path.split(), "--zzzz")
        assert (refused.code, refused.out) == (2, "")
        assert refused.err == (f"error: No such option: --zzzz\n  hint: atoll {path} --help says how it is used\n")

    def test_its_options_are_named_as_everywhere(self, path: str) -> None:
        options = options_of(LEAVES[path])
        assert ("--yes" in options) == ("-y" in options)
        assert ("--output" in options) == ("-o" in options)
        if "--json" in options:
            assert options["--json"].is_flag
            assert "--output" in options
        if "--html" in options or "--markdown" in options:
            assert "--output" in options
        if "--output" in options:
            assert options["--output"].multiple == (path not in FOLDERS)
            assert path in FOLDERS | OWN_FORMS or "--json" in options

    def test_it_promises_no_other_exit_code(self, path: str) -> None:
        said = re.findall(r"[Ee]xit(?:s with)? codes?(?: of --after)?:? (\d+)", LEAVES[path].help or "")
        assert {int(each) for each in said} <= {code for code, _ in EXIT_CODES}


@pytest.mark.parametrize("path", LEAVES)
def test_a_value_that_names_nothing_is_refused(path: str, atoll: Atoll) -> None:
    wrong: list[tuple[str, str, Outcome]] = []
    for option, _ in single_options(path):
        for value in ("", "   ", ",,", "\t"):
            refused = atoll(*filled(path, option), option, value)
            if (refused.code, refused.out) != (2, "") or "Traceback" in refused.err:
                wrong.append((option, value, refused))
    assert wrong == []


@pytest.mark.parametrize("path", LEAVES)
def test_a_value_that_would_be_dropped_is_refused(path: str, atoll: Atoll) -> None:
    wrong: list[tuple[str, Outcome]] = []
    for option, its in single_options(path):
        if its.multiple:
            continue
        refused = atoll(*filled(path, option), option, "1", option, "2")
        if refused.code != 2 or "given twice" not in refused.err:
            wrong.append((option, refused))
    assert wrong == []


def filled(path: str, option: str) -> list[str]:
    """The words of a command with every argument and every other option that it needs."""
    words = path.split()
    for each in LEAVES[path].params:
        if isinstance(each, TyperOption):
            words += [each.opts[0], "1"] if each.required and option not in each.opts else []
        else:
            words.append("demo")
    return words


@pytest.mark.parametrize(
    "command",
    [path for path, each in LEAVES.items() if "--today" in options_of(each)],
)
@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "1999-12-31", "3000-01-01", "2026-02-30", "tomorrow"])
def test_a_day_that_nothing_can_be_counted_on_from_is_told(command: str, day: str, atoll: Atoll) -> None:
    refused = atoll(*filled(command, "--today"), "--today", day)
    assert refused.code in (1, 2)
    assert "this is a bug" not in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    "words",
    [
        "check demo",
        "quote demo --today 2026-11-21",
        "quote demo --option cheapest --today 2026-11-21",
        "explain demo --today 2026-11-21",
        "rules",
        "catalog list",
        "catalog show H100",
        "catalog price-performance",
        "software list",
        "software images",
    ],
)
def test_json_is_alone_on_stdout_and_the_same_in_a_file(words: str, project: Path, atoll: Atoll) -> None:
    printed = atoll(*words.split(), "--json")
    written = atoll(*words.split(), "--json", "-o", "out.json")
    assert printed.code == written.code
    assert json.loads(printed.out) == json.loads((project / "out.json").read_text("utf-8"))
    assert written.out == printed.out
    assert "written: out.json" in written.err
    refused = atoll(*words.split(), "-o", "out.pdf")
    assert (refused.code, refused.out) == (2, "")
    assert "'out.pdf' ends in none of: " in refused.err
    assert atoll(*words.split(), "-o", "stacks").code in (1, 2)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", '"9999-12-31"', "2999-12-32"])
def test_a_day_of_the_checklist_is_one_that_can_be_counted_on_from(day: str, project: Path, atoll: Atoll) -> None:
    with (project / "stacks/demo/checklist.yaml").open("a", encoding="utf-8") as file:
        file.write(f"agreement:\n  starts: {day}\n")
    refused = atoll("check", "demo")
    assert (refused.code, refused.out) == (1, "")
    assert "agreement.starts" in refused.err or "starts" in refused.err
    assert "this is a bug" not in refused.err


@pytest.mark.parametrize("month", ["9999-12", "3000-01", "2019-12", "2026-13", "0000-00"])
def test_a_month_out_of_reach_is_told(month: str) -> None:
    with pytest.raises(InputError, match="is not a month"):
        parse_month(month)


class TestTheTable:
    def test_every_command_stands_in_one_group(self) -> None:
        assert {each.group for each in COMMANDS.values()} == set(GROUPS)

    def test_its_summaries_are_those_of_the_commands(self) -> None:
        for name, entry in COMMANDS.items():
            command: Any = app().get_command(None, name)
            first = " ".join((command.help or "").partition("\n\n")[0].split()).rstrip(".")
            assert first.casefold().startswith(entry.summary.rstrip(".").casefold()[:24]), name

    def test_it_has_an_example_for_each_command_and_no_other(self) -> None:
        assert [path for path in LEAVES if not example_of(path)] == []
        assert sum(len(each.examples) for each in COMMANDS.values()) == len(LEAVES)

    def test_the_overview_shows_every_group_and_imports_no_command(self) -> None:
        code = "import sys; from cli.main.application import run; run(['--help']); print(*sys.modules)"
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert [each for each in GROUPS if f"\n{each}:\n" not in shown] == []
        assert "cli.commands" not in shown.splitlines()[-1]
        assert "pydantic " not in shown.splitlines()[-1]

    def test_an_unknown_command_says_which_was_meant(self, atoll: Atoll) -> None:
        refused = atoll("qoute")
        assert refused.code == 2
        assert "there is no command 'qoute'; did you mean \"quote\"?" in refused.err

    def test_the_version_is_the_packages(self, atoll: Atoll) -> None:
        shown = atoll("--version")
        assert shown.code == 0
        assert re.fullmatch(r"atoll \d+\.\d+\.\d+\n", shown.out)


@pytest.mark.parametrize(
    ("given", "meant", "warned"),
    [
        ("plan demo --json -", "plan demo --json", True),
        ("plan demo --json p.json", "plan demo --output p.json", True),
        ("sla demo --json=p.json", "sla demo --output p.json", True),
        ("plan --json demo", "plan --json demo", False),
        ("diff --base main --json", "diff --base main --json", False),
        ("check --json x.json", "check --json x.json", False),
        ("plan -- --json -", "plan -- --json -", False),
        ("leftovers demo --json", "orphans demo --json", True),
    ],
)
def test_an_option_as_it_was_written_before_is_understood(given: str, meant: str, *, warned: bool) -> None:
    words, remarks = rewrite_arguments(given.split())
    assert words == meant.split()
    assert bool(remarks) is warned


@pytest.mark.parametrize("old", RENAMED)
def test_a_command_of_the_last_release_works_with_a_warning(old: str, atoll: Atoll) -> None:
    shown, today = atoll(*old.split(), "--help"), atoll(*RENAMED[old].split(), "--help")
    assert RENAMED[old] in LEAVES
    assert (shown.code, shown.out) == (0, today.out)
    assert shown.err.splitlines() == [
        f'warning: "atoll {old}" is now "atoll {RENAMED[old]}"; the old name goes with the next release'
    ]
    assert old not in LEAVES


class TestCompletion:
    def complete(self, project: Path, *words: str) -> list[str]:
        environment = {
            "_ATOLL_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(("atoll", *words)),
            "COMP_CWORD": str(len(words)),
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        done = subprocess.run(
            [sys.executable, "-m", "cli.main.entry"],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.stdout.split()

    def test_commands_options_stacks_and_views(self, project: Path) -> None:
        assert self.complete(project, "pr") == ["preflight", "preview", "price"]
        assert self.complete(project, "relocate", "ro") == ["rollback"]
        assert "--allow-stale" in self.complete(project, "quote", "--al")
        assert self.complete(project, "quote", "d") == ["demo"]
        assert self.complete(project, "accept", "demo", "cheap") == ["cheapest"]
        assert "current" in self.complete(project, "quote", "demo", "--prices", "c")

    def test_outside_a_project_it_is_silent(self, tmp_path: Path) -> None:
        assert self.complete(tmp_path, "quote", "d") == []

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_a_script_for_each_shell(self, shell: str, atoll: Atoll) -> None:
        shown = atoll("--completion", shell)
        assert shown.code == 0
        assert f"complete_{shell}" in shown.out

    def test_another_shell_is_refused(self, atoll: Atoll) -> None:
        assert atoll("--completion", "tcsh").code == 2
