"""Machines of AWS: managed node groups, auto scaling groups and single instances, with the disks of each."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.costs.resources import findings
from planning.costs.resources.clouds.aws import storage as aws_disks
from planning.costs.resources.findings import WHOLE, AlternativeCharges, busiest_hours, catch_gap, node_gap
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planning.costs.bill import Charge
    from planning.costs.resources.findings import CostingContext, Counter, Finding
    from planning.costs.resources.resource import Resource

PROVIDER: Final = "aws"
NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
SCALING_GROUP: Final = "aws:autoscaling/group:Group"
INSTANCE: Final = "aws:ec2/instance:Instance"
TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"

_EKS_MACHINE: Final = "t3.medium"  # where nothing is said (EKS API reference, CreateNodegroup, instanceTypes)
_EKS_DISK_GB: Final = 20  # of Linux nodes where nothing is said (EKS API reference, CreateNodegroup, diskSize)
_EKS_DISK_NOTE: Final = "EKS chooses the kind of disk; counted as gp3"
_KINDS: Final = {  # what a declared purchase may mean, by the capacity that the group asks AWS for
    "ON_DEMAND": (PurchaseKind.ON_DEMAND, PurchaseKind.RESERVED),
    "SPOT": (PurchaseKind.SPOT,),
    "CAPACITY_BLOCK": (PurchaseKind.CAPACITY_BLOCK,),
}
_MARKETS: Final = {"": "ON_DEMAND", "spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}


def node_group(case: CostingContext) -> Iterator[Finding]:
    inputs = case.inputs
    scaling = inputs.at("scalingConfig")
    template = _template(case)
    try:
        hours = _node_hours(case, scaling.at("minSize"), scaling.at("desiredSize"), scaling.at("maxSize"))
        yield from catch_gap(case, "machine", lambda: _group_machines(case, hours, template))
        yield from catch_gap(case, "disk", lambda: _group_disks(case, hours, template))
    except UnreadableError as error:
        yield findings.machines(case, str(error), largest=lambda: _largest_group(case, template))
    if inputs.at("warmPoolConfig").said:
        yield node_gap(case, "warm_pool", "warmPoolConfig keeps machines that are not counted")


def _largest_group(case: CostingContext, template: Properties | None) -> Iterator[Finding]:
    hours = _all_month(case.inputs.at("scalingConfig").at("maxSize"))
    yield from _group_machines(case, hours, template)
    yield from _group_disks(case, hours, template)


def _all_month(nodes: Properties) -> Range:
    return Range.exactly(nodes.number() * HOURS_PER_MONTH)


def scaling_group(case: CostingContext) -> Iterator[Finding]:
    """Machines and disks of an auto scaling group with a launch template."""
    inputs = case.inputs
    for name in ("mixedInstancesPolicy", "warmPool", "desiredCapacityType"):
        if inputs.at(name).said:
            raise UnreadableError(f"{name} has no rule")
    template = _template(case)
    if template is None:
        raise UnreadableError("launchTemplate is not said")
    try:
        hours = _node_hours(case, inputs.at("minSize"), inputs.at("desiredCapacity"), inputs.at("maxSize"))
    except UnreadableError as error:
        yield findings.machines(
            case, str(error), largest=lambda: _count_scaled_nodes(case, template, _all_month(inputs.at("maxSize")))
        )
        return
    yield from _count_scaled_nodes(case, template, hours)


def _count_scaled_nodes(case: CostingContext, template: Properties, hours: Range) -> Iterator[Finding]:
    yield case.machine(template.at("instanceType").text(), hours, purchase=_purchase(case, _capacity(template)))
    yield from catch_gap(case, "disk", lambda: _template_disks(case, template, hours))


def instance(case: CostingContext) -> Iterator[Finding]:
    inputs = case.inputs
    if inputs.at("tenancy").text("default") != "default":
        raise UnreadableError("tenancy other than default has no price here")
    template = _template(case)
    holder = inputs if inputs.at("instanceType").said or template is None else template
    market = inputs if inputs.at("instanceMarketOptions").said or template is None else template
    hours = Range.exactly(HOURS_PER_MONTH)
    machine = case.machine(holder.at("instanceType").text(), hours, purchase=_purchase(case, _capacity(market)))
    yield replace(machine, key=case.part_key("machine")) if case.pool is None else machine
    yield from catch_gap(case, "disk", lambda: _instance_disks(case))


def _instance_disks(case: CostingContext) -> Iterable[Finding]:
    root, others = case.inputs.at("rootBlockDevice"), case.inputs.at("ebsBlockDevices").each()
    if not root.said:
        raise UnreadableError("rootBlockDevice is not said, so that the image decides")
    counted = [aws_disks.units(disk, kind="volumeType", size="volumeSize") for disk in (root, *others)]
    return aws_disks.charges(case, aws_disks.together(counted), hours=Range.exactly(HOURS_PER_MONTH), key=case.part_key)


def _group_machines(case: CostingContext, hours: Range, template: Properties | None) -> Iterable[Finding]:
    machines = [each.text() for each in case.inputs.at("instanceTypes").each()]
    if not machines:
        machines = [_EKS_MACHINE if template is None else template.at("instanceType").text(_EKS_MACHINE)]
    purchase = _purchase(case, case.inputs.at("capacityType").text("ON_DEMAND"))
    charges = tuple(case.machine(machine, hours, purchase=purchase) for machine in machines)
    return charges if len(charges) == 1 else (AlternativeCharges(charges=charges),)


def _group_disks(case: CostingContext, hours: Range, template: Properties | None) -> Iterable[Finding]:
    if template is not None and template.at("blockDeviceMappings").said:
        return _template_disks(case, template, hours)
    size = case.inputs.at("diskSize").number(_EKS_DISK_GB)
    counted = aws_disks.gp3(Properties(None), size=size)
    return _disk_charges(case, counted, hours, note=_EKS_DISK_NOTE)


def _template_disks(case: CostingContext, template: Properties, hours: Range) -> Iterable[Finding]:
    mappings = template.at("blockDeviceMappings")
    if not mappings.each():
        raise UnreadableError(f"{mappings.path} is not said, so that the image decides")
    disks = [ebs for each in mappings.each() if (ebs := each.at("ebs")).said]
    counted = [aws_disks.units(disk, kind="volumeType", size="volumeSize") for disk in disks]
    return _disk_charges(case, aws_disks.together(counted), hours)


def _disk_charges(
    case: CostingContext, counted: dict[str, Decimal], hours: Range, *, note: str = ""
) -> Iterable[Charge]:
    return aws_disks.charges(case, counted, hours=hours, key=case.pool_key, note=note)


def _node_hours(case: CostingContext, least: Properties, desired: Properties, most: Properties) -> Range:
    """Node-hours a month between the bounds; expected is the pool's own forecast, else what is desired now."""
    low, high = least.number(), most.number()
    if low > high:
        raise UnreadableError(f"{least.path} is above {most.path}")
    expected, busiest = _forecast(case, high) or (desired.number(low) * HOURS_PER_MONTH, high * HOURS_PER_MONTH)
    low, high = low * HOURS_PER_MONTH, high * HOURS_PER_MONTH
    expected = min(max(expected, low), high)
    return Range(low, expected, max(busiest, expected))


