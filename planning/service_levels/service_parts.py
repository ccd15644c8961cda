"""The parts of a cluster of which something is promised: their series, and the lines of the bill that they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planning.platform.alerts import availability
from planning.platform.alerts.availability import (
    INCLUDED,
    is_counted_fabric,
    is_counted_tier,
    list_slo_targets,
    object_store,
)
from planning.service_levels.series import Name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import SloTarget
    from planning.spec.lock import Lock

Kind = Literal["nodes", "fabric", "storage", "control_plane"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePart:
    """One of them.

    Args:
        key: "nodes/train", "fabric/train", "storage/warm", "control_plane".
        title: for people.
        series: what was delivered: nodes, or the share of the time.
        owed: of nodes: how many, by pool; None for the others, of which there is one.
        lines: indices of its lines in the lock's bill.
        pools: indices of its pools in the lock's spec.
        counted: whether the annex owes credits for a month of it; what is not counted is shown where it was recorded.
    """

    key: str
    title: str
    kind: Kind
    series: Name
    owed: SloTarget | None = None
    lines: tuple[int, ...]
    pools: tuple[int, ...] = ()
    counted: bool = True

    @property
    def names(self) -> tuple[Name, ...]:
        """Every series that it is reckoned from."""
        return (self.series, Name(availability.OWED, self.series.of)) if self.owed is not None else (self.series,)


def parts_of(lock: Lock) -> tuple[ServicePart, ...]:
    """Every part of the cluster at home, in the order of a report."""
    return tuple(_parts(lock))


def list_unmeasured_placements(lock: Lock) -> tuple[str, ...]:
    """Placements beside home, on which nothing of ours records anything."""
    return tuple(spec.placement.name for spec in lock.placements[1:])


def _parts(lock: Lock) -> Iterator[ServicePart]:
    groups = list_slo_targets(lock.spec)
    for each in groups:
        yield _build_pool_part(lock, each, kind="nodes", metric=availability.HEALTHY, owed=each)
    for each in groups:
        if each.fabric:
            counted = is_counted_fabric(each.fabric)
            yield _build_pool_part(lock, each, kind="fabric", metric=availability.FABRIC, counted=counted)
    for tier in lock.spec.storage:
        if tier.item != INCLUDED:
            title, counted = f"{tier.tier} storage", is_counted_tier(tier)
            yield _build_storage_part(lock, tier.tier, title=title, lines=f"storage/{tier.tier}", counted=counted)
    if store := object_store(lock.spec):
        title = "object store in the cluster"
        yield _build_storage_part(lock, availability.OBJECT_STORE, title=title, lines=f"platform/{store}")
    yield ServicePart(
        key="control_plane",
        title="control plane",
        kind="control_plane",
        series=Name(availability.CONTROL_PLANE),
        lines=_lines(lock, "control_plane"),
    )


def _build_pool_part(
    lock: Lock, group: SloTarget, *, kind: Kind, metric: str, owed: SloTarget | None = None, counted: bool = True
) -> ServicePart:
    return ServicePart(
        key=f"{kind}/{group.pool}",
        title=f"{kind} of {group.pool}",
        kind=kind,
        series=Name(metric, group.pool),
        owed=owed,
        lines=tuple(at for name in group.pools for at in _lines(lock, f"pool/{name}")),
        pools=tuple(at for at, pool in enumerate(lock.spec.pools) if pool.name in group.pools),
        counted=counted,
    )


def _build_storage_part(lock: Lock, name: str, *, title: str, lines: str, counted: bool = True) -> ServicePart:
    return ServicePart(
        key=f"storage/{name}",
        title=title,
        kind="storage",
        series=Name(availability.STORAGE, name),
        lines=_lines(lock, lines),
        counted=counted,
    )


def _lines(lock: Lock, key: str) -> tuple[int, ...]:
    """Lines of a key, its tiers ("#2") and what lies below it."""
    return tuple(
        at for at, line in enumerate(lock.bill) if line.key.partition("#")[0] == key or line.key.startswith(f"{key}/")
    )
