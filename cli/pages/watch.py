"""Watched stacks as the body of an issue: found again by its first line, never longer than an issue may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.parsing import spell_unit
from cli.pages.diff.comment_parts import box, fit_lines, render_list, table
from cli.terminal.escaping import name, prose, title
from cli.views.diff import amounts as figures
from cli.views.watch import amounts, headline, is_loud, prices_of, reason, state
from planning.values.money import parse_amount

if TYPE_CHECKING:
    from operations.plans.plan_form import BillDifferenceForm, MovedPriceForm, WatchedForm, WatchForm
    from planning.costs.json_shapes import RangeForm
    from planning.diff.form import ExemptionForm, FoundForm

MARKER: Final = "<!-- atoll-watch -->"
LIMIT: Final = 65_000  # GitHub refuses 65,536 characters and more
ALARM_BUDGET: Final = 7_000
TABLE_BUDGET: Final = 20_000
LIST_BUDGET: Final = 4_000
HEADINGS: Final = ("stack", "accepted", "by prices", "by resources", "running", "verdict")


def text(form: WatchForm) -> str:
    """The body, at most `LIMIT` characters long."""
    alarms = [
        f"**{state(each)}** {name(each['stack'])}: {title(reason(each))}" for each in form["stacks"] if is_loud(each)
    ]
    head = "\n".join(
        (
            MARKER,
            f"## Atoll: {headline(form)}",
            "",
            box("CAUTION", alarms, budget=ALARM_BUDGET) if alarms else "",
            f"Looked at with {prose(prices_of(form))}. USD a month as expected; in small print the least and the most.",
            "",
            table(HEADINGS, "lrrrrl", map(_row, form["stacks"]), budget=TABLE_BUDGET),
        )
    )
    parts, more = fit_lines(map(_details, form["stacks"]), budget=LIMIT - len(head) - 500)
    rest = f"{more} stacks have no room here; `atoll watch --json` gives the whole.\n" if more else ""
    return f"{head}{chr(10).join(parts)}\n{rest}"


def _row(stack: WatchedForm) -> tuple[str, ...]:
    accepted, by_prices, by_resources, running, spread = amounts(stack)
    verdict = f"**{state(stack)}**" if is_loud(stack) else state(stack)
    running += f"<br><sub>{spread}</sub>" if spread else ""
    return name(stack["stack"]), accepted, by_prices, by_resources, running, verdict


def _details(stack: WatchedForm) -> str:
    body = "".join(
        (
            f"{title(reason(stack), most=1_000)}\n\n",
            render_list("Rules", [_breach(each) for each in stack["breaches"]], budget=LIST_BUDGET),
            render_list("Exemptions", [_exemption(each) for each in stack["exemptions"]], budget=LIST_BUDGET),
            render_list("Prices that moved since it was accepted", _prices(stack), budget=LIST_BUDGET),
            render_list(
                "Runs otherwise than accepted", [_differs(each) for each in stack["differences"]], budget=LIST_BUDGET
            ),
            render_list("Notes", [prose(each) for each in stack["notes"]], budget=LIST_BUDGET),
        )
    )
    summary = f"<summary><b>{name(stack['stack'])}</b>: {state(stack)}</summary>"
    return f"<details>{summary}\n\n{body.rstrip()}\n\n</details>\n"


def _breach(each: FoundForm) -> str:
    weight = "stops" if each["stops"] else "exempt" if each["exemption"] else "advice"
    return f"**{weight}:** {prose(each['sentence'], most=1_000)}"


def _exemption(each: ExemptionForm) -> str:
    about = f" for {name(each['resource'])}" if each["resource"] else ""
    by = f"{prose(each['owner'], most=100)} until {prose(each['expires'], most=20)}"
    return f"**{each['standing']}:** {name(each['rule'])}{about} by {by}. {prose(each['reason'])}"


def _prices(stack: WatchedForm) -> list[str]:
    return [_price(each) for each in stack["moved_prices"]]


def _price(each: MovedPriceForm) -> str:
    old, new = (parse_amount(price) for price in each["usd_per_unit"])
    units = (
        f", {old} → {new} USD per {prose(spell_unit(each['unit']), most=40)}"
        if old is not None and new is not None
        else ""
    )
    return f"{prose(each['label'])}{units}: {figures.delta(each['delta'])} USD a month"


def _differs(each: BillDifferenceForm) -> str:
    old, new = _side(each["bill_usd_per_month"]), _side(each["takeoff_usd_per_month"])
    return f"{name(each['key'])}: accepted {old}, running {new}. {title(each['reason'])}"


def _side(form: RangeForm | None) -> str:
    return figures.money(form["expected"]) if form else "without a figure"
