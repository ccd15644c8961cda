"""The checklist's platform: how much of it is installed, from where, and how it shares what there is."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from planning.checklist.model.units import Whole
from planning.checklist.model.workload import Strict

PART_NAMES: Final = r"^[a-z][a-z0-9_]*$"
PartName = Annotated[str, Field(pattern=PART_NAMES)]


class PlatformAsk(Strict):
    """What is installed on the cluster."""

    size: Literal["small", "standard", "full"] | None = None
    """How much of it; none: small where there are only notebooks, else standard."""
    extra: tuple[PartName, ...] = ()
    """Parts beyond that size, by their names in `atoll software`."""
    without: tuple[PartName, ...] = ()
    """Parts that are left out."""
    object_store: Literal["minio", "seaweedfs", "provider"] = "minio"
    """What keeps objects: in the cluster, or the provider's own buckets."""
    mirror: str | None = Field(default=None, min_length=1)
    """Folder or registry ("oci://...") that every chart, manifest and image is taken from instead of its source."""
    digests: Literal["shown", "required"] = "shown"
    """Whether software whose digest is not resolved is only named, or refused."""
    idle_minutes: Whole = Field(default=60, ge=5)
    """A notebook that nobody used for so long is stopped; its volume stays."""
    sharing: Literal["none", "time_slicing", "mig"] = "none"
    """How one accelerator serves several notebooks."""
    mig_profile: str | None = None
    """Slices that accelerators are cut into, as in "all-1g.10gb"; for `sharing: mig`."""
    handover: Literal["none", "argo_cd"] = "none"
    """Who goes on installing: Atoll, or Argo CD from the customer's own repository."""
