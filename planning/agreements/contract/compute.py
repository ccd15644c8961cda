"""Nodes: how many, how much memory, how fast, and how that is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.throughput import achievable
from planning.acceptance.node_limits import SPOT
from planning.agreements.contract.context import measured
from planning.agreements.contract.limits import OPEN, accelerator_facts, accelerator_name, bound
from planning.documents.blocks import Blank, Heading, Paragraph, Table
from planning.documents.figures import listed, say
from planning.documents.sources import of_catalog, of_lock, reckoned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.acceptance.node_limits import ExpectedPool
    from planning.agreements.contract.context import Sides
    from planning.agreements.contract.lock_references import PoolAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence


def compute(sides: Sides) -> Iterator[Block]:
    """Nodes of every pool, and what each accelerator must be able to do."""
    yield Heading(3, say("Compute"))
    heads = ("pool", "machine", "accelerator", "working", "spare", "in one node", "accelerators")
    yield Table(
        head=tuple(say(each) for each in heads), rows=tuple(_nodes(pool) for pool in sides.pools), numbers_from=3
    )
    if any(pool.pool.min_nodes < pool.pool.max_nodes for pool in sides.pools):
        yield Paragraph(
            say("These are the most that run at once; how many of them are always there is said with what scales.")
        )
    spot = [pool.name for pool in sides.pools if pool.pool.kind == SPOT]
    if spot:
        yield Paragraph(
            say(
                "Of ",
                listed(spot),
                " there are as many nodes as the provider has spare: one that is missing is no fault.",
            )
        )
    pools = [(pool, found) for pool in sides.pools if (found := sides.expected_pool(pool)) is not None]
    if not pools:
        yield Paragraph(
            say("No pool has accelerators: its nodes are delivered when they are in the cluster and ready.")
        )
        return
    yield Table(
        caption=say("What each accelerator has at least; the slowest of a node counts."),
        head=(
            say("pool"),
            say("usable memory, MiB"),
            say("sold as, GB"),
            say("matrix multiplication, TFLOPS"),
            say("at"),
            say("all-reduce inside a node, GB/s"),
        ),
        rows=tuple(_accelerator(pool, found, sides) for pool, found in pools),
        numbers_from=1,
    )
    yield from (
        Blank(say(pool.name, ": ", words))
        for pool, found in pools
        for words, limit in (
            (say("usable memory of an accelerator, MiB"), found.memory),
            (_matmul(pool, found, sides), found.matmul),
            (say("all-reduce inside a node, GB/s"), found.nvlink),
        )
        if (limit.beyond or not limit.known) and not limit.optional
    )
    yield measured(sides, *_checks(pools))


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
    whole = reckoned(
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


def _accelerator(pool: PoolAt, found: ExpectedPool, sides: Sides) -> tuple[Sentence, ...]:
    label = accelerator_facts(sides, pool, "memory_gb")
    bad = (sides.promise("usable_memory_bad"), sides.promise("usable_memory_label"))
    share = sides.promise("all_reduce_share")
    best = _best(pool, found, sides) or accelerator_facts(sides, pool, found.precision)
    links = accelerator_facts(sides, pool, "nvlink_gb_per_s")
    return (
        pool.name,
        bound(found.memory, *label, *bad) if label else say(OPEN),
        say(label[0]) if label else say(OPEN),
        bound(found.matmul, *best, share) if best else say(OPEN),
        _precision(pool, found, sides),
        bound(found.nvlink, *links, share) if links else bound(found.nvlink),
    )


def _best(pool: PoolAt, found: ExpectedPool, sides: Sides) -> tuple[Figure, ...]:
    """What somebody measured, where the catalog has it."""
    best = achievable().get((pool.pool.accelerator or "", found.precision))
    if best is None:
        return ()
    at = f"achievable.csv {best.accelerator},{best.precision} tflops"
    return (of_catalog(best.tflops, at, source=sides.source(best.source, best.as_of)),)


def _matmul(pool: PoolAt, found: ExpectedPool, sides: Sides) -> Sentence:
    """What the line asks for; with the peak where that is all that anybody has published."""
    words = say("matrix multiplication, TFLOPS")
    peak = accelerator_facts(sides, pool, found.precision)
    if not peak or not found.matmul.beyond:
        return words
    return say(words, " (the peak is ", peak[0], "; what can be reached nobody has published)")


def _precision(pool: PoolAt, found: ExpectedPool, sides: Sides) -> Sentence:
    facts = sides.catalog.accelerators.get(pool.pool.accelerator or "")
    if facts is None:
        return say(OPEN)
    source = sides.source(facts.source, facts.as_of)
    return say(of_catalog(found.precision, f"accelerators.csv {facts.name} {found.precision}", source=source))
