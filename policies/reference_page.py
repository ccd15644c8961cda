"""docs/reference/policies.md and the schema of stacks/policies.yaml, made from the rules themselves.

python -m policies.reference_page > docs/reference/policies.md
python -m policies.reference_page --schema > stacks/policies.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final, cast

from policies.settings import Exemption, Level
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.rule import Rule
    from policies.settings import PolicySettings, Settings

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
HEAD: Final = """\
# Rules

Made from the rules by `python -m policies.reference_page`; do not edit. `atoll rules` prints the same with what your
project sets. What is set stands in `stacks/policies.yaml` ([guide](../guides/policies.md)). A mandatory rule stops a
deployment where it is broken; where nobody can tell, the second level counts. A level can be made stricter, and a rule
that is mandatory stays so: only an exemption lets a breach through.
"""


def rule_form(rule: Rule, law: PolicySettings) -> dict[str, object]:
    """A rule as plain values, with what the project sets."""
    return {
        "name": rule.name,
        "title": rule.title,
        "demand": rule.demand,
        "why": rule.why,
        "remedy": rule.remedy,
        "severity": rule.severity.value,
        "level": law.levels.get(rule.name, rule.level).value,
        "unknown": law.levels.get(rule.name, rule.unknown or rule.level).value,
        "exit_code": rule.exit_code,
        "settings": law.setting(rule.settings).model_dump(mode="json"),
    }


def schema() -> dict[str, object]:
    return {
        "$schema": DRAFT,
        "title": "stacks/policies.yaml",
        "description": "Settings of the rules, and exemptions from them.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "rules": {
                "description": "What is set of each rule.",
                "type": "object",
                "additionalProperties": False,
                "properties": {rule.name: settings_schema(rule) for rule in RULES},
            },
            "exemptions": {
                "description": "Breaches that are let through.",
                "type": "array",
                "items": Exemption.model_json_schema(),
            },
        },
    }


def settings_schema(rule: Rule) -> dict[str, object]:
    """JSON Schema of what may be set of one rule."""
    found = rule.settings.model_json_schema()
    levels = [Level.MANDATORY] if rule.level is Level.MANDATORY else list(Level)
    level = {"description": "What a breach leads to.", "enum": [each.value for each in levels]}
    properties = cast("dict[str, object]", found.get("properties", {}))
    return {**found, "description": rule.demand, "properties": {"level": level, **properties}}


def page() -> str:
    return "".join([HEAD, *(part for rule in RULES for part in _section(rule))])


def _section(rule: Rule) -> Iterator[str]:
    unknown = rule.unknown or rule.level
    yield f"\n## {rule.name}\n\n{rule.demand} {rule.why}\n\n"
    yield f"- level: {rule.level}; where nobody can tell: {unknown}; severity: {rule.severity}"
    yield f"; exit code {rule.exit_code}\n"
    yield f"- {rule.remedy}\n"
    fields = rule.settings.model_fields
    if fields:
        yield "\n| setting | default | meaning |\n|---|---|---|\n"
        default = rule.settings()
        for name, field in fields.items():
            meaning = " ".join((field.description or "").split())
            yield f"| `{name}` | {_default(default, name)} | {meaning} |\n"


def _default(settings: Settings, name: str) -> str:
    value = settings.model_dump(mode="json")[name]
    return "" if value in (None, [], {}, "") else f"`{json.dumps(value)}`"


if __name__ == "__main__":
    wanted = json.dumps(schema(), indent=2) + "\n" if sys.argv[1:] == ["--schema"] else page()
    sys.stdout.write(wanted)
