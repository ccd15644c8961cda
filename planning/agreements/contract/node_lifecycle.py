"""The life of nodes: burn-in, spares and replacement, reserved capacity, and growth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.context import BINDING, NO, UNKNOWN, describe_measurement, render_term
from planning.documents.blocks import Blank, Bullets, Heading, Notice, Paragraph
from planning.documents.figures import compose, join_sentences, of_catalog, of_lock, say
from planning.platform.accelerators import why_not

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.agreements.contract.context import AgreementContext, PoolAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence

# Purchases that commit to a term, by their kind and whether they reserve capacity (terms.csv, column "holds").
HELD: Final = {
    (
        "reserved",
        "yes",
    ): "reserved for the term: the capacity stays with this customer, whether nodes run or not, also while"
    " they are rebuilt",
    (
        "reserved",
        "no",
    ): "paid for the whole term: a price that reserves no capacity; a node that is released or fails is"
    " certain to come back only with a capacity reservation",
    ("reserved", "unknown"): "paid for the whole term; no source says whether the provider reserves the capacity: an"
    " open term below",
    ("capacity_block", "yes"): "booked: reserved for this customer on the booked days",
    ("capacity_block", "no"): "booked, without reserved capacity",
    ("capacity_block", "unknown"): "booked; no source says whether the provider reserves the capacity: an open"
    " term below",
}
LOOSE: Final = {
    "on_demand": "on demand: no capacity is reserved; a released node may not be available when it is requested again",
    "spot": "spot: the provider may interrupt a node at any time",
    "flex": "queued: nodes start when the provider has capacity, for a limited time",
}


def burn_in(sides: AgreementContext) -> Iterator[Block]:
    accelerated = [pool for pool in sides.pools if pool.accelerated]
    if not accelerated:
        return
    tested = [pool for pool in accelerated if pool.burned_in]
    yield Heading(2, say("Burn-in"))
    if tested:
        yield Paragraph(_describe_burn_in(tested, sides))
        yield from _longer(sides)
        yield describe_measurement(sides, "burn_in")
    untested = [pool for pool in accelerated if not pool.burned_in]
    if not untested:
        return
    yield from _describe_external_burn_in(untested, sides)
    early = say(sides.quote_promise("early_failures", 0), " to ", sides.quote_promise("early_failures", 1, unit="%"))
    yield Bullets(tuple(say(pool.name, ": no burn-in, since ", _why_not(pool), ".") for pool in untested))
    yield Notice.of(
        "In a new batch without a burn-in, {} of the accelerators fail early. The acceptance test covers the nodes"
        " that run on its day; nodes that come later are not tested.",
        early,
    )


def _describe_burn_in(tested: list[PoolAt], sides: AgreementContext) -> Sentence:
    hours = sides.quote_term("burn_in_hours")
    return compose(
        "The permanent nodes of {} and their replacements are stressed for {} hours, and take no work until they have"
        " passed. A node that fails is replaced before the cluster is accepted, and is not paid for until then.{}",
        join_sentences(pool.name for pool in tested),
        say(hours) if hours is not None else say("at least ", sides.quote_promise("burn_in", 0)),
        " No burn-in is promised for autoscaled nodes."
        if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in tested)
        else "",
    )


def _longer(sides: AgreementContext) -> Iterator[Block]:
    """The hours beyond those that the program runs by itself: the provider has to run them."""
    agreed, least = sides.agreement.burn_in_hours, sides.catalog.promises["burn_in"].value
    if agreed is None or agreed <= least:
        return
    yield Notice.of(
        "The cluster admits a node by itself after {} hours. The provider runs the remaining hours before the node"
        " takes work.",
        sides.quote_promise("burn_in", 0),
    )


def _describe_external_burn_in(untested: list[PoolAt], sides: AgreementContext) -> Iterator[Block]:
    """The agreed hours on a cluster that the program does not build: Atoll neither runs nor measures them."""
    hours = sides.quote_term("burn_in_hours")
    theirs = [pool.name for pool in untested if pool.pool.burn_in and not pool.place.built]
    if hours is None or not theirs:
        return
    yield Notice.of(
        "{} hours of burn-in are agreed: the provider runs them on {} before handover. The acceptance test does not"
        " measure them, so the provider shows its own record.",
        hours,
        join_sentences(theirs),
    )


def _why_not(pool: PoolAt) -> str:
    if not pool.pool.burn_in:
        return "this option does not include it"
    return why_not(pool.pool, pool.place.spec)


def spares(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Failed nodes"))
    yield render_term("replace_within_hours", sides)
    yield Blank.of("Number of nodes replaced within that time in one month")
    unheld = [pool.name for pool in sides.pools if pool.accelerated and sides.holds(pool) == NO]
    if unheld and not sides.agreement.provider_spares:
        yield Paragraph.of(
            "No capacity is reserved for {}: a replacement comes when the provider has capacity.",
            join_sentences(unheld),
        )
    yield render_term("provider_spares", sides)
    yield from (Paragraph(each) for each in _repair(sides))
    yield from _own_spares(sides)


def _repair(sides: AgreementContext) -> Iterator[Sentence]:
    for place in sides.places:
        where = say("At ", place.name, ": ") if place.is_named else say()
        if place.spec.profile.node_repair == "provider":
            title = of_lock(place.spec.profile.title, f"{place.at}.profile.title")
            yield say(where, title, " detects and replaces failed nodes automatically; the incident log has the times.")
        else:
            yield compose(
                "{}Failed nodes are not replaced automatically: the provider replaces them by ticket, which the"
                " incident log keeps with its times.",
                where,
            )
    yield compose(
        "The command atoll nodes takes a failed node of {} out of use and has it replaced: through the provider's API"
        " where there is one, otherwise by a ticket that it writes.",
        sides.stack,
    )


def _own_spares(sides: AgreementContext) -> Iterator[Block]:
    together = [pool for pool in sides.pools if sides.is_together(pool)]
    paid = [pool for pool in together if pool.pool.spares]
    without = [pool for pool in together if not pool.pool.spares]
    if paid:
        each = (say(pool.count("spares"), " for ", pool.count("working"), " in ", pool.name) for pool in paid)
        yield Paragraph.of(
            "Spare nodes that are paid for: {}. They and those that the provider keeps are on the spine of the working"
            " nodes; a node on another spine is not a replacement.{}",
            join_sentences(each),
            " In an autoscaled pool they run, and on that spine, only while its nodes run."
            if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in paid)
            else "",
        )
    if without:
        yield Notice.of(
            "{} has no paid spare: a run over all of its nodes stops until a failed node is replaced.",
            join_sentences(pool.name for pool in without),
        )


def allocation(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Allocation and growth"))
    told = [pool for pool in sides.pools if _is_holder_stated(pool, sides)]
    ways = dict.fromkeys((pool.pool.kind, sides.holds(pool)) for pool in told)
    yield Bullets(tuple(_describe_holder(kind, holds, told, sides) for kind, holds in ways))
    yield from (
        Blank.of("{}: whether the provider reserves its capacity while nodes do not run or are replaced", pool.name)
        for pool in told
        if sides.holds(pool) == UNKNOWN
    )
    together = [pool for pool in sides.pools if sides.is_together(pool)]
    if not together:
        return
    yield Paragraph.of(
        "More nodes of {} are useful only on the same spine; on another spine the whole pool would have to move.",
        join_sentences(pool.name for pool in together),
    )
    yield Blank.of("Nodes that may be added on the same spine, and the lead time for them")


def _is_holder_stated(pool: PoolAt, sides: AgreementContext) -> bool:
    """Whether the annex says who reserves a pool: accelerators and commitments; all pools where there is neither."""
    return (
        pool.accelerated
        or pool.pool.kind == "reserved"
        or not any(pool.accelerated or pool.pool.kind == "reserved" for pool in sides.pools)
    )


def _describe_holder(kind: str, holds: str, told: list[PoolAt], sides: AgreementContext) -> Sentence:
    mine = [pool for pool in told if (pool.pool.kind, sides.holds(pool)) == (kind, holds)]
    words = LOOSE.get(kind) or HELD.get((kind, holds), "bought by the terms of the catalog")
    return say(join_sentences(pool.name for pool in mine), ": ", words, *_why_held(mine, sides), ".")


def _why_held(mine: list[PoolAt], sides: AgreementContext) -> Iterator[Sentence]:
    bound = {pool.pool.purchase: pool for pool in mine if pool.pool.kind in BINDING and sides.holds(pool) != UNKNOWN}
    terms = [(pool, term) for pool in bound.values() if (term := sides.find_term(pool)) is not None]
    if not terms:
        return
    yield compose(
        " ({})",
        join_sentences(
            compose(
                "{} reserves capacity: {}",
                of_lock(pool.pool.purchase, f"{pool.at}.purchase"),
                of_catalog(
                    term.holds,
                    f"terms.csv {term.purchase},{term.provider} holds",
                    source=sides.describe_source(term.holds_source, None),
                ),
            )
            for pool, term in terms
        ),
    )
