"""A relocation's plan as tables: what moves, what it costs, how long it takes, and what was asked."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from catalogs.parsing import spell_unit
from cli.terminal.amounts import ABOUT, floor, usd_exact
from cli.terminal.tables import indent, make_table
from planning.costs.json_shapes import cents_form
from planning.relocation.durations import DurationEstimate
from planning.relocation.formatting import amount, size_text, span_text
from planning.values.money import ZERO, Range, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from operations.relocation.runner.status import StatusForm
    from planning.costs.json_shapes import LineForm, RangeForm
    from planning.relocation.plan_form import DurationForm, RelocationPlanForm, ThingForm


# What the keys of the bill's lines begin with, in the order in which they are shown.
SECTIONS: Final = (
    ("move/", "the way"),
    ("overlap/", "two clusters at once"),
    ("retained/", "the source, kept"),
    ("commitment/", "what was promised to the source"),
    ("onboarding", "people"),
)
OTHER: Final = "everything else"
FITS: Final = {"yes": "within the window", "no": "longer than the window", "undetermined": "undetermined"}


def as_range(form: RangeForm) -> Range:
    return Range(Decimal(form["min"]), Decimal(form["expected"]), Decimal(form["max"]))


def format_span_form(form: DurationForm | None) -> str:
    """A time as a reader meets it; "" where there is none."""
    if form is None:
        return ""
    seconds = form["seconds"]
    known = None if seconds is None else as_range(seconds)
    return span_text(DurationEstimate(seconds=known, basis=form["basis"], at_least=form["at_least"]))


def describe_manual_work(form: RelocationPlanForm) -> Iterator[str]:
    """Each thing that Atoll does not move, with its ways, and where they stand in full; nothing for none."""
    for each in form["by_hand"]:
        found = "; ".join(way["title"] for way in each["ways"])
        ways = f". Ways: {found}" if found else ""
        yield f"Left to you: {each['title']} ({each['key']}): {each['why']}{ways}"
    if form["by_hand"]:
        yield (
            "What is left to you is confirmed in by-hand.yaml before the databases: --draft FILE writes it, "
            "--markdown FILE has each way's commands and what it loses"
        )


def format_thing_size(thing: ThingForm) -> str:
    return size_text(None if thing["bytes"] is None else as_range(thing["bytes"]))


def format_usd_form(form: RangeForm | None, *, unpriced: int = 0) -> str:
    return "-" if form is None else amount(as_range(form), unpriced=unpriced)


def cents(form: RangeForm | None) -> tuple[str, str, str]:
    if form is None:
        return "", "unpriced", ""
    found = as_range(form)
    least, expected, most = (f"{to_cents(each):,}" for each in (found.min, found.expected, found.max))
    return least, expected, most


def sections(lines: Sequence[LineForm]) -> Iterator[tuple[str, list[LineForm]]]:
    """The bill's lines under what they are for; nothing for what has none."""
    left = list(lines)
    for prefix, title in SECTIONS:
        mine = [line for line in left if line["key"].startswith(prefix)]
        left = [line for line in left if line not in mine]
        if mine:
            yield title, mine
    if left:
        yield OTHER, left


def sum_lines(lines: Sequence[LineForm]) -> tuple[Range, int]:
    total = Range(ZERO, ZERO, ZERO)
    unpriced = 0
    for line in lines:
        if line["state"] == "unpriced":
            unpriced += 1
        elif line["usd_per_month"] is not None:
            total += as_range(line["usd_per_month"])
    return total, unpriced


def describe_bill_line(line: LineForm) -> str:
    quantity = as_range(line["quantity"])
    ends = [f"{each.normalize():,f}" if each else "0" for each in (quantity.min, quantity.expected, quantity.max)]
    many = ends[0] if len(set(ends)) == 1 else " / ".join(f"{Decimal(each.replace(',', '')):,.0f}" for each in ends)
    said = f"{many} {spell_unit(line['unit'], many)}".strip()
    price = f" x {usd_exact(Decimal(line['usd_per_unit']))} USD" if line["usd_per_unit"] else ""
    where = f"; {line['source']}" + (f", {line['as_of']}" if line["as_of"] else "") if line["source"] else ""
    note = f"; {line['note']}" if line["note"] else ""
    return f"{said}{price}{where}{note}"


