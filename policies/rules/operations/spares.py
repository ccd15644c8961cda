"""Pools of accelerators have room for the nodes that the lock counts on, spares included."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from catalogs.providers import find_traits
from planning.costs.resources.resource import UnreadableError
from planning.values.verdict import Verdict
from policies.breach import Breach, Settings, Severity
from policies.properties import check_resources
from policies.rule import Rule
from policies.rules.pools import OWN_POOL, pool_of, spec_of, total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Properties, Resource
    from planning.spec.cluster import Pool
    from policies.stack_context import StackContext

GPU: Final = "gpu"
NO_FABRIC: Final = "ethernet"
LIMIT: Final = "each pool of accelerators has room for its working nodes and its spares"


class SpareSettings(Settings):
    """How many spares are wanted."""

    least_percent: Decimal = Field(default=Decimal(0), ge=0, le=100)
    """Spare nodes of a pool whose nodes work as one over a fabric, in percent of its working nodes."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    yield from _of_lock(subject)
    if subject.whole is None:  # else the program stops short of what is inside the cluster, as Karpenter's pools
        yield from check_resources(subject.of_types([OWN_POOL]), partial(_check, subject), limit=LIMIT)
        yield from _missing(subject)


def _of_lock(subject: StackContext) -> Iterator[Breach]:
    """Pools that were accepted with fewer spares than the project wants."""
    least = subject.law.setting(SpareSettings).least_percent
    for pool in (pool for spec in subject.lock.placements for pool in spec.pools if _uses_fabric(pool)):
        if pool.spares * 100 < least * pool.working:
            yield Breach(
                verdict=Verdict.OVER,
                given=f"pool {pool.name} has {_nodes(pool.spares, 'spare')} to {_nodes(pool.working, 'working')}",
                limit=f"the project wants spares of {least}% at least",
                fix="Raise the spare share in the checklist and accept an option anew",
            )


def _uses_fabric(pool: Pool) -> bool:
    return pool.role == GPU and pool.fabric != NO_FABRIC and pool.working > 1


def _check(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    del inputs
    pool = pool_of(subject, resource)
    if pool.role != GPU or not find_traits(spec_of(subject, resource).placement.target).builder:
        return
    most = total(subject, resource).most
    needed = pool.working + pool.spares
    if most is not None and most < needed:
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            given=f"its node groups hold no more than {most}",
            limit=f"the lock counts {_nodes(pool.working, 'working')} and {_nodes(pool.spares, 'spare')}",
            fix=f"Let its node groups grow to {needed} nodes",
        )


def _missing(subject: StackContext) -> Iterator[Breach]:
    """Pools of the lock that nothing registers."""
    known = set(_list_registered_pools(subject))
    for spec in subject.lock.placements:
        for pool in spec.pools:
            if (
                find_traits(spec.placement.target).builder
                and pool.role == GPU
                and (spec.placement.name, pool.name) not in known
            ):
                yield Breach(
                    verdict=Verdict.OVER,
                    given=f"pool {pool.name} of cluster {spec.placement.name} is not there",
                    limit=f"the lock counts {_nodes(pool.working + pool.spares, 'of its nodes')}",
                    fix=f"Build pool {pool.name} again, or accept an option without it",
                )


def _list_registered_pools(subject: StackContext) -> Iterator[tuple[str, str]]:
    """Cluster and pool of each pool's component; one that cannot be read was judged already."""
    for own in subject.of_types([OWN_POOL]):
        with suppress(UnreadableError):
            yield spec_of(subject, own).placement.name, pool_of(subject, own).name


def _nodes(count: int, kind: str) -> str:
    return f"{count} {kind} {'node' if count == 1 else 'nodes'}"


RULE: Final = Rule(
    name="spares",
    title="Spare nodes",
    demand="Every pool of accelerators has room for its working nodes and its spares.",
    why="Without a spare, one broken node stops a job that needs all of them.",
    remedy="Let the node groups hold as many nodes as the lock counts, or ask for more spares in the checklist.",
    severity=Severity.MEDIUM,
    judge=_breaches,
    settings=SpareSettings,
)
