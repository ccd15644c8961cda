"""`atoll rules`: what every stack is judged by."""

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.output import deliver
from cli.views.policies import rule_parts, rules_table
from operations.project.workspace import find_project, shown
from planning.inputs.faults import nearest
from planning.values.errors import InputError
from policies.reference_page import rule_form
from policies.settings_reader import read_law
from policies.table import BY_NAME, RULES


def run_rules(
    name: Annotated[str, typer.Argument(metavar="[RULE]", help="One rule, in full.", show_default=False)] = "",
    *,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """List the rules with their levels here, or explain one."""
    law = read_law(Path(shown(find_project().law)), rules=RULES)
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
        parts=lambda: rule_parts(chosen[0], law) if name else (rules_table(chosen, law),),
    )
    return 0