def _forecast(case: CostingContext, most: Decimal) -> tuple[Decimal, Decimal] | None:
    """This group's share, by its largest size, of the node-hours that its pool expects, and of the busiest month's."""
    pool = case.registered.pool(case.resource)
    if pool is None:
        return None
    said = Properties(pool.inputs, pool.name)
    expected = said.at("nodeHours").at("expected").number()
    together = sum((_largest(group) for group in case.registered.nodes_of_pool.get(pool.urn, ())), start=ZERO)
    share = most / together if together else Decimal(WHOLE)
    return expected * share, busiest_hours(said, nodes=most, share=share)


def _largest(group: Resource) -> Decimal:
    inputs = Properties(group.inputs, group.name)
    return (inputs.at("scalingConfig") if group.type == NODE_GROUP else inputs).at("maxSize").number()


def _purchase(case: CostingContext, capacity: str) -> str:
    """The word under which the machines are priced: what the pool declares, else what AWS is asked for.

    Raises:
        UnreadableError: the two contradict each other.
    """
    kinds = _KINDS.get(capacity)
    if kinds is None:
        raise UnreadableError(f"capacity {capacity!r} has no rule")
    return case.read_declared_purchase(kinds, provider=PROVIDER, asked=f"capacity {capacity}") or kinds[0].value


def _capacity(holder: Properties) -> str:
    """How an instance or a launch template asks for capacity, in the words of a node group."""
    market = holder.at("instanceMarketOptions").at("marketType")
    capacity = _MARKETS.get(market.text(""))
    if capacity is None:
        raise UnreadableError(f"{market.path} {market.text()!r} has no rule")
    return capacity


def _template(case: CostingContext) -> Properties | None:
    """Inputs of the launch template, None where none is named.

    Raises:
        UnreadableError: it is named and not among the resources.
    """
    if not case.inputs.at("launchTemplate").said:
        return None
    template = case.registered.find_linked(case.resource, "launchTemplate", TEMPLATE)
    return Properties(template.inputs, template.name)


COUNTERS: Final[dict[str, Counter]] = {
    NODE_GROUP: node_group,
    SCALING_GROUP: scaling_group,
    INSTANCE: instance,
}
