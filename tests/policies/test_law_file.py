"""stacks/policies.yaml: read whole, or refused with every fault at its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from policy_kit import ceiling, sound

from planning.values.errors import InputError
from planning.values.verdict import Verdict
from policies.evaluation import ExemptionState, evaluate_rules
from policies.reference_page import page, schema
from policies.rule import OLD_PRICES, Breach, Rule, Severity
from policies.settings import Exemption, Level, NoSettings, PolicySettings
from policies.settings_reader import parse, read_law
from policies.table import RULES

ROOT = Path(__file__).parents[2]
MONEY = Breach(
    verdict=Verdict.OVER,
    given="it costs 120 USD",
    limit="the limit is 100 USD",
    fix="Buy less",
    usd_per_month=Decimal(120),
)
THING = replace(MONEY, urn="urn:pulumi:demo::atoll::aws:s3/bucket:Bucket::data-bucket", usd_per_month=None)


def rule(*breaches: Breach, level: Level = Level.MANDATORY, unknown: Level | None = None) -> Rule:
    return Rule(
        name="a-rule",
        title="A rule",
        demand="Things are so.",
        why="Else they are not.",
        remedy="Make them so.",
        severity=Severity.LOW,
        judge=lambda _subject: breaches,
        level=level,
        unknown=unknown,
    )


def exemption(**fields: object) -> Exemption:
    usual = {
        "rule": "a-rule",
        "stack": "demo",
        "owner": "ada@example.com",
        "reason": "until the move",
        "expires": "2026-12-31",
    }
    return Exemption.model_validate({**usual, **fields})


def faults(text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(InputError) as raised:
        parse(text, file="stacks/policies.yaml", rules=(rule(),))
    return [(fault.line, fault.message, fault.hint) for fault in raised.value.faults]


def test_without_the_file_the_rules_hold_as_they_are(tmp_path: Path) -> None:
    assert read_law(tmp_path / "policies.yaml", rules=RULES) == PolicySettings()


def test_an_empty_file_sets_nothing() -> None:
    assert parse("# nothing yet\n", file="f", rules=RULES).exemptions == ()


def test_every_fault_is_said_at_once_and_where() -> None:
    text = """\
rules:
  a-rool: {}
  a-rule:
    level: advisory
    most: 3
exemptions:
  - rule: a-rule
    stack: demo
    owner: nobody
    reason: short
    expires: tomorrow
  - rule: b
    stack: demo
    owner: ada@example.com
    reason: a good long reason
    expires: 2026-12-31
