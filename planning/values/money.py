"""Amounts: USD as Decimal, a month of 730 hours, and ranges that carry min, expected and max together."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Final, Self

HOURS_PER_MONTH = Decimal(730)  # 8,760 h / 12, the month of every cloud price list (research/cost.md §1.1)
CENT = Decimal("0.01")
ZERO = Decimal(0)
# A checklist may say numbers of 30 digits, and products of them are shown to cents: Python's own context has 28 digits
# and refuses to round what has more (docs.python.org/3/library/decimal.html, Decimal.quantize).
WIDE: Final = Context(prec=200)
LARGEST_READ: Final = Decimal(10) ** 15  # of a text from outside; what is larger is no amount of money


@dataclass(frozen=True, slots=True)
class Range:
    """Three readings of one quantity or amount, `min <= expected <= max`.

    Raises:
        ValueError: when they are out of order.
    """

    min: Decimal
    expected: Decimal
    max: Decimal

    def __post_init__(self) -> None:
        if not self.min <= self.expected <= self.max:
            raise ValueError(f"a range must rise: {self.min}, {self.expected}, {self.max}")

    @property
    def readings(self) -> tuple[Decimal, Decimal, Decimal]:
        return self.min, self.expected, self.max

    @classmethod
    def exactly(cls, value: Decimal | int) -> Self:
        amount = Decimal(value)
        return cls(amount, amount, amount)

    def __add__(self, other: Range) -> Range:
        return _in_order(self.min + other.min, self.expected + other.expected, self.max + other.max)

    def times(self, factor: Decimal | int) -> Range:
        make = _in_order if factor >= 0 else Range
        return make(self.min * factor, self.expected * factor, self.max * factor)

    def by(self, other: Range) -> Range:
        """Reading by reading, of quantities that are not negative."""
        return Range(self.min * other.min, self.expected * other.expected, self.max * other.max)

    def per(self, divisor: Decimal | int) -> Range:
        return Range(self.min / divisor, self.expected / divisor, self.max / divisor)

    def up_to(self, most: Decimal) -> Range:
        """This range with a larger reading of `max`, where it is larger."""
        return _in_order(self.min, self.expected, max(self.max, most))


_new: Final = object.__new__
_set_min, _set_expected, _set_max = (vars(Range)[name].__set__ for name in ("min", "expected", "max"))


def _in_order(least: Decimal, expected: Decimal, most: Decimal) -> Range:
    """A range of readings that cannot be out of order: a quote makes thousands, mostly to check them."""
    made = _new(Range)
    _set_min(made, least)
    _set_expected(made, expected)
    _set_max(made, most)
    return made


NOTHING = Range.exactly(0)


def parse_amount(text: str | None) -> Decimal | None:
    """The number in a text; None where there is none that money can be."""
    try:
        value = Decimal(text or "")
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < LARGEST_READ else None


def to_cents(usd: Decimal) -> Decimal:
    """The amount rounded half up to cents: the one rounding, done when an amount is shown, never before."""
    return round_to(usd, CENT, rounding=ROUND_HALF_UP)


def round_to(value: Decimal, step: Decimal, *, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """A number to the digits of `step`, however long it is."""
    return value.quantize(step, rounding=rounding, context=WIDE)
