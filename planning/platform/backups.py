"""When a cluster is backed up, how long its backups are kept, and how much they come to in the platform's bucket."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import Support
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOURS_PER_DAY: Final = 24
VERSION_DAYS: Final = 7  # what a user of the bucket deletes or overwrites comes back for so long

# Part of the volumes that changes in a day, which is what a copy adds: Kopia stores the same block once. Our own
# assumption: half, usual and much for volumes of databases and notebooks; atoll outputs tell nothing of it.
CHANGE_PER_DAY: Final = Range(Decimal("0.01"), Decimal("0.03"), Decimal("0.10"))
LOG_MONTHS: Final = 1  # logs kept in the bucket, where no store in the cluster holds them


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSchedule:
    """One schedule of backups.

    Args:
        cron: in UTC.
        every_hours: distance of two runs.
        days: how long a backup is kept.
    """

    name: str
    cron: str
    every_hours: int
    days: int

    @property
    def ttl(self) -> str:
        """How long a backup is kept, as Velero writes it."""
        return f"{self.days * HOURS_PER_DAY}h0m0s"

    @property
    def copies(self) -> int:
        """Backups that are kept at once."""
        return self.days * HOURS_PER_DAY // self.every_hours


def _nightly(*, days: int) -> BackupSchedule:
    return BackupSchedule(
        name="nightly", cron="17 2 * * *", every_hours=HOURS_PER_DAY, days=days
    )  # aside of the full hour


# The more somebody answers for the cluster, the further back it can be set, and the less is lost in between.
PLANS: Final[Mapping[Support, tuple[BackupSchedule, ...]]] = {
    Support.NONE: (_nightly(days=7),),
    Support.AS_NEEDED: (_nightly(days=14),),
    Support.BUSINESS_HOURS: (_nightly(days=30),),
    Support.ALWAYS: (
        _nightly(days=30),
        BackupSchedule(name="six-hourly", cron="47 5,11,17,23 * * *", every_hours=6, days=7),
    ),
}

# Namespaces that the next update makes anew, or whose loss nobody feels: no backup holds them.
MADE_ANEW: Final = (
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "cert-manager",
    "istio-system",
    "velero",
    "observability",
    "node-agents",
    "gpu-operator",
    "gpu-metrics",
    "network-operator",
)


def estimate_backup_gb(plans: Iterable[BackupSchedule], *, disk_gb: int, logs_gb: Range | None = None) -> Range:
    """GB in the bucket: one whole copy of the platform's volumes, what each kept backup adds to it, and the logs.

    Args:
        disk_gb: volumes of the platform. Those that users make are not foreseen.
        logs_gb: logs of a month, where they lie in the bucket.
    """
    kept = tuple(plans)
    copies = Range(*(_whole_copies(kept, change) for change in _readings(CHANGE_PER_DAY))).times(disk_gb)
    return copies if logs_gb is None else copies + logs_gb.times(LOG_MONTHS)


def _readings(quantity: Range) -> tuple[Decimal, Decimal, Decimal]:
    return quantity.min, quantity.expected, quantity.max


def _whole_copies(plans: Iterable[BackupSchedule], change: Decimal) -> Decimal:
    """How many times the volumes lie in the bucket, old versions included."""
    added = sum((change * plan.every_hours / HOURS_PER_DAY * plan.copies for plan in plans), Decimal(0))
    return 1 + added + change * VERSION_DAYS
