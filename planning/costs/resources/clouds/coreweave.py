"""What CoreWeave rents: nodes by their pools, control planes, file systems by their claims, buckets by use."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item, PurchaseKind
from planning.costs.bill import BillGroup
from planning.costs.resources import findings, kubernetes
from planning.costs.resources.findings import OBJECTS, by_use, estimate_node_hours, tier_key
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.bill import Charge
    from planning.costs.resources.findings import CostingContext, Counter, Finding

PROVIDER: Final = "coreweave"
NODE_POOL: Final = "kubernetes:compute.coreweave.com/v1alpha1:NodePool"
SHARED_CLASS: Final = "shared-vast"  # docs.coreweave.com, Create Distributed File Storage volumes
# The catalog's machines under the names that a node pool asks for: CoreWeave's table in kubernetes/autoscaler
# (coreweave_instance_types.go) and its instance pages, 2026-09.
INSTANCE_TYPES: Final[Mapping[str, str]] = {
    "A100": "gd-8xa100-i128",
    "GB200-NVL72-4x": "gb200-4x",
    "GH200": "gd-1xgh200",
    "HGX-B200": "b200-8x",
    "HGX-B300": "b300-8x",
    "HGX-H100": "gd-8xh100ib-i128",
    "HGX-H200": "gd-8xh200ib-i128",
    "L40": "gd-8xl40-i128",
    "L40S": "gd-8xl40s-i128",
    "RTX-PRO-6000-HM": "rtxp6000-8x",
    **{name: name for name in ("cd-gp-i64-erapids", "turin-gp")},  # sold under their instance types
}
MACHINES: Final = {instance: machine for machine, instance in INSTANCE_TYPES.items()}
_KINDS: Final = {  # what a declared purchase may mean, by the pool's compute class (Node Pool reference)
    "default": (PurchaseKind.ON_DEMAND, PurchaseKind.RESERVED),
    "spot": (PurchaseKind.SPOT,),
}
_GB: Final = {"G": Decimal(1), "T": Decimal(1000), "Gi": Decimal(2**30) / 10**9, "Ti": Decimal(2**40) / 10**9}


def node_pool(case: CostingContext) -> Iterator[Finding]:
    """Nodes of one pool. Their disks are their own and cost nothing beside them."""
    spec = case.inputs.at("spec")
    try:
        yield _machines(case, spec, _node_hours(case, spec))
    except UnreadableError as error:
        yield findings.machines(case, str(error), largest=lambda: [_machines(case, spec, _most_hours(spec))])


def _machines(case: CostingContext, spec: Properties, hours: Range) -> Charge:
    instance = spec.at("instanceType").text()
    purchase = _purchase(case, spec.at("computeClass").text("default"))
    return case.machine(MACHINES.get(instance, instance), hours, purchase=purchase, title=instance)


def control_plane(case: CostingContext) -> Iterator[Finding]:
    yield case.hourly(Item.CONTROL_PLANE, group=BillGroup.CONTROL_PLANE, own="control_plane")


def claim(case: CostingContext) -> Iterator[Finding]:
    """A volume claim: of CoreWeave's shared class it is a file system of that size; any other as everywhere."""
    spec = case.inputs.at("spec")
    if spec.at("storageClassName").text("") != SHARED_CLASS:
        yield from kubernetes.claim(case)
        return
    size = _gb(spec.at("resources").at("requests").at("storage"))
    yield case.charge(Item.SHARED_SSD, Range.exactly(size), group=BillGroup.STORAGE, own=tier_key(case))


def _most_hours(spec: Properties) -> Range:
    """Node-hours of a month at the largest size; without an autoscaler that is the wanted one."""
    size = "maxNodes" if spec.at("autoscaling").flag(default=False) else "targetNodes"
    return Range.exactly(spec.at(size).number() * HOURS_PER_MONTH)


def _node_hours(case: CostingContext, spec: Properties) -> Range:
    """Node-hours a month between the autoscaler's bounds; without one, those of the wanted size."""
    wanted = spec.at("targetNodes").number()
    scaled = spec.at("autoscaling").flag(default=False)
    low = spec.at("minNodes").number(0) if scaled else wanted
    high = spec.at("maxNodes").number(wanted) if scaled else wanted
    if low > high:
        raise UnreadableError("spec.minNodes is above spec.maxNodes")
    if case.pool is not None:
        return estimate_node_hours(case.pool, fewest=low, most=high)
    low, high = low * HOURS_PER_MONTH, high * HOURS_PER_MONTH
    return Range(low, min(max(wanted * HOURS_PER_MONTH, low), high), high)


def _purchase(case: CostingContext, compute_class: str) -> str:
    """The word under which the nodes are priced: what the pool declares, else what CoreWeave is asked for.

    Raises:
        UnreadableError: the two contradict each other, or the class is unknown.
    """
    kinds = _KINDS.get(compute_class)
    if kinds is None:
        raise UnreadableError(f"spec.computeClass {compute_class!r} has no rule")
    return (
        case.read_declared_purchase(kinds, provider=PROVIDER, asked=f"compute class {compute_class}") or kinds[0].value
    )


def _gb(quantity: Properties) -> Decimal:
    """A Kubernetes quantity in GB, as Distributed File Storage is sold."""
    text = quantity.text()
    number = text.rstrip("GTi")
    factor = _GB.get(text[len(number) :])
    if factor is None:
        raise UnreadableError(f"{quantity.path} is not a size in G, T, Gi or Ti")
    return Properties(number, quantity.path).number() * factor


COUNTERS: Final[dict[str, Counter]] = {
    NODE_POOL: node_pool,
    "coreweave:index/cksCluster:CksCluster": control_plane,
    "coreweave:index/objectStorageBucket:ObjectStorageBucket": partial(by_use, items=OBJECTS),
    "kubernetes:core/v1:PersistentVolumeClaim": claim,
}
