"""`atoll catalog coverage`: what it prints, its JSON, and who is refused."""

from __future__ import annotations

import pytest
from command_project import Atoll, valid

from cli.pages.charts.matrix import MatrixCell, MatrixRow, matrix_chart
from operations.plans.coverage import KINDS
from planning.quoting.coverage import Coverage

ASKED = ("catalog", "coverage", "--provider", "coreweave", "--provider", "nebius", "--today", "2026-11-25")


def test_every_place_of_a_provider_has_a_cell_of_each_kind(atoll: Atoll) -> None:
    form = valid("coverage", atoll(*ASKED, "--json").out)
    kinds: dict[str, list[str]] = {}
    for cell in form["cells"]:
        kinds.setdefault(f"{cell['provider']} {cell['region']}", []).append(cell["kind"])
        assert bool(cell["open_items"]) == (cell["state"] == Coverage.INCOMPLETE)
        assert bool(cell["reason"]) == (cell["state"] == Coverage.NOTHING)
    assert form["places"] == len(kinds) > 1
    assert {tuple(each) for each in kinds.values()} == {KINDS}
    assert all(sum(counts.values()) == form["places"] for counts in form["counts"].values())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_fits_the_screen(width: int, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    outcome = atoll(*ASKED)
    assert outcome.code == 0
    assert "nebius" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= width


@pytest.mark.parametrize("name", ["no-such-cloud", "paperspac"])
def test_a_provider_without_accelerators_is_refused_with_those_that_have_some(name: str, atoll: Atoll) -> None:
    outcome = atoll("catalog", "coverage", "--provider", name)
    assert outcome.code == 1
    assert name in outcome.err
    assert "one of: aws, " in outcome.err


def cells(count: int) -> tuple[MatrixCell, ...]:
    return tuple(MatrixCell("priced", "", f"cell {at} <of> it") for at in range(count))


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("places", [1, 2, 7, 20])
def test_each_place_is_drawn_once_under_its_heading(columns: int, places: int) -> None:
    rows = [MatrixRow("reef"), *(MatrixRow(f"place-{at:02}", cells(2)) for at in range(places))]
    rows += [MatrixRow("shoal"), MatrixRow("only", cells(2))]
    drawn = matrix_chart(rows, kinds=("a", "b"), columns=columns, states={"priced": "fully priced"}, title="T")
    assert [drawn.count(f">{row.label}<") for row in rows if row.cells] == [1] * (places + 1)
    assert 1 <= drawn.count(">reef<") <= columns
    assert drawn.count(">shoal<") >= 1
    assert "cell 0 &lt;of&gt; it" in drawn
