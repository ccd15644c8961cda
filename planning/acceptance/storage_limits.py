"""Limits of storage tiers: data loading, checkpoints, code, and many small files."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.measurements import tier_speeds
from planning.acceptance.limits import CHECKLIST, AcceptanceLimit, build_unjudged_limit, percent, plain
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.model import Promise
    from planning.checklist.model.agreement import Agreement
    from planning.spec.cluster import ClusterSpec, Tier

FILES: Final = ("hot", "warm")  # tiers that are file systems; the smoke test of a service covers objects
GB_PER_TIB: Final = Decimal(2**40) / 10**9
SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTier:
    """One tier that is mounted as a file system.

    Args:
        subject: of its records, "tier/home/warm".
        loader: MB/s that all nodes together read.
        checkpoint: MB/s that all nodes together write.
        code: IOPS of reads and writes of 4 KiB.
        small_files: seconds to create, read and remove many small files.
    """

    subject: str
    placement: str
    tier: str
    engine: str
    provisioned_gb: int
    loader: AcceptanceLimit
    checkpoint: AcceptanceLimit
    code: tuple[AcceptanceLimit, ...]
    small_files: tuple[AcceptanceLimit, ...]


def tiers_of(spec: ClusterSpec, catalog: Catalog, agreement: Agreement) -> tuple[ExpectedTier, ...]:
    files = [tier for tier in spec.storage if tier.tier in FILES]
    return tuple(_tier(tier, spec=spec, catalog=catalog, agreement=agreement) for tier in files)


def _tier(tier: Tier, *, spec: ClusterSpec, catalog: Catalog, agreement: Agreement) -> ExpectedTier:
    place = spec.placement
    settled = list_agreed_limits(agreement, placement=place.name, tier=tier.tier)
    sold = partial(throughput, tier, provider=place.provider, share=catalog.promises["all_reduce_share"])
    return ExpectedTier(
        subject=subject(Per.TIER, tier.tier, placement=place.name),
        placement=place.name,
        tier=tier.tier,
        engine=tier.engine,
        provisioned_gb=tier.provisioned_gb,
        loader=settled.get("read") or sold(reading="read"),
        checkpoint=settled.get("write") or sold(reading="write"),
        code=(build_unjudged_limit(reading="read", unit="IOPS"), build_unjudged_limit(reading="write", unit="IOPS")),
        small_files=(
            _seconds("create", catalog.promises["slow_environment"]),
            _seconds("read", catalog.promises["slow_import"]),
            build_unjudged_limit(reading="remove", unit="s"),
        ),
    )


def list_agreed_limits(agreement: Agreement, *, placement: str, tier: str) -> dict[str, AcceptanceLimit]:
    """Limits that provider and customer agreed on, by reading; they are due in full."""
    found: dict[str, AcceptanceLimit] = {}
    for at, each in enumerate(agreement.tier_speeds):
        if (each.placement, each.tier) != (placement, tier):
            continue
        for reading, value in (("read", each.read_mb_per_s), ("write", each.write_mb_per_s)):
            path = f"agreement.tier_speeds.{at}.{reading}_mb_per_s"
            why = f"agreed on in the checklist, {path}"
            if value is not None:
                found[reading] = AcceptanceLimit(
                    reading=reading, unit="MB/s", least=value, why=why, source=f"{CHECKLIST}{path}"
                )
    return found


def calculate_sold_throughput(tier: Tier, *, provider: str) -> Decimal | None:
    """MB/s that a whole tier is sold with; None where the provider publishes none."""
    sold = tier_speeds().get((provider, tier.tier))
    return None if sold is None else sold.mb_per_s_per_tib * tier.provisioned_gb / GB_PER_TIB


def throughput(tier: Tier, *, reading: str, provider: str, share: Promise) -> AcceptanceLimit:
    """MB/s of a whole tier: a share of what it is sold with."""
    sold, whole = tier_speeds().get((provider, tier.tier)), calculate_sold_throughput(tier, provider=provider)
    if sold is None or not whole:
        return AcceptanceLimit(
            reading=reading, unit="MB/s", why=f"no throughput of {tier.engine} is published: agree on a figure"
        )
    return AcceptanceLimit(
        reading=reading,
        unit="MB/s",
        least=whole * share.value,
        theory=whole,
        why=f"{percent(share)} of {plain(whole)} MB/s: {plain(sold.mb_per_s_per_tib)} MB/s for each TiB provisioned",
        source=sold.source,
    )


def _seconds(reading: str, promise: Promise) -> AcceptanceLimit:
    """A limit below the duration of a known complaint."""
    return AcceptanceLimit(
        reading=reading,
        unit="s",
        most=promise.value * SECONDS,
        why=f"less than {plain(promise.value)} minutes, which was too slow",
        source=promise.source,
    )
