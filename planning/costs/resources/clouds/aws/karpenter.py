"""Machines that Karpenter starts on AWS: up to a node pool's limit, as its component foresees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.costs.resources import findings
from planning.costs.resources.clouds.aws import storage
from planning.costs.resources.findings import AlternativeCharges, Free, busiest_hours, catch_gap
from planning.costs.resources.kubernetes import gib
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from decimal import Decimal

    from planning.costs.bill import Charge
    from planning.costs.resources.findings import CostingContext, Counter, Finding

PROVIDER: Final = "aws"
NODE_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

_MACHINE: Final = "node.kubernetes.io/instance-type"
_CAPACITY: Final = "karpenter.sh/capacity-type"
_CHARGED: Final = {PurchaseKind.ON_DEMAND, PurchaseKind.RESERVED}  # a discount for a term is laid over on demand
_KINDS: Final = {  # what a declared purchase may mean, by the capacity that Karpenter may buy
    frozenset({"on-demand"}): _CHARGED,
    frozenset({"reserved", "on-demand"}): _CHARGED,
    frozenset({"reserved"}): _CHARGED | {PurchaseKind.CAPACITY_BLOCK},
    frozenset({"spot"}): {PurchaseKind.SPOT},
    frozenset({"spot", "on-demand"}): {PurchaseKind.SPOT},
}
_WITH_FALLBACK: Final = frozenset({"spot", "on-demand"})


def node_pool(case: CostingContext) -> Iterator[Finding]:
    spec = case.inputs.at("spec")
    if spec.at("replicas").said:
        raise UnreadableError("spec.replicas has no rule")
    try:
        hours = _node_hours(case, spec.at("limits"))
    except UnreadableError as error:
        yield findings.machines(case, str(error), largest=lambda: _largest(case, spec))
        return
    yield from catch_gap(case, "machine", lambda: _machines(case, spec, hours))
    yield from catch_gap(case, "disk", lambda: _disks(case, spec, hours))


def _largest(case: CostingContext, spec: Properties) -> Iterator[Finding]:
    pool = case.registered.pool(case.resource)
    if pool is None:
        raise UnreadableError("no component above says what its nodes are")
    nodes = _most(spec.at("limits"), Properties(pool.inputs, pool.name).at("vcpus"))
    yield from _machines(case, spec, Range.exactly(nodes * HOURS_PER_MONTH))
    yield from _disks(case, spec, Range.exactly(nodes * HOURS_PER_MONTH))


def node_class(case: CostingContext) -> Iterator[Finding]:
    """What machines are made of; alone it starts none."""
    del case
    yield Free("a node class starts nothing; its disks are counted with the nodes")


def _node_hours(case: CostingContext, limits: Properties) -> Range:
    """Node-hours a month: at most what the limit allows, else what the pool foresees beside its managed groups.

    Raises:
        UnreadableError: the nodes have no limit, or the lock foresees none.
    """
    pool = case.registered.pool(case.resource)
    if pool is None:
        raise UnreadableError("no component above says how long its nodes run")
    said = Properties(pool.inputs, pool.name)
    nodes = _most(limits, said.at("vcpus"))
    most, foreseen = nodes * HOURS_PER_MONTH, said.at("nodeHours")
    groups = (Properties(each.inputs, each.name) for each in case.registered.nodes_of_pool.get(pool.urn, ()))
    fixed = sum((group.at("scalingConfig").at("minSize").number(0) for group in groups), start=ZERO)
    always = fixed * HOURS_PER_MONTH
    low, expected = (min(max(foreseen.at(reading).number() - always, ZERO), most) for reading in ("min", "expected"))
    expected = max(low, expected)
    return Range(low, expected, max(expected, min(busiest_hours(said, nodes=nodes + fixed) - always, most)))


def _most(limits: Properties, cores_of_node: Properties) -> Decimal:
    """Nodes at most, by their cores: to those the scheduler holds a pool, to a number of nodes alone it does not.

    Raises:
        UnreadableError: the cores of the pool or of a node are not known.
    """
    cores, each = limits.at("cpu").number(), cores_of_node.number()
    if not each:
        raise UnreadableError(f"{cores_of_node.path} is 0")
    return cores // each


def _machines(case: CostingContext, spec: Properties, hours: Range) -> Iterable[Finding]:
    capacity = frozenset(_read_requirement(spec, _CAPACITY))
    purchase = _purchase(case, capacity)
    fallback = PurchaseKind.ON_DEMAND.value if capacity == _WITH_FALLBACK else ""
    charges = tuple(
        case.machine(machine, hours, purchase=purchase, fallback=fallback)
        for machine in _read_requirement(spec, _MACHINE)
    )
    return charges if len(charges) == 1 else (AlternativeCharges(charges=charges),)


def _read_requirement(spec: Properties, key: str) -> list[str]:
    """The values of the requirement `key`.

    Raises:
        UnreadableError: none requires it by name, so that Karpenter chooses among all.
    """
    for each in spec.at("template").at("spec").at("requirements").each():
        if each.at("key").text() == key and each.at("operator").text() == "In":
            return [value.text() for value in each.at("values").each()]
    raise UnreadableError(f"no requirement names {key}")


def _purchase(case: CostingContext, capacity: frozenset[str]) -> str:
    """The word under which the machines are priced: what the pool declares.

    Raises:
        UnreadableError: it contradicts what Karpenter may buy.
    """
    named = ", ".join(sorted(capacity))
    kinds = _KINDS.get(capacity)
    if kinds is None:
        raise UnreadableError(f"capacity {named} has no rule")
    declared = case.read_declared_purchase(kinds, provider=PROVIDER, asked=f"capacity {named}")
    if not declared:
        raise UnreadableError("the pool's component does not say how its machines are bought")
    return declared


def _disks(case: CostingContext, spec: Properties, hours: Range) -> Iterable[Charge]:
    name = spec.at("template").at("spec").at("nodeClassRef").at("name").text()
    mappings = _class_named(case, name).at("spec").at("blockDeviceMappings")
    if not mappings.each():
        raise UnreadableError(f"{mappings.path} is not said, so that the image decides")
    counted = [_units(each.at("ebs")) for each in mappings.each()]
    return storage.charges(case, storage.together(counted), hours=hours, key=case.pool_key)


def _units(disk: Properties) -> dict[str, Decimal]:
    """Units of one disk; a node class gives its size as a Kubernetes quantity."""
    kind = disk.at("volumeType")
    count = storage.KINDS.get(kind.text())
    if count is None:
        raise UnreadableError(f"{kind.path} {kind.text()!r} has no price here")
    return count(disk, size=gib(disk.at("volumeSize")))


def _class_named(case: CostingContext, name: str) -> Properties:
    """Inputs of the one node class of that name in the same placement.

    Raises:
        UnreadableError: there is none, or more than one.
    """
    here = case.registered.prefix(case.resource)
    found = [
        Properties(each.inputs, each.name)
        for each in case.registered.by_type.get(NODE_CLASS, ())
        if case.registered.prefix(each) == here and Properties(each.inputs).at("metadata").at("name").value == name
    ]
    if len(found) != 1:
        raise UnreadableError("nodeClassRef is not among the resources given")
    return found[0]


COUNTERS: Final[dict[str, Counter]] = {NODE_POOL: node_pool, NODE_CLASS: node_class}
