"""The verdicts over a storage tier: what all nodes read and write together, and how long small files take."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING

from planning.acceptance.threshold_check import About, cannot_tell, complained, held, judged, missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.acceptance.limits import Limit
    from planning.acceptance.record_index import Record, Sorted
    from planning.acceptance.storage_limits import ExpectedTier
    from planning.acceptance.verdicts import Verdict


def over_tier(tier: ExpectedTier, *, given: Sorted) -> Iterator[Verdict]:
    """Every verdict over one tier."""
    for check, limit in (("loader", tier.loader), ("checkpoint", tier.checkpoint)):
        yield _together(About(check=check, subject=tier.subject), given.of(check, tier.subject), limit)
    for check, limits in (("code", tier.code), ("small_files", tier.small_files)):
        for limit in limits:
            about = About(check=check, subject=tier.subject, params=(("reading", limit.reading),))
            yield held(about, given.of(check, tier.subject), limit)


def _together(about: About, records: Sequence[Record], limit: Limit) -> Verdict:
    """What the nodes of one run had in sum, in the widest run; each node wrote what it had itself."""
    complaint = complained(about, records)
    if complaint is not None or not records:
        return complaint or missing(about)
    runs: dict[str, dict[str, Decimal]] = defaultdict(dict)
    for record in records:
        value, node = record.figure(limit.reading), record.param("node")
        if value is not None:
            runs[record.param("nodes")][node] = min(value, runs[record.param("nodes")].get(node, value))
    whole = [(int(nodes), shares) for nodes, shares in runs.items() if len(shares) == int(nodes)]
    if not whole:
        told = ", ".join(f"{len(shares)} of {nodes} nodes" for nodes, shares in runs.items())
        return cannot_tell(about, why=f"only a part of the nodes wrote down what they had: {told}")
    _, shares = max(whole, key=lambda each: each[0])
    return judged(about, sum(shares.values(), Decimal()), limit)
