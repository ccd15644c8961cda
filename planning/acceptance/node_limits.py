"""Limits of the nodes of a pool: memory, arithmetic, and the links inside and between them.

Decision 0027 has the theoretical and published speeds of accelerators and their links.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Final

from catalogs.measurements import achievable, read_visible_memory
from planning.acceptance.limits import AcceptanceLimit, build_unjudged_limit, percent, plain
from planning.agents.measurement_records import Per, subject
from planning.checklist.model.vocabulary import Precision
from planning.checklist.model.workload import FineTuning, Inference, Training
from planning.platform.accelerators import list_eligible_pools

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Promise
    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Workload
    from planning.spec.cluster import ClusterSpec, Pool

GIB: Final = 2**30
BUFFERS: Final = 3
SPOT: Final = "spot"
NVIDIA: Final = "NVIDIA"
MEASURABLE: Final = (NVIDIA, "AMD")
LEAST_RUN: Final = 2**28  # bytes; payloads below the promised ones, where latency still shows, are for the plot only


@dataclass(frozen=True, slots=True, kw_only=True)
class AllReduce:
    nodes: int
    limit: AcceptanceLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPool:
    """The nodes of one pool.

    Args:
        subject: of its own records, "pool/home/gpu".
        nodes: with spares, which have to pass too.
        guaranteed: False for spot: a missing spot node is no fault.
        accelerators: per node.
        nvidia: whether DCGM and other NVIDIA tools support the accelerator.
        measurable: whether PyTorch and nccl-tests run on it: NVIDIA and AMD.
        precision: of the workload; the arithmetic is measured at it.
        shapes: "MxNxK" of the matrices, the published best first.
        payloads: bytes of the all-reduce, ascending; those of `judged_payloads` are judged.
        all_reduce: by node count, ascending; empty where nodes do not share a job.
        burn_in: whether nodes take no work until they have passed a burn-in.
    """

    subject: str
    placement: str
    name: str
    workload: str
    machine: str
    accelerator: str
    accelerators: int
    nvidia: bool
    measurable: bool
    nodes: int
    working: int
    spares: int
    guaranteed: bool
    fabric: str
    precision: str
    shapes: tuple[str, ...]
    memory: AcceptanceLimit
    matmul: AcceptanceLimit
    nvlink: AcceptanceLimit
    payloads: tuple[int, ...]
    judged_payloads: tuple[int, ...]
    all_reduce: tuple[AllReduce, ...]
    burn_in: bool


def pools_of(spec: ClusterSpec, catalog: Catalog, checklist: Checklist) -> tuple[ExpectedPool, ...]:
    pools = (pool for pool in spec.pools if pool.accelerators and pool.accelerator and pool.max_nodes)
    return tuple(_pool(pool, spec=spec, catalog=catalog, checklist=checklist) for pool in pools)


def node_counts(nodes: int, *, promised: tuple[Decimal, ...]) -> tuple[int, ...]:
    """Node counts at which an all-reduce is measured: the promised ones that fit, all, and two of a small pool."""
    if nodes < 2:  # noqa: PLR2004 - one node has no fabric
        return ()
    counts = {int(each) for each in promised if each <= nodes} | {nodes}
    if nodes < min(promised):
        counts.add(2)
    return tuple(sorted(counts))


def payloads_of(catalog: Catalog, *, memory_gb: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Payloads in bytes that are run, and those that are judged: the promised range, doubling.

    nccl-tests holds a payload three times, and reserves 1 GiB of each 16, at most 4, and 1 GiB more (src/common.cu at
    a0b82b22), so small accelerators run smaller ones: then the greatest that fits is judged.
    """
    least, most = (int(each) * GIB for each in catalog.promises["all_reduce_payload"].values)
    room = (memory_gb - min(-(-memory_gb // 16), 4) - 1) * GIB // BUFFERS
    run: list[int] = []
    payload = LEAST_RUN
    while payload <= min(most, room):
        run.append(payload)
        payload *= 2
    judged = tuple(each for each in run if each >= least)
    return tuple(run), judged or tuple(run[-1:])


def _pool(pool: Pool, *, spec: ClusterSpec, catalog: Catalog, checklist: Checklist) -> ExpectedPool:
    place = spec.placement
    machine = catalog.machines.get((place.provider, pool.machine))
    network_gbps = machine.network_gbps if machine is not None else None
    facts = catalog.accelerators.get(pool.accelerator or "")
    share = catalog.promises["all_reduce_share"]
    precision = _precision(pool.workload, checklist)
    run, judged = payloads_of(catalog, memory_gb=facts.memory_gb if facts is not None else 0)
    nodes = pool.working + pool.spares
    talks = isinstance(_workload(pool.workload, checklist), Training | FineTuning)
    counts = node_counts(nodes, promised=catalog.promises["all_reduce_nodes"].values) if talks else ()
    return ExpectedPool(
        subject=subject(Per.POOL, pool.name, placement=place.name),
        placement=place.name,
        name=pool.name,
        workload=pool.workload or "",
        machine=pool.machine,
        accelerator=pool.accelerator or "",
        accelerators=pool.accelerators,
        nvidia=facts is not None and facts.maker == NVIDIA,
        measurable=facts is None or facts.maker in MEASURABLE,
        nodes=nodes,
        working=pool.working,
        spares=pool.spares,
        guaranteed=pool.kind != SPOT,
        fabric=pool.fabric,
        precision=precision,
        shapes=list_shapes(pool.accelerator or "", precision),
        memory=limit_memory(facts, catalog=catalog),
        matmul=limit_matmul(facts, precision=precision, share=share),
        nvlink=limit_inside_node(facts, accelerators=pool.accelerators, share=share),
        payloads=run,
        judged_payloads=judged,
        all_reduce=tuple(
            AllReduce(
                nodes=count,
                limit=limit_between_nodes(facts, network_gbps, pool=pool, share=share),
            )
            for count in counts
        ),
        burn_in=pool in list_eligible_pools(spec),
    )


def _precision(workload: str | None, checklist: Checklist) -> str:
    """The precision of a pool's workload; half precision where it states none."""
    found = _workload(workload, checklist)
    return str(found.precision if isinstance(found, Training | FineTuning | Inference) else Precision.BF16)


def _workload(name: str | None, checklist: Checklist) -> Workload | None:
    return next((work for work in checklist.workloads if work.name == name), None)


BITS: Final = 8
MIB_PER_GIB: Final = 1024
MIB_PER_GB: Final = Decimal(10**9) / 2**20
# In-network reduction, or a tree inside the node, at best halves the traffic on a link: no figure of an all-reduce is
# credible above twice the slowest link.
IN_NETWORK: Final = 2
UNPUBLISHED: Final = "no achievable figure is published, and few accelerators reach that share of their peak"
# Measured beside the published best one: large, and multiples of every tile.
SHAPES: Final = ("8192x8192x8192", "4096x4096x16384", "16384x8192x4096")
NODE: Final = "GB/s"


def list_shapes(accelerator: str, precision: str) -> tuple[str, ...]:
    """Matrices to multiply, "MxNxK": the published best, if any, and three large ones."""
    best = achievable().get((accelerator, precision))
    return (best.shape, *SHAPES) if best is not None and best.shape else SHAPES


def limit_memory(accelerator: Accelerator | None, *, catalog: Catalog) -> AcceptanceLimit:
    """Usable memory of one accelerator, in MiB: a larger share of its label than a known complaint.

    75 of 80 GB was too little, so a node fails at that share of its label or less. Some labels count in 2^30 bytes and
    some in 10^9, and no data sheet says which: where the memory that was measured on other clusters exceeds the share
    when counted in 2^30, the label counts so too.
    """
    if accelerator is None:
        return AcceptanceLimit(reading="memory", unit="MiB", why="the accelerator is not in the catalog")
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


def limit_matmul(accelerator: Accelerator | None, *, precision: str, share: Promise) -> AcceptanceLimit:
    """TFLOPS of the slowest accelerator: a share of the published best.

    Without a published figure, a share of the peak passes, and less does not prove a fault: the best results in most
    rows of catalogs/achievable.csv are below 80% of the peak.
    """
    peak = accelerator.tflops.get(precision) if accelerator is not None else None
    if accelerator is None or peak is None:
        return AcceptanceLimit(
            reading="tflops", unit="TFLOPS", why=f"the catalog has no {precision} peak of this accelerator"
        )
    best = achievable().get((accelerator.name, precision))
    of = best.tflops if best is not None else peak
    what = "the best published measurement" if best is not None else "the peak"
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
        return AcceptanceLimit(
            reading="bus", unit=NODE, why="the catalog has no links between accelerators of this node"
        )
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

    In a ring, everything that a node's accelerators send passes the node's network once, so the bus bandwidth is at
    most that of the network, or of the links of one accelerator where those are slower: min(Gbps / 8, links). It does
    not depend on the number of nodes, by nccl-tests' definition of bus bandwidth.
    """
    if network_gbps is None:
        return AcceptanceLimit(reading="bus", unit=NODE, why=f"the catalog has no network speed of {pool.machine}")
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
