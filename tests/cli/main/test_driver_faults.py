"""Every kind of fault in words, with its place, and the exit code it leads to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import typer

from catalogs.model import CatalogError, UnpricedError
from cli.terminal.errors import render_error
from planning.values.errors import (
    AtollError,
    Fault,
    InputError,
    NothingFitsError,
    OverCeilingError,
    StalePricesError,
    UndeterminedError,
)


def misspelt() -> Fault:
    return Fault(
        message='there is no field "workload"',
        file="stacks/demo/checklist.yaml",
        line=4,
        column=1,
        source_line="workload:",
        hint='did you mean "workloads"?',
        path="workload",
    )


def test_every_fault_is_shown_with_line_caret_and_hint(golden: Callable[[str, str], None]) -> None:
    unplaced = Fault(message="Field required", file="quote.lock.json", path="spec.pools")
    indented = Fault(message="not a size", file="c.yaml", line=12, column=12, source_line="      size: big\t# ")
    fault = InputError("c.yaml: 3 faults", faults=(misspelt(), unplaced, indented), hint="docs/reference/checklist.md")
    text, code = render_error(fault)
    assert code == 1
    golden("faults.txt", text + "\n")


def test_colour_is_added_only_when_asked_for() -> None:
    fault = InputError("c.yaml: 1 fault", faults=(misspelt(),))
    assert "\x1b[" not in render_error(fault)[0]
    coloured = render_error(fault, colour=True)[0]
    assert "\x1b[1;31merror:" in coloured
    assert "\x1b[36mhint:" in coloured


def test_a_long_line_is_cut_around_the_column() -> None:
    source = "x" * 5000 + "HERE" + "y" * 5000
    fault = Fault(message="wrong", file="f", line=1, column=5001, source_line=source)
    lines = render_error(InputError("f: 1 fault", faults=(fault,)))[0].splitlines()
    assert all(len(line) < 120 for line in lines)
    assert lines[1][lines[2].index("^")] == "H"


def test_a_fault_cannot_move_the_cursor_of_a_terminal() -> None:
    fault = Fault(message="bad \x1b[2J\x07", file="f", line=1, column=1, source_line="\x1b]0;owned\x07")
    text = render_error(InputError("f: \x1b[31m1 fault", faults=(fault,)))[0]
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_fault_that_only_repeats_the_message_is_said_once() -> None:
    fault = Fault(message="plan.json is empty", file="plan.json")
    text = render_error(InputError("plan.json is empty", faults=(fault,), hint="did the command fail?"))[0]
    assert text == "error: plan.json is empty\n  hint: did the command fail?"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (AtollError("x"), 1),
        (InputError("x"), 1),
        (NothingFitsError("x"), 1),
        (OverCeilingError("x"), 10),
        (UndeterminedError("x"), 11),
        (StalePricesError("x"), 12),
        (CatalogError("x"), 1),
        (UnpricedError("x"), 1),
        (typer.BadParameter("x"), 2),
        (PermissionError(13, "Permission denied", "/a"), 1),
        (ZeroDivisionError("x"), 1),
    ],
)
def test_each_class_of_fault_has_its_exit_code(fault: BaseException, code: int) -> None:
    text, found = render_error(fault)
    assert found == code
    assert text.startswith("error: ")


def test_a_full_disk_is_told_with_the_file() -> None:
    assert render_error(OSError(28, "No space left on device", "/x/y"))[0] == "error: /x/y: No space left on device"


def test_our_own_mistake_says_so_and_how_to_see_more() -> None:
    text, _ = render_error(KeyError("pools"))
    assert "this is a bug in Atoll: KeyError: 'pools'" in text
    assert "ATOLL_DEBUG=1" in text


def test_every_row_of_a_faulty_catalog_is_told() -> None:
    fault = CatalogError("own.csv:2: unknown provider\nown.csv:3: usd is missing", faults=((2, "a"), (3, "b")))
    assert render_error(fault)[0] == "error: own.csv:2: unknown provider\nown.csv:3: usd is missing"
