"""Software beneath the platform: what the builder of a target installs itself, and the ways into every cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.software.reader import parts, software

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from catalogs.software.model import SoftwareComponent
    from planning.spec.cluster import ClusterSpec, Pool


# Only Karpenter starts on-demand machines where spot has none, and starts nothing where a capacity block has ended.
KARPENTER_ONLY: Final = frozenset({"spot", "capacity_block"})


def count_fixed_nodes(pool: Pool) -> int:
    """Nodes of the managed node group; all of the system pool."""
    # Karpenter itself runs there, and cannot start the node that it needs.
    if pool.role == "system":
        return pool.max_nodes
    return 0 if pool.kind in KARPENTER_ONLY else pool.min_nodes


def elastic_nodes(pool: Pool) -> int:
    """Nodes that Karpenter may start at most."""
    return pool.max_nodes - count_fixed_nodes(pool)


WAYS: Final = "ways"  # what `built_by` calls the ways in and out, which every cluster has
AUTOSCALER: Final = frozenset({"karpenter_crd", "karpenter"})  # only where nodes come and go


def list_base_layer_software(placements: Iterable[ClusterSpec]) -> tuple[SoftwareComponent, ...]:
    """Rows of the software catalog that some clusters have without a platform asking for them, each once."""
    found = {part.name: part for spec in placements for part in _of(spec)}
    return tuple(found.values())


def _of(spec: ClusterSpec) -> Iterable[SoftwareComponent]:
    elastic = any(elastic_nodes(pool) for pool in spec.pools)
    for part in software().values():
        if part.built_by in (WAYS, spec.placement.target) and (elastic or part.name not in AUTOSCALER):
            yield part


def describe_untested_versions(versions: Mapping[str, str]) -> tuple[str, ...]:
    """What is said of each part, name to version, whose version is not the catalog's: values are written for that."""
    said: list[str] = []
    for name, version in versions.items():
        known = parts().get(name)
        if known is None:
            said.append(f"{name} {version}, which this Atoll does not know")
        elif known.version != version:
            said.append(f"{name} {version}, which was tested at {known.version}")
    return tuple(said)