extra: 1
"""
    found = faults(text)
    assert [line for line, _, _ in found] == [2, 4, 5, 9, 10, 11, 12, 17]
    assert found[0] == (2, 'there is no "a-rool" here', 'did you mean "a-rule"?')
    assert "stays so" in found[1][1]
    assert "exemption" in found[1][2]


@pytest.mark.parametrize("text", ["- a\n", "rules: 3\n", "exemptions: {}\n", "rules: [\n", "rules:\n  a-rule: &x {}\n"])
def test_what_is_no_law_is_refused_in_words(text: str) -> None:
    assert faults(text)


def test_an_advisory_rule_may_be_made_mandatory() -> None:
    law = parse("rules: {a-rule: {level: mandatory}}", file="f", rules=(rule(level=Level.ADVISORY),))
    report = evaluate_rules(replace(sound(), law=law), (rule(MONEY, level=Level.ADVISORY),))
    assert report.verdict is Verdict.OVER


def test_where_nobody_can_tell_the_other_level_counts() -> None:
    unclear = replace(MONEY, verdict=Verdict.UNDETERMINED)
    assert evaluate_rules(sound(), (rule(unclear, unknown=Level.ADVISORY),)).verdict is Verdict.WITHIN
    report = evaluate_rules(sound(), (rule(unclear),))
    assert (report.verdict, report.exit_code) == (Verdict.UNDETERMINED, 11)


@pytest.mark.parametrize(
    ("given", "standing", "verdict"),
    [
        ({"max_usd_per_month": "120"}, ExemptionState.USED, Verdict.WITHIN),
        ({"max_usd_per_month": "119.99"}, ExemptionState.EXCEEDED, Verdict.OVER),
        ({}, ExemptionState.EXCEEDED, Verdict.OVER),
        ({"max_usd_per_month": "120", "expires": "2026-11-20"}, ExemptionState.EXPIRED, Verdict.OVER),
        ({"max_usd_per_month": "120", "expires": "2026-11-21"}, ExemptionState.USED, Verdict.WITHIN),
        ({"max_usd_per_month": "120", "resource": "data-*"}, ExemptionState.UNUSED, Verdict.OVER),
    ],
)
def test_an_exemption_holds_until_its_day_and_up_to_its_amount(
    given: dict[str, object], standing: ExemptionState, verdict: Verdict
) -> None:
    exempt = exemption(**given)
    report = evaluate_rules(
        replace(sound(), today=date(2026, 11, 21), law=PolicySettings(exemptions=(exempt,))), (rule(MONEY),)
    )
    assert report.exemptions == ((exempt, standing),)
    assert report.verdict is verdict


def test_an_exemption_names_its_resource() -> None:
    law = PolicySettings(exemptions=(exemption(resource="data-*"), exemption(resource="other")))
    report = evaluate_rules(replace(sound(), law=law), (rule(THING),))
    assert [standing for _, standing in report.exemptions] == [ExemptionState.USED, ExemptionState.UNUSED]
    assert report.verdict is Verdict.WITHIN
    assert "allowed by the exemption of ada@example.com until 2026-12-31: until the move" in report.found[0].sentence


def test_an_exemption_of_another_stack_is_not_ours() -> None:
    report = evaluate_rules(
        replace(sound(), law=PolicySettings(exemptions=(exemption(stack="other"),))), (rule(THING),)
    )
    assert report.exemptions == ()
    assert report.verdict is Verdict.OVER


def test_a_ceiling_of_the_project_reaches_the_subject() -> None:
    assert ceiling(sound(), usd_per_month=Decimal(1)).ceilings.usd_per_month == Decimal(1)


def test_the_schema_takes_what_the_reader_takes() -> None:
    who = "owner: a@b.co, reason: a good reason, expires: '2026-12-31'"
    text = f"rules: {{}}\nexemptions:\n- {{rule: tags, stack: demo, {who}}}\n"
    jsonschema.validate(yaml.safe_load(text), schema())
    assert parse(text, file="f", rules=RULES).exemptions[0].expires == date(2026, 12, 31)


def test_the_reference_is_made_from_the_rules() -> None:
    regenerate = (
        "python -m policies.reference_page > docs/reference/policies.md; ... --schema > stacks/policies.schema.json"
    )
    assert (ROOT / "docs/reference/policies.md").read_text("utf-8") == page(), regenerate
    assert json.loads((ROOT / "stacks/policies.schema.json").read_text("utf-8")) == schema(), regenerate
    assert NoSettings().model_dump() == {}


def test_somebody_may_go_on_with_old_prices_and_nothing_else() -> None:
    old = replace(rule(MONEY), name="price-age", exit_code=OLD_PRICES)
    report = evaluate_rules(sound(), (old, rule(MONEY)))
    assert evaluate_rules(sound(), (old,)).exit_code == 12
    assert evaluate_rules(sound(), (old,)).without_old_prices().exit_code == 0
    assert [each.rule.name for each in report.without_old_prices().found] == ["a-rule"]


@pytest.mark.parametrize("name", ["dmeo", "Demo", "demo ", "*", ""])
def test_an_exemption_of_a_stack_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/checklist.yaml").write_text("", encoding="utf-8")
    path = tmp_path / "policies.yaml"
    text = (
        "exemptions:\n  - {rule: monthly-ceiling, stack: demo, owner: ada@acme.example, "
        "reason: moves next month, expires: 2027-01-01, max_usd_per_month: 5}\n"
    )
    path.write_text(text, encoding="utf-8")
    assert len(read_law(path, rules=RULES).exemptions) == 1
    path.write_text(text.replace("stack: demo", f'stack: "{name}"'), encoding="utf-8")
    with pytest.raises(InputError) as told:
        read_law(path, rules=RULES)
    assert [(fault.line, fault.path) for fault in told.value.faults] == [(2, "exemptions[0].stack")]


WHOLE: dict[str, Any] = {
    "rules": {
        "unpriced": {"at_most_usd_per_month": {"dns_zone": 5}},
        "growth": {"level": "mandatory"},
        "price-age": {"machine_days": 45},
    },
    "exemptions": [
        {
            "rule": "monthly-ceiling",
            "stack": "demo",
            "resource": "pool-*",
            "owner": "ada@acme.example",
            "reason": "moves next month",
            "expires": "2027-01-01",
            "max_usd_per_month": 5,
        }
    ],
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield from (each for key, part in inner for each in leaves(part, (*path, key)))
    if path and not isinstance(value, list):
        yield path


def edited(path: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> str:
    whole = deepcopy(WHOLE)
    holder = reduce(lambda found, key: found[key], path[:-1], whole)
    edit(holder, path[-1])
    return json.dumps(whole)


def renamed(holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    else:
        holder[key] = "x"


def replaced(holder: Any, key: Any) -> None:
    others = {"mandatory": "advisory", "2027-01-01": "2027-01-02", "monthly-ceiling": "growth"}
    value = holder[key]
    if isinstance(value, int):
        holder[key] = value + 1
    else:
        holder[key] = others.get(value, f"{value}x") if isinstance(value, str) else 7


def removed(holder: Any, key: Any) -> None:
    holder.pop(key)


def meaning(text: str) -> object:
    """What a law does; its faults, each with its line, where it is refused."""
    try:
        found = parse(text, file="policies.yaml", rules=RULES, stacks={"demo"})
    except InputError as refused:
        return [fault.message for fault in refused.faults if fault.line]
    return (found.settings, found.levels, found.exemptions)


@pytest.mark.parametrize("path", list(leaves(WHOLE)), ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("edit", [renamed, replaced, removed])
def test_every_field_of_the_law_changes_it_or_is_refused(
    path: tuple[Any, ...], edit: Callable[[Any, Any], None]
) -> None:
    before = meaning(json.dumps(WHOLE))
    assert isinstance(before, tuple)
    after = meaning(edited(path, edit))
    assert after not in (before, [])


def test_a_field_that_is_named_otherwise_is_never_ignored() -> None:
    for path in leaves(WHOLE):
        if path[:3] == ("rules", "unpriced", "at_most_usd_per_month") and len(path) > 3:
            continue  # any item may be stated
        with pytest.raises(InputError):
            parse(edited(path, renamed), file="policies.yaml", rules=RULES, stacks={"demo"})
