"""The whole way: jobs planned from a lock, their own command lines run, their records read, judged and signed for.

Nothing that is asked for may be measured by nobody, and nothing that is measured may be understood by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from accept_scene import meta, run_of
from accept_sold import STACKS, Sold, sold
from accept_tools import Tools, WorkingCluster, commands

from components.acceptance.burn_in_gate import list_burn_in_pools
from components.acceptance.jobs import foundation, measurable, plan_jobs
from components.acceptance.model import PlannedJob
from operations.acceptance.result_store import ResultStore, build_results, merge_records
from operations.acceptance.run_plan import jobs_of, name_lock_nodes
from planning.acceptance.judgement import judge
from planning.acceptance.limits import AcceptanceLimit
from planning.acceptance.verdicts import CheckOutcome, Verdicts
from planning.agents.measurement_records import MeasurementRecord, Per

PEERS = ("10.0.0.2:443",)


def jobs(it: Sold, *, placement: int = 0) -> tuple[PlannedJob, ...]:
    spec = it.lock.placements[placement]
    return jobs_of(spec, nodes=name_lock_nodes(spec), run="first", only=(), expected=it.expected.pools, peers=PEERS)


def measured(it: Sold, folder: Path, patch: pytest.MonkeyPatch, *, slow: str = "") -> list[MeasurementRecord]:
    """What a run of every placement has told."""
    tools = Tools(expected=it.expected, slow=slow)
    tools.put_in(patch)
    parts: list[list[MeasurementRecord]] = []
    for place, spec in enumerate(it.lock.placements):
        found = jobs(it, placement=place)
        cluster = WorkingCluster(tools=tools, jobs={each.name: each for each in found}, folder=folder)
        store = ResultStore(folder / str(place))
        run = run_of(cluster, store)
        run.run_all(found, ground=foundation(spec))
        assert run.meta.failed == ()
        assert set(run.meta.done) == {each.name for each in found}
        parts.append(store.read_records())
    return merge_records(parts)


def judged(it: Sold, records: Sequence[MeasurementRecord]) -> Verdicts:
    of = meta(stack=it.lock.stack, option=it.lock.option, ended="2026-11-22T10:00:00+00:00")
    return judge(build_results(of, list(records)), it.expected)


def burnt(it: Sold) -> Iterator[MeasurementRecord]:
    """What the burn-in in the cluster writes, of the pools that have one."""
    for pool in it.expected.pools:
        for number in range(pool.nodes if pool.burn_in else 0):
            yield {
                "check": "burn_in",
                "subject": f"node/{pool.name}-{number}",
                "at": "2026-11-22T09:00:00+00:00",
                "tool": "atoll burn-in",
                "readings": [
                    {"name": "hours", "value": "72", "unit": "h"},
                    {"name": "rounds", "value": "18", "unit": ""},
                ],
                "failed": [],
                "params": {"placement": pool.placement, "pool": pool.name},
            }


def untold(it: Sold) -> set[tuple[str, str]]:
    """Check and subject of what nobody can judge, however good it is: no page states what it should be."""
    found: set[tuple[str, str]] = set()
    for tier in it.expected.tiers:
        found |= {("loader", tier.subject)} if not tier.loader.known else set()
        found |= {("checkpoint", tier.subject)} if not tier.checkpoint.known else set()
    for pool in it.expected.pools:
        limits: tuple[tuple[str, AcceptanceLimit], ...] = (("matmul", pool.matmul), ("nvlink", pool.nvlink))
        nodes = [f"node/{pool.name}-{number}" for number in range(pool.nodes)]
        found |= {(check, node) for check, limit in limits for node in nodes if not limit.known and not limit.optional}
        found |= {("all_reduce", pool.subject) for each in pool.all_reduce if not each.limit.known}
    return found


@pytest.mark.parametrize("stack", STACKS)
def test_what_is_measured_of_a_good_cluster_is_understood_and_lacks_nothing(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = sold(stack)
    found = judged(it, [*measured(it, tmp_path, monkeypatch), *burnt(it)])
    assert found.faults == ()
    odd = [each for each in found.verdicts if each.outcome not in (CheckOutcome.PASSED, CheckOutcome.NOTED)]
    assert {(each.check, each.subject) for each in odd} == untold(it)
    assert {each.outcome for each in odd} <= {CheckOutcome.UNDETERMINED}
    assert found.outcome is (CheckOutcome.UNDETERMINED if odd else CheckOutcome.PASSED)
    assert len(found.nodes) == sum(pool.nodes for pool in it.expected.pools)


@pytest.mark.parametrize("stack", ["pretrain-7b", "existing-lambda", "spanning-two"])
def test_a_node_at_half_speed_fails_by_name_and_no_other(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = sold(stack)
    pool = max(it.expected.pools, key=lambda each: each.nodes)
    slow = f"{pool.name}-{pool.nodes - 1}"
    found = judged(it, [*measured(it, tmp_path, monkeypatch, slow=slow), *burnt(it)])
    assert (found.outcome, found.failed_nodes) == (CheckOutcome.FAILED, (slow,))
    assert {each.subject for each in found.of(CheckOutcome.FAILED)} == {f"node/{slow}"}


@pytest.mark.parametrize("stack", STACKS)
def test_nodes_and_fabrics_are_measured_as_they_are_judged(stack: str) -> None:
    it = sold(stack)
    for place, spec in enumerate(it.lock.placements):
        found = jobs(it, placement=place)
        for pool in (each for each in it.expected.pools if each.placement == spec.placement.name):
            own = next(each for each in spec.pools if each.name == pool.name)
            assert measurable(own) == pool.nvidia
            counts = sorted({len(each.nodes) for each in found if each.subject == pool.subject})
            assert counts == [each.nodes for each in pool.all_reduce]
            told = [command for each in found if each.subject == pool.subject for command in commands(each)]
            greatest = str(pool.judged_payloads[-1])  # what a run that breaks off fails at
            assert all(command[command.index("--most") + 1] == greatest for command in told)
        nodes = [each.nodes for each in found if each.subject.startswith(f"{Per.NODE}/")]
        assert all(len(each) == 1 for each in nodes)


@pytest.mark.parametrize("stack", STACKS)
def test_a_burn_in_is_asked_only_of_nodes_that_the_program_burns_in(stack: str) -> None:
    it = sold(stack)
    built = {(spec.placement.name, pool.name) for spec in it.lock.placements for pool in list_burn_in_pools(spec)}
    assert {(pool.placement, pool.name) for pool in it.expected.pools if pool.burn_in} == built


def test_of_a_pool_with_a_node_too_many_or_too_few_no_count_is_lost() -> None:
    it = sold("pretrain-7b")
    pool = it.expected.pools[0]
    spec = it.lock.placements[0]
    for there in (pool.nodes + 1, pool.nodes - 1):
        nodes = {pool.name: [f"{pool.name}-{number}" for number in range(there)]}
        found = [
            each
            for each in plan_jobs(spec, nodes=nodes, run="r", expected=it.expected.pools)
            if each.checks == ("all_reduce",)
        ]
        wanted = {each.nodes for each in pool.all_reduce if each.nodes <= there}
        assert {len(each.nodes) for each in found} == wanted
        assert {name for each in found for name in each.nodes} == set(nodes[pool.name])
