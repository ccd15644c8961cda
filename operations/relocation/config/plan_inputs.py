"""From a plan's file, relocation.yaml and options to what a plan is made of; what nobody said is assumed, and told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final

from planning.relocation.costs.bill import Terms
from planning.relocation.durations import DAY, seed
from planning.relocation.inventory.features import Feature, Usage
from planning.relocation.inventory.measurements import SAMPLE, Measured, volumes_of
from planning.relocation.inventory.volume import GB
from planning.relocation.plan import Given
from planning.relocation.transfer_rates import Rate, Rates
from planning.relocation.write_freeze import Asked
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from operations.relocation.config.endpoints import Places
    from operations.relocation.config.measurements import Counted, MeasuredFile, RatesSaid, TermsSaid
    from planning.relocation.costs.route import Exit
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.transfer_rates import Basis

# Our own assumptions, said in every plan that rests on them.
UNKNOWN_OVERLAP_DAYS: Final = Range(Decimal(7), Decimal(14), Decimal(30))
BESIDE_THE_COPY_DAYS: Final = 2  # a day to build and look at the target, one for freeze and observation
WINDOW_MINUTES: Final = 30
OBSERVE_MINUTES: Final = 60
RETAIN_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What every relocation.yaml between two stacks names, and what was counted of it.

    Args:
        counted: key of a thing to what was counted.
        movers: key of a bucket to its mover.
        covered: keys of what is named; None where there is no such file.
    """

    counted: Mapping[str, Measured] = field(default_factory=dict[str, Measured])
    movers: Mapping[str, str] = field(default_factory=dict[str, str])
    covered: frozenset[str] | None = None


def measured(file: MeasuredFile) -> dict[str, Measured]:
    """What the file counted, by key."""
    return {key: _one(each) for key, each in file.things.items()}


def together(file: Mapping[str, Measured], seen: Mapping[str, Measured]) -> dict[str, Measured]:
    """What was counted at the source, before what somebody wrote down; what changes a day only people know."""
    both = dict(file)
    for key, each in seen.items():
        said = file.get(key, Measured())
        both[key] = replace(
            each,
            change_bytes_per_day=said.change_bytes_per_day,
            versions=each.versions or said.versions,
            usage=_with_said(each.usage, said.usage),
        )
    return both


def _with_said(seen: Usage | None, said: Usage | None) -> Usage | None:
    """Features that no manifest has, as access lists, from what somebody wrote down."""
    if seen is None or said is None:
        return seen or said
    return replace(seen, counts={**said.counts, **seen.counts})


def _one(each: Counted) -> Measured:
    uses = each.uses
    return Measured(
        bytes=_bytes(each.size),
        objects=_exactly(each.objects),
        change_bytes_per_day=_bytes(each.change_per_day),
        versions=_exactly(each.versions),
        tagged=None if uses is None or Feature.TAGS not in uses else Range.exactly(uses[Feature.TAGS]),
        usage=None if uses is None else Usage(objects=_whole(each.objects), counts=uses, source=each.counted),
    )


def _bytes(gb: Decimal | None) -> Range | None:
    return None if gb is None else Range.exactly(gb * GB)


def _exactly(count: Decimal | None) -> Range | None:
    return None if count is None else Range.exactly(count)


def _whole(count: Decimal | None) -> int | None:
    return None if count is None else int(count)


def rates(said: RatesSaid, *, bandwidth_gbps: Decimal | None, objects_per_s: Decimal | None) -> Rates:
    """Rates; options come before the file."""
    basis: Basis = "measured" if said.measured else "given"

    def rate(amount: Decimal | None, *, factor: int = 1) -> Rate | None:
        return None if amount is None else Rate(per_second=amount * factor, basis=basis, note=said.note)

    def mib(amount: Decimal | None) -> Rate | None:
        return None if amount is None else Rate.of_mib(amount, basis=basis, note=said.note)

    link = Rate.of_gbps(said.bandwidth, basis=basis, note=said.note) if said.bandwidth else None
    return Rates(
        bytes=Rate.of_gbps(bandwidth_gbps) if bandwidth_gbps else link,
        objects=Rate(per_second=objects_per_s) if objects_per_s else rate(said.objects_per_s),
        dump=mib(said.dump_mib_per_s),
        verify=mib(said.verify_mib_per_s),
        lists=rate(said.listed_per_s),
    )


