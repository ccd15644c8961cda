"""Limits of one figure with their reason, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from catalogs.model import Promise

CHECKLIST: Final = "checklist.yaml "  # prefix of the source of an agreed limit; its path in the checklist follows
NOTHING_TO_HOLD: Final = "no figure is promised for this"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceLimit:
    """Limits of one reading. Without `least` and `most` it cannot be judged, and `why` says what is missing.

    Args:
        reading: name of the reading in the record.
        least: below it the check fails.
        most: above it the check fails.
        theory: what `least` is a share of: a peak, a label, the slowest link.
        bound: physical limit of the hardware, above which a figure is not credible.
        why: what the limits follow from, or what is unknown.
        source: id of sources.csv, or file and path of an agreed limit; "" where nothing is known.
        beyond: why a figure below `least` does not prove a fault; "" where it does.
        optional: neither promised nor stated in the catalog: noted and never judged.
    """

    reading: str
    unit: str
    least: Decimal | None = None
    most: Decimal | None = None
    theory: Decimal | None = None
    bound: Decimal | None = None
    why: str
    source: str = ""
    beyond: str = ""
    optional: bool = False

    @property
    def known(self) -> bool:
        return self.least is not None or self.most is not None

    @property
    def agreed_at(self) -> str:
        """Path of an agreed limit in the checklist; "" for other limits."""
        return self.source.removeprefix(CHECKLIST) if self.source.startswith(CHECKLIST) else ""


def build_unjudged_limit(*, reading: str, unit: str) -> AcceptanceLimit:
    return AcceptanceLimit(reading=reading, unit=unit, why=NOTHING_TO_HOLD, optional=True)


def plain(value: Decimal) -> str:
    """Format a figure: "1,250", "356.24", "0.5"; two decimals at most."""
    rounded = value.quantize(Decimal("0.01")) if abs(value) < 10**12 else value
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: Promise) -> str:
    """Format a share: "80%"."""
    return f"{plain(share.value * 100)}%"
