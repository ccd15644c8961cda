"""One ceiling, every layer: the number of the lock in budget, rules and guard, and nodes and queues that it bounds."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, cast

import pulumi
import pytest

from catalogs.catalog import load
from components.context.names import workloads
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from planning.agents.spend_guard import Stop, decide_stop
from planning.agents.spend_ledger import plan_of_text
from planning.ceilings.spend_bounds import build_home_prices, by_queue, faults, guard_plan, reaches
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.vocabulary import Orchestration
from planning.checklist.reading.checklist_file import read_file
from planning.costs.resources.resource import Resource
from planning.platform.base_layer_software import elastic_nodes
from planning.platform.queues import lines, namespace_quotas
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Lock
from planning.values.verdict import Verdict

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/checklist.yaml"))
TODAY = date(2026, 11, 21)
LONGEST_MONTH = datetime(2026, 12, 1, tzinfo=UTC)
KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2"


@cache
def checklist_of(example: str) -> Checklist:
    return read_file(ROOT / "stacks" / example / "checklist.yaml")


@cache
def _market() -> Market:
    return Market(load())


@cache
def locks(example: str) -> tuple[tuple[Lock, Verdict], ...]:
    asked = checklist_of(example)
    found = quote(asked, checklist_digest="", stack=example, market=_market(), today=TODAY)
    return tuple(
        (
            lock(found, option, ceiling=ceilings(asked), contract_months=asked.contract.months),
            option.judgement.verdict,
        )
        for option in found.options
    )


@cache
def built(example: str) -> tuple[Lock, OfflineRun]:
    """The first option of the example, as its stack registers it."""
    there = locks(example)[0][0]
    prices = build_home_prices(there)

    def program() -> None:
        pulumi.runtime.set_config("atoll:billingAccount", "000000-000000-000000")
        build(there.placements, joined=there.joined, ceiling=there.ceiling.usd_per_month, prices=prices)

    return there, run(example, program=program)


def named(found: OfflineRun, token: str, name: str) -> Any:
    (one,) = [each for each in found.resources if each.type == token and each.name == name]
    return one.inputs


def objects(found: OfflineRun, token: str) -> dict[str, Any]:
    return {name_of(each): each.inputs for each in found.resources if each.type == token}


def name_of(resource: Resource) -> str:
    return cast("dict[str, Any]", resource.inputs)["metadata"]["name"]


def recorded(found: OfflineRun, name: str) -> Decimal:
    groups = named(found, "kubernetes:monitoring.coreos.com/v1:PrometheusRule", "atoll-rules")["spec"]["groups"]
    (expr,) = [rule["expr"] for group in groups for rule in group["rules"] if rule.get("record") == name]
    return Decimal(expr.removeprefix("vector(").removesuffix(")"))


def quota_sums(found: OfflineRun) -> dict[str, int]:
    """Accelerators that queues and cohorts of Kueue hold together, by pool."""
    sums: dict[str, int] = {}
    for kind in ("ClusterQueue", "Cohort"):
        for body in objects(found, f"{KUEUE}:{kind}").values():
            for group in body["spec"].get("resourceGroups", []):
                for flavor in group["flavors"]:
                    counts = [int(each["nominalQuota"]) for each in flavor["resources"] if each["name"] != "pods"]
                    sums[flavor["name"]] = sums.get(flavor["name"], 0) + sum(counts)
    return {name: count for name, count in sums.items() if name != "any.node"}


@pytest.mark.parametrize("example", ["demo", "gcp-train", "coreweave-pretrain", "existing-lambda"])
def test_rules_and_guard_have_the_number_of_the_lock(example: str) -> None:
    there, found = built(example)
    ceiling = there.ceiling.usd_per_month
    assert recorded(found, "atoll:ceiling_usd_per_month") == ceiling
    told = plan_of_text(named(found, "kubernetes:core/v1:ConfigMap", "spend-guard")["data"]["plan.json"])
    assert told.ceiling_usd_per_month == ceiling
    if there.spec.existing is None:
        assert told == guard_plan(there)


def test_budgets_have_the_number_of_the_lock() -> None:
    there, found = built("demo")
    assert Decimal(named(found, "aws:budgets/budget:Budget", "ceiling")["limitAmount"]) == there.ceiling.usd_per_month
    action = named(found, "aws:budgets/budgetAction:BudgetAction", "stop")
    assert action["actionThreshold"] == {"actionThresholdType": "PERCENTAGE", "actionThresholdValue": 100}
    there, found = built("gcp-train")
    amount = named(found, "gcp:billing/budget:Budget", "budget")["amount"]["specifiedAmount"]
    assert Decimal(amount["units"]) == there.ceiling.usd_per_month


def test_karpenter_starts_no_node_beyond_the_bill() -> None:
    there, found = built("demo")
    pools = objects(found, "kubernetes:karpenter.sh/v1:NodePool")
    assert pools
    for pool in there.spec.pools:
        if elastic_nodes(pool):
            limits = pools[pool.name]["spec"]["limits"]
            assert limits == {"nodes": str(elastic_nodes(pool)), "cpu": str(elastic_nodes(pool) * (pool.vcpus or 0))}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_namespace_whose_pods_wait_for_a_queue_has_one(example: str) -> None:
    for there, _ in locks(example):
        if there.spec.platform is not None:
            queued = {line.workload for line in lines(there.spec.platform, there.spec.pools)}
            assert queued >= set(workloads(there.spec)), there.option


@pytest.mark.parametrize("example", ["demo", "gcp-train", "coreweave-pretrain"])
def test_queues_and_namespaces_hold_no_more_than_the_nodes(example: str) -> None:
    there, found = built(example)
    assert quota_sums(found) == by_queue(there.spec)
    most = {pool.name: pool.max_nodes * pool.accelerators for pool in there.spec.pools}
    assert all(count <= most[name] for name, count in quota_sums(found).items())
    hard = [body["spec"]["hard"] for body in objects(found, "kubernetes:core/v1:ResourceQuota").values()]
    expected = namespace_quotas(there.spec.pools, there.spec.platform).values()
    asked = [{f"requests.{name}": str(count) for name, count in each.items()} for each in expected]
    assert [each for each in hard if each in asked]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_spend_that_is_reachable_in_an_example_is_within_its_ceiling(example: str) -> None:
    for there, verdict in locks(example):
        found, ceiling = reaches(there), there.ceiling.usd_per_month
        assert ceiling is not None
        if there.spec.orchestration is Orchestration.KUBERNETES and verdict != Verdict.OVER:
            assert faults(there.spec) == ()
            assert found.usd_per_month <= ceiling, there.option


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_month_begins_with_work(example: str) -> None:
    for there, _ in locks(example):
        plan = guard_plan(there)
        assert plan is not None
        assert decide_stop(plan, None, [], now=LONGEST_MONTH).stop is Stop.NONE, there.option


def test_slurms_nodes_are_said_to_be_beyond_the_guard() -> None:
    there, _ = locks("pretrain-7b")[0]
    assert faults(there.spec) == ("pool pretrain-7b grows, and the guard holds no queue that alone makes it grow",)


def test_the_guard_may_see_nodes_stop_its_queues_and_write_its_ledger_and_nothing_else() -> None:
    there, found = built("demo")
    plan = guard_plan(there)
    assert plan is not None
    rules = named(found, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "spend-guard")["rules"]
    assert [(each["resources"], each["verbs"], each.get("resourceNames")) for each in rules] == [
        (["nodes"], ["list"], None),
        (["clusterqueues"], ["get", "patch"], list(plan.queues)),
    ]
    (rule,) = named(found, "kubernetes:rbac.authorization.k8s.io/v1:Role", "spend-guard")["rules"]
    assert (rule["resources"], rule["resourceNames"], rule["verbs"]) == (
        ["configmaps"],
        ["spend-ledger"],
        ["get", "patch"],
    )


def test_the_ledger_is_never_filled_by_the_program() -> None:
    _, found = built("demo")
    assert "data" not in named(found, "kubernetes:core/v1:ConfigMap", "spend-ledger")


def test_the_pod_runs_the_modules_that_are_tested() -> None:
    _, found = built("demo")
    files = named(found, "kubernetes:core/v1:ConfigMap", "spend-guard")["data"]
    assert files["planning.agents.spend_guard.py"] == (ROOT / "planning/agents/spend_guard.py").read_text()
    assert files["components.agents.spend_guard.py"] == (ROOT / "components/agents/spend_guard.py").read_text()
    assert set(json.loads(files["plan.json"])) >= {"ceiling_usd_per_month", "queues", "pools"}
