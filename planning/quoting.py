"""From a checklist to a quote: size, search every view, merge what is the same, sort."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.reader import CURRENT
from planning.charge import HOME
from planning.errors import NothingFitsError
from planning.money import ZERO
from planning.options.advice import advice
from planning.options.alternatives import elsewhere
from planning.options.field import Field, anything
from planning.options.option import identity, option, rank
from planning.options.parts import Part, Placed, parts, under
from planning.options.search import cheapest
from planning.options.views import VIEWS, anywhere, is_dependable
from planning.quote import Quote, Verdict
from planning.sizing.derive import size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from planning.checklist.model import Checklist
    from planning.demand import Figure
    from planning.options.market import Market
    from planning.options.views import View
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
    refusals: Counter[str] = Counter()
    day = price_day(market, today)
    shares = _shares(parts(checklist), market=market, today=day, refusals=refusals)
    found = {name: _together(shares, view) for name, view in VIEWS.items()}
    picks = {name: placed for name, placed in found.items() if not isinstance(placed, str)}
    missing = {name: reason for name, reason in found.items() if isinstance(reason, str)}
    if not picks:
        raise _nothing(shares, market=market, today=day)
    options = _options(picks, shares=shares, checklist=checklist)
    prices = market.catalog.prices
    return Quote(
        stack=stack,
        options=options,
        reason=_reason(len(options), missing),
        missing_views=missing,
        advice=_advice(options, shares=shares),
        figures=tuple(figure for each in shares for figure in each.figures),
        prices=prices.name,
        prices_digest=prices.digest,
        prices_as_of=prices.newest,
        priced_at=today,
        valid_until=today + VALID,
        checklist_digest=checklist_digest,
        refusals=tuple(refusals.most_common(REFUSALS_SHOWN)),
    )


@dataclass(frozen=True, slots=True)
class Share:
    """One placement's share of the checklist, and what is on sale for it."""

    part: Part
    field: Field
    figures: tuple[Figure, ...]


def _share(part: Part, *, market: Market, today: date, refusals: Counter[str]) -> Share:
    sizing = size(part.checklist, beside=part.name != HOME)
    field = Field(market, part.checklist, demands=sizing.demands, today=today, refusals=refusals, name=part.name)
    return Share(part, field, sizing.figures)


def _shares(every: Sequence[Part], *, market: Market, today: date, refusals: Counter[str]) -> tuple[Share, ...]:
    """Each share; where there are several, each may cost what a ceiling leaves beside the cheapest of the others."""
    share = partial(_share, market=market, today=today, refusals=refusals)
    first = tuple(share(part) for part in every)
    if len(first) == 1 or every[0].checklist.ceiling.usd_per_month is None:
        return first
    refusals.clear()
    least = [cheapest(each.field, anything, only=anywhere) for each in first]
    usd = [ZERO if pick is None else each.field.reading(pick.rank) for each, pick in zip(first, least, strict=True)]
    return tuple(share(under(part, others_usd=usd[:at] + usd[at + 1 :])) for at, part in enumerate(every))


def _together(shares: Sequence[Share], view: View) -> tuple[Placed, ...] | str:
    """A cluster for every share by one goal; away from home the cheapest stands in for a goal that has no answer."""
    placed: list[Placed] = []
    for at, share in enumerate(shares):
        pick = view.find(share.field)
        if isinstance(pick, str) and at:
            pick = cheapest(share.field, is_dependable, only=anywhere) or pick
        if isinstance(pick, str):
            return pick if len(shares) == 1 else f"{share.part.name}: {pick}"
        placed.append(Placed(share.part, pick))
    return tuple(placed)


def price_day(market: Market, today: date) -> date:
    """The day on which prices are judged for their age: a dated price book is asked for as it was."""
    prices = market.catalog.prices
    return today if prices.name == CURRENT or prices.newest is None else prices.newest


