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


def demand(*, beside: bool = False) -> Demand:
    """Nodes that are always up: three at home, two in a cluster beside it, where no service of the platform lives."""
    nodes, vcpus, memory = _rules(beside=beside)
    return Demand(
        workload=KIND,
        kind=KIND,
        copies=Range.exactly(nodes.value),
        vcpus=int(vcpus.value),
        memory_gib=memory.value,
        always_on=True,
    )


def figures(*, beside: bool = False) -> Iterator[Figure]:
    """Every figure of the pool."""
    nodes, vcpus, memory = _rules(beside=beside)
    rows = {
        "nodes that are always up": nodes,
        "cores of the control software": vcpus,
        "memory of the control software": memory,
    }
    each = f"{vcpus.value / nodes.value:f} vCPUs and {memory.value / nodes.value:f} GiB"
    for name, rule in rows.items():
        yield figure(
            subject=KIND,
            name=name,
            value=rule.value,
            unit=rule.unit,
            formula=f"{nodes.value} nodes of {each}",
            inputs={},
            source=rule.source,
        )


def _rules(*, beside: bool) -> tuple[rules.Rule, rules.Rule, rules.Rule]:
    if beside:
        return rules.BESIDE_NODES, rules.BESIDE_VCPUS, rules.BESIDE_MEMORY
    return rules.SYSTEM_NODES, rules.SYSTEM_VCPUS, rules.SYSTEM_MEMORY
