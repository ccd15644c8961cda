"""When and how the source goes: days to wait, a deletion list equal to the inventory, a bill that comes to nothing."""

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
    """Something that would be deleted.

    Args:
        key: of the thing that it is; "" where nobody knows which.
        name: by which its owner finds it.
    """

    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retiring:
    """Whether a source may go.

    Args:
        on: first day on which it may.
        unknown: would be deleted, and is not in the inventory: nobody has decided about it.
        forgotten: is in the inventory, and would not be deleted: it would go on costing.
        kept: stays on purpose, by its reason.
        early: days that are still to wait; 0 for none.
    """

    on: date
    early: int
    unknown: tuple[Deletion, ...]
    forgotten: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]

    @property
    def allowed(self) -> bool:
        """Whether everything agrees and enough days have passed."""
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
    """Hold what would be deleted against the inventory, both ways.

    Args:
        kept: key and reason of what stays on purpose: evidence, keys of backups.

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
    """Whether the source's bill has come to nothing.

    Args:
        verdict: "nothing" where nothing costs, "kept" where only what is kept on purpose does.
        costs: what was forgotten, dearest first.
        kept: what costs on purpose.
        unanswered: what could not be asked, as "what: reason".
    """

    verdict: Literal["nothing", "kept", "costs", "undetermined"]
    costs: tuple[PricedOrphan, ...]
    kept: tuple[PricedOrphan, ...]
    unanswered: tuple[str, ...]


def judge_remaining_bill(left: OrphanReport) -> ToZero:
    """The bill that is left, by what the clouds still have; silence is no proof of nothing."""
    unanswered = tuple(f"{each.what} of {each.placement}: {each.reason}" for each in left.unanswered)
    if left.forgotten:
        verdict: Literal["nothing", "kept", "costs", "undetermined"] = "costs"
    elif unanswered:
        verdict = "undetermined"
    else:
        verdict = "kept" if left.kept else "nothing"
    return ToZero(verdict=verdict, costs=left.forgotten, kept=left.kept, unanswered=unanswered)