def _advice(options: tuple[Option, ...], *, shares: Sequence[Share]) -> tuple[str, ...]:
    """Changes for the dearest share, which is where a change saves most."""
    if any(each.judgement.verdict is not Verdict.OVER for each in options):
        return ()
    field = shares[0].field
    if len(shares) == 1:
        floor = min(field.reading(each.bill.usd_per_month) for each in options)
        return advice(field, floor=floor)
    least = [(cheapest(each.field, anything, only=anywhere), each) for each in shares]
    known = [(each.field.reading(pick.rank), each) for pick, each in least if pick is not None]
    usd, dearest = max(known, key=lambda each: each[0])
    return tuple(f"{dearest.part.name}: {words}" for words in advice(dearest.field, floor=usd))


def _options(
    picks: Mapping[str, tuple[Placed, ...]], *, shares: Sequence[Share], checklist: Checklist
) -> tuple[Option, ...]:
    merged: dict[object, tuple[tuple[Placed, ...], list[str], list[str]]] = {}
    for name, placed in picks.items():
        _, views, why = merged.setdefault(_sameness(placed), (placed, [], []))
        views.append(name)
        why.append(f"{name.replace('_', ' ')}: {VIEWS[name].why}")
    for placed, why in _alternatives(shares, [each for each, _, _ in merged.values()], wanted=FEWEST - len(merged)):
        merged.setdefault(_sameness(placed), (placed, ["alternative"], [why]))
    reading = shares[0].field.reading
    ordered = sorted(
        merged.values(), key=lambda each: (reading(rank(each[0])), [placed.pick.place for placed in each[0]])
    )
    options: list[Option] = []
    for placed, views, why in ordered[:MOST]:
        name = identity(placed)
        clash = sum(each.id == name or each.id.startswith(f"{name}-v") for each in options)
        suffix = f"-v{clash + 1}" if clash else ""
        market = shares[0].field.market
        options.append(option(placed, checklist=checklist, market=market, views=views, why=why, suffix=suffix))
    return tuple(options)


def _alternatives(
    shares: Sequence[Share], shown: Sequence[tuple[Placed, ...]], *, wanted: int
) -> Iterator[tuple[tuple[Placed, ...], str]]:
    """Other clusters for the last share, which is the one that may be anywhere; the rest as in the first option."""
    last = shares[-1]
    for pick, why in elsewhere(last.field, [each[-1].pick for each in shown], wanted=wanted):
        yield (*shown[0][:-1], Placed(last.part, pick)), why


def _sameness(placed: Sequence[Placed]) -> object:
    """Two options are one when they buy the same nodes at the same places."""
    return tuple(
        (
            each.pick.place,
            tuple(
                (candidate.demand.workload, candidate.machine.name, bought.offer.price.purchase, bought.nodes)
                for candidate in each.pick.candidates
                for bought in candidate.parts
            ),
        )
        for each in placed
    )


def _reason(count: int, missing: dict[str, str]) -> str:
    if count >= FEWEST:
        return ""
    why = "; ".join(f"no {name.replace('_', ' ')} option: {reason}" for name, reason in missing.items())
    return f"only {count} distinct option{'s' if count > 1 else ''}: nothing else on sale satisfies the checklist" + (
        f" ({why})" if why else ""
    )


def _nothing(shares: Sequence[Share], *, market: Market, today: date) -> NothingFitsError:
    """The answer when nothing fits, about the first share that has no cluster."""
    part = next((each.part for each in shares if cheapest(each.field, anything, only=anywhere) is None), shares[0].part)
    refusals: Counter[str] = Counter()
    field = _share(part, market=market, today=today, refusals=refusals).field
    top = ", ".join(f"{reason} ({count})" for reason, count in (field.closed() or refusals).most_common(3))
    hint = f"what excludes most: {top}" if top else "the price book offers no machine with an accelerator here"
    where = "" if len(shares) == 1 else f" at {part.name}"
    return NothingFitsError(f"nothing on sale satisfies this checklist{where}", hint=field.unbought() or hint)
