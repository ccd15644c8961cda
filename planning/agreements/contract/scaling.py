"""Which parts are always there, which come and go, and what a purchase binds to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.context import UNKNOWN
from planning.documents.blocks import Blank, Bullets, Heading, Paragraph, Table
from planning.documents.figures import say
from planning.documents.sources import of_catalog, of_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Term
    from planning.agreements.contract.context import Sides
    from planning.agreements.contract.lock_references import PoolAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence

WORDS: Final = {"on_demand": "on demand", "spot": "spot"}


def scaled(sides: Sides) -> Iterator[Block]:
    """What is always there and what comes and goes, pool by pool."""
    yield Heading(2, say("Reserved and autoscaled parts"))
    head = (say("pool"), say("bought"), say("least nodes"), say("most nodes"), say("when it has none to give"))
    yield Table(head=head, rows=tuple(_scale(pool) for pool in sides.pools))
    scales = any(pool.pool.min_nodes < pool.pool.max_nodes for pool in sides.pools)
    held = any(pool.pool.kind == "reserved" for pool in sides.pools)
    yield Paragraph(
        say(
            "What lies between least and most is paid for only while it runs."
            if scales
            else "Nothing scales here: every node is there, and paid for, all month.",
            " Reserved nodes are paid for all month, running or not." if held else "",
        )
    )
    yield from _terms(sides)


def _bought(pool: PoolAt, field: str) -> Sentence:
    """A purchase in words; one that binds by its name in the lock, which the terms below explain."""
    purchase: str = getattr(pool.pool, field)
    return say(WORDS[purchase]) if purchase in WORDS else say(of_lock(purchase, f"{pool.at}.{field}"))


def _terms(sides: Sides) -> Iterator[Block]:
    """What a purchase that binds means at its provider; what no source says of it is a line."""
    bought = {
        (pool.pool.purchase, pool.place.spec.placement.provider): pool
        for pool in sides.pools
        if pool.pool.kind not in {"on_demand", "spot"}
    }
    known = [(pool, term) for pool in bought.values() if (term := sides.term(pool)) is not None]
    if known:
        yield Bullets(tuple(say(_purchase(pool), ": ", _note(term, sides)) for pool, term in known))
    yield from (
        Blank(say(_purchase(pool), ": how much of it is paid up front"))
        for pool, term in known
        if term.upfront == UNKNOWN
    )


def _purchase(pool: PoolAt) -> Figure:
    return of_lock(pool.pool.purchase, f"{pool.at}.purchase")


def _note(term: Term, sides: Sides) -> Figure:
    upfront = f", paid up front: {term.upfront}" if term.upfront != UNKNOWN else ""
    text = f"{term.months} months{upfront}; {term.note}" if term.months else f"{term.note}"
    return of_catalog(text, f"terms.csv {term.purchase} note", source=sides.source(term.source, None))


def _scale(pool: PoolAt) -> tuple[Sentence, ...]:
    fallback = say("bought ", _bought(pool, "fallback")) if pool.pool.fallback else say("work waits")
    return (
        pool.name,
        _bought(pool, "purchase"),
        say(pool.count("min_nodes")),
        say(pool.count("max_nodes")),
        say("always there") if pool.pool.min_nodes == pool.pool.max_nodes else fallback,
    )
