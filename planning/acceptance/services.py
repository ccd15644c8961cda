"""Which services of a cluster must do their work once: those that are installed, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import ClusterSpec

SMOKES: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "notebook": (("notebooks",), "a notebook starts"),
    "pipeline": (("pipelines",), "a pipeline runs to its end"),
    "training": (("trainer",), "a training job runs to its end"),
    "sweep": (("katib",), "a sweep finds its best trial"),
    "serving": (("kserve",), "a model answers"),
    "mlflow": (("mlflow",), "a run is logged and read back"),
    "s3": (("minio", "seaweedfs"), "an object is written, read and removed"),
}
"""Service to the platform parts of which one must be there, and what it has to do."""


def services_of(spec: ClusterSpec) -> Mapping[str, str]:
    """Name of each service of a cluster, to what it has to do; none on a cluster that only takes jobs."""
    if spec.platform is None:
        return {}
    installed = {part.name for part in spec.platform.parts}
    return {name: title for name, (parts, title) in SMOKES.items() if installed & set(parts)}
