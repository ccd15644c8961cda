"""The life of nodes: burn-in, spares and replacement, who holds them, and growth."""

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

HELD: Final = {
    ("reserved", "yes"): "reserved for the term: they stay this customer's, running or not, and while they are built"
    " again; nobody else is given them",
    ("reserved", "no"): "paid for the whole term: that is a price and holds no node; one that is given back or fails is"
    " certain to come again only with a capacity reservation",
    ("reserved", "unknown"): "paid for the whole term; no source says whether the provider holds the nodes for it, so"
    " the line below settles it",
    ("capacity_block", "yes"): "booked: they are this customer's for the days that were booked",
    ("capacity_block", "no"): "booked, and not held",
    ("capacity_block", "unknown"): "booked; no source says whether the provider holds the nodes, so the line below"
    " settles it",
}
"""How nodes of purchases that bind are held, by the kind of the purchase and what the catalog says of it."""
LOOSE: Final = {
    "on_demand": "on demand: nobody holds a node that is given back, and none is certain when it is asked for again",
    "spot": "spot: the provider may take a node back at any time",
    "flex": "queued: they come when the provider has them, for a time",
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
    early = say(sides.promise("early_failures", 0), " to ", sides.promise("early_failures", 1, unit="%"))
    yield Bullets(tuple(say(pool.name, ": no burn-in, since ", _why_not(pool), ".") for pool in untested))
    yield Notice.of(
        "Of a new batch without a burn-in {} of the accelerators fail early. The acceptance looks at each node"
        " that is there on its day; what comes later, the customer finds in their own work.",
        early,
    )


def _describe_burn_in(tested: list[PoolAt], sides: AgreementContext) -> Sentence:
    hours = sides.agreed("burn_in_hours")
    return compose(
        "The nodes of {} that are always there are stressed for {} hours before they take work, and so is each"
        " that takes the place of one; until it has passed it takes none. One that fails is replaced before"
        " the cluster is accepted, and is not paid for until then.{}",
        join_sentences(pool.name for pool in tested),
        say(hours) if hours is not None else say("at least ", sides.promise("burn_in", 0)),
        " Of nodes that are started for a peak and given back none is promised."
        if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in tested)
        else "",
    )


def _longer(sides: AgreementContext) -> Iterator[Block]:
    """More hours than the program runs by itself: somebody has to run the rest."""
    agreed, least = sides.agreement.burn_in_hours, sides.catalog.promises["burn_in"].value
    if agreed is None or agreed <= least:
        return
    yield Notice.of(
        "The cluster lets a node in by itself after {} hours. For the rest the provider keeps it from work and"
        " tests it.",
        sides.promise("burn_in", 0),
    )


def _describe_external_burn_in(untested: list[PoolAt], sides: AgreementContext) -> Iterator[Block]:
    """Hours that were agreed on for a cluster that the program does not build: nothing here runs or measures them."""
    hours = sides.agreed("burn_in_hours")
    theirs = [pool.name for pool in untested if pool.pool.burn_in and not pool.place.built]
    if hours is None or not theirs:
        return
    yield Notice.of(
        "Agreed on are {} hours of burn-in: the provider runs them on {} before it hands the nodes over. The"
        " acceptance does not measure that, so the provider shows its own record.",
        hours,
        join_sentences(theirs),
    )


def _why_not(pool: PoolAt) -> str:
    if not pool.pool.burn_in:
        return "none is part of this option"
    return why_not(pool.pool, pool.place.spec)


