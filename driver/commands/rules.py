"""`atoll rules`: what every stack is judged by."""

from pathlib import Path
from typing import Annotated

import typer

from driver import arguments
from driver.output_files import deliver
from driver.project import find_project, shown
from driver.render.policies import rule_parts, rules_table
from planning.checklist.faults import nearest
from planning.errors import InputError
from policies.law_reading import read_law
from policies.page import rule_form
from policies.table import BY_NAME, RULES


def run_rules(
    name: Annotated[str, typer.Argument(metavar="[RULE]", help="One rule, in full.", show_default=False)] = "",
    *,
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
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
