"""Compute: nodes, usable memory and throughput of accelerators, fabric, purchases, and how each is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.measurements import achievable
from planning.acceptance.node_limits import SPOT
from planning.agreements.contract.context import (
    OPEN,
    UNKNOWN,
    accelerator_facts,
    accelerator_name,
    describe_measurement,
    network_fact,
    render_limit,
    theory,
)
from planning.documents.blocks import Blank, Bullets, Heading, Paragraph, Table
from planning.documents.figures import derive_figure, format_value, join_sentences, of_catalog, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Term
    from planning.acceptance.node_limits import ExpectedPool
    from planning.agreements.contract.context import AgreementContext, PoolAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence


def compute(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(3, say("Compute"))
    heads = ("pool", "machine", "accelerator", "working", "spare", "in one node", "accelerators")
    yield Table.of(heads, [_nodes(pool) for pool in sides.pools], numbers_from=3)
    if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in sides.pools):
        yield Paragraph.of(
            "These are maximum counts; the section on reserved and autoscaled parts has the minimum of each pool."
        )
    spot = [pool.name for pool in sides.pools if pool.pool.kind == SPOT]
    if spot:
        yield Paragraph.of(
            "{} are spot nodes: they depend on spare capacity of the provider, so a missing node is not a fault.",
            join_sentences(spot),
        )
    pools = [(pool, found) for pool in sides.pools if (found := sides.find_expected_pool(pool)) is not None]
    if not pools:
        yield Paragraph.of("No pool has accelerators: nodes are delivered once they are in the cluster and ready.")
        return
    yield Table.of(
        (
            "pool",
            "usable memory, MiB",
            "sold as, GB",
            "matrix multiplication, TFLOPS",
            "at",
            "all-reduce inside a node, GB/s",
        ),
        [_accelerator(pool, found, sides) for pool, found in pools],
        caption=say("Minimum for each accelerator; the slowest of a node counts."),
        numbers_from=1,
    )
    yield from (
        Blank.of("{}: {}", pool.name, words)
        for pool, found in pools
        for words, limit in (
            (say("usable memory of an accelerator, MiB"), found.memory),
            (_matmul(pool, found, sides), found.matmul),
            (say("all-reduce inside a node, GB/s"), found.nvlink),
        )
        if (limit.beyond or not limit.known) and not limit.optional
    )
    yield describe_measurement(sides, *_checks(pools))


def _checks(pools: list[tuple[PoolAt, ExpectedPool]]) -> list[str]:
    nvidia = any(found.nvidia for _, found in pools)
    linked = any(found.accelerators > 1 for _, found in pools)
    return [
        "inventory",
        "usable_memory",
        *(["dcgm"] if nvidia else []),
        "matmul",
        *(["nvlink"] if linked else []),
    ]


def _nodes(pool: PoolAt) -> tuple[Sentence, ...]:
    each, working = pool.count("accelerators"), pool.count("working")
    whole = derive_figure(
        pool.pool.working * pool.pool.accelerators, "working nodes times accelerators of one", working, each
    )
    return (
        pool.name,
        say(of_lock(pool.pool.machine, f"{pool.at}.machine")),
        accelerator_name(pool),
        say(working),
        say(pool.count("spares")),
        say(each) if pool.accelerated else say("none"),
        say(whole) if pool.accelerated else say("none"),
    )


def _accelerator(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> tuple[Sentence, ...]:
    label = accelerator_facts(sides, pool, "memory_gb")
    bad = (sides.quote_promise("usable_memory_bad"), sides.quote_promise("usable_memory_label"))
    share = sides.quote_promise("all_reduce_share")
    best = _best(pool, found, sides) or accelerator_facts(sides, pool, found.precision)
    links = accelerator_facts(sides, pool, "nvlink_gb_per_s")
    return (
        pool.name,
        render_limit(found.memory, *label, *bad) if label else say(OPEN),
        say(label[0]) if label else say(OPEN),
        render_limit(found.matmul, *best, share) if best else say(OPEN),
        _precision(pool, found, sides),
        render_limit(found.nvlink, *links, share) if links else render_limit(found.nvlink),
    )


def _best(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> tuple[Figure, ...]:
    best = achievable().get((pool.pool.accelerator or "", found.precision))
    if best is None:
        return ()
    at = f"achievable.csv {best.accelerator},{best.precision} tflops"
    return (of_catalog(best.tflops, at, source=sides.describe_source(best.source, best.as_of)),)


def _matmul(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> Sentence:
    """The label of the blank line; with the peak where no source has what can be reached."""
    words = say("matrix multiplication, TFLOPS")
    peak = accelerator_facts(sides, pool, found.precision)
    if not peak or not found.matmul.beyond:
        return words
    return say(words, " (the peak is ", peak[0], "; no source publishes what is achievable)")


def _precision(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> Sentence:
    facts = sides.catalog.accelerators.get(pool.pool.accelerator or "")
    if facts is None:
        return say(OPEN)
    source = sides.describe_source(facts.source, facts.as_of)
    return say(of_catalog(found.precision, f"accelerators.csv {facts.name} {found.precision}", source=source))


def fabric(sides: AgreementContext) -> Iterator[Block]:
    """All-reduce over nodes, for pools whose nodes work together."""
    pools = [
        (pool, found) for pool in sides.pools if sides.is_together(pool) and (found := sides.find_expected_pool(pool))
    ]
    pools = [(pool, found) for pool, found in pools if found.all_reduce]
    if not pools:
        return
    payload = (sides.quote_promise("all_reduce_payload", 0), sides.quote_promise("all_reduce_payload", 1))
    yield Heading(3, say("Fabric"))
    yield Table.of(
        ("pool", "fabric", "nodes", "in theory", "at least"),
        [_over(pool, found, sides) for pool, found in pools],
        caption=say("Bus bandwidth of an all-reduce of ", payload[0], " to ", payload[1], " GB, in GB/s."),
        numbers_from=3,
    )
    share = sides.quote_promise("all_reduce_share")
    share_percent = sides.catalog.promises["all_reduce_share"].value * 100
    yield Paragraph.of(
        "The minimum is {} of the theoretical bandwidth, at each of these node counts and payloads. All nodes of a"
        " pool are on one spine; groups of them are measured too, and the report plots the measurements against the"
        " theory.",
        derive_figure(share_percent, "share times a hundred", share, text=f"{format_value(share_percent)}%"),
    )
    yield from (
        Blank.of("{}: bus bandwidth of an all-reduce, GB/s", pool.name)
        for pool, found in pools
        if not found.all_reduce[0].limit.known
    )
    yield describe_measurement(sides, "all_reduce")


def _over(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> tuple[Sentence, ...]:
    limit = found.all_reduce[0].limit
    inputs = (*network_fact(sides, pool), *accelerator_facts(sides, pool, "nvlink_gb_per_s"))
    share = sides.quote_promise("all_reduce_share")
    return (
        pool.name,
        say(pool.pool.fabric),
        join_sentences(_steps(pool, found, sides)),
        theory(limit, *inputs),
        render_limit(limit, *inputs, share) if inputs else say(OPEN),
    )


def _steps(pool: PoolAt, found: ExpectedPool, sides: AgreementContext) -> Iterator[Sentence]:
    promised = {int(value): at for at, value in enumerate(sides.catalog.promises["all_reduce_nodes"].values)}
    own = {pool.pool.working: "working", pool.pool.max_nodes: "max_nodes"}
    for each in found.all_reduce:
        if each.nodes in promised:
            yield say(sides.quote_promise("all_reduce_nodes", promised[each.nodes]))
        elif each.nodes in own:
            yield say(pool.count(own[each.nodes]))
        elif each.nodes == found.nodes:
            nodes = (pool.count("working"), pool.count("spares"))
            yield say(derive_figure(found.nodes, "working nodes and spares", *nodes))
        else:
            yield say("two")


WORDS: Final = {"on_demand": "on demand", "spot": "spot"}


def describe_scaling(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Reserved and autoscaled parts"))
    head = ("pool", "purchase", "min nodes", "max nodes", "if capacity is missing")
    yield Table.of(head, [_scale(pool) for pool in sides.pools])
    scales = any(pool.pool.min_nodes < pool.pool.max_nodes for pool in sides.pools)
    held = any(pool.pool.kind == "reserved" for pool in sides.pools)
    yield Paragraph.of(
        "Nodes between minimum and maximum are paid for only while they run.{}"
        if scales
        else "Nothing scales: every node runs and is paid for all month.{}",
        " Reserved nodes are paid for all month, whether they run or not." if held else "",
    )
    yield from _terms(sides)


def _render_purchase(pool: PoolAt, field: str) -> Sentence:
    purchase: str = getattr(pool.pool, field)
    return say(WORDS[purchase]) if purchase in WORDS else say(of_lock(purchase, f"{pool.at}.{field}"))


def _terms(sides: AgreementContext) -> Iterator[Block]:
    bought = {
        (pool.pool.purchase, pool.place.spec.placement.provider): pool
        for pool in sides.pools
        if pool.pool.kind not in {"on_demand", "spot"}
    }
    known = [(pool, term) for pool in bought.values() if (term := sides.find_term(pool)) is not None]
    if known:
        yield Bullets(tuple(say(_purchase(pool), ": ", _note(term, sides)) for pool, term in known))
    yield from (
        Blank.of("{}: share that is paid up front", _purchase(pool)) for pool, term in known if term.upfront == UNKNOWN
    )


def _purchase(pool: PoolAt) -> Figure:
    return of_lock(pool.pool.purchase, f"{pool.at}.purchase")


def _note(term: Term, sides: AgreementContext) -> Figure:
    upfront = f", paid up front: {term.upfront}" if term.upfront != UNKNOWN else ""
    text = f"{term.months} months{upfront}; {term.note}" if term.months else f"{term.note}"
    return of_catalog(text, f"terms.csv {term.purchase} note", source=sides.describe_source(term.source, None))


def _scale(pool: PoolAt) -> tuple[Sentence, ...]:
    fallback = (
        say("falls back to ", _render_purchase(pool, "fallback")) if pool.pool.fallback else say("workloads wait")
    )
    return (
        pool.name,
        _render_purchase(pool, "purchase"),
        say(pool.count("min_nodes")),
        say(pool.count("max_nodes")),
        say("always running") if pool.pool.min_nodes == pool.pool.max_nodes else fallback,
    )
