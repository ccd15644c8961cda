"""Node pools of a source and its clone: machines, accelerators, fabric, local disks, how they are bought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.clone.comparison.difference import (
    NONE,
    ComparedFact,
    Difference,
    amount,
    compare_by,
    differing,
    format_truth,
    join_values,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from catalogs.catalog import Catalog
    from catalogs.model import Machine
    from planning.spec.cluster import ClusterSpec, Pool

HOT: Final = "local NVMe is emptied when its node goes"


def _describe_fabric(pool: Pool) -> str:
    return f"{pool.fabric}, {pool.efa_interfaces} interfaces" if pool.efa_interfaces else pool.fabric


def _describe_nodes(pool: Pool) -> str:
    count = f"{pool.min_nodes} to {pool.max_nodes}" if pool.min_nodes != pool.max_nodes else f"{pool.max_nodes}"
    return f"{count}, {pool.spares} of them spare" if pool.spares else count


_HARDWARE: Final[Mapping[str, Callable[[Pool], str]]] = {
    "machine": lambda pool: pool.machine,
    "accelerator": lambda pool: pool.accelerator or NONE,
    "accelerators per node": lambda pool: amount(pool.accelerators, ""),
    "vCPU per node": lambda pool: amount(pool.vcpus, ""),
    "memory per node": lambda pool: amount(pool.memory_gib, "GiB"),
    "architecture": lambda pool: pool.architecture,
    "fabric": _describe_fabric,
}
_PURCHASE: Final[Mapping[str, Callable[[Pool], str]]] = {
    "bought as": lambda pool: words(pool.kind),
    "when none is to be had": lambda pool: words(pool.fallback),
    "nodes": _describe_nodes,
    "autoscaled": lambda pool: format_truth(pool.min_nodes < pool.max_nodes),
    "zones": lambda pool: join_values(pool.zones),
    "placed close together": lambda pool: format_truth(pool.placement_group),
    "burn-in before work": lambda pool: format_truth(pool.burn_in),
    "network disk per node": lambda pool: amount(pool.disk_gb, "GB"),
}


def pool_differences(old: ClusterSpec, new: ClusterSpec, *, catalog: Catalog) -> Iterator[Difference]:
    """Every pool of either side, by its name."""
    before, after = ({pool.name: pool for pool in spec.pools} for spec in (old, new))
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None:
            pairs = ((one, old), (other, new))
            machines = [catalog.machines.get((spec.placement.provider, pool.machine)) for pool, spec in pairs]
            facts = _facts(one, other, machines)
        else:
            gone = [NONE if pool is None else f"{pool.max_nodes} x {pool.machine}" for pool in (one, other)]
            facts = iter([ComparedFact(what="pool", old=gone[0], new=gone[1])])
        yield from differing(facts, placement=new.placement.name, topic=f"pool {name}")


def _facts(old: Pool, new: Pool, machines: list[Machine | None]) -> Iterator[ComparedFact]:
    named = dict.fromkeys(f"{each.provider}/machines.csv ({each.source})" for each in machines if each)
    source = f"catalogs: {', '.join(named)}" if named else "the two locks; no catalog row"
    notes = {"architecture": "images must be built for it", "bought as": _note_purchase(old, new)}
    if old.accelerator and new.accelerator:
        notes["accelerator"] = "checkpoints move, compiled engines and tuned kernels do not"
    if old.fabric != new.fabric:
        notes["fabric"] = "collectives are tuned for one fabric: measure again"
    yield from compare_by(old, new, _HARDWARE, source=source, notes=notes)
    network = [amount(each.network_gbps if each else None, "Gbps") for each in machines]
    yield ComparedFact(what="network per node", old=network[0], new=network[1], source=source)
    local = [amount(pool.local_nvme_gb, "GB") for pool in (old, new)]
    yield ComparedFact(what="local NVMe per node", old=local[0], new=local[1], source=source, note=HOT)
    yield from compare_by(old, new, _PURCHASE, notes=notes)


def _note_purchase(old: Pool, new: Pool) -> str:
    if new.kind == "spot" and old.kind != "spot":
        return "may be taken back at short notice: checkpoints must be in place"
    return "what was promised at the source is still paid to its end" if old.kind == "reserved" else ""
