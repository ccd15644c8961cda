"""A comparison as a comment on a pull request: the money first, the rest folded, never longer than a comment may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.parsing import spell_unit
from cli.pages.diff.comment_parts import box, render_list, table
from cli.terminal.escaping import name, prose, title
from cli.views.diff import amounts
from cli.views.diff.tables import LOUD, headline, limit_words, loudness, row_verdict, stack_reason, verdict_word
from operations.code_hosts.commit_status import LONGEST, MARKER, code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from operations.code_hosts.commit_status import CommitStatus
    from planning.diff.form import (
        BreachForm,
        CalledOutForm,
        ComponentDiffForm,
        DiffForm,
        ExemptionForm,
        LineDiffForm,
        RefForm,
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


LIMIT: Final = 65_000  # GitHub refuses 65,536 characters and more
FOR_FIGURES: Final = 60_000  # of a posted comment; the rest is the banner's
TOO_LONG: Final = "The figures are too many for a comment; the job's summary and its artifact have them all."
# Characters for each part that is never left out; what is over is counted, and the rest of the comment folds first.
ALARM_BUDGET: Final = 7_000
MOVED_BUDGET: Final = 9_000
NOTES_BUDGET: Final = 3_000
TABLE_BUDGET: Final = 24_000
HEADINGS: Final = ("stack", "before", "after", "change", "%", "verdict")
ALIGNED: Final = "lrrrrl"
READING: Final = "USD a month as expected; in small print the least and the most."
WHOLE: Final = "`atoll diff --json` gives the whole, as does the `atoll-diff` artifact of this run where there is one."
LEFT_OUT: Final[tuple[str, ...]] = (
    "",
    "all but the ten most expensive lines of each component",
    "the lines of components",
    "the components of stacks",
    "everything of a stack but its rules and what is deleted or replaced",
    "the details of stacks",
)


def render_comment(form: DiffForm | None, standing: CommitStatus, commit: str) -> str:
    whole = _join_comment(standing, "" if form is None else text(form, limit=FOR_FIGURES), commit=commit)
    return whole if len(whole) <= LONGEST else _join_comment(standing, TOO_LONG, commit=commit)


def _join_comment(standing: CommitStatus, rendered: str, *, commit: str) -> str:
    foot = f"<sub>{code(commit[:12])}: {standing.state}, {prose(standing.description)}</sub>"
    return (
        "\n\n".join(part for part in (MARKER, standing.banner, rendered.replace(MARKER, "").strip(), foot) if part)
        + "\n"
    )


def text(form: DiffForm, *, limit: int = LIMIT) -> str:
    """The comment, at most `limit` characters long (30,000 at least)."""
    head, notes = _head(form), render_list("Notes", [prose(each) for each in form["notes"]], budget=NOTES_BUDGET)
    stacks = form["stacks"]
    room = limit - len(head) - len(notes) - 1_000  # for the sentences on what is left out
    folded, worst = _fit_details(stacks, room=room - len(_table(form, stacks)))
    shown = stacks
    if worst > VARIANTS.index("components"):  # neither lines nor components are shown any more
        shown = [each for each in stacks if each["state"] != "unchanged"]
    rows = _table(form, shown, budget=TABLE_BUDGET)
    folded, worst = _fit_details(stacks, room=room - len(rows))
    left = _describe_omissions(worst, unchanged=len(stacks) - len(shown))
    return "\n".join(part for part in (head, rows, "".join(folded), notes, left) if part).rstrip() + "\n"


def _head(form: DiffForm) -> str:
    said = amounts.format_total_change(form)
    if any(each["state"] == "failed" for each in form["stacks"]):
        said += ", failed stacks not counted"
    parts = [
        MARKER,
        f"## Atoll: {headline(form)}, {said}",
        "",
        _alarms(form) + f"Compared {_ref(form['base'], 'the base')} with {_ref(form['head'], 'the working tree')}. "
        f"Prices, ceilings, exemptions and rules are those of the base: {_book(form['base'])}.",
        "",
        _render_limit_changes(form),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _ref(ref: RefForm, otherwise: str) -> str:
    said = name(ref["ref"]) if ref["ref"] else otherwise
    return f"{said} ({name(ref['commit'][:10])})" if ref["commit"] and ref["commit"] != ref["ref"] else said


def _book(ref: RefForm) -> str:
    return f"price book {name(ref['prices'])} of {prose(ref['prices_as_of'] or 'no date', most=20)}"


def _alarms(form: DiffForm) -> str:
    bad = sorted((each for each in form["stacks"] if loudness(each)), key=loudness, reverse=True)
    lines = [f"**{row_verdict(each)}** {name(each['stack'])}: {title(stack_reason(each), most=400)}" for each in bad]
    lines += [_loses(each) for each in form["stacks"] if _holding(each)]
    if not lines and form["verdict"] == "within":
        return ""
    kind = "WARNING" if form["verdict"] in ("undetermined", "within") else "CAUTION"
    return box(kind, lines or [LOUD[form["verdict"]]], budget=ALARM_BUDGET)


def _holding(stack: StackDiffForm) -> int:
    return sum(each["holds_data"] or each["protected"] for each in stack["called_out"])


def _loses(stack: StackDiffForm) -> str:
    count = _holding(stack)
    what = "a resource that is protected or holds data" if count == 1 else f"{count} resources that hold data"
    return f"**LOOK CLOSELY** {name(stack['stack'])}: {what} would be deleted, replaced or left unprotected."


def _render_limit_changes(form: DiffForm) -> str:
    rows = [row for stack in form["stacks"] for row in _limits(stack)]
    rows += [
        (f"**{prose(each['what'], most=20).upper()} CHANGED**", prose(each["words"], most=200), name(each["path"]))
        for each in form["judge_changes"]
    ]
    if not rows:
        return ""
    alarm = box(
        "WARNING",
        ["**This change edits its own rules, prices or workflows.** Those of the base were used."],
        budget=ALARM_BUDGET,
    )
    return f"{alarm}{table(('what', 'how', 'where'), 'lll', rows, budget=MOVED_BUDGET)}"


def _limits(stack: StackDiffForm) -> Iterator[tuple[str, str, str]]:
    files: dict[tuple[bool, str, str, str], list[str]] = {}
    for each in stack["ceilings"]:
        files.setdefault((not each["raised"], each["what"], each["old"], each["new"]), []).append(each["where"])
    for (lowered, what, old, new), where in sorted(files.items()):
        words = f"{name(stack['stack'])}: {limit_words(what)}, {_limit(old)} → <strong>{_limit(new)}</strong>"
        yield f"**{'limit moved' if lowered else 'LIMIT RAISED'}**", words, "<br>".join(map(name, where[:3]))


def _limit(text: str) -> str:
    return amounts.limit(text) or prose(text, most=60)


def _table(form: DiffForm, stacks: Sequence[StackDiffForm], *, budget: int = TABLE_BUDGET) -> str:
    """One row for each stack, the sum below; loud ones stay where not all have room."""
    rows = [_row(each) for each in sorted(stacks, key=loudness, reverse=True)] if stacks else []
    if len(rows) > 1:
        rows.insert(0, _sum(form))
    count = form["untouched"]
    rest = f"{count} stack{'s are' if count != 1 else ' is'} untouched: neither run nor priced." if count else ""
    if not rows:
        return f"{rest or 'No stack differs.'}\n"
    return table(HEADINGS, ALIGNED, rows, budget=budget) + f"{READING} {rest}".rstrip() + "\n"


def _row(stack: StackDiffForm) -> tuple[str, ...]:
    absent = amounts.NOT_KNOWN if stack["state"] == "failed" else amounts.NOT_THERE
    said = name(stack["stack"])
    if stack["state"] in ("added", "removed"):
        said += f" ({stack['state']})"
    if stack["state"] == "renamed":
        said += f" (was {name(stack['was'])})"
    return (
        said,
        _with_spread(amounts.amount(stack["old"], absent=absent), amounts.spread(stack["old"])),
        _with_spread(amounts.amount(stack["new"], absent=absent), amounts.spread(stack["new"])),
        amounts.delta(stack["delta"], stack["old"], stack["new"]),
        amounts.percent(stack["delta"]),
        row_verdict(stack) if not loudness(stack) else f"**{row_verdict(stack)}**",
    )


def _sum(form: DiffForm) -> tuple[str, ...]:
    return (
        "**all of them**",
        _with_spread(amounts.amount(form["old"], absent=amounts.NOT_KNOWN), amounts.spread(form["old"])),
        _with_spread(amounts.amount(form["new"], absent=amounts.NOT_KNOWN), amounts.spread(form["new"])),
        f"**{amounts.delta(form['delta'], form['old'], form['new'])}**",
        amounts.percent(form["delta"]),
        "",
    )


def _fit_details(stacks: Sequence[StackDiffForm], *, room: int) -> tuple[list[str], int]:
    """The details of each stack, the last ones shortened first until all fit; how far the shortening went."""
    told = [each for each in stacks if each["state"] != "unchanged" or each["breaches"] or each["notes"]]
    chosen = [details(each, VARIANTS[0]) for each in told]
    spent, worst = sum(map(len, chosen)), 0
    for step, variant in enumerate(VARIANTS[1:], start=1):
        for at in reversed(range(len(told))):
            if spent <= room:
                return chosen, worst
            shorter = details(told[at], variant)
            worst = max(worst, step if len(shorter) < len(chosen[at]) else 0)
            spent += min(0, len(shorter) - len(chosen[at]))
            chosen[at] = min(shorter, chosen[at], key=len)
    return chosen, worst


def _describe_omissions(worst: int, *, unchanged: int) -> str:
    left: list[str] = [LEFT_OUT[worst]] if worst else []
    if unchanged:
        left.append(f"{unchanged} stack{'s' if unchanged != 1 else ''} that do not change")
    if not left:
        return ""
    return f"\nLeft out of some stacks so that this fits into a comment: {' and '.join(left)}. {WHOLE}"