def heading(form: RelocationPlanForm) -> str:
    old, new = form["source"], form["target"]
    return (
        f"{old['stack']} ({old['provider']} {old['region']}) to {new['stack']} ({new['provider']} {new['region']}), "
        f"planned on {form['planned_on']} by price book {form['prices']}"
    )


NAMED: Final = "relocation.yaml names this one"


def conclusion(form: RelocationPlanForm) -> Iterator[str]:
    bill = form["bill"]["bill"]
    yield f"Once: {format_usd_form(bill['usd_per_month'], unpriced=len(bill['unpriced']))}"
    yield f"First copy: {format_span_form(form['times']['seed'])}, while people work"
    yield f"Freeze: {format_span_form(form['times']['frozen'])}, {FITS[form['times']['fits']]}"
    yield f"Paid back: {form['break_even']['words']}"
    lost = [each["text"] for thing in form["things"] if thing["mover"] for each in thing["mover"]["loses"]]
    if lost:
        named = any(thing["mover"]["why"].endswith(NAMED) for thing in form["things"] if thing["mover"])
        yield f"LOST {'by what moves it' if named else 'whatever moves it'}: {'; '.join(lost)}"
    yield f"Point of no return: the step {form['point_of_no_return']}"


def select_moved(form: RelocationPlanForm) -> list[ThingForm]:
    return [each for each in form["things"] if each["treatment"] == "moved"]


def mover_text(thing: ThingForm) -> str:
    mover = thing["mover"]
    if mover is None:
        return "nothing of ours: decide"
    who = {"atoll": "", "provider": " (the provider's service)", "you": " (you)"}[mover["runs"]]
    return f"{mover['title']}{who}"


def losses_text(thing: ThingForm) -> str:
    """What is lost, or that it was not checked."""
    mover = thing["mover"]
    if mover is None:
        return ""
    if mover["loses"]:
        return "; ".join(each["text"] for each in mover["loses"])
    if mover["unlooked"]:
        features = ", ".join(each["feature"] for each in mover["unlooked"])
        return f"not looked at yet; dropped if there are any: {features}"
    return "nothing" if mover["why"].startswith("loses nothing") else ""


MOVED_HEADS: Final = ("what", "class", "size", "by", "what that loses")
LEFT_OUT_HEADS: Final = ("what", "becomes", "size", "saved", "because")
STEP_HEADS: Final = ("step", "time", "proves", "stops where", "rollback")


def select_left_out(form: RelocationPlanForm) -> Iterator[tuple[str, ...]]:
    for each in form["things"]:
        if each["treatment"] != "moved":
            saved = format_usd_form(each["saved_usd"])
            yield each["title"], each["treatment"], format_thing_size(each), saved, each["reason"]


def step_rows(form: RelocationPlanForm) -> Iterator[tuple[bool, tuple[str, ...]]]:
    for each in form["steps"]:
        last = each["name"] == form["point_of_no_return"]
        name = f"{each['name']}{' (frozen)' if each['frozen'] else ''}"
        back = "none: the point of no return" if last else each["way_back"]
        yield last, (name, format_span_form(each["span"]), each["proves"], each["aborts"], back)


def sum_cells(lines: Sequence[LineForm]) -> tuple[int, tuple[str, ...]]:
    """How many lines have no price, and the three readings of the others, floors and estimates marked."""
    total, unpriced = sum_lines(lines)
    estimated = sum(line["state"] == "estimated" for line in lines)
    shown = (floor(each, unpriced=unpriced, estimated=estimated) for each in cents(cents_form(total)))
    return unpriced, tuple(shown)


