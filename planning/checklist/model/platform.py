"""The checklist's platform: how much of it is installed, from where, and how it shares what there is."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import Field

from planning.checklist.model.units import Count, Gigabytes, Whole
from planning.checklist.model.workload import ChecklistModel
from planning.values.money import Range

PART_NAMES: Final = r"^[a-z][a-z0-9_]*$"
PartName = Annotated[str, Field(pattern=PART_NAMES)]


class PlatformAsk(ChecklistModel):
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
    """A notebook that was idle for so long is stopped; its volume stays."""
    sharing: Literal["none", "time_slicing", "mig"] = "none"
    """How one accelerator serves several notebooks."""
    mig_profile: str | None = None
    """Slices that accelerators are cut into, as in "all-1g.10gb"; for `sharing: mig`."""
    handover: Literal["none", "argo_cd"] = "none"
    """Who goes on installing: Atoll, or Argo CD from the customer's own repository."""


class Volume(ChecklistModel):
    """Volumes of three months."""

    low: Gigabytes
    """In a quiet month."""
    expected: Gigabytes
    """In a usual month."""
    high: Gigabytes
    """In a busy month."""

    def as_range(self) -> Range:
        """GB as a range.

        Raises:
            ValueError: they do not rise.
        """
        return Range(self.low, self.expected, self.high)


class Requests(ChecklistModel):
    """Numbers of requests in three months."""

    low: Count
    """In a quiet month."""
    expected: Count
    """In a usual month."""
    high: Count
    """In a busy month."""

    def thousands(self) -> Range:
        """Thousands of requests, which is how they are sold.

        Raises:
            ValueError: they do not rise.
        """
        return Range(self.low, self.expected, self.high).times(Decimal(1) / 1000)


class Usage(ChecklistModel):
    """What is paid by use, measured or foreseen; each replaces the single figure of another section."""

    egress: Volume | None = None
    """Volume to the internet in a month; replaces traffic.egress_per_month and its max."""
    ingress: Volume | None = None
    """Volume from the internet in a month; replaces traffic.ingress_per_month."""
    peering: Volume | None = None
    """Volume over the peering in a month; replaces main_cloud.peering_per_month."""
    logs: Volume | None = None
    """Volume of log ingestion; replaces traffic.logs_per_month."""
    growth: Volume | None = None
    """Volume by which the cold tier grows in a month; billed as it lies there over the contract, or over a year."""
    writes: Requests | None = None
    """Requests that write or list objects of the cold tier in a month."""
    reads: Requests | None = None
    """Requests that read objects of the cold tier in a month."""
    measured: str | None = Field(default=None, max_length=200)
    """Where the figures are from, as `atoll usage import` writes it; none where they are foreseen."""
