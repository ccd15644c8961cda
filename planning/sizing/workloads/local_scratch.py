"""The hot tier: which pools carry it on their nodes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.checklist.model.checklist import Checklist

# Purpose of the tier -> kinds of workload whose nodes hold a copy.
KINDS_BY_PURPOSE: Final[Mapping[str, tuple[str, ...]]] = {
    "data": ("training", "fine_tuning", "batch"),
    "checkpoints": ("training", "fine_tuning"),
    "code": ("training", "fine_tuning", "notebooks"),
    "models": ("inference",),
    "archive": (),
}


def hot_gb(checklist: Checklist, *, kind: str) -> Decimal:
    """GB of local NVMe on each node of a pool of this kind: every node holds its own copy of the tier."""
    hot = checklist.storage.hot
    if hot is None or kind not in KINDS_BY_PURPOSE[hot.purpose]:
        return Decimal(0)
    return hot.size
