"""Node pools of a source and its clone: machines, accelerators, fabric, local disks, how they are bought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.clone.comparison.difference import NONE, Difference, Said, amount, differing, listed, words, yes

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
            gone = (_named(one), _named(other))
            yield from differing([Said(what="pool", old=gone[0], new=gone[1])], placement=place, topic=f"pool {name}")


def _machine(pool: Pool, spec: ClusterSpec, catalog: Catalog) -> Machine | None:
    key = (spec.placement.provider, pool.machine)
    return catalog.machines.get(key)


def _named(pool: Pool | None) -> str:
    return NONE if pool is None else f"{pool.max_nodes} x {pool.machine}"


def _facts(old: Pool, new: Pool, machines: tuple[Machine | None, Machine | None]) -> Iterator[Said]:
    source = _source(machines)
    yield Said(what="machine", old=old.machine, new=new.machine, source=source)
    yield Said(
        what="accelerator",
        old=old.accelerator or NONE,
        new=new.accelerator or NONE,
        source=source,
        note=_accelerator_note(old, new),
    )
    yield Said(what="accelerators per node", old=_count(old.accelerators), new=_count(new.accelerators), source=source)
    yield Said(what="vCPU per node", old=amount(old.vcpus, ""), new=amount(new.vcpus, ""), source=source)
    yield Said(
        what="memory per node", old=amount(old.memory_gib, "GiB"), new=amount(new.memory_gib, "GiB"), source=source
    )
    yield Said(
        what="architecture", old=old.architecture, new=new.architecture, source=source, note=_built_for(old, new)
    )
    yield Said(what="fabric", old=_fabric(old), new=_fabric(new), source=source, note=_fabric_note(old, new))
    network = [amount(each.network_gbps if each else None, "Gbps") for each in machines]
    yield Said(what="network per node", old=network[0], new=network[1], source=source)
    yield Said(
        what="local NVMe per node",
        old=amount(old.local_nvme_gb, "GB"),
        new=amount(new.local_nvme_gb, "GB"),
        source=source,
        note=HOT,
    )
    yield from _bought(old, new)


def _bought(old: Pool, new: Pool) -> Iterator[Said]:
    """How many nodes, for how long, from where."""
    yield Said(what="bought as", old=words(old.kind), new=words(new.kind), note=_bought_note(old, new))
    yield Said(what="when none is to be had", old=words(old.fallback), new=words(new.fallback))
    yield Said(what="nodes", old=_nodes(old), new=_nodes(new))
    yield Said(what="autoscaled", old=yes(old.min_nodes < old.max_nodes), new=yes(new.min_nodes < new.max_nodes))
    yield Said(what="zones", old=listed(old.zones), new=listed(new.zones))
    yield Said(what="placed close together", old=yes(old.placement_group), new=yes(new.placement_group))
    yield Said(what="burn-in before work", old=yes(old.burn_in), new=yes(new.burn_in))
    yield Said(what="network disk per node", old=amount(old.disk_gb, "GB"), new=amount(new.disk_gb, "GB"))


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


def _built_for(old: Pool, new: Pool) -> str:
    return "images must be built for it" if old.architecture != new.architecture else ""


def _bought_note(old: Pool, new: Pool) -> str:
    if new.kind == "spot" and old.kind != "spot":
        return "may be taken back at short notice: checkpoints must be in place"
    return "what was promised at the source is still paid to its end" if old.kind == "reserved" else ""