def given(
    file: MeasuredFile,
    *,
    places: Places | None,
    inventory: Inventory,
    speeds: Rates,
    leaves_by: Exit | None,
    today: date,
    found: Named | None = None,
) -> Given:
    """Everything that a plan is made of, with what was assumed.

    Args:
        found: what the relocations between the two name, and what was counted for them; None where there are none.
    """
    counted: Mapping[str, Measured] = together(measured(file), found.counted if found else {})
    said = file.terms
    assumed: list[str] = []
    overlap = _overlap(file, inventory, counted, speeds, assumed)
    window = said.window_minutes or (places.window_minutes if places else None)
    if window is None:
        assumed.append(f"writers may stand still for {WINDOW_MINUTES} minutes")
    retain = said.retain_days or (places.retain_days if places else None)
    if retain is None:
        assumed.append(f"the source is kept for {RETAIN_DAYS} days after the commit")
    days = int(overlap.expected.to_integral_value(ROUND_CEILING))
    commit_on = said.commit_on or today + timedelta(days=days)
    if said.commit_on is None:
        assumed.append(f"the target takes over on {commit_on.isoformat()}, {days} days from now")
    observe = said.observe_minutes if said.observe_minutes is not None else None
    if observe is None:
        observe = places.observe_minutes if places else OBSERVE_MINUTES
    return Given(
        rates=speeds,
        asked=_asked(said, places, window_minutes=window or WINDOW_MINUTES),
        terms=Terms(
            commit_on=commit_on,
            overlap_days=overlap,
            retain_days=retain or RETAIN_DAYS,
            rounds=said.rounds,
            commitments=said.commitments,
        ),
        measured=counted,
        movers=found.movers if found else {},
        covered=found.covered if found else None,
        leaves_by=leaves_by,
        observe_minutes=observe,
        sample=Decimal(places.sample_percent) / 100 if places else SAMPLE,
        assumed=tuple(assumed),
    )


def _asked(said: TermsSaid, places: Places | None, *, window_minutes: int) -> Asked:
    return Asked(
        window_seconds=window_minutes * 60,
        dns_ttl_seconds=places.names.ttl_seconds if places and places.names else 0,
        smoke_seconds=said.smoke_seconds,
        rewrite_seconds=said.rewrite_seconds,
    )


def _overlap(
    file: MeasuredFile, inventory: Inventory, counted: Mapping[str, Measured], speeds: Rates, assumed: list[str]
) -> Range:
    """How many days both stand; from the time of the first copy where nobody said."""
    if file.terms.overlap_days is not None:
        return Range.exactly(file.terms.overlap_days)
    first = seed(volumes_of(inventory, counted), speeds)
    if first.seconds is None:
        least, expected, most = UNKNOWN_OVERLAP_DAYS.min, UNKNOWN_OVERLAP_DAYS.expected, UNKNOWN_OVERLAP_DAYS.max
        assumed.append(f"both clusters stand for {expected} days ({least} to {most}), for no bandwidth was named")
        return UNKNOWN_OVERLAP_DAYS
    days = [
        (seconds / DAY).to_integral_value(ROUND_CEILING) + BESIDE_THE_COPY_DAYS
        for seconds in (first.seconds.min, first.seconds.expected, first.seconds.max)
    ]
    assumed.append(f"both clusters stand for the first copy and {BESIDE_THE_COPY_DAYS} days more, {days[1]} days")
    return Range(*days)
