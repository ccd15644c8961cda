"""Is the cluster what was sold: results against expectations. Unknown never passes, and nodes that fail have names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.acceptance.pool_verdicts import over_pool, worst_of
from planning.acceptance.record_index import sort
from planning.acceptance.storage_verdicts import over_tier
from planning.acceptance.threshold_check import About, complained, failed, missing, passed
from planning.acceptance.verdicts import NodeVerdict, Outcome, Verdict, Verdicts, worst
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.acceptance.expectations import Expected, Once
    from planning.acceptance.record_index import Sorted
    from planning.agents.measurement_records import Results

__all__ = ["NodeVerdict", "Outcome", "Verdict", "Verdicts", "judge"]

COUNTED: Final = {"dns": ("resolved", "asked"), "egress": ("reached", "asked"), "peering": ("reached", "asked")}


def judge(results: Results, expected: Expected) -> Verdicts:
    """The verdicts over one acceptance."""
    given = sort(results, expected)
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


def _nodes(given: Sorted, verdicts: Sequence[Verdict]) -> Sequence[NodeVerdict]:
    of_node: dict[str, list[Verdict]] = {}
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


def _once(once: Once, *, given: Sorted) -> Verdict:
    """A network or a service: it passes where everything that was asked was there."""
    about = About(check=once.check, subject=once.subject)
    records = given.of(once.check, once.subject)
    complaint = complained(about, records)
    if complaint is not None or not records:
        return complaint or missing(about)
    if once.check not in COUNTED:
        return passed(about, why=once.title)
    there, asked = COUNTED[once.check]
    counts = [(record.figure(there), record.figure(asked)) for record in records]
    least = min(counts, key=lambda each: (each[0] or 0) - (each[1] or 0))
    told = f"{least[0]} of {least[1]}"
    if not all(each[1] for each in counts):
        return missing(about, why="nothing was asked for")
    good = all(each[0] == each[1] for each in counts)
    return passed(about, why=told) if good else failed(about, why=f"only {told}")
