"""From a checklist to a quote: size, search every view, merge what is the same, sort."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from catalogs.reader import CURRENT
from planning.errors import NothingFitsError
from planning.options.advice import advice
from planning.options.alternatives import elsewhere
from planning.options.field import Field
from planning.options.option import identity, option
from planning.options.search import Pick
from planning.options.views import VIEWS
from planning.quote import Quote, Verdict
from planning.sizing.derive import size

if TYPE_CHECKING:
    from datetime import date

    from planning.checklist.model import Checklist
    from planning.options.market import Market
    from planning.quote import Option

# Spot and micro-cloud prices move within weeks (research: Nebius -35% in one step), so an offer stands for two.
VALID: Final = timedelta(days=14)
FEWEST: Final = 3
MOST: Final = 5
REFUSALS_SHOWN: Final = 8


def quote(checklist: Checklist, *, checklist_digest: str, stack: str, market: Market, today: date) -> Quote:
    """Three to five options, or fewer with the reason.

    Raises:
        NothingFitsError: no machine, region and purchase satisfies the checklist; the hint names what excludes most.
    """
    sizing = size(checklist)
    refusals: Counter[str] = Counter()
    field = Field(market, checklist, demands=sizing.demands, today=price_day(market, today), refusals=refusals)
    found = {name: view.find(field) for name, view in VIEWS.items()}
    picks = {name: pick for name, pick in found.items() if isinstance(pick, Pick)}
    missing = {name: reason for name, reason in found.items() if isinstance(reason, str)}
    if not picks:
        raise _nothing(field.closed() or refusals)
    options = _options(picks, field=field)
    prices = market.catalog.prices
    return Quote(
        stack=stack,
        options=options,
        reason=_reason(len(options), missing),
        missing_views=missing,
        advice=_advice(options, field=field),
        figures=sizing.figures,
        prices=prices.name,
        prices_digest=prices.digest,
        prices_as_of=prices.newest,
        priced_at=today,
        valid_until=today + VALID,
        checklist_digest=checklist_digest,
        refusals=tuple(refusals.most_common(REFUSALS_SHOWN)),
    )


def price_day(market: Market, today: date) -> date:
    """The day on which prices are judged for their age: a dated price book is asked for as it was."""
    prices = market.catalog.prices
    return today if prices.name == CURRENT or prices.newest is None else prices.newest


def _advice(options: tuple[Option, ...], *, field: Field) -> tuple[str, ...]:
    if any(each.judgement.verdict is not Verdict.OVER for each in options):
        return ()
    floor = min(field.reading(each.bill.usd_per_month) for each in options)
    return advice(field, floor=floor)


def _options(picks: dict[str, Pick], *, field: Field) -> tuple[Option, ...]:
    merged: dict[object, tuple[Pick, list[str], list[str]]] = {}
    for name, pick in picks.items():
        _, views, why = merged.setdefault(_sameness(pick), (pick, [], []))
        views.append(name)
        why.append(f"{name.replace('_', ' ')}: {VIEWS[name].why}")
    for pick, why in elsewhere(field, [pick for pick, _, _ in merged.values()], wanted=FEWEST - len(merged)):
        merged.setdefault(_sameness(pick), (pick, ["alternative"], [why]))
    ordered = sorted(merged.values(), key=lambda each: (field.reading(each[0].rank), each[0].place))
    options: list[Option] = []
    for pick, views, why in ordered[:MOST]:
        name = identity(pick)
        clash = sum(each.id == name or each.id.startswith(f"{name}-v") for each in options)
        suffix = f"-v{clash + 1}" if clash else ""
        options.append(
            option(pick, checklist=field.checklist, market=field.market, views=views, why=why, suffix=suffix)
        )
    return tuple(options)


def _sameness(pick: Pick) -> object:
    """Two picks are one option when they buy the same nodes at the same place."""
    nodes = tuple(
        (each.demand.workload, each.machine.name, part.offer.price.purchase, part.nodes)
        for each in pick.candidates
        for part in each.parts
    )
    return pick.place, nodes


def _reason(count: int, missing: dict[str, str]) -> str:
    if count >= FEWEST:
        return ""
    why = "; ".join(f"no {name.replace('_', ' ')} option: {reason}" for name, reason in missing.items())
    return f"only {count} distinct option{'s' if count > 1 else ''}: nothing else on sale satisfies the checklist" + (
        f" ({why})" if why else ""
    )


def _nothing(refusals: Counter[str]) -> NothingFitsError:
    top = ", ".join(f"{reason} ({count})" for reason, count in refusals.most_common(3))
    return NothingFitsError(
        "nothing on sale satisfies this checklist",
        hint=f"what excludes most: {top}" if top else "the price book offers no machine with an accelerator here",
    )
