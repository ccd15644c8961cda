"""Decommission of the source: retention, deletions that match the inventory, and the bill that remains."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from planning.cloud_checks.orphans import OrphanReport, PricedOrphan
    from planning.relocation.inventory.stack_inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A planned deletion.

    Args:
        key: of the asset in the inventory; "" where it is unknown.
        name: resource name, for its owner.
    """

    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retiring:
    """Whether a source may be decommissioned.

    Args:
        on: first day on which it may.
        unknown: deletions of assets that are not in the inventory, so that no decision about them exists.
        forgotten: assets of the inventory that would not be deleted, and would continue to cost.
        kept: keys and reasons of assets that are kept intentionally.
        early: days still to wait; 0 for none.
    """

    on: date
    early: int
    unknown: tuple[Deletion, ...]
    forgotten: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]

    @property
    def allowed(self) -> bool:
        return not self.early and not self.unknown and not self.forgotten


def judge_decommission(
    inventory: Inventory,
    deletions: Iterable[Deletion],
    *,
    committed: date,
    retain_days: int,
    today: date,
    kept: Iterable[tuple[str, str]] = (),
) -> Retiring:
    """Compare deletions and inventory, in both directions.

    Args:
        kept: keys and reasons of assets that are kept intentionally: evidence, keys of backups.

    Raises:
        ValueError: the retention is not positive, or the commit lies ahead.
    """
    if retain_days < 1:
        raise ValueError("the source is retained for a day at least")
    if committed > today:
        raise ValueError("the commit lies ahead")
    listed = tuple(deletions)
    on_purpose = dict(kept)
    known = {each.key for each in inventory.things}
    covered = {each.key for each in listed}
    first = committed + timedelta(days=retain_days)
    return Retiring(
        on=first,
        early=max(0, (first - today).days),
        unknown=tuple(each for each in listed if each.key not in known or each.key in on_purpose),
        forgotten=tuple(sorted(known - covered - on_purpose.keys())),
        kept=tuple(sorted((key, reason) for key, reason in on_purpose.items() if key in known)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToZero:
    """The source's remaining bill.

    Args:
        verdict: "nothing" where nothing costs, "kept" where only resources that are kept intentionally do.
        costs: forgotten resources, the most expensive first.
        kept: resources that are kept intentionally.
        unanswered: failed queries, as "what: reason".
    """

    verdict: Literal["nothing", "kept", "costs", "undetermined"]
    costs: tuple[PricedOrphan, ...]
    kept: tuple[PricedOrphan, ...]
    unanswered: tuple[str, ...]


def judge_remaining_bill(left: OrphanReport) -> ToZero:
    # A cloud that does not answer is no proof that nothing is left.
    unanswered = tuple(f"{each.what} of {each.placement}: {each.reason}" for each in left.unanswered)
    if left.forgotten:
        verdict: Literal["nothing", "kept", "costs", "undetermined"] = "costs"
    elif unanswered:
        verdict = "undetermined"
    else:
        verdict = "kept" if left.kept else "nothing"
    return ToZero(verdict=verdict, costs=left.forgotten, kept=left.kept, unanswered=unanswered)
