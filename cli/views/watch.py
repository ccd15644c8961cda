"""Watched stacks as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from catalogs.parsing import spell_unit
from cli.terminal.escaping import plain
from cli.terminal.tables import indent, make_table
from cli.views.diff import amounts as figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from operations.plans.plan_form import WatchedForm, WatchForm


LOUD: Final = {"over": "OVER", "undetermined": "UNDETERMINED"}


def state(stack: WatchedForm) -> str:
    if stack["verdict"] is None:
        return "FAILED"
    said = LOUD.get(stack["verdict"]["verdict"], "")
    return said or ("DIFFERS FROM ITS LOCK" if stack["differences"] else "within")


def is_loud(stack: WatchedForm) -> bool:
    return state(stack) != "within"


def headline(form: WatchForm) -> str:
    loud, total = sum(map(is_loud, form["stacks"])), len(form["stacks"])
    if not total:
        return "no stack was looked at"
    if not loud:
        return f"{total} running stack{'s are' if total != 1 else ' is'} within the limits"
    return f"{loud} of {total} running stack{'s' if total != 1 else ''} need{'s' if loud == 1 else ''} a look"


def reason(stack: WatchedForm) -> str:
    if stack["verdict"] is None:
        return stack["failure"] or "nothing is known of it"
    if stack["verdict"]["verdict"] == "within" and stack["differences"]:
        count = len(stack["differences"])
        return f"what runs is not what was accepted, on {count} line{'s' if count != 1 else ''} of the bill"
    return stack["verdict"]["reason"]


def prices_of(form: WatchForm) -> str:
    return f"price book {form['prices']} of {form['prices_as_of'] or 'no date'}, on {form['day']}"


def amounts(stack: WatchedForm) -> tuple[str, str, str, str, str]:
    return (
        figures.amount(stack["accepted"], absent=figures.NOT_KNOWN),
        figures.delta(stack["by_prices"], stack["accepted"], stack["repriced"]),
        figures.delta(stack["by_resources"], stack["repriced"], stack["running"]),
        figures.amount(stack["running"], absent=figures.NOT_KNOWN),
        figures.spread(stack["running"]),
    )


MOST_PRICES: Final = 20
ALARM_STYLE: Final = "bold red"
HEADINGS: Final = ("accepted\nUSD a month", "by prices", "by resources", "running\nUSD a month")


def parts(form: WatchForm) -> Iterator[RenderableType]:
    yield Text(f"{headline(form)}; {plain(prices_of(form))}")
    yield make_table(("stack", *HEADINGS, "verdict"), map(_row, form["stacks"]), right=HEADINGS)
    for stack in form["stacks"]:
        yield Text(plain(stack["stack"], most=100), style="bold")
        for each in _inside(stack):
            yield indent(each)


def _row(stack: WatchedForm) -> tuple[Text, ...]:
    *cells, spread = amounts(stack)
    cells[-1] += f"\n({spread})" if spread else ""
    verdict = Text(state(stack), style=ALARM_STYLE if is_loud(stack) else "")
    return (Text(plain(stack["stack"], most=100)), *map(Text, cells), verdict)


def _inside(stack: WatchedForm) -> Iterator[RenderableType]:
    yield Text(f"{state(stack)}: {plain(reason(stack), most=2_000)}", style=ALARM_STYLE if is_loud(stack) else "")
    for each in stack["breaches"]:
        weight = "stops" if each["stops"] else "exempt" if each["exemption"] else "advice"
        yield Text(f"{weight}: {plain(each['sentence'], most=1_000)}", style="yellow" if each["stops"] else "")
    for each in stack["exemptions"]:
        about = f" for {plain(each['resource'])}" if each["resource"] else ""
        by = f"{plain(each['owner'])} until {each['expires']}"
        yield Text(f"exemption {each['standing']}: {plain(each['rule'])}{about} by {by}: {plain(each['reason'])}")
    for each in stack["moved_prices"][:MOST_PRICES]:
        old, new = each["usd_per_unit"]
        units = f", {plain(old)} → {plain(new)} USD per {plain(spell_unit(each['unit']))}" if old and new else ""
        yield Text(f"price: {plain(each['label'])}{units}: {figures.delta(each['delta'])} USD a month")
    if len(stack["moved_prices"]) > MOST_PRICES:
        yield Text(f"price: {len(stack['moved_prices']) - MOST_PRICES} lines more, in --json")
    for each in stack["differences"]:
        sides = (each["bill_usd_per_month"], each["takeoff_usd_per_month"])
        old, new = (figures.money(side["expected"]) if side else figures.NOT_THERE for side in sides)
        yield Text(f"differs: {plain(each['key'])}, accepted {old}, running {new}: {plain(each['reason'])}")
    for note in stack["notes"]:
        yield Text(f"note: {plain(note)}")
