"""The rules about money beyond their breaking cases: bounds, exemptions, and ways out that really pass."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import ROUND_CEILING, Decimal

import pytest
from policy_cases.component_ceilings import with_ceilings
from policy_cases.growth import accepted_without
from policy_cases.monthly_ceiling import THING, bounded
from policy_cases.team_ceilings import with_money
from policy_kit import STACKS, added, ceiling, changed, made, sound

from planning.ceilings.savings import monthly_amount, relief
from planning.ceilings.spend_bounds import reaches
from planning.ceilings.verdict import of_lines
from planning.costs.bill import Bill
from planning.costs.resources.resource import UNKNOWN, Value
from planning.values.money import CENT, HOURS_PER_MONTH
from planning.values.verdict import Verdict
from policies.evaluation import ExemptionState, evaluate_rules
from policies.rule import Breach, Rule
from policies.rules.money import ceilings, prices, team_ceilings
from policies.rules.money.spend_limits import MayStayUnpriced, bill_of, system_pools
from policies.settings import Exemption, Level, PolicySettings
from policies.stack_context import StackContext

KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
MACHINES = "spec.template.spec.requirements.0.values"
NODES = {
    "aws": ("aws:eks/nodeGroup:NodeGroup", "nodes-system"),
    "gcp": ("gcp:container/nodePool:NodePool", "nodes-policy-3b"),
    "coreweave": ("kubernetes:compute.coreweave.com/v1alpha1:NodePool", "nodes-pretrain-13b"),
}
LEAST_SIZE: dict[str, dict[str, Value]] = {
    "aws": {"scalingConfig.minSize": UNKNOWN},
    "gcp": {"autoscaling.totalMinNodeCount": UNKNOWN},
    "coreweave": {"spec.minNodes": UNKNOWN},
}
LARGEST_SIZE: dict[str, dict[str, Value]] = {
    "aws": {"scalingConfig.maxSize": UNKNOWN},
    "gcp": {"autoscaling.totalMaxNodeCount": UNKNOWN},
    "coreweave": {"spec.maxNodes": UNKNOWN},
}


def breaches(rule: Rule, stack: StackContext) -> list[Breach]:
    return list(rule.judge(stack))


def verdicts(rule: Rule, stack: StackContext) -> list[Verdict]:
    return [each.verdict for each in breaches(rule, stack)]


def with_nodes(target: str, values: dict[str, Value]) -> StackContext:
    type_, name = NODES[target]
    return changed(sound(target), type_, values, name=name)


@pytest.mark.parametrize("target", STACKS)
def test_an_unknown_size_is_bounded_by_the_largest_one(target: str) -> None:
    stack = with_nodes(target, LEAST_SIZE[target])
    most = reaches(stack.lock).layers[0].usd_per_month
    assert verdicts(ceilings.MONTHLY_CEILING, ceiling(stack, usd_per_month=most * 2)) == []
    known = of_lines(stack.bill.lines, "expected").low
    assert verdicts(ceilings.MONTHLY_CEILING, ceiling(stack, usd_per_month=known + 1)) == [Verdict.UNDETERMINED]
    assert verdicts(prices.UNPRICED, stack) == []


@pytest.mark.parametrize("target", STACKS)
def test_an_unknown_largest_size_is_bounded_by_nothing(target: str) -> None:
    stack = with_nodes(target, LARGEST_SIZE[target])
    assert verdicts(ceilings.MONTHLY_CEILING, ceiling(stack, usd_per_month=10**9)) == [Verdict.UNDETERMINED]
    assert Verdict.UNDETERMINED in verdicts(prices.UNPRICED, stack)


def test_what_karpenter_starts_is_bounded_by_its_limit() -> None:
    pool = next(each for each in sound().resources if each.inputs.get("pool") == "notebooks")
    stack = changed(sound(), pool.type, {"nodeHours": UNKNOWN}, name=pool.name)
    unpriced_lines = stack.bill.unpriced
    machines = next(line for line in sound().bill.lines if line.key == "pool/notebooks/machine")
    disks = next(line for line in sound().bill.lines if line.key == "pool/notebooks/disk")
    assert machines.usd_per_month is not None
    assert disks.usd_per_month is not None
    asked = next(each for each in stack.lock.spec.pools if each.name == "notebooks")
    all_month = asked.max_nodes * HOURS_PER_MONTH / machines.quantity.max
    most = (machines.usd_per_month.max + disks.usd_per_month.max) * all_month
    assert [line.key for line in unpriced_lines] == ["pool/notebooks/machine"]
    assert round(unpriced_lines[0].at_most_usd_per_month or 0, 9) == round(most, 9)


def test_a_known_part_over_the_ceiling_is_over_whatever_is_unknown() -> None:
    stack = with_nodes("aws", LARGEST_SIZE["aws"])
    assert verdicts(ceilings.MONTHLY_CEILING, ceiling(stack, usd_per_month=1000)) == [Verdict.OVER]


@pytest.mark.parametrize("target", STACKS)
@pytest.mark.parametrize("reading", ["expected", "max"])
def test_what_the_sentence_suggests_passes(target: str, reading: str) -> None:
    stack = sound(target)
    bill, keep = bill_of(stack), system_pools(stack)
    month = monthly_amount(bill, reading)
    for percent in (95, 80, 60):
        found = relief(bill, month * percent / 100, judged=lambda each: monthly_amount(each, reading), keep=keep)
        assert found is not None
        assert monthly_amount(found.bill, reading) <= month * percent / 100


def test_the_raised_ceiling_of_the_sentence_passes() -> None:
    month = monthly_amount(bill_of(sound()), "expected")
    stack = ceiling(sound(), usd_per_month=Decimal(9000))
    raised = month.quantize(CENT, ROUND_CEILING)
    assert f"at least {raised:,} USD" in breaches(ceilings.MONTHLY_CEILING, stack)[0].fix
    assert breaches(ceilings.MONTHLY_CEILING, ceiling(sound(), usd_per_month=raised)) == []


def test_no_ceiling_is_nothing_to_break() -> None:
    free = ceiling(sound(), usd_per_month=None, usd_per_contract=None, usd_per_gpu_hour=None)
    for rule in (
        ceilings.MONTHLY_CEILING,
        ceilings.CONTRACT_CEILING,
        prices.GPU_HOUR_CEILING,
        ceilings.COMPONENT_CEILINGS,
    ):
        assert breaches(rule, free) == []


def test_a_contract_of_no_months_has_no_sum() -> None:
    assert sound("gcp").lock.contract_months == 0
    assert breaches(ceilings.CONTRACT_CEILING, ceiling(sound("gcp"), usd_per_contract=1)) == []


def test_an_exemption_lets_money_through_up_to_its_amount() -> None:
    stack = ceiling(sound(), usd_per_month=Decimal(9000))
    month = monthly_amount(bill_of(stack), "expected")
    assert _standing(stack, int(month) + 1) is ExemptionState.USED
    assert _standing(stack, int(month)) is ExemptionState.EXCEEDED


def _standing(stack: StackContext, most: int) -> ExemptionState | None:
    exemption = Exemption(
        rule="monthly-ceiling",
        stack=stack.lock.stack,
        owner="ada@example.com",
        reason="the last run of the quarter",
        expires=date(2026, 12, 31),
        max_usd_per_month=Decimal(most),
    )
    report = evaluate_rules(
        replace(stack, law=replace(stack.law, exemptions=(exemption,))), (ceilings.MONTHLY_CEILING,)
    )
    return report.found[0].standing


def test_a_stated_bound_counts_against_the_ceiling() -> None:
    assert verdicts(ceilings.MONTHLY_CEILING, bounded()) == [Verdict.UNDETERMINED]
    assert verdicts(ceilings.MONTHLY_CEILING, ceiling(bounded(), usd_per_month=10**6)) == []
    assert verdicts(prices.UNPRICED, bounded()) == []


def test_every_unpriced_line_of_an_example_is_named() -> None:
    found = breaches(prices.UNPRICED, replace(sound("coreweave"), law=PolicySettings()))
    assert {each.resource for each in found} == {"services"}


def test_the_dearest_of_several_machines_counts() -> None:
    stack = changed(sound(), KARPENTER, {MACHINES: ["g6e.xlarge", "p5.48xlarge"]}, name="nodes-notebooks")
    judged_by_hour = breaches(prices.GPU_HOUR_CEILING, ceiling(stack, usd_per_gpu_hour=15))
    assert [each.resource for each in judged_by_hour] == ["nodes-notebooks"]


def test_a_machine_that_nobody_knows_may_hold_any_accelerator() -> None:
    stack = changed(sound(), KARPENTER, {MACHINES: UNKNOWN}, name="nodes-notebooks")
    assert verdicts(prices.GPU_HOUR_CEILING, ceiling(stack, usd_per_gpu_hour=15)) == [Verdict.UNDETERMINED]
    assert verdicts(team_ceilings.RULE, stack) == [Verdict.UNDETERMINED]


def test_something_without_a_place_may_belong_to_any_component() -> None:
    stack = with_ceilings(usd_per_month={"storage/warm": Decimal(1000)})
    assert breaches(ceilings.COMPONENT_CEILINGS, stack) == []
    assert verdicts(ceilings.COMPONENT_CEILINGS, added(stack, made(THING, "thing"))) == [Verdict.UNDETERMINED]


def test_what_a_team_gives_up_is_enough() -> None:
    stack = with_money("models", 3000)
    assert stack.lock.spec.platform is not None
    team = next(each for each in stack.lock.spec.platform.teams if each.name == "models")
    mine = list(team_ceilings.parts(stack.bill, stack.lock.spec, team, "expected"))
    each = mine[0].each.low
    left = int(3000 // each)
    assert team_ceilings.find_reductions(mine, Decimal(3000)) == [("finetune-7b", 8 - left)]


def test_growth_is_advice_and_a_project_may_make_it_law() -> None:
    stack = accepted_without("pool/notebooks/machine")
    assert evaluate_rules(stack, (ceilings.GROWTH,)).exit_code == 0
    strict = replace(stack, law=PolicySettings(levels={"growth": Level.MANDATORY}))
    assert evaluate_rules(strict, (ceilings.GROWTH,)).exit_code == 1


def test_what_was_unpriced_when_it_was_accepted_may_still_be() -> None:
    stack = replace(sound("gcp"), law=PolicySettings())
    assert breaches(ceilings.GROWTH, stack) == []


def test_a_bound_is_no_negative_amount() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        MayStayUnpriced.model_validate({"at_most_usd_per_month": {"shared_ssd": -1}})


def test_a_cluster_that_is_built_in_two_steps_is_judged_whole() -> None:
    inside = tuple(
        each for each in sound().resources if not each.type.startswith(("kubernetes:karpenter", "aws:eks/node"))
    )
    stack = replace(ceiling(sound(), usd_per_gpu_hour=5), resources=inside)
    assert breaches(prices.GPU_HOUR_CEILING, stack) == []
    assert verdicts(prices.GPU_HOUR_CEILING, replace(stack, whole=sound().bill)) == [Verdict.OVER]


def test_a_change_does_not_make_its_own_contract_shorter() -> None:
    stack = ceiling(sound("gcp"), usd_per_contract=1)
    before = stack.lock.model_copy(update={"contract_months": 12})
    assert verdicts(ceilings.CONTRACT_CEILING, stack) == []
    assert verdicts(ceilings.CONTRACT_CEILING, replace(stack, before=before)) == [Verdict.OVER]


def test_a_change_does_not_raise_a_teams_part_and_is_judged_by_it() -> None:
    small, large = with_money("models", 3000), with_money("models", 10**6)
    assert breaches(team_ceilings.RULE, large) == []
    (found,) = breaches(team_ceilings.RULE, replace(large, before=small.lock))
    assert (found.verdict, found.path) == (Verdict.OVER, "models")


def test_breaches_of_two_components_are_told_apart() -> None:
    stack = with_ceilings(usd_per_month={"storage/warm": Decimal(1), "network": Decimal(1)})
    assert {each.path for each in breaches(ceilings.COMPONENT_CEILINGS, stack)} == {"storage/warm", "network"}


def test_what_is_unbounded_beside_too_much_is_named_too() -> None:
    stack = ceiling(with_nodes("aws", LARGEST_SIZE["aws"]), usd_per_month=1000)
    assert "give the unpriced lines a price" in breaches(ceilings.MONTHLY_CEILING, stack)[0].fix


def test_an_accelerator_that_may_be_bought_on_demand_instead_costs_that() -> None:
    assert breaches(prices.GPU_HOUR_CEILING, ceiling(sound(), usd_per_gpu_hour=Decimal("14.2416"))) == []
    (found,) = breaches(prices.GPU_HOUR_CEILING, ceiling(sound(), usd_per_gpu_hour=Decimal("14.24")))
    assert (found.resource, "14.25 USD" in found.fix) == ("nodes-finetune-7b", True)


def test_a_chapter_counts_at_every_placement_and_a_pool_where_it_is() -> None:
    machines = next(line for line in sound().bill.lines if line.key == "pool/system/machine")
    keys = ("pool/system/machine", "far/pool/system/machine", "pool/network/machine", "network/egress")
    bill = Bill(tuple(replace(machines, key=key) for key in keys))
    counts = {"pool": 3, "far": 1, "pool/system": 1, "far/pool/system": 1, "network": 1}
    each = of_lines([machines], "expected")
    assert {part: ceilings.part_of(bill, part, "expected") for part in counts} == {
        part: each.times(count) for part, count in counts.items()
    }
