"""What joins nodes: all-reduce over the node counts that a pool reaches, against the theory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.agreements.contract.context import measured
from planning.agreements.contract.limits import OPEN, accelerator_facts, bound, network_fact, theory
from planning.documents.blocks import Blank, Heading, Paragraph, Table
from planning.documents.figures import listed, say
from planning.documents.sources import reckoned, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.acceptance.node_limits import ExpectedPool
    from planning.agreements.contract.context import Sides
    from planning.agreements.contract.lock_references import PoolAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence


def fabric(sides: Sides) -> Iterator[Block]:
    """All-reduce over nodes, for pools whose nodes work together; nothing where none does."""
    pools = [(pool, found) for pool in sides.pools if sides.together(pool) and (found := sides.expected_pool(pool))]
    pools = [(pool, found) for pool, found in pools if found.all_reduce]
    if not pools:
        return
    payload = (sides.promise("all_reduce_payload", 0), sides.promise("all_reduce_payload", 1))
    yield Heading(3, say("Fabric"))
    yield Table(
        caption=say("Bus bandwidth of an all-reduce of ", payload[0], " to ", payload[1], " GB, in GB/s."),
        head=(say("pool"), say("fabric"), say("nodes"), say("in theory"), say("at least")),
        rows=tuple(_over(pool, found, sides) for pool, found in pools),
        numbers_from=3,
    )
    share = sides.promise("all_reduce_share")
    share_percent = sides.catalog.promises["all_reduce_share"].value * 100
    yield Paragraph(
        say(
            "At least is ",
            reckoned(share_percent, "share times a hundred", share, text=f"{shown(share_percent)}%"),
            " of the theory, at each of these node counts and payloads: it may fall a little with more nodes, never"
            " below this. All nodes of a pool stand on one spine, so that none is further from the rest: groups of them"
            " are measured too, and the report plots what was measured against the theory.",
        )
    )
    yield from (
        Blank(say(pool.name, ": bus bandwidth of an all-reduce, GB/s"))
        for pool, found in pools
        if not found.all_reduce[0].limit.known
    )
    yield measured(sides, "all_reduce")


def _over(pool: PoolAt, found: ExpectedPool, sides: Sides) -> tuple[Sentence, ...]:
    limit = found.all_reduce[0].limit
    inputs = (*network_fact(sides, pool), *accelerator_facts(sides, pool, "nvlink_gb_per_s"))
    share = sides.promise("all_reduce_share")
    return (
        pool.name,
        say(pool.pool.fabric),
        listed(_steps(pool, found, sides)),
        theory(limit, *inputs),
        bound(limit, *inputs, share) if inputs else say(OPEN),
    )


def _steps(pool: PoolAt, found: ExpectedPool, sides: Sides) -> Iterator[Sentence]:
    """Node counts: those of the catalog that the pool reaches, and its own."""
    promised = {int(value): at for at, value in enumerate(sides.catalog.promises["all_reduce_nodes"].values)}
    own = {pool.pool.working: "working", pool.pool.max_nodes: "max_nodes"}
    for each in found.all_reduce:
        if each.nodes in promised:
            yield say(sides.promise("all_reduce_nodes", promised[each.nodes]))
        elif each.nodes in own:
            yield say(pool.count(own[each.nodes]))
        elif each.nodes == found.nodes:
            nodes = (pool.count("working"), pool.count("spares"))
            yield say(reckoned(found.nodes, "working nodes and spares", *nodes))
        else:
            yield say("two")
