"""A comparison as tables for a terminal. Texts from outside are plain: no mark-up of Rich, no control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from catalogs.parsing import spell_unit
from cli.terminal.escaping import plain
from cli.terminal.tables import indent, make_table
from cli.views.diff import amounts
from planning.values.errors import OverCeilingError, StalePricesError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from planning.diff.form import (
        AmountForm,
        BreachForm,
        ComponentDiffForm,
        DiffForm,
        JudgedForm,
        LineDiffForm,
        RefForm,
        StackDiffForm,
    )


LOUD: Final[Mapping[str, str]] = {
    "within": "",
    "over": "**OVER** A limit is passed or a rule is broken.",
    "undetermined": "**UNDETERMINED** Whether the limits hold is unknown: prices or values are missing.",
    "failed": "**FAILED** Not everything could be compared.",
}
_LIMITS: Final[Mapping[str, str]] = {
    "usd_per_month": "USD a month",
    "usd_per_contract": "USD in the whole contract",
    "usd_per_gpu_hour": "USD per accelerator and hour",
    "binds": "what the ceiling binds",
    "contract_months": "months of the contract",
    "residency": "where data may lie",
}
WITHIN: Final = "within the limits"


def headline(form: DiffForm) -> str:
    if form["verdict"] == "over":
        return _over(form["exit_code"])
    if form["verdict"] == "failed":
        failed = sum(each["state"] == "failed" for each in form["stacks"])
        over = any(each["after"] and each["after"]["verdict"] == "over" for each in form["stacks"])
        return f"FAILED for {failed} stack{'s' if failed != 1 else ''}{' and OVER for others' if over else ''}"
    return WITHIN if form["verdict"] == "within" else "UNDETERMINED"


def _over(exit_code: int) -> str:
    codes = {OverCeilingError.exit_code: "OVER THE CEILING", StalePricesError.exit_code: "PRICES TOO OLD"}
    return codes.get(exit_code, "A RULE IS BROKEN")


def loudness(stack: StackDiffForm) -> int:
    """0 for what is within its limits; failed is loudest."""
    if stack["state"] == "failed":
        return 3
    verdict = stack["after"]["verdict"] if stack["after"] else "within"
    return {"within": 0, "undetermined": 1, "over": 2}.get(verdict, 1)


def row_verdict(stack: StackDiffForm) -> str:
    """One stack's verdict after the change: "OVER", "OVER, as before", "within"."""
    if stack["state"] == "failed":
        return "FAILED"
    if stack["after"] is None:
        return "gone" if stack["state"] == "removed" else "not judged"
    now, was = stack["after"]["verdict"], stack["before"]["verdict"] if stack["before"] else ""
    if now == "within":
        return f"within (was {was})" if was in ("over", "undetermined") else "within"
    said = {"over": "OVER"}.get(now, "UNDETERMINED")
    return f"{said}, as before" if was == now else said


def verdict_word(form: JudgedForm) -> str:
    return {"over": "over", "within": "within"}.get(form["verdict"], "undetermined")


def stack_reason(stack: StackDiffForm) -> str:
    if stack["state"] == "failed":
        return stack["failure"] or "nothing is known of it"
    stopping = [each["sentence"] for each in stack["breaches"] if each["stops"]]
    if stopping:
        more = len(stopping) - 1
        return stopping[0] + (f" And {more} more." if more else "")
    return stack["after"]["reason"] if stack["after"] else ""


def limit_words(what: str) -> str:
    return _LIMITS.get(what, "a limit")


LOUD_STYLE = "bold red"
STYLES = ("", "yellow", LOUD_STYLE, LOUD_STYLE)


def parts(form: DiffForm) -> Iterator[RenderableType]:
    said = amounts.format_total_change(form)
    yield Text(f"{headline(form)}: {said}", style="" if form["verdict"] == "within" else LOUD_STYLE)
    yield Text(f"{_ref(form['base'], 'the base')} compared with {_ref(form['head'], 'the working tree')}")
    yield from _limit_lines(form)
    if form["stacks"]:
        yield _stacks_table(form["stacks"])
    if form["untouched"]:
        yield Text(f"untouched, neither run nor priced: {form['untouched']}")
    for stack in form["stacks"]:
        yield from _stack(stack)
    for note in form["notes"]:
        yield Text(f"note: {plain(note)}")


def _ref(ref: RefForm, otherwise: str) -> str:
    said = plain(ref["ref"], most=100) or otherwise
    commit = plain(ref["commit"][:10])
    return f"{said} ({commit})" if commit and commit != said else said


def _limit_lines(form: DiffForm) -> Iterator[Text]:
    for stack in form["stacks"]:
        for each in stack["ceilings"]:
            head = "LIMIT RAISED" if each["raised"] else "limit moved"
            old, new = (amounts.limit(each[side]) or plain(each[side], most=60) for side in ("old", "new"))
            where = plain(each["where"], most=100)
            words = f"{head}: {plain(stack['stack'])}, {limit_words(each['what'])}, {old} → {new} ({where})"
            yield Text(words, style=LOUD_STYLE if each["raised"] else "yellow")
    for each in form["judge_changes"]:
        what = plain(each["what"]).upper()
        yield Text(f"{what} CHANGED: {plain(each['words'])} ({plain(each['path'], most=100)})", style=LOUD_STYLE)


