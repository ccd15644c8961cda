"""What the rules say of a stack: breaches with what they lead to, exemptions with what became of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from policies.exemptions import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from policies.evaluation import Found, Report
    from policies.rule import Rule
    from policies.settings import Law

STYLES: Final = {True: "bold red", False: "yellow"}
STOPS: Final = "stops"
ALIKE: Final = 4  # breaches of one rule that are told one by one


def policy_parts(report: Report, *, rules: int) -> Iterator[RenderableType]:
    """A table of breaches, the exemptions, and a sentence."""
    if report.found:
        yield _table(report)
    yield from exemption_lines(report)
    for note in report.notes:
        yield Text(note)
    yield _sentence(report, rules=rules)


def exemption_lines(report: Report) -> Iterator[Text]:
    """Every exemption of the stack with what became of it, needed or not."""
    for exemption, standing in report.exemptions:
        what = f"{exemption.rule}{f' of {exemption.resource}' if exemption.resource else ''}"
        style = "" if standing in {Standing.USED, Standing.UNUSED} else "bold yellow"
        said = f"exemption from {what}: {standing}; {exemption.owner}, until {exemption.expires}: {exemption.reason}"
        yield Text(said, style=style)


def _table(report: Report) -> Table:
    table = Table("", "what the rules say", box=SIMPLE_HEAD, pad_edge=False)
    told: Counter[tuple[str, str]] = Counter()
    for each in report.found:
        told[each.rule.name, _word(each)] += 1
        if told[each.rule.name, _word(each)] <= ALIKE:
            table.add_row(Text(_word(each), style=STYLES[each.stops]), Text(each.sentence))
    for (name, word), count in told.items():
        if count > ALIKE:
            table.add_row(Text(word, style=STYLES[word == STOPS]), Text(f"{name}: {count - ALIKE} more, all in --json"))
    return table


def _word(found: Found) -> str:
    if found.exempt:
        return "exempt"
    return STOPS if found.stops else found.level.value


def _sentence(report: Report, *, rules: int) -> Text:
    stopping = len({each.rule.name for each in report.stopping})
    if stopping:
        return Text(f"{stopping} of {rules} rules stop this stack.", style="bold red")
    others = len({each.rule.name for each in report.found})
    return Text(f"{rules} rules judged, none stops this stack{f'; {others} have something to say' if others else ''}.")


def rules_table(rules: Sequence[Rule], law: Law) -> Table:
    """Every rule in a line."""
    table = Table("rule", "level", "cannot tell", "demand", box=SIMPLE_HEAD, pad_edge=False)
    for rule in rules:
        set_ = law.levels.get(rule.name)
        table.add_row(rule.name, set_ or rule.level, set_ or rule.unknown or rule.level, Text(rule.demand))
    return table


def rule_parts(rule: Rule, law: Law) -> Iterator[RenderableType]:
    """One rule in full."""
    yield Text(rule.title, style="bold")
    for text in (rule.demand, rule.why, rule.remedy):
        yield Text(text)
    level = law.levels.get(rule.name)
    unknown = level or rule.unknown or rule.level
    yield Text(f"level: {level or rule.level}; where nobody can tell: {unknown}; severity: {rule.severity}")
    for name, value in law.setting(rule.settings).model_dump(mode="json").items():
        meaning = rule.settings.model_fields[name].description or ""
        yield Text(f"{name}: {value}  ({' '.join(meaning.split())})")