def spares(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Nodes that fail"))
    yield render_term("replace_within_hours", sides)
    yield Blank.of("Nodes that are replaced so fast in one month")
    unheld = [pool.name for pool in sides.pools if pool.accelerated and sides.holds(pool) == NO]
    if unheld and not sides.agreement.provider_spares:
        yield Paragraph.of(
            "Nobody holds nodes for {}: there another comes when the provider has one to give.", join_sentences(unheld)
        )
    yield render_term("provider_spares", sides)
    yield from (Paragraph(each) for each in _repair(sides))
    yield from _own_spares(sides)


def _repair(sides: AgreementContext) -> Iterator[Sentence]:
    for place in sides.places:
        where = say("At ", place.name, ": ") if place.told else say()
        if place.spec.profile.node_repair == "provider":
            title = of_lock(place.spec.profile.title, f"{place.at}.profile.title")
            yield say(where, title, " finds and replaces broken nodes by itself; the log of incidents says when.")
        else:
            yield compose(
                "{}Nothing replaces a broken node by itself here: the provider does it by a ticket, which the"
                " log of incidents keeps with its times.",
                where,
            )
    yield compose(
        "The command atoll nodes takes a broken node of {} out of use and has it replaced, without a person of"
        " the provider where the provider has an API for it, and by a ticket that it writes where there is"
        " none.",
        sides.stack,
    )


def _own_spares(sides: AgreementContext) -> Iterator[Block]:
    together = [pool for pool in sides.pools if sides.together(pool)]
    paid = [pool for pool in together if pool.pool.spares]
    without = [pool for pool in together if not pool.pool.spares]
    if paid:
        each = (say(pool.count("spares"), " for ", pool.count("working"), " in ", pool.name) for pool in paid)
        yield Paragraph.of(
            "Spare nodes that are paid for: {}. They and those that the provider keeps stand on the spine of"
            " the nodes that work; one that stands further away is no replacement.{}",
            join_sentences(each),
            " In a pool that scales they are there, and on that spine, only while its nodes run."
            if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in paid)
            else "",
        )
    if without:
        yield Notice.of(
            "No spare is paid for in {}: a run over all of its nodes stands still until a failed one is replaced.",
            join_sentences(pool.name for pool in without),
        )


def allocation(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Allocation and growth"))
    told = [pool for pool in sides.pools if _is_holder_stated(pool, sides)]
    ways = dict.fromkeys((pool.pool.kind, sides.holds(pool)) for pool in told)
    yield Bullets(tuple(_describe_holder(kind, holds, told, sides) for kind, holds in ways))
    yield from (
        Blank.of("{}: whether the provider holds its nodes while they do not run or are replaced", pool.name)
        for pool in told
        if sides.holds(pool) == UNKNOWN
    )
    together = [pool for pool in sides.pools if sides.together(pool)]
    if not together:
        return
    yield Paragraph.of(
        "More nodes of {} are of use only on the same spine: elsewhere all of the pool would have to move to"
        " be together.",
        join_sentences(pool.name for pool in together),
    )
    yield Blank.of("Nodes that may be added on the same spine, and how long before they must be asked for")


def _is_holder_stated(pool: PoolAt, sides: AgreementContext) -> bool:
    """Whether it is said who holds a pool: of accelerators and of what binds; of all where there is neither."""
    return (
        pool.accelerated
        or pool.pool.kind == "reserved"
        or not any(pool.accelerated or pool.pool.kind == "reserved" for pool in sides.pools)
    )


def _describe_holder(kind: str, holds: str, told: list[PoolAt], sides: AgreementContext) -> Sentence:
    mine = [pool for pool in told if (pool.pool.kind, sides.holds(pool)) == (kind, holds)]
    words = LOOSE.get(kind) or HELD.get((kind, holds), "bought as the catalog's terms say")
    return say(join_sentences(pool.name for pool in mine), ": ", words, *_why_held(mine, sides), ".")


def _why_held(mine: list[PoolAt], sides: AgreementContext) -> Iterator[Sentence]:
    bound = {pool.pool.purchase: pool for pool in mine if pool.pool.kind in BINDING and sides.holds(pool) != UNKNOWN}
    terms = [(pool, term) for pool in bound.values() if (term := sides.term(pool)) is not None]
    if not terms:
        return
    yield compose(
        " ({})",
        join_sentences(
            compose(
                "{} holds nodes: {}",
                of_lock(pool.pool.purchase, f"{pool.at}.purchase"),
                of_catalog(
                    term.holds,
                    f"terms.csv {term.purchase},{term.provider} holds",
                    source=sides.source(term.holds_source, None),
                ),
            )
            for pool, term in terms
        ),
    )
