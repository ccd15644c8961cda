"""A cluster with round prices, and months of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import specs

from planning.platform.alerts import availability
from planning.service_levels.credits import CreditStep
from planning.service_levels.exclusions import Cause, Exclusion
from planning.service_levels.form import PartForm, SlaForm
from planning.service_levels.month import Month
from planning.service_levels.report import SlaTerms, report
from planning.service_levels.series import Name, RecordedSeries, SeriesSegment
from planning.spec.cluster import Pool, Tier
from planning.spec.lock import Ceilings, Lock, LockedLine

ROOT = Path(__file__).parents[2]
OCTOBER = Month(2026, 10)
TODAY = date(2026, 11, 3)
HOUR = 3600
TABLE = (CreditStep(Decimal("99.5"), Decimal(10)), CreditStep(Decimal(99), Decimal(25)))
TRAIN, BURST = Name(availability.HEALTHY, "train"), Name(availability.HEALTHY, "burst")
TRAIN_OWED, BURST_OWED = Name(availability.OWED, "train"), Name(availability.OWED, "burst")
FABRIC, WARM = Name(availability.FABRIC, "train"), Name(availability.STORAGE, "warm")
CONTROL = Name(availability.CONTROL_PLANE)
Stretch = tuple[int, int, int]  # hours from the month's start, and a value


def line(key: str, usd: str | None, *, least: str | None = None, most: str | None = None) -> LockedLine:
    amounts = None if usd is None else (Decimal(least or usd), Decimal(usd), Decimal(most or usd))
    return LockedLine(
        key=key,
        label=f"the {key}",
        item="thing",
        state="unpriced" if usd is None else "priced",
        unit="h",
        quantity=(Decimal(1), Decimal(1), Decimal(1)),
        usd_per_unit=None,
        usd_per_month=amounts,
        source="test",
        as_of=None,
    )


def pool(name: str, *, fixed: int, most: int, fabric: str = "ethernet", hours: int = 0) -> Pool:
    node_hours = specs.amounts(730 * fixed, hours or 730 * fixed, 730 * most)
    counts = {"working": most, "min_nodes": fixed, "max_nodes": most}
    return specs.pool(name, **counts, node_hours=node_hours, fabric=fabric, efa_interfaces=0, placement_group=False)


def tier(name: str, item: str) -> Tier:
    return Tier.model_validate(
        {"tier": name, "engine": "x", "item": item, "asked_gb": 1, "provisioned_gb": 1, "purpose": "x"}
    )


def lock(*, bill: tuple[LockedLine, ...] | None = None, placements: int = 1) -> Lock:
    """64 nodes for 64,000 USD, up to 4 more for 2 USD an hour, a warm tier for 1,000 and a control plane for 73."""
    usual = (
        line("control_plane", "73"),
        line("pool/train/machine", "60000"),
        line("pool/train/disk", "4000"),
        line("pool/burst/machine", "1460", least="0", most="5840"),
        line("storage/warm", "1000"),
        line("network/egress", "10"),
    )
    spec = specs.aws_cluster(
        pools=(pool("train", fixed=64, most=64, fabric="infiniband"), pool("burst", fixed=0, most=4, hours=730)),
        storage=(tier("hot", "included"), tier("warm", "shared_ssd")),
    )
    away = spec.model_copy(update={"placement": spec.placement.model_copy(update={"name": "away"})})
    return Lock(
        schema_version=3,
        stack="lagoon",
        option="x",
        views=(),
        checklist_digest="",
        prices="",
        prices_digest="",
        prices_as_of=None,
        priced_at=date(2026, 10, 1),
        valid_until=date(2026, 12, 1),
        ceiling=Ceilings(usd_per_month=None, usd_per_contract=None, usd_per_gpu_hour=None, binds="max"),
        contract_months=12,
        placements=(spec, away)[:placements],
        joined=False,
        bill=usual if bill is None else bill,
    )


def runs(*stretches: Stretch, month: Month = OCTOBER) -> tuple[SeriesSegment, ...]:
    """From hours to seconds."""
    return tuple(
        SeriesSegment(month.start + start * HOUR, month.start + end * HOUR, Fraction(value))
        for start, end, value in stretches
    )


def dip(usual: int, least: int, start: int, end: int) -> tuple[SeriesSegment, ...]:
    """All month `usual`, but for some hours."""
    return runs((0, start, usual), (start, end, least), (end, 744, usual))


def recorded(**changes: tuple[SeriesSegment, ...]) -> RecordedSeries:
    """A month in which everything was up, but for what is named: train, burst, fabric, warm, control."""
    found = {
        TRAIN: runs((0, 744, 64)),
        TRAIN_OWED: runs((0, 744, 64)),
        BURST: runs((0, 744, 0)),
        BURST_OWED: runs((0, 744, 0)),
        FABRIC: runs((0, 744, 1)),
        WARM: runs((0, 744, 1)),
        CONTROL: runs((0, 744, 1)),
    }
    names = {
        "train": TRAIN,
        "burst": BURST,
        "burst_owed": BURST_OWED,
        "fabric": FABRIC,
        "warm": WARM,
        "control": CONTROL,
    }
    for key, value in changes.items():
        found[names[key]] = value
    return RecordedSeries({name: value for name, value in found.items() if value}, step_seconds=60)


def settled(**changes: Any) -> SlaTerms:
    fields: dict[str, Any] = {
        "starts": None,
        "table": TABLE,
        "of_agreement": True,
        "notice_hours": Decimal(72),
        "exclusions": (),
        "today": TODAY,
        "source": "samples.csv",
    }
    return SlaTerms(**{**fields, **changes})


def reported(samples: RecordedSeries, *, of: Lock | None = None, month: Month = OCTOBER, **changes: Any) -> SlaForm:
    return report(of or lock(), samples, month=month, settled=settled(**changes))


def part(form: SlaForm, key: str) -> PartForm:
    (found,) = [each for each in form["parts"] if each["key"] == key]
    return found


def exclusion(component: str, start: int, end: int, **changes: Any) -> Exclusion:
    """Hours of the month."""
    fields: dict[str, Any] = {
        "cause": "customer",
        "component": component,
        "start": OCTOBER.start + start * HOUR,
        "end": OCTOBER.start + end * HOUR,
        "reason": "a test",
        "notice": None,
        "line": 1,
    }
    given = {**fields, **changes}
    return Exclusion(**{**given, "cause": Cause(given["cause"])})
