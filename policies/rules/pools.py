"""What rules about pools read: which pool of the lock a node group stands for, its machines, and its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import HOME
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.costs.resources.resource import Properties, UnreadableError
from planning.costs.resources.stack_resources import PLACEMENT
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from decimal import Decimal

    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec, Pool
    from policies.stack_context import StackContext

OWN_POOL: Final = "atoll:nodepool:NodePool"
MANAGED: Final = "aws:eks/nodeGroup:NodeGroup"
KARPENTER: Final = "kubernetes:karpenter.sh/v1:NodePool"
GKE: Final = "gcp:container/nodePool:NodePool"
CKS: Final = "kubernetes:compute.coreweave.com/v1alpha1:NodePool"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
CAPACITY: Final = "karpenter.sh/capacity-type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Nodes that a group may have; `most` is None where nothing limits it."""

    least: Decimal
    most: Decimal | None


def read_required_values(required: Properties, key: str) -> tuple[str, ...]:
    """Values that a Karpenter node pool requires of a label; none where it says nothing of it.

    Raises:
        UnreadableError: they cannot be read, or are said in another way than "In".
    """
    for each in required.each():
        if each.at("key").text() == key:
            if each.at("operator").text() != "In":
                raise UnreadableError(f"{each.path} does not list what it requires of {key}", path=each.path)
            return tuple(value.text() for value in each.at("values").each())
    return ()


def requirements(inputs: Properties) -> Properties:
    """What a Karpenter node pool requires of its nodes."""
    return inputs.at("spec").at("template").at("spec").at("requirements")


def _read_managed_machines(inputs: Properties) -> tuple[str, ...]:
    return tuple(each.text() for each in inputs.at("instanceTypes").each())


def _karpenter_machines(inputs: Properties) -> tuple[str, ...]:
    return read_required_values(requirements(inputs), INSTANCE_TYPE)


def _gke_machines(inputs: Properties) -> tuple[str, ...]:
    return (inputs.at("nodeConfig").at("machineType").text(),)


def _cks_machines(inputs: Properties) -> tuple[str, ...]:
    return (inputs.at("spec").at("instanceType").text(),)


MACHINES: Final[Mapping[str, Callable[[Properties], tuple[str, ...]]]] = {
    MANAGED: _read_managed_machines,
    KARPENTER: _karpenter_machines,
    GKE: _gke_machines,
    CKS: _cks_machines,
}


def _read_managed_bounds(inputs: Properties, cores: Properties) -> Bounds:
    del cores
    sizes = inputs.at("scalingConfig")
    return Bounds(least=sizes.at("minSize").number(), most=sizes.at("maxSize").number())


def _karpenter_bounds(inputs: Properties, cores: Properties) -> Bounds:
    """At most what its cores and its nodes allow, whichever is less."""
    limits = inputs.at("spec").at("limits")
    most = [limits.at("nodes").number()] if limits.at("nodes").said else []
    if limits.at("cpu").said and cores.said:
        each = cores.number()
        most += [limits.at("cpu").number() // each] if each else []
    return Bounds(least=inputs.at("spec").at("replicas").number(0), most=min(most) if most else None)


def _gke_bounds(inputs: Properties, cores: Properties) -> Bounds:
    del cores
    scaling = inputs.at("autoscaling")
    if not scaling.said:
        fixed = inputs.at("nodeCount").number()
        return Bounds(least=fixed, most=fixed)
    most = scaling.at("totalMaxNodeCount")
    return Bounds(least=scaling.at("totalMinNodeCount").number(0), most=most.number() if most.said else None)


def _cks_bounds(inputs: Properties, cores: Properties) -> Bounds:
    del cores
    spec = inputs.at("spec")
    if not spec.at("autoscaling").flag(default=False):
        fixed = spec.at("targetNodes").number()
        return Bounds(least=fixed, most=fixed)
    most = spec.at("maxNodes")
    return Bounds(least=spec.at("minNodes").number(0), most=most.number() if most.said else None)


BOUNDS: Final[Mapping[str, Callable[[Properties, Properties], Bounds]]] = {
    MANAGED: _read_managed_bounds,
    KARPENTER: _karpenter_bounds,
    GKE: _gke_bounds,
    CKS: _cks_bounds,
}


def groups(subject: StackContext, own: Resource | None = None) -> Iterator[Resource]:
    """Node groups of the stack, or those of one pool's component."""
    for each in subject.of_types(MACHINES):
        above = None if own is None else subject.registered.pool(each)
        if own is None or (above is not None and above.urn == own.urn):
            yield each


def bounds(subject: StackContext, group: Resource) -> Bounds:
    """How many nodes a group may have.

    Raises:
        UnreadableError: a bound cannot be read.
    """
    own = subject.registered.pool(group)
    cores = Properties(own.inputs if own else {}).at("vcpus")
    return BOUNDS[group.type](Properties(group.inputs), cores)


def total(subject: StackContext, own: Resource) -> Bounds:
    """The same of all groups of a pool together; nothing limits them where nothing limits one of them."""
    held = [bounds(subject, each) for each in groups(subject, own)]
    most = [each.most for each in held if each.most is not None]
    return Bounds(
        least=sum((each.least for each in held), start=ZERO),
        most=sum(most, start=ZERO) if len(most) == len(held) else None,
    )


def spec_of(subject: StackContext, resource: Resource) -> ClusterSpec:
    """The cluster of the lock that a resource belongs to.

    Raises:
        UnreadableError: its placement cannot be read, or the lock has none of that name.
    """
    name = HOME
    for owner in (resource, *subject.registered.owners(resource)):
        if PLACEMENT in owner.inputs:
            name = Properties(owner.inputs).at(PLACEMENT).text()
            break
    for spec in subject.lock.placements:
        if name in (spec.placement.name, HOME):
            return spec
    raise UnreadableError(f"the lock has no placement {name}", path=PLACEMENT)


def pool_of(subject: StackContext, own: Resource) -> Pool:
    """The pool of the lock that a pool's component stands for.

    Raises:
        UnreadableError: its name cannot be read, or the lock has none of that name.
    """
    name = Properties(own.inputs).at("pool").text()
    found = next((each for each in spec_of(subject, own).pools if each.name == name), None)
    if found is None:
        raise UnreadableError(f"the lock has no pool {name}", path="pool")
    return found


def instance_type(machine: str) -> str:
    """What a machine of the lock is called where nodes are ordered; CoreWeave has names of its own for that."""
    return INSTANCE_TYPES.get(machine, machine)