def _stacks_table(stacks: Sequence[StackDiffForm]) -> Table:
    figures = ("before\nUSD a month", "after", "change", "%")
    return make_table(("stack", *figures, "verdict"), map(_stack_row, stacks), right=figures)


def _stack_row(stack: StackDiffForm) -> tuple[str | Text, ...]:
    absent = amounts.NOT_KNOWN if stack["state"] == "failed" else amounts.NOT_THERE
    return (
        Text(_stack_title(stack)),
        *(Text(_amount_text(side, absent=absent)) for side in (stack["old"], stack["new"])),
        amounts.delta(stack["delta"], stack["old"], stack["new"]),
        amounts.percent(stack["delta"]),
        Text(row_verdict(stack), style=STYLES[loudness(stack)]),
    )


def _stack_title(stack: StackDiffForm) -> str:
    more = {"added": " (added)", "removed": " (removed)", "renamed": f" (was {plain(stack['was'], most=60)})"}
    return plain(stack["stack"], most=100) + more.get(stack["state"], "")


def _amount_text(form: AmountForm | None, *, absent: str = amounts.NOT_THERE) -> str:
    said, spread = amounts.amount(form, absent=absent), amounts.spread(form)
    return f"{said}\n({spread})" if spread else said


def _stack(stack: StackDiffForm) -> Iterator[RenderableType]:
    inside = list(_inside(stack))
    if not inside:
        return
    yield Text(plain(stack["stack"], most=100), style="bold")
    for each in inside:
        yield indent(each)


def _inside(stack: StackDiffForm) -> Iterator[RenderableType]:
    if stack["state"] == "failed":
        yield Text(f"failed: {plain(stack_reason(stack), most=2_000)}", style=LOUD_STYLE)
    elif stack["after"]:
        yield Text(f"{verdict_word(stack['after'])}: {plain(stack['after']['reason'], most=1_000)}")
    for each in stack["breaches"]:
        yield Text(f"{'new' if each['new'] else 'as before'}, {_breach(each)}", style="yellow" if each["stops"] else "")
    for each in stack["mended"]:
        yield Text(f"mended: {plain(each['sentence'], most=1_000)}", style="green")
    for each in stack["exemptions"]:
        resource = f" for {plain(each['resource'])}" if each["resource"] else ""
        yield Text(
            f"exemption {each['standing']}: {plain(each['rule'])}{resource} by {plain(each['owner'])} until "
            f"{plain(each['expires'])}: {plain(each['reason'])}"
        )
    for each in stack["called_out"]:
        facts = [word for word, so in (("protected", each["protected"]), ("holds data", each["holds_data"])) if so]
        because = f"; because of {', '.join(map(plain, each['because']))}" if each["because"] else ""
        said = f"{each['action']}: {plain(each['name'])} ({plain(each['type'])}){', ' if facts else ''}"
        yield Text(f"{said}{', '.join(facts)}{because}", style=LOUD_STYLE)
    yield from _money(stack)
    for note in stack["notes"]:
        yield Text(f"note: {plain(note)}")


def _money(stack: StackDiffForm) -> Iterator[RenderableType]:
    if stack["by_change"] and amounts.has_change(stack["by_prices"]):
        change, prices = amounts.delta(stack["by_change"]), amounts.delta(stack["by_prices"])
        yield Text(f"the change itself: {change} USD a month; the head's prices would add {prices}")
    if stack["components"]:
        yield _components_table(stack["components"])


def _breach(each: BreachForm) -> str:
    weight = "stops" if each["stops"] else "exempt" if each["exemption"] else "advice"
    return f"{weight}: {plain(each['sentence'], most=1_000)}"


def _components_table(components: Sequence[ComponentDiffForm]) -> Table:
    figures = ("before", "after", "change", "%")
    table = make_table(("component and line", *figures), right=figures)
    for each in components:
        table.add_row(Text(plain(each["name"], most=100), style="bold"), *_amounts(each))
        for line in each["lines"]:
            table.add_row(Text(f"  {_label(line)}"), *_amounts(line), style="dim")
    return table


def _amounts(each: ComponentDiffForm | LineDiffForm) -> tuple[Text, Text, str, str]:
    change = amounts.delta(each["delta"], each["old"], each["new"])
    return Text(_amount_text(each["old"])), Text(_amount_text(each["new"])), change, amounts.percent(each["delta"])


def _label(line: LineDiffForm) -> str:
    quantity, price = amounts.quantities(line), amounts.unit_prices(line)
    made_of = f"{quantity} {plain(spell_unit(line['unit'], quantity), most=40)}".strip() + (
        f" at {price}" if price else ""
    )
    return f"{plain(line['label'], most=120)}: {made_of}"
