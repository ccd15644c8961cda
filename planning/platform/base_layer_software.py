"""Software beneath the platform: what the builder of a target installs itself, and the ways into every cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.software.reader import software
from planning.platform.autoscaling import elastic_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalogs.software.model import Part
    from planning.spec.cluster import ClusterSpec

WAYS: Final = "ways"  # what `built_by` calls the ways in and out, which every cluster has
AUTOSCALER: Final = frozenset({"karpenter_crd", "karpenter"})  # only where nodes come and go


def beneath(placements: Iterable[ClusterSpec]) -> tuple[Part, ...]:
    """Rows of the software catalog that some clusters have without a platform asking for them, each once."""
    found = {part.name: part for spec in placements for part in _of(spec)}
    return tuple(found.values())


def _of(spec: ClusterSpec) -> Iterable[Part]:
    elastic = any(elastic_nodes(pool) for pool in spec.pools)
    for part in software().values():
        if part.built_by in (WAYS, spec.placement.target) and (elastic or part.name not in AUTOSCALER):
            yield part
