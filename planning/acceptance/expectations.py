"""Expectations of a cluster, from the lock, the catalog and the promises; decision 0027 has the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import CHECKLIST
from planning.acceptance.node_limits import ExpectedPool, pools_of
from planning.acceptance.storage_limits import ExpectedTier, tiers_of
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

DNS: Final = "dns"
EGRESS: Final = "egress"
PEERING: Final = "peering"


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """A check of a network or a service that passes where it finds no fault.

    Args:
        check: "dns", "egress", "peering" or "smoke".
        subject: "network/home/dns", "service/home/mlflow".
    """

    check: str
    subject: str
    placement: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """Everything that an acceptance measures, with its limits.

    Args:
        pools: pools with accelerators, of every placement.
        once: networks and services.
        share: minimum, as a share of the theory, and of the median of the other nodes of a pool.
        burn_in_hours: minimum length of the burn-in, agreed or promised, of pools with `burn_in`.
    """

    stack: str
    option: str
    pools: tuple[ExpectedPool, ...]
    tiers: tuple[ExpectedTier, ...]
    once: tuple[Once, ...]
    share: Decimal
    burn_in_hours: Decimal
    burn_in_source: str

    def find_pool(self, *, placement: str, name: str) -> ExpectedPool | None:
        return next((each for each in self.pools if (each.placement, each.name) == (placement, name)), None)


def build_expectations(lock: Lock, catalog: Catalog, checklist: Checklist) -> Expectations:
    """Build the expectations of a stack.

    Raises:
        KeyError: promises.csv lacks a promise, a bug.
    """
    agreed = checklist.agreement.burn_in_hours
    promised = catalog.promises["burn_in"]
    return Expectations(
        stack=lock.stack,
        option=lock.option,
        pools=tuple(pool for spec in lock.placements for pool in pools_of(spec, catalog, checklist)),
        tiers=tuple(tier for spec in lock.placements for tier in tiers_of(spec, catalog, checklist.agreement)),
        once=tuple(each for spec in lock.placements for each in _once(spec)),
        share=catalog.promises["all_reduce_share"].value,
        burn_in_hours=agreed if agreed is not None else promised.value,
        burn_in_source=f"{CHECKLIST}agreement.burn_in_hours" if agreed is not None else promised.source,
    )


def _once(spec: ClusterSpec) -> tuple[Once, ...]:
    place = spec.placement.name
    checks = [(DNS, "names are resolved"), (EGRESS, "egress is open")]
    if spec.network.peering is not None or spec.network.link is not None:
        checks.append((PEERING, "the main network is reached"))
    networks = [
        Once(check=check, subject=subject(Per.NETWORK, check, placement=place), placement=place, title=title)
        for check, title in checks
    ]
    services = [
        Once(check="smoke", subject=subject(Per.SERVICE, name, placement=place), placement=place, title=title)
        for name, title in services_of(spec).items()
    ]
    return (*networks, *services)


# Service to its platform components, of which one must be installed, and to what its smoke test shows.
SMOKES: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "notebook": (("notebooks",), "a notebook starts"),
    "pipeline": (("pipelines",), "a pipeline runs to its end"),
    "training": (("trainer",), "a training job runs to its end"),
    "sweep": (("katib",), "a sweep finds its best trial"),
    "serving": (("kserve",), "a model answers"),
    "mlflow": (("mlflow",), "a run is logged and read back"),
    "s3": (("minio", "seaweedfs"), "an object is written, read and removed"),
}


def services_of(spec: ClusterSpec) -> Mapping[str, str]:
    """Services of a cluster to what their smoke tests show; none on a cluster without a platform."""
    if spec.platform is None:
        return {}
    installed = {part.name for part in spec.platform.parts}
    return {name: title for name, (parts, title) in SMOKES.items() if installed & set(parts)}
