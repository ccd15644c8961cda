"""What one figure is held to, and why; or why nobody can say what it should be."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from catalogs.model import Promise

CHECKLIST: Final = "checklist.yaml "  # how the source of what was agreed begins; its path in the checklist follows
NOTHING_TO_HOLD: Final = "nobody has promised a figure for this"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceLimit:
    """The bounds of one reading. Without `least` and `most` it cannot be judged, and `why` says for want of what.

    Args:
        reading: name of the reading in the record.
        unit: of every figure here.
        least: below it the check fails.
        most: above it the check fails.
        theory: what the least is a share of: a peak, a label, the slowest link.
        bound: above it a figure is not believable, because the hardware cannot do it.
        why: what it follows from, or what is not known.
        source: id of sources.csv, or file and path of what was agreed; "" where nothing is known.
        beyond: why a figure below `least` is no proof of a fault; "" where it is one.
        optional: nobody promised it and the catalog does not state it anywhere, so it is noted and never judged.
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
        """Path in the checklist of what was agreed; "" where the limit follows from something else."""
        return self.source.removeprefix(CHECKLIST) if self.source.startswith(CHECKLIST) else ""


def build_unjudged_limit(*, reading: str, unit: str) -> AcceptanceLimit:
    """A figure that is written down, and that nothing was promised of."""
    return AcceptanceLimit(reading=reading, unit=unit, why=NOTHING_TO_HOLD, optional=True)


def plain(value: Decimal) -> str:
    """A figure in words: "1,250", "356.24", "0.5"; two places at most."""
    rounded = value.quantize(Decimal("0.01")) if abs(value) < 10**12 else value
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: Promise) -> str:
    """A share in words: "80%"."""
    return f"{plain(share.value * 100)}%"
