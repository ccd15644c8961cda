"""Inputs of a plan, from its file, relocation.yaml and options; what is missing is assumed, and listed as such."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Annotated, Final, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from planning.checklist.model.units import GigabitsPerS, parse_count, parse_gigabytes
from planning.inputs.yaml_document import read_fields
from planning.relocation.costs.bill import RelocationTerms
from planning.relocation.durations import DAY, Basis, Rate, Rates, estimate_first_copy
from planning.relocation.inventory.assets import Feature, FeatureUsage
from planning.relocation.inventory.stack_inventory import SAMPLE, AssetMeasurement, Inventory, volumes_of
from planning.relocation.inventory.volume import GB
from planning.relocation.plan import RelocationInputs
from planning.relocation.write_freeze import FreezeRequest
from planning.values.errors import Fault, InputError, format_fault_count
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from operations.relocation.config.endpoints import Places
    from planning.relocation.costs.route import Exit


# Our own assumptions, said in every plan that rests on them.
UNKNOWN_OVERLAP_DAYS: Final = Range(Decimal(7), Decimal(14), Decimal(30))
BESIDE_THE_COPY_DAYS: Final = 2  # a day to build and look at the target, one for freeze and observation
WINDOW_MINUTES: Final = 30
OBSERVE_MINUTES: Final = 60
RETAIN_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesSummary:
    """Summary of every relocation.yaml between two stacks.

    Args:
        counted: key of a thing to what was counted.
        movers: key of a bucket to its mover.
        covered: keys of what is named; None where there is no such file.
    """

    counted: Mapping[str, AssetMeasurement] = field(default_factory=dict[str, AssetMeasurement])
    movers: Mapping[str, str] = field(default_factory=dict[str, str])
    covered: frozenset[str] | None = None


def read_measurements(file: MeasuredFile) -> dict[str, AssetMeasurement]:
    return {key: _one(each) for key, each in file.things.items()}


def merge_measurements(
    file: Mapping[str, AssetMeasurement], seen: Mapping[str, AssetMeasurement]
) -> dict[str, AssetMeasurement]:
    """Measurements, then what somebody wrote down."""
    both = dict(file)
    for key, each in seen.items():
        said = file.get(key, AssetMeasurement())
        both[key] = replace(
            each,
            # One look cannot see how much a day changes.
            change_bytes_per_day=said.change_bytes_per_day,
            versions=each.versions or said.versions,
            usage=_with_said(each.usage, said.usage),
        )
    return both


def _with_said(seen: FeatureUsage | None, said: FeatureUsage | None) -> FeatureUsage | None:
    """Features of the manifest, the others from the file."""
    if seen is None or said is None:
        return seen or said
    # A manifest has no access lists and the like; what it does count is surer than what somebody wrote.
    return replace(seen, counts={**said.counts, **seen.counts})


def _one(each: ThingMeasurement) -> AssetMeasurement:
    uses = each.uses
    return AssetMeasurement(
        bytes=_bytes(each.size),
        objects=_exactly(each.objects),
        change_bytes_per_day=_bytes(each.change_per_day),
        versions=_exactly(each.versions),
        tagged=None if uses is None or Feature.TAGS not in uses else Range.exactly(uses[Feature.TAGS]),
        usage=None if uses is None else FeatureUsage(objects=_whole(each.objects), counts=uses, source=each.counted),
    )


def _bytes(gb: Decimal | None) -> Range | None:
    return None if gb is None else Range.exactly(gb * GB)


def _exactly(count: Decimal | None) -> Range | None:
    return None if count is None else Range.exactly(count)


def _whole(count: Decimal | None) -> int | None:
    return None if count is None else int(count)


def rates(said: RatesSaid, *, bandwidth_gbps: Decimal | None, objects_per_s: Decimal | None) -> Rates:
    """Rates; options override the file."""
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


def build_plan_inputs(
    file: MeasuredFile,
    *,
    places: Places | None,
    inventory: Inventory,
    speeds: Rates,
    leaves_by: Exit | None,
    today: date,
    found: PlacesSummary | None = None,
) -> RelocationInputs:
    """Inputs of a plan, and what was assumed.

    Args:
        found: what the relocations between the two name, and what was counted for them; None where there are none.
    """
    counted = merge_measurements(read_measurements(file), found.counted if found else {})
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
    observe = said.observe_minutes
    if observe is None:
        observe = places.observe_minutes if places else OBSERVE_MINUTES
    return RelocationInputs(
        rates=speeds,
        asked=_build_freeze_request(said, places, window_minutes=window or WINDOW_MINUTES),
        terms=RelocationTerms(
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


def _build_freeze_request(said: TermsSaid, places: Places | None, *, window_minutes: int) -> FreezeRequest:
    return FreezeRequest(
        window_seconds=window_minutes * 60,
        dns_ttl_seconds=places.names.ttl_seconds if places and places.names else 0,
        smoke_seconds=said.smoke_seconds,
        rewrite_seconds=said.rewrite_seconds,
    )


def _overlap(
    file: MeasuredFile, inventory: Inventory, counted: Mapping[str, AssetMeasurement], speeds: Rates, assumed: list[str]
) -> Range:
    """Days for which both sides run; without an answer, from the time of the first copy."""
    if file.terms.overlap_days is not None:
        return Range.exactly(file.terms.overlap_days)
    first = estimate_first_copy(volumes_of(inventory, counted), speeds)
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


# Of what was counted there may be nothing, unlike in a checklist.
Gigabytes = Annotated[Decimal, BeforeValidator(parse_gigabytes), Field(ge=0)]
Count = Annotated[Decimal, BeforeValidator(parse_count), Field(ge=0)]
_BY_VALUE: Final = {each.value: each for each in Feature}


def _features(given: object) -> object:
    """Features by their names in the loss matrix: "tags", "user metadata"."""
    if not isinstance(given, dict):
        return given
    named = cast("dict[object, object]", given)
    unknown = [str(each) for each in named if each not in _BY_VALUE]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not known; there are: {', '.join(_BY_VALUE)}")
    return {_BY_VALUE[cast("str", each)]: count for each, count in named.items()}


class MeasurementsModel(BaseModel):
    """A frozen part that knows no field but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ThingMeasurement(MeasurementsModel):
    """One thing."""

    size: Gigabytes | None = None
    """All of it, without older versions."""
    objects: Count | None = None
    """Objects, files or rows."""
    change_per_day: Gigabytes | None = None
    """Written a day while it is in use."""
    versions: Count | None = None
    """Older versions."""
    uses: Annotated[dict[Feature, int], BeforeValidator(_features)] | None = None
    """How many objects have what; a feature that is missing was not looked at."""
    counted: str = "the plan's file"
    """Where and when."""


