"""Node groups: the pool of the lock that each belongs to, its machine types and its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import HOME
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.costs.resources.resource import PLACEMENT, Properties, UnreadableError
from planning.values.money import ZERO
from policies.properties import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    """Values that a Karpenter node pool requires of a label; empty without such a requirement.

    Raises:
        UnreadableError: they cannot be read, or the operator is not "In".
    """
    for each in required.each():
        if each.at("key").text() == key:
            # "NotIn" and "Exists" leave open what the nodes will be.
            if each.at("operator").text() != "In":
                raise UnreadableError(f"{each.path} does not list what it requires of {key}", path=each.path)
            return tuple(value.text() for value in each.at("values").each())
    return ()


def requirements(inputs: Properties) -> Properties:
    return inputs.at("spec").at("template").at("spec").at("requirements")


# Property with the machine types of a node group; Karpenter has them as a requirement on a label.
MACHINE_PATHS: Final[Mapping[str, str]] = {
    MANAGED: "instanceTypes[]",
    KARPENTER: "",
    GKE: "nodeConfig.machineType",
    CKS: "spec.instanceType",
}


def read_machines(group: Resource, inputs: Properties) -> tuple[str, ...]:
    """Machine types that a node group orders; empty where it names none."""
    if group.type == KARPENTER:
        return read_required_values(requirements(inputs), INSTANCE_TYPE)
    return tuple(each.text() for each in walk(inputs, MACHINE_PATHS[group.type]))


def _read_managed_bounds(inputs: Properties) -> Bounds:
    sizes = inputs.at("scalingConfig")
    return Bounds(least=sizes.at("minSize").number(), most=sizes.at("maxSize").number())


def _read_karpenter_bounds(inputs: Properties, cores: Properties) -> Bounds:
    # Both limits apply: the one of nodes, and the one of cores.
    limits = inputs.at("spec").at("limits")
    most = [limits.at("nodes").number()] if limits.at("nodes").said else []
    if limits.at("cpu").said and cores.said:
        each = cores.number()
        most += [limits.at("cpu").number() // each] if each else []
    return Bounds(least=inputs.at("spec").at("replicas").number(0), most=min(most) if most else None)


def _read_scaled_bounds(*, scaled: bool, fixed: Properties, least: Properties, most: Properties) -> Bounds:
    if not scaled:
        return Bounds(least=fixed.number(), most=fixed.number())
    return Bounds(least=least.number(0), most=most.number() if most.said else None)


def groups(subject: StackContext, own: Resource | None = None) -> Iterator[Resource]:
    """Node groups of the stack, or of one pool's component."""
    for each in subject.of_types(MACHINE_PATHS):
        above = None if own is None else subject.registered.pool(each)
        if own is None or (above is not None and above.urn == own.urn):
            yield each


def bounds(subject: StackContext, group: Resource) -> Bounds:
    """How many nodes a group may have.

    Raises:
        UnreadableError: a bound cannot be read.
    """
    inputs = Properties(group.inputs)
    if group.type == MANAGED:
        return _read_managed_bounds(inputs)
    if group.type == KARPENTER:
        own = subject.registered.pool(group)
        return _read_karpenter_bounds(inputs, Properties(own.inputs if own else {}).at("vcpus"))
    if group.type == GKE:
        at, fixed, names = inputs.at("autoscaling"), inputs.at("nodeCount"), ("totalMinNodeCount", "totalMaxNodeCount")
        return _read_scaled_bounds(scaled=at.said, fixed=fixed, least=at.at(names[0]), most=at.at(names[1]))
    at = inputs.at("spec")
    scaled = at.at("autoscaling").flag(default=False)
    return _read_scaled_bounds(
        scaled=scaled, fixed=at.at("targetNodes"), least=at.at("minNodes"), most=at.at("maxNodes")
    )


def total(subject: StackContext, own: Resource) -> Bounds:
    """Bounds of all groups of a pool together; unlimited where one of them is."""
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
    """Instance type of a machine of the lock; CoreWeave orders nodes by names of its own."""
    return INSTANCE_TYPES.get(machine, machine)
