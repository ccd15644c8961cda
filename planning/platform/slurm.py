"""Which nodes Slurm has, and which stay with the queues of Kubernetes: nobody waits for what the other holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import Orchestration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.spec.cluster import ClusterSpec, Pool

# Kinds of work that Slurm starts; notebooks and services stay with Kubernetes, whatever else runs there.
KINDS: Final = frozenset({"training", "fine_tuning", "batch"})
SHARES: Final[Mapping[Orchestration, int]] = {  # of how many nodes Slurm has one
    Orchestration.SLURM: 1,
    Orchestration.BOTH: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmShare:
    """What Slurm has of one pool.

    Args:
        nodes: at most.
        standing: of them, those that run all month anyway; the others are started by who needs them, for a worker of
            Slurm that waits for a node would keep the pool at its full size, and at its full price, for ever.
    """

    pool: Pool
    nodes: int
    standing: int


def shares(spec: ClusterSpec) -> tuple[SlurmShare, ...]:
    """Slurm's part of each pool: all working nodes, or half of them, rounded down, where Kubernetes starts jobs too."""
    if spec.platform is None:
        return ()
    kinds = {work.name: work.kind for work in spec.platform.works}
    found = (_share(pool, spec.orchestration, kinds) for pool in spec.pools)
    return tuple(share for share in found if share.nodes)


def without_slurm_nodes(
    pools: Iterable[Pool], *, kinds: Mapping[str, str], orchestration: Orchestration
) -> tuple[Pool, ...]:
    """The pools as the queues of Kubernetes see them: with the nodes that Slurm does not have.

    Args:
        kinds: of work, by the workload's name.
    """
    return tuple(
        pool.model_copy(update={"working": pool.working - _share(pool, orchestration, kinds).nodes}) for pool in pools
    )


def _share(pool: Pool, orchestration: Orchestration, kinds: Mapping[str, str]) -> SlurmShare:
    every = SHARES.get(orchestration)
    if every is None or pool.role == "system" or kinds.get(pool.workload or "") not in KINDS:
        return SlurmShare(pool=pool, nodes=0, standing=0)
    nodes = pool.working // every
    return SlurmShare(pool=pool, nodes=nodes, standing=min(nodes, pool.min_nodes // every))
