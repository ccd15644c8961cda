"""The all-reduce against its theory: what a plot of it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.acceptance.record_index import sort

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.acceptance.expectations import Expectations
    from planning.agents.measurement_records import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class AllReducePoint:
    """One all-reduce: the worst of its runs.

    Args:
        judged: whether the payload is one of those that were promised.
        at: place of the reading in the results.
    """

    nodes: int
    payload_bytes: int
    bus_gb_per_s: Decimal
    judged: bool
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AllReduceCurve:
    """The all-reduce of one pool, in GB/s; theory and threshold are None where they are not known.

    Args:
        node_counts: that were to be measured, growing; some may have no point.
        points: by nodes, then payload.
    """

    pool: str
    placement: str
    name: str
    fabric: str
    node_counts: tuple[int, ...]
    payloads: tuple[int, ...]
    theory: Decimal | None
    threshold: Decimal | None
    why: str
    source: str
    points: tuple[AllReducePoint, ...]


def curves(results: Results, expected: Expectations) -> tuple[AllReduceCurve, ...]:
    """One curve for each pool of more than one node, also where nothing was measured."""
    given = sort(results, expected)
    found: list[AllReduceCurve] = []
    for pool in expected.pools:
        if not pool.all_reduce:
            continue
        worst: dict[tuple[int, int], AllReducePoint] = {}
        for record in given.of("all_reduce", pool.subject):
            nodes, payload = int(record.param("nodes")), int(record.param("payload_bytes"))
            bus = record.figure("bus")
            if bus is None or not nodes or not payload:
                continue
            point = AllReducePoint(
                nodes=nodes,
                payload_bytes=payload,
                bus_gb_per_s=bus,
                judged=payload in pool.judged_payloads,
                at=record.at("bus"),
            )
            known = worst.get((nodes, payload))
            worst[nodes, payload] = point if known is None or bus < known.bus_gb_per_s else known
        limit = pool.all_reduce[-1].limit
        curve = AllReduceCurve(
            pool=pool.subject,
            placement=pool.placement,
            name=pool.name,
            fabric=pool.fabric,
            node_counts=tuple(each.nodes for each in pool.all_reduce),
            payloads=pool.payloads,
            theory=limit.theory,
            threshold=limit.least,
            why=limit.why,
            source=limit.source,
            points=tuple(worst[key] for key in sorted(worst)),
        )
        found.append(curve)
    return tuple(found)
