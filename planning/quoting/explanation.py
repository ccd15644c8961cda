"""What an option costs as figures with their derivation: the readings of its month, and each line of its bill."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from catalogs.nodes import node_fact
from catalogs.parsing import spell_unit
from planning.quoting.candidates.billed_hours import RUNS, WORKING_DAYS, calculate_billed_hours
from planning.sizing.assumptions import CHECKLIST
from planning.sizing.demand import SizingFigure, figure
from planning.sizing.run_time import ATTEMPTS, CPU, GPU, REPEATED, SHARED_BY, node_start
from planning.spec.lock_content import State
from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from catalogs.model import Source
    from planning.costs.bill import LineItem
    from planning.quoting.candidates.billed_hours import BilledHours
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.quote import Option
    from planning.sizing.demand import Demand, Sizing
    from planning.values.money import Range


UNIT: Final = "USD a month"
GUARDED: Final = "the most that the spend guard lets through"
ALL_NODES: Final = "every node of every pool for all hours of the month, whatever the workloads need"
READINGS: Final = (
    ("min", "a quiet month: what is up whether anybody works or not"),
    ("expected", "the month that the checklist describes"),
    ("max", "the most that the workloads of the checklist can use"),
)


def option_figures(option: Option) -> Iterator[SizingFigure]:
    """The readings of an option's month, the guarded cap where there is one, and every node for the whole month."""
    month = option.bill.usd_per_month
    for (name, meaning), usd in zip(READINGS, month.readings, strict=True):
        yield _build_hour_figure(option, f"{name} a month", usd, meaning)
    if option.guarded_usd_per_month is not None:
        yield _build_hour_figure(option, "guarded cap", option.guarded_usd_per_month, GUARDED)
    yield _build_hour_figure(option, "every node all month", option.all_nodes_usd_per_month, ALL_NODES)


def _build_hour_figure(option: Option, name: str, usd: Decimal | None, meaning: str) -> SizingFigure:
    counts = {
        "lines without a price, not counted": len(option.bill.unpriced),
        "lines estimated, counted": len(option.bill.estimated),
    }
    return SizingFigure(
        subject=option.id,
        name=name,
        value=usd,
        unit=UNIT,
        formula=meaning,
        inputs=tuple((what, str(count)) for what, count in counts.items() if count),
        source="",
    )


def bill_figures(option: Option) -> Iterator[SizingFigure]:
    """Each line of an option's bill with what it is made of."""
    for line in option.bill.lines:
        usd = line.usd_per_month
        yield SizingFigure(
            subject=option.id,
            name=line.label,
            value=None if usd is None or line.state is State.UNPRICED else usd.expected,
            unit=f"{UNIT}, estimated" if line.state is State.ESTIMATED else UNIT,
            formula=_formula(line),
            inputs=tuple(_inputs(line)),
            source=f"{line.source}, {line.as_of or 'undated'}" if line.source else "",
        )


def _formula(line: LineItem) -> str:
    said = {
        State.PRICED: f"quantity x USD per {spell_unit(line.unit)}",
        State.FREE: "free",
        State.ESTIMATED: f"quantity x estimated USD per {spell_unit(line.unit)}",
        State.UNPRICED: "no price is known",
    }
    return f"{said[line.state]}; {line.note}" if line.note else said[line.state]


def _inputs(line: LineItem) -> Iterator[tuple[str, str]]:
    quantity = line.quantity
    for (name, _), amount in zip(READINGS, quantity.readings, strict=True):
        yield f"{name} quantity", decimal_text(amount)
    if line.list_usd_per_unit is not None:
        yield f"list USD per {spell_unit(line.unit)}", decimal_text(line.list_usd_per_unit)
    if line.usd_per_unit is not None:
        yield f"USD per {spell_unit(line.unit)}", decimal_text(line.usd_per_unit)
    if line.usd_per_unit_range is not None:
        yield "in the least expensive region", decimal_text(line.usd_per_unit_range.min)
        yield "in the most expensive region", decimal_text(line.usd_per_unit_range.max)


