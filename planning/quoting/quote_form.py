"""JSON forms of quotes, bills and figures: pure functions that fill the shapes of `planning.costs.json_shapes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import HOME
from planning.values.json_format import SCHEMA_VERSION, TEN_THOUSANDTH, decimal_text
from planning.values.money import CENT, HOURS_PER_MONTH, round_to, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from planning.ceilings.verdict import Judgement
    from planning.costs.bill import Bill, LineItem
    from planning.costs.json_shapes import (
        BillForm,
        BuyingForm,
        ExplainForm,
        FigureForm,
        JudgementForm,
        LineForm,
        OptionForm,
        PlacementForm,
        PoolForm,
        QuoteForm,
        RangeForm,
        TwinForm,
    )
    from planning.quoting.quote import Buying, Option, PoolWorth, Quote, Twin
    from planning.sizing.demand import SizingFigure
    from planning.spec.cluster import Placement, Pool
    from planning.values.money import Range


def range_form(quantity: Range) -> RangeForm:
    return {
        "min": decimal_text(quantity.min),
        "expected": decimal_text(quantity.expected),
        "max": decimal_text(quantity.max),
    }


def cents_form(usd: Range) -> RangeForm:
    """A range of USD, rounded to cents."""
    return {"min": str(to_cents(usd.min)), "expected": str(to_cents(usd.expected)), "max": str(to_cents(usd.max))}


def line_form(line: LineItem) -> LineForm:
    return {
        "key": line.key,
        "label": line.label,
        "group": line.group.value,
        "item": str(line.item),
        "state": line.state.value,
        "quantity": range_form(line.quantity),
        "unit": line.unit,
        "usd_per_unit": _maybe(line.usd_per_unit),
        "usd_per_month": None if line.usd_per_month is None else range_form(line.usd_per_month),
        "source": line.source,
        "as_of": line.as_of.isoformat() if line.as_of else None,
        "note": line.note,
    }


def bill_form(bill: Bill) -> BillForm:
    """A bill with its sum and what has no price."""
    return {
        "lines": [line_form(line) for line in bill.lines],
        "usd_per_month": cents_form(bill.usd_per_month),
        "unpriced": [{"key": line.key, "label": line.label, "reason": line.note} for line in bill.unpriced],
    }


def judgement_form(judgement: Judgement) -> JudgementForm:
    return {"verdict": judgement.verdict.value, "reason": judgement.reason}


def quote_form(quote: Quote) -> QuoteForm:
    """`atoll quote --json`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": quote.stack,
        "prices": quote.prices,
        "prices_digest": quote.prices_digest,
        "prices_as_of": quote.prices_as_of.isoformat() if quote.prices_as_of else None,
        "priced_at": quote.priced_at.isoformat(),
        "valid_until": quote.valid_until.isoformat(),
        "checklist_digest": quote.checklist_digest,
        "options": [option_form(option) for option in quote.options],
        "reason": quote.reason,
        "missing_views": dict(quote.missing_views),
        "advice": list(quote.advice),
        "refusals": [{"reason": reason, "count": count} for reason, count in quote.refusals],
        "unmet_providers": [{"provider": name, "reason": reason} for name, reason in quote.unmet_providers],
    }


def option_form(option: Option) -> OptionForm:
    """One option with its whole bill."""
    worth = worth_by_pool(option)
    return {
        "id": option.id,
        "views": list(option.views),
        "why": list(option.why),
        "recommended": option.recommended,
        "tradeoff": option.tradeoff,
        "twins": [_twin_form(each) for each in option.twins],
        "twin_of": option.twin_of,
        "misses": list(option.misses),
        "placements": [_placement_form(each.placement) for each in option.placements],
        "joined": option.joined,
        "pools": [
            _pool_form(pool, worth=worth.get(pool.name), bill=option.bill, placement=each.placement.name)
            for each in option.placements
            for pool in each.pools
        ],
        "bill": bill_form(option.bill),
        "guarded_usd_per_month": _maybe_cents(option.guarded_usd_per_month),
        "all_nodes_usd_per_month": _maybe_cents(option.all_nodes_usd_per_month),
        "rank_usd_per_month": range_form(option.rank_usd_per_month),
        "verdict": judgement_form(option.judgement),
        "runs": [
            {"workload": run.workload, "hours": _format_rate(run.hours), "usd": str(to_cents(run.usd))}
            for run in option.runs
        ],
        "buying": None if option.buying is None else _buying_form(option.buying),
        "leaves_out": list(option.leaves_out),
        "lock_in": option.lock_in,
        "notes": list(option.notes),
    }


