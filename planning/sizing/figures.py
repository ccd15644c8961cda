"""How a figure is written down."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.sizing.demand import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_WRITTEN_OUT: Final = Decimal(10**15)

Term = Decimal | int | str | None


def figure(
    *,
    subject: str,
    name: str,
    value: Decimal | int,
    unit: str,
    formula: str,
    inputs: Mapping[str, Term],
    source: str,
) -> Figure:
    """A figure that could be computed. `inputs` in the order of the formula."""
    return Figure(
        subject=subject,
        name=name,
        value=Decimal(value),
        unit=unit,
        formula=formula,
        inputs=tuple((term, as_text(given)) for term, given in inputs.items()),
        source=source,
    )


def unknown(*, subject: str, name: str, unit: str, missing: str, source: str) -> Figure:
    """A figure that cannot be computed. `missing` says what to write into the checklist."""
    return Figure(
        subject=subject,
        name=name,
        value=None,
        unit=unit,
        formula=f"cannot be computed: give {missing}",
        inputs=(),
        source=source,
    )


def as_text(given: Term) -> str:
    """A term as a reader writes it: 80000000000, not 8.0E+10; but 8.4e23, not 24 digits."""
    if isinstance(given, Decimal):
        return f"{given.normalize():f}" if abs(given) < LONGEST_WRITTEN_OUT else _as_power(given)
    return "not given" if given is None else str(given)


def _as_power(given: Decimal) -> str:
    digits, _, power = f"{given:.3e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}e{power.removeprefix('+')}"
