"""Commands that only answer: what they print and their exit codes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_project import CHECKLIST, Atoll, valid

Write = Callable[[str], Path]
EVERY_COMMAND = ("check", "quote", "explain")


class TestReading:
    def test_check_says_what_is_demanded(self, atoll: Atoll) -> None:
        outcome = atoll("check", "demo")
        assert outcome.code == 0
        assert "stacks/demo/checklist.yaml: ok" in outcome.out
        assert "tune" in outcome.out

    def test_a_file_is_as_good_as_a_stack(self, atoll: Atoll) -> None:
        assert atoll("check", "stacks/demo/checklist.yaml").out == atoll("check", "demo").out

    def test_every_fault_is_told_with_its_place(self, atoll: Atoll, checklist: Write) -> None:
        checklist(CHECKLIST.replace("7B", "seven").replace("storage", "storages"))
        outcome = atoll("check", "demo")
        assert outcome.code == 1
        assert outcome.out == ""
        assert outcome.err.count("stacks/demo/checklist.yaml:") == 3
        assert "hint: " in outcome.err

    @pytest.mark.parametrize("command", EVERY_COMMAND)
    def test_an_unknown_stack_lists_those_there_are(self, command: str, atoll: Atoll) -> None:
        outcome = atoll(command, "dmo")
        assert outcome.code == 1
        assert outcome.err == "error: there is no stack 'dmo'; there are: demo\n  hint: did you mean \"demo\"?\n"

    @pytest.mark.parametrize("command", EVERY_COMMAND)
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\x00\x01\x02\xff",
            b"a: [",
            b"x: 1\n" * 2_500_000,
            b"\xef\xbb\xbf",
            b"- 1\n",
            b"&a [*a]\n",
            b"a" * 90_000,
        ],
        ids=["empty", "binary", "not YAML", "12 MB", "only a mark", "a list", "an anchor", "one long word"],
    )
    def test_a_bad_file_is_refused_without_a_traceback(
        self, command: str, content: bytes, project: Path, atoll: Atoll
    ) -> None:
        (project / "stacks" / "demo" / "checklist.yaml").write_bytes(content)
        outcome = atoll(command, "demo")
        assert outcome.code == 1
        assert "Traceback" not in outcome.err
        assert "bug in Atoll" not in outcome.err
        assert outcome.err.splitlines()[-1].startswith(("error: ", "  hint: "))

    @pytest.mark.parametrize("name", ["nowhere/checklist.yaml", "stacks", "stacks/demo/"])
    def test_a_missing_file_or_a_folder_is_refused(self, name: str, atoll: Atoll) -> None:
        outcome = atoll("check", name)
        assert outcome.code == 1
        assert "bug in Atoll" not in outcome.err

    def test_outside_a_project_it_says_so(
        self, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, atoll: Atoll
    ) -> None:
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        outcome = atoll("quote", "demo")
        assert outcome.code == 1
        assert "no Atoll project" in outcome.err


class TestQuoting:
    def test_a_quote_as_json_is_valid_and_the_same_every_time(self, atoll: Atoll) -> None:
        first = atoll("quote", "demo", "--json", "--today", "2026-11-21")
        form = valid("quote", first.out)
        assert form["stack"] == "demo"
        assert {each["provider"] for option in form["options"] for each in option["placements"]} == {"aws"}
        assert atoll("quote", "demo", "--json", "--today", "2026-11-21").out == first.out

    def test_one_option_shows_its_whole_bill(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--option", "cheapest", "--today", "2026-11-21")
        assert "pool/" not in outcome.out
        assert "total" in outcome.out
        valid("option", atoll("quote", "demo", "--option", "cheapest", "--json", "--today", "2026-11-21").out)

    def test_an_unknown_option_lists_those_there_are(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--option", "cheepest", "--today", "2026-11-21")
        assert outcome.code == 1
        assert 'did you mean "cheapest"?' in outcome.err

    def test_a_view_without_an_option_says_why(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--option", "committed", "--today", "2026-11-21")
        assert "there is no committed option: " in outcome.err

    def test_the_page_is_written(self, project: Path, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--html", "out/page.html", "--today", "2026-11-21")
        assert outcome.code == 0
        assert "written: out/page.html" in outcome.err
        assert (project / "out" / "page.html").read_text("utf-8").startswith("<!doctype html>")

    def test_explain_gives_every_figure_one_subject_or_one_name(self, atoll: Atoll) -> None:
        everything = valid("explain", atoll("explain", "demo", "--json").out)["figures"]
        hours = {each["subject"] for each in everything if each["name"] == "billed node hours"}
        assert hours
        assert all(" in " in each for each in hours)
        tune = valid("explain", atoll("explain", "demo", "tune", "--json").out)["figures"]
        memory = valid("explain", atoll("explain", "demo", "memory", "--json").out)["figures"]
        assert 0 < len(tune) < len(everything)
        assert all("memory" in figure["name"] for figure in memory)
        assert atoll("explain", "demo", "nonsense").code == 1
        assert "formula" not in atoll("explain", "demo").err

    @pytest.mark.parametrize("day", ["tomorrow", "2026-13-01", "21.11.2026"])
    def test_a_day_that_is_none_is_a_usage_fault(self, day: str, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--today", day)
        assert outcome.code == 2
        assert "is not a date" in outcome.err

    def test_an_unknown_price_book_lists_those_there_are(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--prices", "1999-01-01")
        assert outcome.code == 1
        assert "there are current" in outcome.err

    def test_every_fault_of_an_own_price_book_is_told(self, project: Path, atoll: Atoll) -> None:
        header = "provider,item,region,purchase,unit,usd,above,source,as_of"
        (project / "own.csv").write_text(
            f"{header}\nmars,x,*,*,,1,,letter,\naws,*,*,*,,-200%,,letter,\n", encoding="utf-8"
        )
        outcome = atoll("quote", "demo", "--price-book", "own.csv")
        assert outcome.code == 1
        assert "own.csv:2:" in outcome.err
        assert "own.csv:3:" in outcome.err


class TestExitCodes:
    def test_0_where_an_option_is_within_the_ceiling(self, atoll: Atoll) -> None:
        assert atoll("quote", "demo", "--today", "2026-11-21").code == 0

    def test_10_where_every_option_is_over_it(self, atoll: Atoll, checklist: Write) -> None:
        checklist(CHECKLIST.replace("1000000", "1"))
        outcome = atoll("quote", "demo", "--today", "2026-11-21")
        assert outcome.code == 10
        assert "over" in outcome.out

    def test_11_where_nobody_can_tell(self, atoll: Atoll, checklist: Write) -> None:
        checklist(CHECKLIST.replace("[aws]", "[hyperstack]").replace("  regions: [us-east-1]\n", ""))
        outcome = atoll("quote", "demo", "--today", "2026-11-21")
        assert outcome.code == 11
        assert "undetermined" in outcome.out
        assert "Not priced: " in outcome.out

    def test_12_where_the_prices_are_too_old(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--today", "2036-01-01")
        assert outcome.code == 12
        assert "--allow-stale" in outcome.err
        assert atoll("accept", "demo", "cheapest", "--today", "2036-01-01").code == 12

    def test_stale_prices_can_be_allowed_and_date_the_quote(self, atoll: Atoll) -> None:
        outcome = atoll("quote", "demo", "--today", "2036-01-01", "--allow-stale", "--json")
        assert outcome.code == 0
        assert valid("quote", outcome.out)["priced_at"] < "2036-01-01"

    def test_2_for_a_wrong_option_or_command(self, atoll: Atoll) -> None:
        assert atoll("quote").code == 2
        assert atoll("quote", "demo", "--frobnicate").code == 2
        outcome = atoll("quot", "demo")
        assert outcome.code == 2
        assert "quote" in outcome.err

    def test_0_for_help(self, atoll: Atoll) -> None:
        assert "atoll" in atoll("--help").out
        assert atoll("quote", "--help").code == 0


class TestPolicy:
    def test_our_own_mistake_is_told_as_one(self, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr("cli.commands.checklist.checklist.size", broken)
        outcome = atoll("check", "demo")
        assert outcome.code == 1
        assert "this is a bug in Atoll: ZeroDivisionError: division by zero" in outcome.err
        assert "Traceback" not in outcome.err
        monkeypatch.setenv("ATOLL_DEBUG", "1")
        assert "Traceback" in atoll("check", "demo").err

    def test_a_quote_imports_no_pulumi_and_only_its_own_command(self, project: Path) -> None:
        script = (
            "import sys; from cli.main.application import run; run(['quote', 'demo', '--today', '2026-11-21']);"
            "print(sorted(m for m in sys.modules if m in ('pulumi', 'jinja2') or m.startswith('cli.commands.')"
            "or m.startswith('cli.pages.charts.')), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=project)
        assert done.stderr.strip() == "['cli.commands.quoting', 'cli.commands.quoting.quote']"

    @pytest.mark.parametrize(
        ("words", "most"), [("quote demo", 155), ("check demo", 110), ("catalog list", 55), ("rules", 150)]
    )
    def test_a_command_loads_only_what_it_needs(self, project: Path, words: str, most: int) -> None:
        script = (
            f"import sys; from cli.main.application import run; run({words.split()!r});"
            "rooms = {'catalogs', 'planning', 'components', 'policies', 'operations', 'cli'};"
            "print(sum(m.split('.')[0] in rooms for m in sys.modules), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=project)
        assert int(done.stderr) <= most
