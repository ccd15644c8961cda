"""What is folded under one stack of a comment: rules, resources, components and lines, in five lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.parsing import spell_unit
from cli.pages.documents.markdown import render_list, table
from cli.terminal.escaping import name, prose, title
from cli.views.diff import amounts
from cli.views.diff.verdicts import row_verdict, verdict_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.diff.form import (
        BreachForm,
        CalledOutForm,
        ComponentDiffForm,
        ExemptionForm,
        LineDiffForm,
        StackDiffForm,
    )

VARIANTS: Final = ("full", "ten lines", "components", "no components", "rules", "nothing")
LINES: Final = {"full": 100_000, "ten lines": 10, "components": 0}
BUDGET: Final = 100_000
SHORT_BUDGET: Final = 1_500  # of each list where only the rules are told
LINE_HEADINGS: Final = ("component and line", "before", "after", "change", "%")


def details(stack: StackDiffForm, variant: str) -> str:
    if variant == "nothing":
        return ""
    said = amounts.headline(stack["delta"], stack["old"], stack["new"])
    summary = f"<summary><b>{name(stack['stack'])}</b>: {said}, {row_verdict(stack)}</summary>"
    body = "".join(_parts(stack, variant))
    return f"<details>{summary}\n\n{body.rstrip() or 'Nothing else is known.'}\n\n</details>\n\n"


def _parts(stack: StackDiffForm, variant: str) -> Iterator[str]:
    short = variant == "rules"
    budget = SHORT_BUDGET if short else BUDGET
    if stack["failure"]:
        yield f"**It could not be computed:** {prose(stack['failure'], most=1_000)}\n\n"
    yield _verdicts(stack)
    yield from _rules(stack, budget=budget)
    yield render_list("Look closely", [_describe_risk(each) for each in stack["called_out"]], budget=budget)
    if short:
        return
    yield _split(stack)
    yield _counts(stack)
    if variant in LINES:
        yield _components(stack, most_lines=LINES[variant])
    yield render_list("Notes", [prose(each) for each in stack["notes"]], budget=budget)


def _verdicts(stack: StackDiffForm) -> str:
    listed_below = {each["sentence"] for each in stack["breaches"]}
    sides = [
        (
            f"**{when}: {verdict_word(side)}.**",
            "" if side["reason"] in listed_below else title(side["reason"], most=1_000),
        )
        for when, side in (("After the change", stack["after"]), ("Before", stack["before"]))
        if side
    ]
    return "<br>\n".join(f"{verdict} {reason}".rstrip() for verdict, reason in sides) + "\n\n" if sides else ""


def _rules(stack: StackDiffForm, *, budget: int) -> Iterator[str]:
    new = [_breach(each) for each in stack["breaches"] if each["new"]]
    old = [_breach(each) for each in stack["breaches"] if not each["new"]]
    yield render_list("Rules newly broken", new, budget=budget)
    yield render_list("Rules broken before, and still", old, budget=budget)
    yield render_list("Mended by this change", [_breach(each, mended=True) for each in stack["mended"]], budget=budget)
    yield render_list("Exemptions", [_exemption(each) for each in stack["exemptions"]], budget=budget)


def _breach(breach: BreachForm, *, mended: bool = False) -> str:
    weight = "stops" if breach["stops"] else "exempt" if breach["exemption"] else "advice"
    sentence = prose(breach["sentence"], most=1_000)
    if mended:
        return sentence
    by = f" _Let through: {prose(breach['exemption'])}_" if breach["exemption"] else ""
    return f"**{weight}:** {sentence}{by}"


def _exemption(each: ExemptionForm) -> str:
    standing = {"used": "used", "unused": "UNUSED: remove it", "expired": "EXPIRED", "exceeded": "EXCEEDED"}
    most = f", up to {amounts.money(each['max_usd_per_month'])} USD a month" if each["max_usd_per_month"] else ""
    about = f" for {name(each['resource'])}" if each["resource"] else ""
    return (
        f"**{standing[each['standing']]}**: {name(each['rule'])}{about} by {prose(each['owner'], most=100)} until "
        f"{prose(each['expires'], most=20)}{most}. {prose(each['reason'])}"
    )


def _describe_risk(each: CalledOutForm) -> str:
    verb = {"delete": "DELETES", "replace": "REPLACES", "unprotect": "TAKES THE PROTECTION OFF"}[each["action"]]
    facts = ["it holds data"] if each["holds_data"] else []
    if each["protected"]:
        facts.append("it is protected, so that the engine will refuse")
    if each["because"]:
        facts.append("because of " + ", ".join(name(path, most=60) for path in each["because"][:5]))
    said = f": {'; '.join(facts)}" if facts else ""
    return f"**{verb}** {name(each['name'])} ({name(each['type'])}){said}"


def _split(stack: StackDiffForm) -> str:
    """What the change moves, and what the prices of the head would move on top."""
    if stack["by_change"] is None:
        return ""
    said = f"The change itself: {amounts.delta(stack['by_change'])} USD a month at the base's prices."
    if amounts.has_change(stack["by_prices"]):
        moved = amounts.delta(stack["by_prices"])
        said += f" The head's price book would move it by {moved} USD on top, for the same resources."
    return f"{said}\n\n"


def _counts(stack: StackDiffForm) -> str:
    counts = stack["counts"]
    if counts is None:
        return ""
    told = {
        "created": counts["created"],
        "updated": counts["updated"],
        "replaced": counts["replaced"],
        "deleted": counts["deleted"],
        "unchanged": counts["unchanged"],
    }
    said = ", ".join(f"{count:,} {word}" for word, count in told.items() if count)
    return f"Resources: {said or 'none'}.\n\n"


def _components(stack: StackDiffForm, *, most_lines: int) -> str:
    rows = [row for each in stack["components"] for row in _component(each, most_lines=most_lines)]
    return table(LINE_HEADINGS, "lrrrr", rows, budget=BUDGET) if rows else ""


def _component(each: ComponentDiffForm, *, most_lines: int) -> Iterator[tuple[str, ...]]:
    bold = f"<strong>{prose(each['name'], most=100)}</strong>"
    yield bold, *_amounts(each)
    for line in each["lines"][:most_lines]:
        yield _label(line), *_amounts(line)
    more = len(each["lines"]) - most_lines
    if most_lines and more > 0:
        yield f"&emsp;_and {more} more_", "", "", "", ""


def _amounts(each: ComponentDiffForm | LineDiffForm) -> tuple[str, str, str, str]:
    return (
        _with_spread(amounts.amount(each["old"]), amounts.spread(each["old"])),
        _with_spread(amounts.amount(each["new"]), amounts.spread(each["new"])),
        amounts.delta(each["delta"], each["old"], each["new"]),
        amounts.percent(each["delta"]),
    )


def _with_spread(amount: str, spread: str) -> str:
    return f"{amount}<br><sub>{spread}</sub>" if spread else amount


def _label(line: LineDiffForm) -> str:
    quantity, price = amounts.quantities(line), amounts.unit_prices(line)
    unit = prose(spell_unit(line["unit"], quantity), most=40)
    made_of = f"{quantity} {unit}".strip() + (f" at {price} USD" if price else "")
    why = {"price": "only the price moves; ", "unpriced": "without a price; "}.get(line["change"], "")
    return f"&emsp;{prose(line['label'], most=120)}<br>&emsp;<sub>{why}{made_of}</sub>"
