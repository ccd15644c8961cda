"""The nodes that the control software of the cluster lives on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.demand import Demand
from planning.money import Range
from planning.sizing import rules
from planning.sizing.figures import figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.demand import Figure

KIND = "system"


def demand() -> Demand:
    """Three nodes that are always up."""
    return Demand(
        workload=KIND,
        kind=KIND,
        copies=Range.exactly(rules.SYSTEM_NODES.value),
        vcpus=int(rules.SYSTEM_VCPUS.value),
        memory_gib=rules.SYSTEM_MEMORY.value,
        always_on=True,
    )


def figures() -> Iterator[Figure]:
    """Every figure of the pool."""
    rows = {
        "nodes that are always up": rules.SYSTEM_NODES,
        "cores of the control software": rules.SYSTEM_VCPUS,
        "memory of the control software": rules.SYSTEM_MEMORY,
    }
    for name, rule in rows.items():
        yield figure(
            subject=KIND,
            name=name,
            value=rule.value,
            unit=rule.unit,
            formula="3 nodes of 8 vCPUs and 32 GiB",
            inputs={},
            source=rule.source,
        )