HOURS_UNIT: Final = "node hours a month"
STARTS: Final = {
    "runs": "nodes x runs a month; in the busiest month whole runs, each repeated once",
    "elastic": "nodes above the least number, each started once a day",
    SHARED_BY: "nodes x sessions a day x working days; in the busiest month of each engineer's own node",
    "jobs": "nodes x working days, at most once for each hour of work",
    "service": "nodes that are up on average x days of the month",
}


def list_hour_figures(candidate: Candidate, *, sources: Mapping[str, Source] | None = None) -> tuple[SizingFigure, ...]:
    """The time of a run, and the figures of one pool that is paid by use; none of one that is reserved, or always full.

    Args:
        sources: of the catalog, by id, so that a figure names the text; else it names the id.
    """
    found = (*_run_figures(candidate), *_build_billed_figures(candidate))
    known = sources or {}
    return tuple(
        replace(each, source=", ".join(part for part in (known[each.source].text, known[each.source].url) if part))
        if each.source in known
        else each
        for each in found
    )


def _run_figures(candidate: Candidate) -> Iterator[SizingFigure]:
    """How long a run takes from the start of its nodes on: what deadlines are held against."""
    fit, offer, demand = candidate.fit, candidate.parts[-1].offer, candidate.demand
    if fit.hours_per_run is None:
        return
    start = node_start(offer.machine.provider, GPU).again.expected
    inputs: dict[str, Decimal | int | str | None] = {"work": _short(fit.work_hours), "boot and image": _short(start)}
    if offer.term.kind is PurchaseKind.SPOT:
        inputs["interruptions"] = _short(fit.hours_per_run - fit.work_hours - start)
    formula = " + ".join(inputs)
    if fit.mfu is not None:
        fastest, slowest = (_short(fit.work_hours * fit.mfu.expected / share) for share in (fit.mfu.max, fit.mfu.min))
        inputs["work at the shares of peak that 80% of published runs reach"] = f"{fastest} to {slowest}"
    yield figure(
        subject=demand.workload,
        name="time of one run",
        value=_short(fit.hours_per_run),
        unit="hours, from the start of its nodes",
        formula=formula,
        inputs=inputs,
        source=f"{CHECKLIST}; the parts below",
    )


def _build_billed_figures(candidate: Candidate) -> tuple[SizingFigure, ...]:
    bought = [part for part in candidate.parts if part.offer.term.kind is not PurchaseKind.RESERVED]
    if not bought:
        return ()
    offer, demand = bought[-1].offer, candidate.demand
    found = calculate_billed_hours(demand, candidate.fit, offer, candidate.accelerator)
    if found.total == found.work:
        return ()
    kind = CPU if candidate.accelerator is None else GPU
    return (
        _build_hours_figure(
            demand,
            "node hours of the work",
            found.work,
            formula=_formula_of_work(demand),
            source=f"{CHECKLIST}; {ATTEMPTS.source}" if demand.kind in REPEATED else CHECKLIST,
        ),
        _build_hours_figure(
            demand,
            "starts of its nodes",
            found.starts,
            formula=STARTS[_word(demand)],
            source=CHECKLIST if _word(demand) == "runs" else WORKING_DAYS.source,
        ),
        *_start_figures(demand, found, provider=offer.machine.provider, about=kind),
        *_build_interruption_figures(candidate, found, is_spot=offer.term.kind is PurchaseKind.SPOT),
        _build_hours_figure(
            demand,
            "billed node hours",
            found.total,
            formula="work + starts x (boot + image + idle + rounding) + idle notebooks + interruptions, "
            "at most all nodes x 730 h",
            source="the parts above",
        ),
    )


