"""Parts of a cluster with a service level: their series, and their lines of the bill."""

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
    """A part.

    Args:
        key: "nodes/train", "fabric/train", "storage/warm", "control_plane".
        series: delivered nodes, or share of the time.
        owed: committed nodes of a pool; None for other kinds.
        lines: indices in the lock's bill.
        pools: indices in the lock's spec.
        counted: whether the annex grants credits for it; other parts are shown where they were recorded.
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
        """Every series that its availability is calculated from."""
        return (self.series, Name(availability.OWED, self.series.of)) if self.owed is not None else (self.series,)


def list_parts(lock: Lock) -> tuple[ServicePart, ...]:
    """Parts of the primary placement, in the order of the report."""
    return tuple(_parts(lock))


def list_unmeasured_placements(lock: Lock) -> tuple[str, ...]:
    """Additional placements, on which no series are recorded."""
    # Prometheus runs in the primary cluster alone.
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
    """Lines of a key, of its price tiers ("#2"), and of keys below it."""
    return tuple(
        at for at, line in enumerate(lock.bill) if line.key.partition("#")[0] == key or line.key.startswith(f"{key}/")
    )
