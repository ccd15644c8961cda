"""How fast an accelerator and its links can be, in theory and as far as anybody has seen. Decision 0027."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Final

from catalogs.measurements import achievable, read_visible_memory
from planning.acceptance.limits import AcceptanceLimit, build_unjudged_limit, plain, unknown

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Promise
    from planning.spec.cluster import Pool

BITS: Final = 8
MIB_PER_GIB: Final = 1024
MIB_PER_GB: Final = Decimal(10**9) / 2**20
IN_NETWORK: Final = 2
"""A switch that adds up what passes, or a tree inside the node, halves what crosses a link at most: no figure of an
all-reduce is believed above twice the slowest link."""
UNPUBLISHED: Final = "nobody has published what is achievable, and few accelerators reach that share of their peak"
SHAPES: Final = ("8192x8192x8192", "4096x4096x16384", "16384x8192x4096")
"""Tried beside the published best one: large, and multiples of every tile."""
NODE: Final = "GB/s"


def shapes(accelerator: str, precision: str) -> tuple[str, ...]:
    """Matrices to multiply, "MxNxK": the published best, where there is one, and three large ones."""
    best = achievable().get((accelerator, precision))
    return (best.shape, *SHAPES) if best is not None and best.shape else SHAPES


def memory(accelerator: Accelerator | None, *, catalog: Catalog) -> AcceptanceLimit:
    """Usable memory of one accelerator, in MiB: more of its label than what was once complained of.

    75 of 80 GB was too little, so a node fails at that share of its label or less. Some labels count in 2^30 bytes and
    some in 10^9, and no data sheet says which: where the accelerator shows more than the share elsewhere when counted
    in 2^30, its label does too.
    """
    if accelerator is None:
        return unknown(reading="memory", unit="MiB", why="the catalog does not know the accelerator")
    bad, label = catalog.promises["usable_memory_bad"], catalog.promises["usable_memory_label"]
    share = bad.value / label.value
    binary = Decimal(accelerator.memory_gb * MIB_PER_GIB)
    seen = read_visible_memory().get(accelerator.name)
    sold = binary if seen is not None and seen > binary * share else accelerator.memory_gb * MIB_PER_GB
    return AcceptanceLimit(
        reading="memory",
        unit="MiB",
        least=(sold * share).to_integral_value(ROUND_FLOOR) + 1,
        theory=sold,
        why=f"more than {plain(bad.value)} of {plain(label.value)} GB, which was too little, of {plain(sold)} MiB sold",
        source=bad.source,
    )


def matmul(accelerator: Accelerator | None, *, precision: str, share: Promise) -> AcceptanceLimit:
    """TFLOPS of the slowest accelerator: a share of what was achieved elsewhere.

    Where nobody has published that, a share of the peak passes, and less is no proof of a fault: most rows of
    catalogs/achievable.csv stay below 80% of their peak at their best.
    """
    peak = accelerator.tflops.get(precision) if accelerator is not None else None
    if accelerator is None or peak is None:
        return unknown(reading="tflops", unit="TFLOPS", why=f"the catalog has no {precision} peak of this accelerator")
    best = achievable().get((accelerator.name, precision))
    of = best.tflops if best is not None else peak
    what = "the most that was measured elsewhere" if best is not None else "the peak"
    return AcceptanceLimit(
        reading="tflops",
        unit="TFLOPS",
        least=of * share.value,
        theory=of,
        bound=peak,
        why=f"{percent(share)} of {plain(of)} TFLOPS, {what}",
        source=best.source if best is not None else accelerator.source,
        beyond="" if best is not None else UNPUBLISHED,
    )


def limit_inside_node(accelerator: Accelerator | None, *, accelerators: int, share: Promise) -> AcceptanceLimit:
    """Bus bandwidth of an all-reduce inside one node: a share of one accelerator's links, one direction."""
    if accelerators < 2:  # noqa: PLR2004 - nothing to talk to
        return build_unjudged_limit(reading="bus", unit=NODE)
    link = accelerator.nvlink_gb_per_s if accelerator is not None else None
    if accelerator is None or link is None:
        return unknown(reading="bus", unit=NODE, why="the catalog knows no links between accelerators of this node")
    return AcceptanceLimit(
        reading="bus",
        unit=NODE,
        least=link * share.value,
        theory=link,
        bound=link * IN_NETWORK,
        why=f"{percent(share)} of {plain(link)} GB/s, the links of one accelerator in one direction",
        source=accelerator.source,
    )


def limit_between_nodes(
    accelerator: Accelerator | None, network_gbps: Decimal | None, *, pool: Pool, share: Promise
) -> AcceptanceLimit:
    """Bus bandwidth of an all-reduce over nodes.

    In a ring, all that a node's accelerators send leaves through the node's network once, so the bus bandwidth is at
    most the node's network, or the links of one accelerator where those are slower: min(Gbps / 8, links). The number
    of nodes is not in it: that is what nccl-tests defines the bus bandwidth for.
    """
    if network_gbps is None:
        return unknown(reading="bus", unit=NODE, why=f"the catalog does not know the network of {pool.machine}")
    network = network_gbps / BITS
    links = accelerator.nvlink_gb_per_s if accelerator is not None and pool.accelerators > 1 else None
    slowest = min(network, links) if links is not None else network
    what = "the network of a node" if slowest == network else "the links of one accelerator"
    return AcceptanceLimit(
        reading="bus",
        unit=NODE,
        least=slowest * share.value,
        theory=slowest,
        bound=slowest * IN_NETWORK,
        why=f"{percent(share)} of {plain(slowest)} GB/s, {what}",
        source="nccl-tests-performance",
    )


def percent(share: Promise) -> str:
    """A share in words: "80%"."""
    return f"{plain(share.value * 100)}%"
