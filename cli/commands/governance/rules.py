"""`atoll rules`: the policy rules with their levels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cli.terminal import options
from cli.terminal.options import deliver
from operations.project.workspace import display_path, find_project
from planning.inputs.faults import nearest
from planning.values.errors import InputError
from policies.reference_page import rule_form
from policies.settings_reader import read_law
from policies.table import BY_NAME, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from policies.rule import Rule
    from policies.settings import PolicySettings


def run_rules(
    name: Annotated[str, options.make_argument("[RULE]", "One rule, in full.")] = "",
    *,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """List the rules with their levels here, or explain one."""
    law = read_law(Path(display_path(find_project().law)), rules=RULES)
    if name and name not in BY_NAME:
        near = nearest(name, BY_NAME)
        raise InputError(
            f"there is no rule {name!r}", hint=f'did you mean "{near}"?' if near else "atoll rules lists them"
        )
    chosen = (BY_NAME[name],) if name else RULES
    deliver(
        {"rules": [rule_form(rule, law) for rule in chosen]},
        as_json=as_json,
        output=output,
        parts=lambda: _rule_parts(chosen[0], law) if name else (_rules_table(chosen, law),),
    )
    return 0


def _rules_table(rules: Sequence[Rule], law: PolicySettings) -> Table:
    table = Table("rule", "level", "undetermined", "demand", box=SIMPLE_HEAD, pad_edge=False)
    for rule in rules:
        set_ = law.levels.get(rule.name)
        table.add_row(rule.name, set_ or rule.level, set_ or rule.unknown or rule.level, Text(rule.demand))
    return table


def _rule_parts(rule: Rule, law: PolicySettings) -> Iterator[RenderableType]:
    yield Text(rule.title, style="bold")
    for text in (rule.demand, rule.why, rule.remedy):
        yield Text(text)
    level = law.levels.get(rule.name)
    unknown = level or rule.unknown or rule.level
    yield Text(f"level: {level or rule.level}; where undetermined: {unknown}; severity: {rule.severity}")
    for name, value in law.get(rule.settings).model_dump(mode="json").items():
        meaning = rule.settings.model_fields[name].description or ""
        yield Text(f"{name}: {value}  ({' '.join(meaning.split())})")
