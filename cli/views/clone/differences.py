"""A source and its clone side by side, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from catalogs.parsing import spell_unit
from cli.terminal.amounts import ABOUT
from cli.terminal.tables import indent, make_table
from cli.views.diff import amounts
from planning.values.money import parse_amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType
    from rich.table import Table

    from planning.clone.comparison.difference import Difference
    from planning.clone.comparison.parity import Parity
    from planning.clone.comparison.price_lines import PriceLines
    from planning.clone.comparison.stack_comparison import CloneComparison
    from planning.diff.form import AmountForm, DeltaForm, LineDiffForm

LOUD: Final = "bold red"
AMOUNTS: Final = ("source\nUSD a month", "clone", "change")
NO_PRICE: Final = "no price"
STYLES: Final[Mapping[str, str]] = {
    "weaker": LOUD,
    "none": LOUD,
    "refused": LOUD,
    "differs": "yellow",
    "yours": "yellow",
    "undetermined": "yellow",
    "moves": "yellow",
    "stronger": "green",
}
# What each standing of a control means for a reader.
STANDINGS: Final[Mapping[str, str]] = {
    "none": "lost",
    "weaker": "weaker",
    "differs": "differs",
    "undetermined": "undetermined",
    "yours": "yours",
    "stronger": "stronger",
    "equal": "equal",
}


def parts(c: CloneComparison) -> list[RenderableType]:
    return [*_money(c), *_capabilities(c), *_security(c), *_places(c), *(Text(f"note: {each}") for each in c.notes)]


def _money(c: CloneComparison) -> Iterator[RenderableType]:
    money = c.money
    yield Text(f"{c.old} → {c.new}: {amounts.headline(money.comparable, money.old, money.new)}", style="bold")
    yield _price_table(money)
    if money.one_sided:
        yield Text("Priced on one side only, and not in the change:")
        yield _one_sided_table(money)
    for note in money.notes:
        yield Text(f"note: {note}")


def _price_table(money: PriceLines) -> Table:
    table = make_table(("line", *AMOUNTS), right=AMOUNTS)
    left_out = {each.key for each in money.one_sided}
    for component in money.components:
        lines = [line for line in component["lines"] if _strip_tier(line["key"]) not in left_out]
        if not lines:
            continue
        table.add_row(Text(component["name"], style="bold"))
        for line in lines:
            table.add_row(_line(line), *_amounts(line))
    table.add_section()
    name = "whole bill; the change is of what both sides can price" if money.one_sided else "whole bill"
    table.add_row(Text(name, style="bold"), _amount(money.old), _amount(money.new), _format_change(money.comparable))
    return table


def _one_sided_table(money: PriceLines) -> Table:
    """A line each: what it costs where it has a price, and that it has none on the other side."""
    table = make_table(("line", *AMOUNTS[:2]), right=AMOUNTS)
    left_out = {each.key for each in money.one_sided}
    for component in money.components:
        for line in component["lines"]:
            if _strip_tier(line["key"]) in left_out:
                sides = (_format_expected(each) for each in (line["old"], line["new"]))
                table.add_row(
                    Text(line["label"]), *(Text(each, style="" if each != NO_PRICE else "dim") for each in sides)
                )
    return table


def _line(line: LineDiffForm) -> RenderableType:
    quantity, price = amounts.quantities(line), amounts.unit_prices(line)
    made_of = f"{quantity} {spell_unit(line['unit'], quantity)}".strip() + (f" at {price}" if price else "")
    source = f"; {line['source']}" if line["source"] else ""
    below = indent(Text(made_of + source, style="dim"))
    return indent(Group(Text(line["label"]), below))


def _strip_tier(key: str) -> str:
    return key.partition("#")[0]


def _amounts(each: LineDiffForm) -> tuple[Text, Text, Text]:
    """Both sides and the change."""
    old, new = each["old"], each["new"]
    # A lost price is no saving: with one side unknown, so is the change.
    is_open = any(side is not None and side["unpriced"] for side in (old, new))
    return _amount(old), _amount(new), Text(amounts.NOT_KNOWN) if is_open else _format_change(each["delta"])


def _format_expected(form: AmountForm | None) -> str:
    if form is None:
        return amounts.NOT_THERE
    about = ABOUT if form["estimated"] else ""
    expected = f"{about}{amounts.money(form['usd_per_month']['expected'])}"
    if not form["unpriced"]:
        return expected
    return f"at least {expected}" if parse_amount(form["usd_per_month"]["expected"]) else NO_PRICE


def _amount(form: AmountForm | None) -> Text:
    return _with_spread(_format_expected(form), form)


def _format_change(delta: DeltaForm) -> Text:
    return _with_spread(amounts.format_signed(delta["usd_per_month"]["expected"]), delta)


def _with_spread(said: str, form: AmountForm | DeltaForm | None) -> Text:
    """With the least and the most in whole USD below it, where they differ."""
    text = Text(said)
    if form is not None and amounts.spread(form):
        readings = form["usd_per_month"]
        text.append(f"\n{_whole(readings['min'])} to {_whole(readings['max'])}", style="dim")
    return text


def _whole(text: str) -> str:
    return f"{parse_amount(text) or 0:,.0f}"


def _capabilities(c: CloneComparison) -> Iterator[RenderableType]:
    if not c.capabilities:
        yield Text("Both sides can do the same.")
        return
    yield Text("What differs besides the price:", style="bold")
    table = make_table(("what", "source", "clone"))
    topic, source = ("", ""), ""
    for each in c.capabilities:
        if (each.placement, each.topic) != topic:
            topic, source = (each.placement, each.topic), ""
            table.add_row(Text(f"{each.placement}: {each.topic}" if each.placement else each.topic, style="bold"))
        table.add_row(_what(each, above=source), Text(each.old), Text(each.new))
        source = each.source
    yield table


def _what(each: Difference, *, above: str) -> RenderableType:
    below = "; ".join(text for text in (each.note, "" if each.source == above else each.source) if text)
    if not below:
        return indent(Text(each.what))
    return indent(Group(Text(each.what), indent(Text(below, style="dim"))))


def _security(c: CloneComparison) -> Iterator[RenderableType]:
    if not c.security:
        return
    equal = sum(each.standing == "equal" for each in c.security)
    yield Text(f"Security: {equal} of {len(c.security)} controls are equal on both sides", style="bold")
    if equal == len(c.security):
        return
    table = make_table(("control", "clone is", "source", "clone"))
    for standing in STANDINGS:
        for each in c.security:
            if each.standing == standing != "equal":
                table.add_row(*_control(each))
    yield table


def _control(each: Parity) -> tuple[RenderableType, Text, Text, Text]:
    title = Group(Text(each.title), indent(Text(each.source, style="dim")))
    standing = Text(STANDINGS[each.standing], style=STYLES.get(each.standing, ""))
    return title, standing, Text(each.old), Text(each.new)


def _places(c: CloneComparison) -> Iterator[RenderableType]:
    for each in c.residency:
        words = f"Residency, {each.placement}: {each.verdict}: {each.words}"
        yield Text(words, style=STYLES.get(each.verdict, ""))
        sources = dict.fromkeys((each.old.source, each.new.source))
        yield indent(Text("; ".join(sources), style="dim"))
    yield Text(f"Latency: {c.latency.words}")
    for each in (*c.latency.commands, *c.latency.notes):
        yield indent(Text(each, style="dim"))
