"""What the nodes of a pool are held to: memory, arithmetic, and the links inside and between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.acceptance import hardware_speed
from planning.agents.measurement_records import Per, subject
from planning.checklist.model.vocabulary import Precision
from planning.checklist.model.workload import FineTuning, Inference, Training
from planning.platform.burn_in_eligibility import list_eligible_pools

if TYPE_CHECKING:
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Machine
    from planning.acceptance.limits import AcceptanceLimit
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
    """What an all-reduce over some nodes has to reach."""

    nodes: int
    limit: AcceptanceLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPool:
    """The nodes of one pool.

    Args:
        subject: of its own records, "pool/home/gpu".
        nodes: with spares, which have to pass too.
        guaranteed: False for spot, whose nodes nobody has promised: one that is missing is no fault.
        accelerators: per node.
        nvidia: whether DCGM and the tools of NVIDIA can look at it.
        measurable: whether anything of ours can: PyTorch and nccl-tests run on NVIDIA and AMD.
        precision: that of the workload, at which the arithmetic is measured.
        shapes: "MxNxK" of the matrices, the best that was published first.
        memory: label of one accelerator, in GB.
        payloads: bytes of the all-reduce, growing; those of `judged_payloads` are judged.
        all_reduce: by node count, growing; none where nodes do not work together on one job.
        burn_in: whether its nodes have to burn in: those that the program sets apart until they have.
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
    """Every pool with accelerators."""
    pools = (pool for pool in spec.pools if pool.accelerators and pool.accelerator and pool.max_nodes)
    return tuple(_pool(pool, spec=spec, catalog=catalog, checklist=checklist) for pool in pools)


def node_counts(nodes: int, *, promised: tuple[Decimal, ...]) -> tuple[int, ...]:
    """Over how many nodes an all-reduce is measured: those promised that fit, all, and two of a small pool."""
    if nodes < 2:  # noqa: PLR2004 - one node has no fabric
        return ()
    counts = {int(each) for each in promised if each <= nodes} | {nodes}
    if nodes < min(promised):
        counts.add(2)
    return tuple(sorted(counts))


def payloads_of(catalog: Catalog, *, memory_gb: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Payloads in bytes that are run, and those of them that are judged: the promised range, doubling.

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
        shapes=hardware_speed.shapes(pool.accelerator or "", precision),
        memory=hardware_speed.memory(facts, catalog=catalog),
        matmul=hardware_speed.matmul(facts, precision=precision, share=share),
        nvlink=hardware_speed.limit_inside_node(facts, accelerators=pool.accelerators, share=share),
        payloads=run,
        judged_payloads=judged,
        all_reduce=tuple(
            AllReduce(
                nodes=count,
                limit=hardware_speed.limit_between_nodes(facts, _network_gbps(machine), pool=pool, share=share),
            )
            for count in counts
        ),
        burn_in=pool in list_eligible_pools(spec),
    )


def _network_gbps(machine: Machine | None) -> Decimal | None:
    return machine.network_gbps if machine is not None else None


def _precision(workload: str | None, checklist: Checklist) -> str:
    """The precision of a pool's workload; half precision where it states none."""
    found = _workload(workload, checklist)
    return str(found.precision if isinstance(found, Training | FineTuning | Inference) else Precision.BF16)


def _workload(name: str | None, checklist: Checklist) -> Workload | None:
    return next((work for work in checklist.workloads if work.name == name), None)
