"""The platform as it was decided: which software, from where, for whom."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from planning.checklist.model.people import SingleSignOn
from planning.spec.model import SpecModel


class PlatformComponent(SpecModel):
    """One platform part, at an exact version."""

    name: str
    """Word of `catalogs/software/parts.csv`, which the program builds it by."""
    title: str
    kind: Literal["chart", "kustomize", "objects"]
    chart: str
    """Name of the chart; of manifests their paths, at spaces."""
    repository: str
    version: str
    ref: str
    """Commit of manifests; "" else."""
    namespace: str
    needs: tuple[str, ...] = ()
    """Installed parts that must be there before."""
    disk_gb: int = 0
    """Network disks of its volumes."""


class Skipped(SpecModel):
    """A part that is not installed, and why."""

    name: str
    title: str
    reason: str


class Work(SpecModel):
    """A workload as what runs on top of the cluster sees it."""

    name: str
    kind: str
    frameworks: tuple[str, ...]
    spot: bool = False


class Quota(SpecModel):
    """What a team is guaranteed of a node pool."""

    pool: str
    accelerators: int


class TeamShare(SpecModel):
    """A team: its namespaces are those of its workloads."""

    name: str
    group: str = ""
    """Group at the identity provider; "" where its people are named one by one."""
    workloads: tuple[str, ...]
    quotas: tuple[Quota, ...] = ()
    usd_per_month: Decimal | None = None


class Forwarding(SpecModel):
    """The main cloud, where logs and metrics are visible too."""

    provider: str
    region: str
    account: str | None


class Platform(SpecModel):
    """Everything that is installed on the cluster of the primary placement."""

    release: str
    """Name of the tested tuple."""
    size: Literal["small", "standard", "full"]
    parts: tuple[PlatformComponent, ...]
    """In the order of the catalog, which is not yet the order of installation: see `needs`."""
    skipped: tuple[Skipped, ...] = ()
    works: tuple[Work, ...] = ()
    teams: tuple[TeamShare, ...] = ()
    object_store: Literal["minio", "seaweedfs", "provider"] = "minio"
    sso: SingleSignOn | None = None
    mirror: str = ""
    """Folder or registry that everything is taken from; "" for the sources themselves."""
    digests: Literal["shown", "required"] = "shown"
    idle_minutes: int = 60
    sharing: Literal["none", "time_slicing", "mig"] = "none"
    mig_profile: str = ""
    handover: Literal["none", "argo_cd"] = "none"
    scale_to_zero: bool = False
    slo_percent: Decimal | None = None
    forwarding: Forwarding | None = None

    def part(self, name: str) -> PlatformComponent | None:
        """The part of that name, where it is installed."""
        return next((each for each in self.parts if each.name == name), None)