def explain_form(stack: str, figures: Iterable[SizingFigure]) -> ExplainForm:
    """`atoll explain --json`."""
    return {"schema_version": SCHEMA_VERSION, "stack": stack, "figures": [figure_form(figure) for figure in figures]}


def figure_form(figure: SizingFigure) -> FigureForm:
    return {
        "subject": figure.subject,
        "name": figure.name,
        "value": _maybe(figure.value),
        "unit": figure.unit,
        "formula": figure.formula,
        "inputs": [{"name": name, "value": value} for name, value in figure.inputs],
        "source": figure.source,
    }


def calculate_average_nodes(pool: Pool) -> Decimal:
    """Nodes of a pool that are up on average over the month."""
    return pool.node_hours.expected / HOURS_PER_MONTH


def usd_per_node_hour(pool: Pool, bill: Bill, *, placement: str = HOME) -> Decimal | None:
    """What one node of a pool costs for an hour; None where its price is not known."""
    prefix = "" if placement == HOME else f"{placement}/"
    key = f"{prefix}pool/{pool.name}/machine"
    return next((line.usd_per_unit for line in bill.lines if line.key == key), None)


def worth_by_pool(option: Option) -> dict[str, PoolWorth]:
    return {worth.pool: worth for worth in option.worth}


def versus_big_three_percent(worth: PoolWorth) -> Decimal | None:
    """How much more an accelerator-hour costs than at the cheapest of the big three; negative: less."""
    if worth.usd_per_gpu_hour is None or not worth.big_three_usd_per_gpu_hour:
        return None
    return (worth.usd_per_gpu_hour / worth.big_three_usd_per_gpu_hour - 1) * 100


def _placement_form(place: Placement) -> PlacementForm:
    return {
        "name": place.name,
        "provider": place.provider,
        "region": place.region,
        "zones": list(place.zones),
        "target": place.target,
    }


def _pool_form(pool: Pool, *, worth: PoolWorth | None, bill: Bill, placement: str) -> PoolForm:
    return {
        "placement": placement,
        "name": pool.name,
        "role": pool.role,
        "workload": pool.workload,
        "machine": pool.machine,
        "accelerator": pool.accelerator,
        "accelerators": pool.accelerators,
        "nodes": {
            "min": pool.min_nodes,
            "expected": float(round_to(calculate_average_nodes(pool), CENT)),
            "max": pool.max_nodes,
        },
        "purchase": pool.purchase,
        "usd_per_hour": _maybe(usd_per_node_hour(pool, bill, placement=placement)),
        "usd_per_gpu_hour": _maybe_rounded(worth.usd_per_gpu_hour if worth else None),
        "usd_per_1000_tflops_hour": _maybe_rounded(worth.usd_per_1000_tflops_hour if worth else None),
        "big_three_usd_per_gpu_hour": _maybe_rounded(worth.big_three_usd_per_gpu_hour if worth else None),
        "versus_big_three_percent": _maybe_rounded(versus_big_three_percent(worth) if worth else None),
        "flags": list(worth.flags) if worth else [],
    }


def _twin_form(twin: Twin) -> TwinForm:
    return {
        "provider": twin.provider,
        "region": twin.region,
        "share": _format_rate(twin.share),
        "option_id": twin.option_id,
        "views": list(twin.views),
    }


def _buying_form(buying: Buying) -> BuyingForm:
    return {
        "servers": buying.servers,
        "usd_per_year": str(to_cents(buying.usd_per_year)),
        "rent_usd_per_year": str(to_cents(buying.rent_usd_per_year)),
        "break_even_month": buying.break_even_month,
        "source": buying.source,
    }


def _maybe_cents(usd: Decimal | None) -> str | None:
    return None if usd is None else str(to_cents(usd))


def _maybe(value: Decimal | None) -> str | None:
    return None if value is None else decimal_text(value)


def _format_rate(value: Decimal) -> str:
    """Rates and hours, which are quotients, to a ten-thousandth."""
    return decimal_text(round_to(value, TEN_THOUSANDTH))


def _maybe_rounded(value: Decimal | None) -> str | None:
    return None if value is None else _format_rate(value)
