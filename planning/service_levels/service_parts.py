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
    from planning.spec.cluster import ClusterSpec
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
    owed: SloTarget | None
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
        yield ServicePart(
            key=f"nodes/{each.pool}",
            title=f"nodes of {each.pool}",
            kind="nodes",
            series=Name(availability.HEALTHY, each.pool),
            owed=each,
            lines=_pool_lines(lock, each),
            pools=_pools(lock.spec, each),
        )
    for each in groups:
        if each.fabric:
            yield ServicePart(
                key=f"fabric/{each.pool}",
                title=f"fabric of {each.pool}",
                kind="fabric",
                series=Name(availability.FABRIC, each.pool),
                owed=None,
                lines=_pool_lines(lock, each),
                pools=_pools(lock.spec, each),
                counted=is_counted_fabric(each.fabric),
            )
    yield from _storage(lock)
    yield ServicePart(
        key="control_plane",
        title="control plane",
        kind="control_plane",
        series=Name(availability.CONTROL_PLANE),
        owed=None,
        lines=_lines(lock, "control_plane"),
    )


def _storage(lock: Lock) -> Iterator[ServicePart]:
    for tier in lock.spec.storage:
        if tier.item != INCLUDED:
            yield ServicePart(
                key=f"storage/{tier.tier}",
                title=f"{tier.tier} storage",
                kind="storage",
                series=Name(availability.STORAGE, tier.tier),
                owed=None,
                lines=_lines(lock, f"storage/{tier.tier}"),
                counted=is_counted_tier(tier),
            )
    if store := object_store(lock.spec):
        yield ServicePart(
            key=f"storage/{availability.OBJECT_STORE}",
            title="object store in the cluster",
            kind="storage",
            series=Name(availability.STORAGE, availability.OBJECT_STORE),
            owed=None,
            lines=_lines(lock, f"platform/{store}"),
        )


def _pools(spec: ClusterSpec, each: SloTarget) -> tuple[int, ...]:
    return tuple(at for at, pool in enumerate(spec.pools) if pool.name in each.pools)


def _pool_lines(lock: Lock, each: SloTarget) -> tuple[int, ...]:
    return tuple(at for name in each.pools for at in _lines(lock, f"pool/{name}"))


def _lines(lock: Lock, key: str) -> tuple[int, ...]:
    """Lines of a key, its tiers ("#2") and what lies below it."""
    return tuple(
        at for at, line in enumerate(lock.bill) if line.key.partition("#")[0] == key or line.key.startswith(f"{key}/")
    )
