"""What a destroy of the source would delete, of the things that hold state: from a preview or an exported state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.relocation.decommission import Deletion
from planning.relocation.inventory.assets import AssetKind
from planning.relocation.inventory.resource_assets import keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.costs.resources.formats.values import Preview
    from planning.costs.resources.resource import Resource
    from planning.relocation.inventory.stack_inventory import Inventory

PROTECTED: Final = "protected: a destroy refuses it, you delete it by hand"
RETAINED: Final = "retained: a destroy forgets it and leaves it in the cloud"
NOT_OURS: Final = "it lies in a cluster that is not ours to delete: you delete it by hand"
SWITCHED: Final = "it points to the target now"
INSIDE: Final = "kubernetes:"  # start of the types of what lies in a cluster
# Types whose end takes everything in the cluster with it (operations/engine/teardown.py has the same).
CLUSTERS: Final = frozenset(
    {"aws:eks/cluster:Cluster", "gcp:container/cluster:Cluster", "coreweave:index/cksCluster:CksCluster"}
)


def resources_of(found: Preview) -> Sequence[Resource]:
    """Resources to delete: the state before, of a destroy preview; all of an export or a plan."""
    after = {each.urn for each in found.new}
    going = tuple(each for each in found.old or () if each.urn not in after)
    return going or found.new


def deletions(resources: Sequence[Resource], inventory: Inventory) -> Iterator[Deletion]:
    """Stateful assets that are deleted, and what lies in a deleted cluster."""
    ends = _cluster_ends(resources)
    named: set[str] = set()
    for resource in resources:
        for thing in keys_of(resource):
            named.add(thing.key if thing else "")
            if _goes(resource, ends=ends):
                yield Deletion(key=thing.key if thing else "", name=f"{resource.type} {resource.name}")
    for thing in inventory.things if ends else ():
        if thing.key not in named and thing.kind is not AssetKind.NAMES:
            yield Deletion(key=thing.key, name=f"{thing.title}, with the cluster")


def list_retained(resources: Sequence[Resource], inventory: Inventory) -> Mapping[str, str]:
    gone = {each.key for each in deletions(resources, inventory)}
    found = {each.key: SWITCHED for each in inventory.things if each.kind is AssetKind.NAMES}
    if not any(each.type in CLUSTERS for each in resources):
        found |= {each.key: NOT_OURS for each in inventory.things if each.key not in gone | found.keys()}
    for resource in resources:
        for thing in keys_of(resource):
            if thing is not None and thing.key not in gone:
                found[thing.key] = PROTECTED if resource.protect else RETAINED
    return found


def _goes(resource: Resource, *, ends: bool) -> bool:
    """Whether it is deleted."""
    if resource.protect:
        return False
    # The engine only forgets what is inside a cluster; it goes with the cluster all the same.
    return not resource.retain_on_delete or (ends and resource.type.startswith(INSIDE))


def _cluster_ends(resources: Sequence[Resource]) -> bool:
    return any(each.type in CLUSTERS and not each.protect and not each.retain_on_delete for each in resources)
