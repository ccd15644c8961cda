"""Every rule: what it says of itself, a stack that keeps it, stacks that break it and nothing else."""

from __future__ import annotations

from importlib import import_module
from typing import cast

import pytest
from policy_kit import STACKS, Breaking, sound

from planning.values.verdict import Verdict
from policies.evaluation import evaluate_rules
from policies.rule import Rule
from policies.table import RULES


def cases(rule: Rule) -> tuple[Breaking, ...]:
    module = import_module(f"policy_cases.{rule.name.replace('-', '_')}")
    return cast("tuple[Breaking, ...]", module.CASES)


EVERY_CASE = [pytest.param(rule, case, id=f"{rule.name}: {case.what}") for rule in RULES for case in cases(rule)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_what_it_demands_and_why(rule: Rule) -> None:
    for text in (rule.demand, rule.why, rule.remedy):
        assert text.endswith(".")
        assert len(text) > 20
    assert not rule.title.endswith(".")
    assert all(field.description for field in rule.settings.model_fields.values())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_has_a_stack_that_breaks_it(rule: Rule) -> None:
    assert any(not case.unclear for case in cases(rule))


@pytest.mark.parametrize("target", STACKS)
def test_what_the_program_builds_keeps_every_mandatory_rule(target: str) -> None:
    report = evaluate_rules(sound(target), RULES)
    assert [each.sentence for each in report.stopping] == []


@pytest.mark.parametrize(("rule", "case"), EVERY_CASE)
def test_a_stack_breaks_only_the_rule_it_is_made_for(rule: Rule, case: Breaking) -> None:
    stack = case.stack()
    target = next(target for target, (example, _) in STACKS.items() if example == stack.lock.stack)
    usual = {each.sentence for each in evaluate_rules(sound(target), RULES).found}
    found = [each for each in evaluate_rules(stack, RULES).found if each.sentence not in usual]
    assert {each.rule.name for each in found} == {rule.name}
    wanted = Verdict.UNDETERMINED if case.unclear else Verdict.OVER
    assert wanted in {each.breach.verdict for each in found}
    for each in found:
        assert each.breach.given
        assert each.breach.limit
        assert each.breach.fix
        assert not each.breach.fix.endswith(".")
