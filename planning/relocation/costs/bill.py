"""The bill of a relocation: what it costs once, line by line, at the catalog's prices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planning.costs.bill import Bill
from planning.relocation.costs.notes import notes
from planning.relocation.costs.parallel_run import commitments, onboarding, overlap, retained
from planning.relocation.costs.transfer_charges import carried, carrying, through_nat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from catalogs.catalog import Catalog
    from planning.relocation.costs.notes import Note
    from planning.relocation.costs.route import Route
    from planning.relocation.inventory.volume import Side, Volume
    from planning.spec.lock import Lock
    from planning.values.money import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the person who plans has decided or knows.

    Args:
        commit_on: day on which the target takes over.
        overlap_days: how long the target stands beside the source before that.
        retain_days: how long the source's data is kept after.
        rounds: copies after the first; each lists every key on both sides.
        commitments: pool of the source to the day on which its term began.
    """

    commit_on: date
    overlap_days: Range
    retain_days: int = 30
    rounds: int = 3
    commitments: Mapping[str, date] = field(default_factory=dict[str, "date"])


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingBill:
    """What a relocation costs once; `usd_per_month` of its lines is USD once, not a month."""

    bill: Bill
    notes: tuple[Note, ...]


def moving_bill(
    volumes: Sequence[Volume], *, source: Lock, target: Lock, route: Route, terms: Terms, catalog: Catalog
) -> MovingBill:
    """Every line of the move: the way, two stacks at once, what is kept, what is lost, people."""
    every = [carried(each, overlap_days=terms.overlap_days, rounds=terms.rounds) for each in volumes]
    built: dict[Side, str] = {"source": source.spec.placement.target, "target": target.spec.placement.target}
    known = catalog.terms
    lines = (
        *carrying(every, route=route, prices=catalog.prices, built=built),
        *overlap(target, days=terms.overlap_days),
        *retained(source, days=terms.retain_days),
        *commitments(
            source,
            from_day=terms.commit_on,
            starts=terms.commitments,
            term_of=lambda purchase, provider: known.get((purchase, provider)) or known.get((purchase, "*")),
        ),
        *onboarding(target),
    )
    region = catalog.regions.get((route.provider, route.region))
    nat = through_nat(every, route=route, prices=catalog.prices)
    said = notes(every, source=source, route=route, region=region, nat=nat)
    return MovingBill(bill=Bill(lines), notes=tuple(said))
