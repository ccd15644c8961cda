"""The `usage` section that measured months give, and a checklist's text with it."""

from __future__ import annotations

import json
import re
from decimal import ROUND_UP, Decimal
from typing import TYPE_CHECKING, Final

from planning.usage.meters import GROWTH, READS, WRITES, format_month
from planning.values.errors import InputError
from planning.values.money import round_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.checklist.model.checklist import Checklist
    from planning.usage.meters import Month
    from planning.values.money import Range

COUNTS: Final = frozenset({WRITES, READS})
OF_COLD: Final = frozenset({GROWTH, WRITES, READS})  # `planning.checklist.rules.money` takes them with a cold tier only
# From "usage:" to its last field: blank lines and comments after that belong to what follows.
SECTION: Final = re.compile(
    r"^usage:(?P<beside>[^\n]*)\n(?P<body>(?:(?:[ \t]*\n|[ \t]*#[^\n]*\n)*[ ]+[^\s#][^\n]*\n)*)", re.MULTILINE
)
FIELD: Final = re.compile(r"(?P<indent> +)(?P<name>\w+):")
INDENT: Final = "  "
LONGEST: Final = 200  # of `Usage.measured`
TENTH: Final = Decimal("0.1")


def fitting(found: Mapping[str, Range], checklist: Checklist) -> dict[str, Range]:
    """What of it the checklist has a place for: what is measured of objects belongs to a cold tier."""
    return {name: each for name, each in found.items() if name not in OF_COLD or checklist.storage.cold is not None}


def block(found: Mapping[str, Range], *, source: str, months: tuple[Month, ...]) -> str:
    """The section as YAML; figures are rounded up, so that no month is foreseen cheaper than it was."""
    span = f", {format_month(months[0])} to {format_month(months[-1])}"
    said = json.dumps(f"{source[: LONGEST - len(span)]}{span}", ensure_ascii=False)
    lines = [f"{INDENT}{usage}: {_spread(usage, found[usage])}" for usage in sorted(found)]
    return "\n".join(["usage:", f"{INDENT}measured: {said}", *lines, ""])


def with_block(text: str, section: str) -> str:
    """A checklist's text with the section in place of the one it has, or at its end; all else stays as it is.

    Fields of the old section that the new one does not have are kept: a bill does not measure everything.

    Raises:
        InputError: the old section stands on one line.
    """
    whole = text if text.endswith("\n") else f"{text}\n"
    there = SECTION.search(whole)
    if there is None:
        return f"{whole}\n{section}"
    beside = there["beside"].partition("#")[0].strip()
    if beside not in {"", "{}", "null", "~"}:
        raise InputError(
            f"usage stands on one line: {beside[:60]}", hint="write each of its fields on a line of its own"
        )
    new = {field["name"] for line in section.splitlines() if (field := FIELD.match(line))}
    kept = "".join(entry for name, entry in _fields(there["body"]) if name not in new)
    return f"{whole[: there.start()]}{section}{kept}{whole[there.end() :]}"


def _fields(body: str) -> Iterator[tuple[str, str]]:
    """Fields of a section by name, with the lines that belong to each, indented as ours are."""
    first = next((field for line in body.splitlines() if (field := FIELD.match(line))), None)
    if first is None:
        return
    indent, name = first["indent"], ""
    lines: list[str] = []
    for line in body.splitlines():
        field = FIELD.match(line)
        if field is not None and field["indent"] == indent:
            if name:
                yield name, "".join(lines)
            name, lines = field["name"], []
        lines.append(f"{INDENT}{line.removeprefix(indent)}\n" if line.strip() else "\n")
    yield name, "".join(lines)


def _spread(usage: str, amounts: Range) -> str:
    parts = zip(("low", "expected", "high"), amounts.readings, strict=True)
    return "{" + ", ".join(f"{name}: {_amount(usage, amount)}" for name, amount in parts) + "}"


def _amount(usage: str, amount: Decimal) -> str:
    if usage in COUNTS:
        return str(amount.to_integral_value(ROUND_UP))
    return f"{round_to(amount, TENTH, rounding=ROUND_UP).normalize():f}GB"
