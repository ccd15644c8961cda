"""Machines of Google Cloud: GKE node pools and single instances, with the disks of each."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import Item, PurchaseKind
from planning.costs.bill import BillGroup, Charge, gb_months
from planning.costs.resources import findings
from planning.costs.resources.findings import estimate_node_hours, node_gap
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.costs.resources.findings import CostingContext, Counter, Finding
    from planning.costs.resources.resource import Resource, ResourceTree

PROVIDER: Final = "gcp"
NODE_POOL: Final = "gcp:container/nodePool:NodePool"
ZONE: Final = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")
# Kinds that are priced as a node's disk. Hyperdisk Balanced costs less for the same size until more than 3,000 IOPS or
# 140 MB/s are asked of it (cloud.google.com/compute/disks-image-pricing), so its line is never too low.
DISKS: Final = {"pd-balanced": "", "hyperdisk-balanced": "priced as pd-balanced, which costs more"}
_GKE_DISK: Final = "pd-balanced"  # where nothing is said (GKE docs, custom boot disks)
_GKE_DISK_GB: Final = 100
_GKE_MACHINE: Final = "e2-medium"
_KINDS: Final = {  # what a declared purchase may mean, by how Google Cloud is asked for the machines
    "standard": (PurchaseKind.ON_DEMAND, PurchaseKind.RESERVED),
    "spot": (PurchaseKind.SPOT,),
    "flex": (PurchaseKind.FLEX,),
    "reservation": (PurchaseKind.CAPACITY_BLOCK, PurchaseKind.RESERVED, PurchaseKind.ON_DEMAND),
}
_PLAIN: Final = {"standard": "on_demand", "spot": "spot", "flex": "dws_flex_start", "reservation": "on_demand"}


def node_pool(case: CostingContext) -> Iterator[Finding]:
    config = case.inputs.at("nodeConfig")
    try:
        hours = hours_of(case.resource, registered=case.registered)
    except UnreadableError as error:
        yield findings.machines(case, str(error), largest=lambda: _largest(case, config))
        return
    yield from _machine(case, config, hours)
    yield from findings.catch_gap(case, "disk", lambda: [_disk(case, config, hours)])


def _largest(case: CostingContext, config: Properties) -> Iterator[Finding]:
    hours = most_hours(case.resource)
    yield from _machine(case, config, hours)
    yield _disk(case, config, hours)


def instance(case: CostingContext) -> Iterator[Finding]:
    """A single machine, which runs all month, and its boot disk."""
    inputs, month = case.inputs, Range.exactly(HOURS_PER_MONTH)
    scheduling = inputs.at("scheduling").at("provisioningModel").text("STANDARD")
    machine = inputs.at("machineType").text()
    charge = case.in_part(case.charge(machine, month, group=BillGroup.COMPUTE), "machine")
    yield replace(charge, purchase="spot" if scheduling == "SPOT" else "on_demand")
    for extra in ("attachedDisks", "scratchDisks", "guestAccelerators"):
        if inputs.at(extra).each():
            yield node_gap(case, extra, f"{extra} are paid for and have no rule")
    boot = inputs.at("bootDisk").at("initializeParams")
    if inputs.at("bootDisk").at("source").said or not boot.at("size").said:
        yield node_gap(case, "disk", "bootDisk.initializeParams.size is not said")
        return
    yield _root(case, boot)


def _root(case: CostingContext, boot: Properties) -> Finding:
    kind = boot.at("type").text("pd-standard")
    if kind not in DISKS:
        return node_gap(case, "disk", f"type {kind!r} has no price here")
    charge = case.charge(Item.DISK, Range.exactly(boot.at("size").number()), group=BillGroup.STORAGE, note=DISKS[kind])
    return case.in_part(charge, "disk")


def hours_of(pool: Resource, *, registered: ResourceTree) -> Range:
    """Node-hours a month of one node pool; expected is what our component foresees, else what it starts with.

    Raises:
        UnreadableError: the bounds, or the zones they count in, cannot be read.
    """
    inputs = Properties(pool.inputs, pool.name)
    low, high = _bounds(inputs)
    if low > high:
        raise UnreadableError(f"{inputs.path}.autoscaling has a minimum above its maximum")
    owner = registered.pool(pool)
    if owner is None:
        return Range(low * HOURS_PER_MONTH, low * HOURS_PER_MONTH, high * HOURS_PER_MONTH)
    return estimate_node_hours(Properties(owner.inputs, owner.name), fewest=low, most=high)


def most_hours(pool: Resource) -> Range:
    """Node-hours of a month in which a node pool is all month as large as it may be.

    Raises:
        UnreadableError: nothing says how large that is.
    """
    inputs = Properties(pool.inputs, pool.name)
    scaling = inputs.at("autoscaling")
    if scaling.at("totalMaxNodeCount").said:
        return Range.exactly(scaling.at("totalMaxNodeCount").number() * HOURS_PER_MONTH)
    if scaling.said:
        return Range.exactly(scaling.at("maxNodeCount").number() * _zones(inputs) * HOURS_PER_MONTH)
    return Range.exactly(_bounds(inputs)[1] * HOURS_PER_MONTH)


def _bounds(inputs: Properties) -> tuple[Decimal, Decimal]:
    """Fewest and most nodes, over all zones."""
    scaling = inputs.at("autoscaling")
    if not scaling.said:
        count = inputs.at("nodeCount") if inputs.at("nodeCount").said else inputs.at("initialNodeCount")
        nodes = count.number() * _zones(inputs)
        return nodes, nodes
    if scaling.at("totalMaxNodeCount").said:
        return scaling.at("totalMinNodeCount").number(0), scaling.at("totalMaxNodeCount").number()
    zones = _zones(inputs)
    return scaling.at("minNodeCount").number(0) * zones, scaling.at("maxNodeCount").number() * zones


def _zones(inputs: Properties) -> int:
    """Zones of a pool whose counts hold for each of them."""
    named = inputs.at("nodeLocations").each()
    if named:
        return len(named)
    if inputs.at("location").said and ZONE.fullmatch(inputs.at("location").text()):
        return 1
    raise UnreadableError(f"{inputs.path}.nodeLocations is not said, and the counts hold for each zone")


def _machine(case: CostingContext, config: Properties, hours: Range) -> Iterator[Finding]:
    machine = config.at("machineType").text(_GKE_MACHINE)
    try:
        purchase = _purchase(case, _read_provisioning_model(config))
    except UnreadableError as error:
        yield node_gap(case, "machine", str(error))
        return
    fallback = "" if case.pool is None else case.pool.at("fallback").text("")
    yield case.machine(machine, hours, purchase=purchase, fallback=fallback)


def _read_provisioning_model(config: Properties) -> str:
    if config.at("spot").flag(default=False) or config.at("preemptible").flag(default=False):
        return "spot"
    if config.at("flexStart").flag(default=False):
        return "flex"
    affinity = config.at("reservationAffinity").at("consumeReservationType").text("NO_RESERVATION")
    return "reservation" if affinity == "SPECIFIC_RESERVATION" else "standard"


def _purchase(case: CostingContext, asked: str) -> str:
    """The word under which the machines are priced: what the pool declares, else what Google Cloud is asked for.

    Raises:
        UnreadableError: the two contradict each other.
    """
    how = f"how the machines are asked for: {asked}"
    return case.read_declared_purchase(_KINDS[asked], provider=PROVIDER, asked=how) or _PLAIN[asked]


def _disk(case: CostingContext, config: Properties, hours: Range) -> Charge:
    kind, size = _boot_disk(config)
    if kind not in DISKS:
        raise UnreadableError(f"diskType {kind!r} has no price here")
    charge = case.charge(Item.DISK, gb_months(hours, size), group=BillGroup.STORAGE, note=DISKS[kind])
    return replace(charge, key=case.pool_key("disk"))


def _boot_disk(config: Properties) -> tuple[str, Decimal]:
    boot = config.at("bootDisk")
    for extra in ("provisionedIops", "provisionedThroughput"):
        if boot.at(extra).said:
            raise UnreadableError(f"{extra} is paid for and has no price here")
    kind = boot.at("diskType") if boot.at("diskType").said else config.at("diskType")
    size = boot.at("sizeGb") if boot.at("sizeGb").said else config.at("diskSizeGb")
    return kind.text(_GKE_DISK), size.number(_GKE_DISK_GB)


COUNTERS: Final[dict[str, Counter]] = {NODE_POOL: node_pool, "gcp:compute/instance:Instance": instance}