class RatesSaid(MeasurementsModel):
    """How fast things go."""

    bandwidth: GigabitsPerS | None = None
    """All transfers together."""
    objects_per_s: Decimal | None = Field(default=None, gt=0)
    """Small objects a second."""
    dump_mib_per_s: Decimal | None = Field(default=None, gt=0)
    """Databases, dumped, carried and restored."""
    verify_mib_per_s: Decimal | None = Field(default=None, gt=0)
    """Read and hashed on one side."""
    listed_per_s: Decimal | None = Field(default=None, gt=0)
    """Keys listed a second."""
    measured: bool = False
    """Whether somebody measured them on this way."""
    note: str = ""
    """Where and when."""


class TermsSaid(MeasurementsModel):
    """What was decided."""

    commit_on: date | None = None
    overlap_days: Decimal | None = Field(default=None, ge=0)
    """How long the target stands beside the source before the commit."""
    retain_days: int | None = Field(default=None, ge=1)
    rounds: int = Field(default=3, ge=0)
    window_minutes: int | None = Field(default=None, ge=1)
    observe_minutes: int | None = Field(default=None, ge=0)
    smoke_seconds: int | None = Field(default=None, ge=0)
    rewrite_seconds: int | None = Field(default=None, ge=0)
    commitments: dict[str, date] = {}
    """Pool of the source to the day on which its term began."""


class MeasuredFile(MeasurementsModel):
    """The whole file."""

    things: dict[str, ThingMeasurement] = {}
    """By the keys of the plan's inventory."""
    leave_out: tuple[str, ...] = ()
    """Keys of what stays behind although it could be moved."""
    rates: RatesSaid = RatesSaid()
    terms: TermsSaid = TermsSaid()


def read_measured(path: Path) -> MeasuredFile:
    """The file.

    Raises:
        InputError: it cannot be read, or with every fault in it.
    """
    fields = read_fields(path, hint="it is a page of text")
    try:
        return MeasuredFile.model_validate(fields)
    except ValidationError as error:
        faults = [
            Fault(message=f"{'.'.join(map(str, each['loc']))}: {each['msg']}", file=str(path))
            for each in error.errors(include_url=False)
        ]
        raise InputError(f"{path}: {format_fault_count(faults)}", faults=faults) from error
