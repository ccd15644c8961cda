"""Judges results against expectations. What is unknown never passes."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import AcceptanceLimit, plain
from planning.acceptance.records import index_records
from planning.acceptance.verdicts import (
    About,
    CheckOutcome,
    CheckVerdict,
    NodeVerdict,
    Verdicts,
    build_failure,
    build_missing,
    build_pass,
    build_undetermined,
    find_complaint,
    judge_figure,
    judge_records,
    worst,
)
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.acceptance.expectations import Expectations, Once
    from planning.acceptance.node_limits import ExpectedPool
    from planning.acceptance.records import IndexedRecord, Sorted
    from planning.acceptance.storage_limits import ExpectedTier
    from planning.agents.measurement_records import Results


COMPARED: Final = (("matmul", "tflops", "TFLOPS"), ("nvlink", "bus", "GB/s"), ("usable_memory", "memory", "MiB"))
FEWEST_COMPARED: Final = 3  # of two nodes either may be the outlier
ONLY_NVIDIA: Final = "DCGM tests NVIDIA's accelerators only: no comparable diagnostics run here"


def over_pool(pool: ExpectedPool, *, given: Sorted, share: Decimal, burn_in_hours: Decimal) -> Iterator[CheckVerdict]:
    """Every verdict on one pool.

    Args:
        share: share of the median of the other nodes of the pool, below which a node is an outlier.
        burn_in_hours: minimum length, where the pool burns in.
    """
    names = [name for name, stands in given.nodes.items() if stands == (pool.placement, pool.name)]
    for name in names:
        yield from _over_node(pool, name, given=given, burn_in_hours=burn_in_hours)
    yield from _find_outliers(pool, names, given=given, share=share)
    yield from _unseen(pool, names)
    yield from _fabric(pool, given=given)


def _over_node(pool: ExpectedPool, name: str, *, given: Sorted, burn_in_hours: Decimal) -> Iterator[CheckVerdict]:
    node = subject(Per.NODE, name)

    def about(check: str, **params: str) -> About:
        return About(check=check, subject=node, pool=pool.subject, params=tuple(params.items()))

    yield _inventory(about("inventory"), given.of("inventory", node), pool)
    yield judge_records(about("usable_memory"), given.of("usable_memory", node), pool.memory)
    yield _diagnostics(about("dcgm"), given.of("dcgm", node), pool)
    yield _matmul(about("matmul"), given.of("matmul", node), pool)
    if pool.accelerators > 1:
        for payload in pool.judged_payloads:
            records = [each for each in given.of("nvlink", node) if _is(each, payload_bytes=payload)]
            yield judge_records(about("nvlink", payload_bytes=str(payload)), records, pool.nvlink)
    if pool.burn_in:
        hours = AcceptanceLimit(
            reading="hours", unit="h", least=burn_in_hours, why=f"{plain(burn_in_hours)} h of burn-in"
        )
        yield _longest(about("burn_in"), given.of("burn_in", node), hours)


def _inventory(about: About, records: Sequence[IndexedRecord], pool: ExpectedPool) -> CheckVerdict:
    found = judge_records(about, records, AcceptanceLimit(reading="accelerators", unit="", optional=True, why=""))
    if found.measured is None:
        return found
    told = f"{plain(found.measured)} of {pool.accelerators} accelerators, {pool.accelerator} in the lock"
    right = all(record.read_figure("accelerators") == pool.accelerators for record in records)
    return build_pass(about, why=told) if right else build_failure(about, why=told)


def _diagnostics(about: About, records: Sequence[IndexedRecord], pool: ExpectedPool) -> CheckVerdict:
    complaint = find_complaint(about, records)
    if complaint is not None:
        return complaint
    if not records:
        return build_missing(about) if pool.nvidia else build_undetermined(about, why=ONLY_NVIDIA)
    counted = [(record.read_figure("tests"), record.read_figure("passed")) for record in records]
    if any(not tests for tests, _ in counted):
        return build_undetermined(about, why="no test of DCGM was run to its end")
    good = all(tests == fine for tests, fine in counted)
    told = f"{sum(fine or 0 for _, fine in counted)} of {sum(tests or 0 for tests, _ in counted)} tests"
    return build_pass(about, why=f"{told} passed") if good else build_failure(about, why=f"only {told} passed")


def _matmul(about: About, records: Sequence[IndexedRecord], pool: ExpectedPool) -> CheckVerdict:
    right = [each for each in records if each.read_param("precision") == pool.precision]
    if records and not right:
        other = ", ".join(sorted({each.read_param("precision") for each in records}))
        return build_missing(about, why=f"measured in {other}, while the work is in {pool.precision}")
    return judge_records(about, right, pool.matmul)


def _longest(about: About, records: Sequence[IndexedRecord], limit: AcceptanceLimit) -> CheckVerdict:
    """Judge a burn-in: one that found a fault fails; otherwise its longest run counts."""
    complaint = find_complaint(about, records)
    if complaint is not None or not records:
        return complaint or build_missing(about)
    best = max(records, key=lambda each: each.read_figure("hours") or 0)
    lasted = best.read_figure("hours")
    if lasted is not None and limit.least is not None and lasted < limit.least:
        # Too short is no fault of the node: the rest was not measured.
        told = f"{plain(lasted)} h without a fault; {plain(limit.least)} h are required"
        return build_missing(about, why=told)
    return judge_records(about, [best], limit)


def _find_outliers(
    pool: ExpectedPool, names: Sequence[str], *, given: Sorted, share: Decimal
) -> Iterator[CheckVerdict]:
    """Fail nodes far below the others of their pool, which are sold as equals; also where no limit is known."""
    for check, reading, unit in COMPARED:
        figures = {name: value for name in names if (value := _worst(check, reading, name, given, pool)) is not None}
        for name, value in figures.items():
            others = [each for other, each in figures.items() if other != name]
            middle = median(others) if len(figures) >= FEWEST_COMPARED else None
            if middle is not None and value < middle * share:
                about = About(check=check, subject=subject(Per.NODE, name), pool=pool.subject)
                told = f"{plain(value)} {unit}, while the median of the other nodes of its pool is {plain(middle)}"
                yield build_failure(about, why=told)


def _worst(check: str, reading: str, name: str, given: Sorted, pool: ExpectedPool) -> Decimal | None:
    """The lowest figure of a node, of the largest payload where there are several."""
    records = given.of(check, subject(Per.NODE, name))
    if check == "nvlink":
        greatest = max(pool.judged_payloads, default=0)
        records = [each for each in records if _is(each, payload_bytes=greatest)]
    if check == "matmul":
        records = [each for each in records if each.read_param("precision") == pool.precision]
    return min((value for each in records if (value := each.read_figure(reading)) is not None), default=None)


def _unseen(pool: ExpectedPool, names: Sequence[str]) -> Iterator[CheckVerdict]:
    if len(names) >= pool.nodes:
        return
    about = About(check="inventory", subject=pool.subject, pool=pool.subject)
    told = f"{len(names)} of {pool.nodes} nodes were measured"
    if not pool.measurable:
        yield build_undetermined(
            about, why=f"{told}: no program here measures {pool.accelerator}; ask the provider for proof"
        )
    elif pool.guaranteed:
        yield build_missing(about, why=told)
    else:
        yield build_undetermined(about, why=f"{told}; spot nodes are not promised")


def _fabric(pool: ExpectedPool, *, given: Sorted) -> Iterator[CheckVerdict]:
    records = given.of("all_reduce", pool.subject)
    for step in pool.all_reduce:
        for payload in pool.judged_payloads:
            params = (("nodes", str(step.nodes)), ("payload_bytes", str(payload)))
            about = About(check="all_reduce", subject=pool.subject, pool=pool.subject, params=params)
            of_step = [each for each in records if _is(each, nodes=step.nodes, payload_bytes=payload)]
            yield judge_records(about, of_step, step.limit)


def _is(record: IndexedRecord, **params: int) -> bool:
    return all(record.read_param(name) == str(value) for name, value in params.items())


def worst_of(verdicts: Sequence[CheckVerdict]) -> tuple[str, ...]:
    return tuple(
        f"{each.title}: {each.sentence}"
        for each in verdicts
        if each.outcome not in (CheckOutcome.PASSED, CheckOutcome.NOTED)
    )


def over_tier(tier: ExpectedTier, *, given: Sorted) -> Iterator[CheckVerdict]:
    for check, limit in (("loader", tier.loader), ("checkpoint", tier.checkpoint)):
        yield _together(About(check=check, subject=tier.subject), given.of(check, tier.subject), limit)
    for check, limits in (("code", tier.code), ("small_files", tier.small_files)):
        for limit in limits:
            about = About(check=check, subject=tier.subject, params=(("reading", limit.reading),))
            yield judge_records(about, given.of(check, tier.subject), limit)


def _together(about: About, records: Sequence[IndexedRecord], limit: AcceptanceLimit) -> CheckVerdict:
    """Judge the sum over the nodes of the widest run; each node has recorded its own share."""
    complaint = find_complaint(about, records)
    if complaint is not None or not records:
        return complaint or build_missing(about)
    runs: dict[str, dict[str, Decimal]] = defaultdict(dict)
    for record in records:
        value, node = record.read_figure(limit.reading), record.read_param("node")
        if value is not None:
            runs[record.read_param("nodes")][node] = min(value, runs[record.read_param("nodes")].get(node, value))
    whole = [(int(nodes), shares) for nodes, shares in runs.items() if len(shares) == int(nodes)]
    if not whole:
        told = ", ".join(f"{len(shares)} of {nodes} nodes" for nodes, shares in runs.items())
        return build_undetermined(about, why=f"only some of the nodes recorded a result: {told}")
    _, shares = max(whole, key=lambda each: each[0])
    return judge_figure(about, sum(shares.values(), Decimal()), limit)


COUNTED: Final = {"dns": ("resolved", "asked"), "egress": ("reached", "asked"), "peering": ("reached", "asked")}


def judge(results: Results, expected: Expectations) -> Verdicts:
    given = index_records(results, expected)
    verdicts = [
        *(
            verdict
            for pool in expected.pools
            for verdict in over_pool(pool, given=given, share=expected.share, burn_in_hours=expected.burn_in_hours)
        ),
        *(verdict for tier in expected.tiers for verdict in over_tier(tier, given=given)),
        *(_once(each, given=given) for each in expected.once),
    ]
    return Verdicts(
        stack=expected.stack,
        option=expected.option,
        outcome=worst(each.outcome for each in verdicts),
        verdicts=tuple(verdicts),
        nodes=tuple(_nodes(given, verdicts)),
        faults=given.faults,
    )


def _nodes(given: Sorted, verdicts: Sequence[CheckVerdict]) -> Sequence[NodeVerdict]:
    of_node: dict[str, list[CheckVerdict]] = {}
    for each in verdicts:
        of_node.setdefault(each.subject, []).append(each)
    found: list[NodeVerdict] = []
    for name, (placement, pool) in sorted(given.nodes.items()):
        own = of_node.get(subject(Per.NODE, name), [])
        node = NodeVerdict(
            name=name,
            placement=placement,
            pool=pool,
            outcome=worst(each.outcome for each in own),
            reasons=worst_of(own),
        )
        found.append(node)
    return found


def _once(once: Once, *, given: Sorted) -> CheckVerdict:
    """Judge a network or a service: every request must have succeeded."""
    about = About(check=once.check, subject=once.subject)
    records = given.of(once.check, once.subject)
    complaint = find_complaint(about, records)
    if complaint is not None or not records:
        return complaint or build_missing(about)
    if once.check not in COUNTED:
        return build_pass(about, why=once.title)
    there, asked = COUNTED[once.check]
    counts = [(record.read_figure(there), record.read_figure(asked)) for record in records]
    least = min(counts, key=lambda each: (each[0] or 0) - (each[1] or 0))
    told = f"{least[0]} of {least[1]}"
    if not all(each[1] for each in counts):
        return build_missing(about, why="no request was made")
    good = all(each[0] == each[1] for each in counts)
    return build_pass(about, why=told) if good else build_failure(about, why=f"only {told}")
