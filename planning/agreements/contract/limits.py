"""What the acceptance holds a cluster to, as figures with their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import plain
from planning.documents.figures import say
from planning.documents.sources import of_catalog, of_checklist, of_lock, reckoned

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.acceptance.limits import Limit
    from planning.agreements.contract.context import Sides
    from planning.agreements.contract.lock_references import PoolAt
    from planning.documents.figures import Figure, Sentence

OPEN: Final = "to be agreed"


def bound(limit: Limit, *inputs: Figure) -> Sentence:
    """The least of a limit; "none" where there cannot be one.

    "to be agreed" where somebody should know it and nobody does, or where less than it would be no proof of a fault.
    """
    if limit.least is None or limit.beyond or not inputs:
        return say("none" if limit.optional else OPEN)
    return say(reckoned(limit.least, limit.why, *inputs, text=plain(limit.least)))


def agreed_figure(limit: Limit) -> Figure | None:
    """The least of a limit that was agreed on; None for one that follows from something else."""
    return of_checklist(limit.least, limit.agreed_at) if limit.agreed_at and limit.least is not None else None


def theory(limit: Limit, *inputs: Figure) -> Sentence:
    """What the least is a share of."""
    if limit.theory is None or not inputs:
        return say("none" if limit.optional else OPEN)
    return say(
        reckoned(
            limit.theory,
            "the slowest link of a node: Gbps / 8, or the links of one accelerator",
            *inputs,
            text=plain(limit.theory),
        )
    )


def accelerator_facts(sides: Sides, pool: PoolAt, *columns: str) -> tuple[Figure, ...]:
    """Columns of accelerators.csv that the catalog knows: "memory_gb", "nvlink_gb_per_s", or a precision."""
    facts = sides.catalog.accelerators.get(pool.pool.accelerator or "")
    if facts is None:
        return ()
    known: dict[str, Decimal | int | None] = {
        **facts.tflops,
        "memory_gb": facts.memory_gb,
        "nvlink_gb_per_s": facts.nvlink_gb_per_s,
    }
    source = sides.source(facts.source, facts.as_of)
    found = ((column, known.get(column)) for column in columns)
    return tuple(
        of_catalog(value, f"accelerators.csv {facts.name} {column}", source=source)
        for column, value in found
        if value is not None
    )


def network_fact(sides: Sides, pool: PoolAt) -> tuple[Figure, ...]:
    """Gbps of a node's network, where the catalog knows it."""
    provider = pool.place.spec.placement.provider
    machine = sides.catalog.machines.get((provider, pool.pool.machine))
    if machine is None or machine.network_gbps is None:
        return ()
    at = f"machines.csv {provider} {machine.name} network_gbps"
    return (of_catalog(machine.network_gbps, at, source=sides.source(machine.source, machine.as_of)),)


def accelerator_name(pool: PoolAt) -> Sentence:
    """Which accelerator, "none" for a pool without."""
    name = pool.pool.accelerator
    return say(of_lock(name, f"{pool.at}.accelerator")) if name else say("none")