def line_amounts(line: LineForm) -> tuple[str, str, str]:
    if line["state"] in {"free", "unpriced"}:
        return "", line["state"], ""
    about = ABOUT if line["state"] == "estimated" else ""
    least, expected, most = cents(line["usd_per_month"])
    return f"{about}{least}", f"{about}{expected}", f"{about}{most}"


def relocation_parts(form: RelocationPlanForm) -> Iterator[RenderableType]:
    yield heading(form)
    yield "Moved:"
    yield transfer_table(form)
    yield "Not moved, and what moving it would cost:"
    yield exclusion_table(form)
    yield from (f"Not asked: {each['what']}: {each['why']}" for each in form["unlooked"])
    yield from describe_manual_work(form)
    yield bill_table(form)
    yield "Steps; a write freeze holds in those marked frozen:"
    yield steps_table(form)
    yield from questions(form)
    yield from (f"Note: {each['text']}" for each in (*form["notes"], *form["bill"]["notes"]))
    yield "\n".join(conclusion(form))


def transfer_table(form: RelocationPlanForm) -> Table:
    return make_table(MOVED_HEADS, map(_transfer_row, select_moved(form)))


def _transfer_row(thing: ThingForm) -> Iterator[RenderableType]:
    yield _with_small_print(thing["title"], thing["key"])
    yield from map(Text, (thing["loss"], format_thing_size(thing), mover_text(thing)))
    yield Text(losses_text(thing), style="red" if thing["mover"] and thing["mover"]["loses"] else "")


def _with_small_print(text: str, below: str) -> Group:
    return Group(Text(text), indent(Text(below, style="dim")))


def exclusion_table(form: RelocationPlanForm) -> Table:
    return make_table(LEFT_OUT_HEADS, (map(Text, cells) for cells in select_left_out(form)))


def bill_table(form: RelocationPlanForm) -> Table:
    amounts = ("USD\nmin", "USD\nexpected", "USD\nmax")
    table = make_table(("what it costs, once", *amounts), right=amounts, whole=amounts)
    for column in table.columns[1:]:
        column.min_width = 10
    lines = form["bill"]["bill"]["lines"]
    for title, mine in sections(lines):
        for line in mine:
            table.add_row(*_cells(line))
        _add_sum(table, title, mine, style="bold dim")
    _add_sum(table, "everything", lines, style="bold")
    return table


def _cells(line: LineForm) -> tuple[RenderableType, ...]:
    label = _with_small_print(line["label"], describe_bill_line(line))
    if line["state"] == "unpriced":
        return label, "", Text("unpriced", style="yellow"), ""
    return label, *line_amounts(line)


def _add_sum(table: Table, title: str, lines: list[LineForm], *, style: str) -> None:
    unpriced, amounts = sum_cells(lines)
    more = f", {unpriced} unpriced" if unpriced else ""
    table.add_row(Text(f"{title}{more}"), *amounts, style=style, end_section=True)


def steps_table(form: RelocationPlanForm) -> Table:
    table = make_table(STEP_HEADS)
    for last, cells in step_rows(form):
        table.add_row(*map(Text, cells), style="bold" if last else "")
    return table


def questions(form: RelocationPlanForm) -> Iterator[RenderableType]:
    for each in form["questions"]:
        yield Text(each["question"], style="bold")
        yield indent(Text("\n".join(each["sentences"])))


def status_parts(form: StatusForm) -> Iterator[RenderableType]:
    state = form["state"].replace("_", " ")
    yield f"{form['source']} to {form['target']}, attempt {form['attempt']}: {state}"
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("step", "state", "since", "evidence"):
        table.add_column(name, overflow="fold")
    for each in form["steps"]:
        again = f" ({each['tries']} times)" if each["tries"] > 1 else ""
        since = (each["at"] or "")[:19].replace("T", " ")
        table.add_row(each["name"], f"{each['state']}{again}", since, each["brief"])
    yield table
    if form["running"]:
        yield f"it is being run by {form['running']}"
    if form["frozen"]:
        yield form["frozen"]
    yield form["why"]
    yield f"next: {form['next']}"
