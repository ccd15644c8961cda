"""The `usage` section that measured months give, and a checklist's text with it."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal
from typing import TYPE_CHECKING, Final

from planning.spent.meters import READS, WRITES
from planning.spent.months import named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.money import Range
    from planning.spent.months import Month

COUNTS: Final = frozenset({WRITES, READS})
SECTION: Final = re.compile(r"^usage:.*\n(?:(?:[ \t#].*|[ \t]*)\n)*", re.MULTILINE)
TENTH: Final = Decimal("0.1")


def block(found: Mapping[str, Range], *, source: str, months: tuple[Month, ...]) -> str:
    """The section as YAML; figures are rounded up, so that no month is foreseen cheaper than it was."""
    span = f"{named(months[0])} to {named(months[-1])}"
    lines = [f"  {usage}: {_spread(usage, found[usage])}" for usage in sorted(found)]
    return "\n".join(["usage:", f'  measured: "{source}, {span}"', *lines, ""])


def with_block(text: str, section: str) -> str:
    """A checklist's text with the section in place of the one it has, or at its end; all else stays as it is."""
    kept = text if text.endswith("\n") else f"{text}\n"
    there = SECTION.search(kept)
    if there is None:
        return f"{kept}\n{section}"
    after = "\n" if kept[there.end() :].strip() else ""
    return f"{kept[: there.start()]}{section}{after}{kept[there.end() :]}"


def _spread(usage: str, amounts: Range) -> str:
    parts = zip(("low", "expected", "high"), (amounts.min, amounts.expected, amounts.max), strict=True)
    return "{" + ", ".join(f"{name}: {_amount(usage, amount)}" for name, amount in parts) + "}"


def _amount(usage: str, amount: Decimal) -> str:
    if usage in COUNTS:
        return str(amount.to_integral_value(ROUND_UP))
    return f"{amount.quantize(TENTH, ROUND_UP).normalize():f}GB"
