"""Axes: USD to pixels, with round ticks."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

STEPS: Final = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight axis from 0 to `most`, `width` pixels long, starting at pixel `left`."""

    most: Decimal
    left: float
    width: float

    def at(self, amount: Decimal) -> float:
        """Pixel of an amount."""
        return self.left + self.width * float(amount / self.most)

    @property
    def ticks(self) -> tuple[Decimal, ...]:
        """Round amounts from 0 up to `most`."""
        step = tick_step(self.most)
        return tuple(step * number for number in range(int(self.most / step) + 1))


def tick_step(most: Decimal) -> Decimal:
    """The smallest round step that needs no more than `MOST_TICKS` ticks."""
    magnitude = Decimal(10) ** (most.adjusted() - 1)
    return next(
        magnitude * step * grade
        for grade in (1, 10)
        for step in STEPS
        if most / (magnitude * step * grade) <= MOST_TICKS
    )


def scale(most: Decimal, *, left: float, width: float) -> Scale:
    """An axis that reaches at least `most`, ending on a tick."""
    reach = max(most, Decimal("0.01"))
    step = tick_step(reach)
    return Scale(step * (reach / step).to_integral_value(ROUND_CEILING), left, width)
