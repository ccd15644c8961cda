"""Node pools of a source and its clone: machines, accelerators, fabric, local disks, how they are bought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.clone.comparison.difference import (
    NONE,
    ComparedFact,
    Difference,
    amount,
    differing,
    format_truth,
    join_values,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from catalogs.model import Machine
    from planning.spec.cluster import ClusterSpec, Pool

HOT: Final = "local NVMe is emptied when its node goes"


def pool_differences(old: ClusterSpec, new: ClusterSpec, *, catalog: Catalog) -> Iterator[Difference]:
    """Every pool of either side, by its name."""
    place = new.placement.name
    before, after = ({pool.name: pool for pool in spec.pools} for spec in (old, new))
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None:
            machines = (_machine(one, old, catalog), _machine(other, new, catalog))
            yield from differing(_facts(one, other, machines), placement=place, topic=f"pool {name}")
        else:
            gone = (_describe_pool(one), _describe_pool(other))
            yield from differing(
                [ComparedFact(what="pool", old=gone[0], new=gone[1])], placement=place, topic=f"pool {name}"
            )


def _machine(pool: Pool, spec: ClusterSpec, catalog: Catalog) -> Machine | None:
    key = (spec.placement.provider, pool.machine)
    return catalog.machines.get(key)


def _describe_pool(pool: Pool | None) -> str:
    return NONE if pool is None else f"{pool.max_nodes} x {pool.machine}"


def _facts(old: Pool, new: Pool, machines: tuple[Machine | None, Machine | None]) -> Iterator[ComparedFact]:
    source = _source(machines)
    yield ComparedFact(what="machine", old=old.machine, new=new.machine, source=source)
    yield ComparedFact(
        what="accelerator",
        old=old.accelerator or NONE,
        new=new.accelerator or NONE,
        source=source,
        note=_accelerator_note(old, new),
    )
    yield ComparedFact(
        what="accelerators per node", old=_count(old.accelerators), new=_count(new.accelerators), source=source
    )
    yield ComparedFact(what="vCPU per node", old=amount(old.vcpus, ""), new=amount(new.vcpus, ""), source=source)
    yield ComparedFact(
        what="memory per node", old=amount(old.memory_gib, "GiB"), new=amount(new.memory_gib, "GiB"), source=source
    )
    yield ComparedFact(
        what="architecture",
        old=old.architecture,
        new=new.architecture,
        source=source,
        note=_note_architecture(old, new),
    )
    yield ComparedFact(what="fabric", old=_fabric(old), new=_fabric(new), source=source, note=_fabric_note(old, new))
    network = [amount(each.network_gbps if each else None, "Gbps") for each in machines]
    yield ComparedFact(what="network per node", old=network[0], new=network[1], source=source)
    yield ComparedFact(
        what="local NVMe per node",
        old=amount(old.local_nvme_gb, "GB"),
        new=amount(new.local_nvme_gb, "GB"),
        source=source,
        note=HOT,
    )
    yield from _compare_purchase(old, new)


def _compare_purchase(old: Pool, new: Pool) -> Iterator[ComparedFact]:
    """How many nodes, for how long, from where."""
    yield ComparedFact(what="bought as", old=words(old.kind), new=words(new.kind), note=_note_purchase(old, new))
    yield ComparedFact(what="when none is to be had", old=words(old.fallback), new=words(new.fallback))
    yield ComparedFact(what="nodes", old=_nodes(old), new=_nodes(new))
    yield ComparedFact(
        what="autoscaled",
        old=format_truth(old.min_nodes < old.max_nodes),
        new=format_truth(new.min_nodes < new.max_nodes),
    )
    yield ComparedFact(what="zones", old=join_values(old.zones), new=join_values(new.zones))
    yield ComparedFact(
        what="placed close together", old=format_truth(old.placement_group), new=format_truth(new.placement_group)
    )
    yield ComparedFact(what="burn-in before work", old=format_truth(old.burn_in), new=format_truth(new.burn_in))
    yield ComparedFact(what="network disk per node", old=amount(old.disk_gb, "GB"), new=amount(new.disk_gb, "GB"))


def _source(machines: tuple[Machine | None, Machine | None]) -> str:
    found = dict.fromkeys(f"{each.provider}/machines.csv ({each.source})" for each in machines if each)
    return f"catalogs: {', '.join(found)}" if found else "the two locks; no catalog row"


def _count(value: int) -> str:
    return str(value) if value else NONE


def _nodes(pool: Pool) -> str:
    spare = f", {pool.spares} of them spare" if pool.spares else ""
    return (
        f"{pool.min_nodes} to {pool.max_nodes}{spare}"
        if pool.min_nodes != pool.max_nodes
        else f"{pool.max_nodes}{spare}"
    )


def _fabric(pool: Pool) -> str:
    return f"{pool.fabric}, {pool.efa_interfaces} interfaces" if pool.efa_interfaces else pool.fabric


def _fabric_note(old: Pool, new: Pool) -> str:
    return "collectives are tuned for one fabric: measure again" if old.fabric != new.fabric else ""


def _accelerator_note(old: Pool, new: Pool) -> str:
    if not old.accelerator or not new.accelerator or old.accelerator == new.accelerator:
        return ""
    return "checkpoints move, compiled engines and tuned kernels do not"


def _note_architecture(old: Pool, new: Pool) -> str:
    return "images must be built for it" if old.architecture != new.architecture else ""


def _note_purchase(old: Pool, new: Pool) -> str:
    if new.kind == "spot" and old.kind != "spot":
        return "may be taken back at short notice: checkpoints must be in place"
    return "what was promised at the source is still paid to its end" if old.kind == "reserved" else ""
