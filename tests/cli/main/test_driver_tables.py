"""Tables as a reader sees them, from answers made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal

import hand_built
import pytest
from rich.console import RenderableType

from cli.pages.quote.comparison import side_by_side
from cli.terminal.console import ScreenLine, show
from cli.views.plan import counts_line, differences_table, resource_tree
from cli.views.quote.derivations import lay_out_bill, lay_out_figures
from cli.views.quote.options import lay_out_details
from cli.views.quote.summary import lay_out_quote
from operations.plans.plan import differences
from planning.costs.bill import Bill, BillGroup
from planning.costs.resources.resource import Resource
from planning.documents.blocks import Table
from planning.quoting.quote import Quote

Golden = Callable[[str, str], None]
STACK = "urn:pulumi:demo::atoll::"


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def text(*parts: RenderableType, columns: int = 120) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        show(*parts)
        return capsys.readouterr().out

    return text


def resource(name: str, token: str, parent: str | None = None) -> Resource:
    return Resource(
        urn=f"{STACK}{token}::{name}",
        type=token,
        name=name,
        parent=parent,
        custom=not token.startswith("atoll:"),
        inputs={},
        property_dependencies={},
    )


def small_program() -> list[Resource]:
    network = resource("network", "atoll:network:Network")
    table = resource("private", "aws:ec2/routeTable:RouteTable", network.urn)
    subnets = [resource(f"subnet-{zone}", "aws:ec2/subnet:Subnet", network.urn) for zone in "ab"]
    return [
        network,
        table,
        resource("default", "aws:ec2/route:Route", table.urn),
        *subnets,
        resource("pool", "atoll:nodepool:NodePool", network.urn),
        resource("aws", "pulumi:providers:aws"),
    ]


def text_of(lines: Iterable[ScreenLine]) -> str:
    return "".join(f"{(each.text + each.tail).rstrip()}\n" for each in lines)


@pytest.mark.parametrize("columns", [60, 120])
def test_a_quote(golden: Golden, columns: int) -> None:
    quote = hand_built.quote()
    first = lay_out_quote(quote, ceilings=hand_built.ceilings(), asked="demo", width=columns)
    golden(f"quote_{columns}.txt", text_of((*first, *lay_out_details(quote, width=columns))))


@pytest.mark.parametrize("columns", [60, 120])
def test_a_bill_with_a_line_of_each_state(golden: Golden, columns: int) -> None:
    golden(f"bill_{columns}.txt", text_of(lay_out_bill(hand_built.doubtful().bill, width=columns)))


def test_a_total_with_unpriced_lines_is_a_floor() -> None:
    text = text_of(lay_out_bill(hand_built.doubtful().bill, width=120))
    assert "total (2 unpriced)" in text
    assert ">= 10,029.27" in text


def test_figures_with_their_derivations(golden: Golden) -> None:
    golden("figures.txt", text_of(lay_out_figures(hand_built.figures(), width=120)))


def test_the_heading_of_figures_is_folded_where_it_is_wider_than_the_screen() -> None:
    figure = replace(hand_built.figures()[0], subject="reader-of-many-pictures in aws-ap-southeast-3-h200-328-spot-v2")
    lines = [line.text for line in lay_out_figures([figure], width=60)]
    assert max(map(len, lines)) <= 60
    assert lines[:2] == ["reader-of-many-pictures in", "  aws-ap-southeast-3-h200-328-spot-v2"]


def test_a_plan_counts_what_is_below_each_component(golden: Golden, printed: Callable[..., str]) -> None:
    resources = small_program()
    golden("tree.txt", printed(resource_tree("demo", resources), counts_line(resources)))


def test_lines_that_disagree_are_listed_with_both_amounts(golden: Golden, printed: Callable[..., str]) -> None:
    ours = hand_built.bill()
    changed = hand_built.line("storage/warm", BillGroup.STORAGE, usd="0.146", quantity=ours.lines[3].quantity)
    theirs = Bill((*ours.lines[1:3], changed, hand_built.unpriced("gift", BillGroup.SERVICES)))
    golden("differences.txt", printed(differences_table(differences(ours, theirs))))


def comparison(quote: Quote) -> Table:
    return next(block for block in side_by_side(quote) if isinstance(block, Table))


def test_a_month_in_which_nothing_is_given_back_stands_in_the_document() -> None:
    option = replace(hand_built.option(), held_usd_per_month=Decimal("87957.805"))
    rows = {row[0].text: row[1:] for row in comparison(hand_built.quote(option, hand_built.doubtful())).rows}
    assert [cell.text for cell in rows["USD a month, held all month"]] == ["87,957.81", ""]
    assert "USD a month, held all month" not in {row[0].text for row in comparison(hand_built.quote()).rows}