def _word(demand: Demand) -> str:
    if demand.kind in RUNS or demand.beside:
        return "runs"
    if demand.always_on:
        return "elastic"
    if demand.kind == SHARED_BY:
        return SHARED_BY
    return "jobs" if demand.kind in REPEATED else "service"


def _formula_of_work(demand: Demand) -> str:
    most = {
        SHARED_BY: "each engineer's hours on a node of their own",
        "runs": f"whole runs, each {ATTEMPTS.value} times",
        "jobs": f"all of it {ATTEMPTS.value} times",
    }
    return f"nodes x busy hours; at most {most.get(_word(demand), 'all nodes at every busy hour')}"


def _start_figures(demand: Demand, found: BilledHours, *, provider: str, about: str) -> Iterator[SizingFigure]:
    start = found.start
    rows = (
        ("boot and driver", start.boot, "boot_minutes", "minutes / 60"),
        ("image pull", start.image, "pull_minutes_per_gb", "GB of images x minutes per GB / 60"),
        ("idle before removal", start.idle, "idle_minutes", "minutes until the autoscaler removes an empty node / 60"),
        ("rounding to the billing unit", start.rounding, "billing_seconds", "half a unit; a whole one at most"),
    )
    for name, hours, fact, formula in rows:
        if hours.max:
            source = node_fact(fact, provider=provider, about=about).source
            yield _build_hours_figure(
                demand, name, _product(found.starts, hours), formula=f"starts x {formula}", source=source, each=hours
            )
    if found.notebooks.max:
        yield _build_hours_figure(
            demand,
            "idle notebooks until they are stopped",
            found.notebooks,
            formula="starts x platform.idle_minutes / 60",
            source=CHECKLIST,
        )


def _build_interruption_figures(candidate: Candidate, found: BilledHours, *, is_spot: bool) -> Iterator[SizingFigure]:
    if not is_spot:
        return
    family = "" if candidate.accelerator is None else candidate.accelerator.family
    fact = node_fact("spot_per_month", provider=candidate.machine.provider, about=family)
    yield figure(
        subject=candidate.demand.workload,
        name="spot interruptions",
        value=fact.expected,
        unit="of a node in a month of 730 h",
        formula="as published, else a stated range",
        inputs={"low": fact.low, "high": fact.high},
        source=fact.source,
    )
    yield _build_hours_figure(
        candidate.demand,
        "work lost to interruptions",
        found.lost,
        formula="interruptions x node hours x (half the time between checkpoints + boot + image) x nodes that wait",
        source=fact.source,
    )


def _product(starts: Range, hours: Range) -> Range:
    return type(starts)(starts.min * hours.min, starts.expected * hours.expected, starts.max * hours.max)


def _build_hours_figure(
    demand: Demand, name: str, hours: Range, *, formula: str, source: str, each: Range | None = None
) -> SizingFigure:
    inputs: dict[str, Decimal | int | str | None] = {"in a quiet month": _short(hours.min)}
    inputs["in the busiest month"] = _short(hours.max)
    if each is not None:
        inputs["hours of each start"] = _short(each.expected)
    unit = "a month" if name.startswith("starts") else HOURS_UNIT
    return figure(
        subject=demand.workload,
        name=name,
        value=_short(hours.expected),
        unit=unit,
        formula=formula,
        inputs=inputs,
        source=source,
    )


def _short(hours: Decimal) -> Decimal:
    return round(hours, 2)


def explain(sizing: Sizing, *, subject: str | None = None, name: str | None = None) -> tuple[SizingFigure, ...]:
    """Figures in their order; of one subject, or whose name holds `name`, where these are given."""
    sought = "" if name is None else name.casefold()
    found = (figure for figure in sizing.figures if sought in figure.name.casefold())
    return tuple(figure for figure in found if subject in (None, figure.subject))


def subjects(sizing: Sizing) -> tuple[str, ...]:
    """What there are figures of, each once, in their order."""
    return tuple(dict.fromkeys(figure.subject for figure in sizing.figures))
