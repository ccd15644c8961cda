"""Exclusions: time that is not counted as a failure, and the reasons for which one is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, final

from planning.inputs.faults import nearest
from planning.inputs.yaml_document import YamlText
from planning.inputs.yaml_nodes import Fields, Items, Scalar
from planning.values.errors import InputError
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.inputs.yaml_nodes import Node
    from planning.service_levels.month import Month


ALL: Final = "all"


class Cause(StrEnum):
    MAINTENANCE = "maintenance"
    CUSTOMER = "customer"
    FORCE_MAJEURE = "force_majeure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """An exclusion of the file; times are seconds since 1970.

    Args:
        component: key of a part, or "all".
        notice: time of the announcement; None without one.
    """

    cause: Cause
    component: str
    start: int
    end: int
    reason: str
    notice: int | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Time that is excluded."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExclusion:
    """An exclusion, and why it is refused; "" where it is accepted."""

    exclusion: Exclusion
    refused: str

    def holds_for(self, part: str) -> bool:
        return not self.refused and self.exclusion.component in {ALL, part}


def judge_exclusions(
    exclusions: Iterable[Exclusion], *, month: Month, notice_hours: Decimal | None
) -> tuple[JudgedExclusion, ...]:
    """Accept or refuse exclusions.

    Args:
        notice_hours: agreement.maintenance_notice_hours; without it no maintenance is excluded.
    """
    return tuple(
        JudgedExclusion(exclusion=each, refused=_refusal(each, month=month, notice_hours=notice_hours))
        for each in exclusions
    )


def merge_windows(found: Sequence[JudgedExclusion], part: str) -> tuple[Window, ...]:
    """Accepted exclusions of a part, in order of time, with overlaps merged."""
    holding = sorted((each.exclusion.start, each.exclusion.end) for each in found if each.holds_for(part))
    merged: list[Window] = []
    for start, end in holding:
        if merged and start <= merged[-1].end:
            merged[-1] = Window(start=merged[-1].start, end=max(end, merged[-1].end))
        else:
            merged.append(Window(start=start, end=end))
    return tuple(merged)


def _refusal(each: Exclusion, *, month: Month, notice_hours: Decimal | None) -> str:
    if each.end <= month.start or each.start >= month.end:
        return "it lies outside of this month"
    if each.cause is not Cause.MAINTENANCE:
        return ""
    if notice_hours is None:
        return "no notice was agreed (agreement.maintenance_notice_hours), so that maintenance counts as any failure"
    if each.notice is None:
        return "no notice was given (notice_at)"
    given = max(Decimal(each.start - each.notice) / 3600, ZERO)
    if given < notice_hours:
        return f"notice of {_hours(given)} hours was given, and {_hours(notice_hours)} were agreed"
    return ""


def _hours(value: Decimal) -> str:
    # Rounded down to a tenth, so that too little never reads as enough.
    tenths = value.quantize(Decimal("0.1"), rounding="ROUND_FLOOR")
    return f"{tenths.normalize():f}" if tenths else "0"


MAX_TEXT: Final = 1_000_000
FIELDS: Final = ("cause", "component", "from", "to", "reason", "notice_at")
NEEDED: Final = FIELDS[:-1]
ZONED: Final = re.compile(r".*(?:Z|[+-]\d{2}:?\d{2})")
CAUSES: Final = tuple(each.value for each in Cause)
EXAMPLE: Final = "write it with its time zone, as 2026-10-07T03:00Z"
ROOT_HINT: Final = 'begin with "exclusions:" and a list below it; docs/guides/sla.md has an example'


def read_exclusions(text: str, *, file: str, components: Sequence[str]) -> tuple[Exclusion, ...]:
    """Read the exclusions file.

    Args:
        components: keys of the parts of this cluster.

    Raises:
        InputError: with every fault in it, in the order of the lines.
    """
    if len(text) > MAX_TEXT:
        raise InputError(f"{file}: over 1 MB", hint="it is a page of text")
    written = YamlText(text, file=file)
    reader = _ExclusionsReader(written=written, components=(*components, ALL))
    for note in written.notes:
        written.add(note.message, note.place, hint=note.hint)
    found = tuple(reader.read())
    if written.faults:
        raise written.build_refusal()
    return found


@final
@dataclass(kw_only=True)
class _ExclusionsReader:
    written: YamlText
    components: Sequence[str]

    def read(self) -> Iterator[Exclusion]:
        for index, node in enumerate(self._list_entries()):
            if found := self._read_entry(node, path=("exclusions", index)):
                yield found

    def _list_entries(self) -> Sequence[Node]:
        """The list; empty where the file is empty or has only comments."""
        root = self.written.root
        if root is None or (isinstance(root, Scalar) and not root.text):
            return ()
        if not isinstance(root, Fields):
            self.written.add("the file has no fields", root.place, hint=ROOT_HINT)
            return ()
        for key, (place, _) in root.entries.items():
            if key != "exclusions":
                self.written.add(f'"{key}" is not a field of this file', place, hint=ROOT_HINT)
        value = root.entries.get("exclusions")
        if value is None or (isinstance(value[1], Scalar) and not value[1].text):
            return ()
        if not isinstance(value[1], Items):
            self.written.add('"exclusions" must be a list', value[0], hint=ROOT_HINT)
            return ()
        return value[1].nodes

    def _read_entry(self, node: Node, *, path: tuple[str | int, ...]) -> Exclusion | None:
        if not isinstance(node, Fields):
            self.written.add(
                "an exclusion is a section of fields", node.place, hint=f"fields: {', '.join(FIELDS)}", path=path
            )
            return None
        before = len(self.written.faults)
        self._check_fields(node, path)
        texts = {key: self._read_text(node, key, path) for key in FIELDS}
        cause = self._read_word(node, "cause", texts["cause"], CAUSES, path)
        component = self._read_word(node, "component", texts["component"], self.components, path)
        start, end, notice = (self._read_time(node, key, texts[key], path) for key in ("from", "to", "notice_at"))
        if start is not None and end is not None and end <= start:
            self.written.add('"to" is not after "from"', node.entries["to"][1].place, path=(*path, "to"))
        if notice is not None and cause != Cause.MAINTENANCE:
            place = node.entries["notice_at"][0]
            self.written.add(
                "only maintenance is announced", place, hint='delete "notice_at"', path=(*path, "notice_at")
            )
        if len(self.written.faults) > before or start is None or end is None:
            return None
        return Exclusion(
            cause=Cause(cause),
            component=component,
            start=start,
            end=end,
            reason=texts["reason"],
            notice=notice,
            line=node.place.line,
        )

    def _check_fields(self, node: Fields, path: tuple[str | int, ...]) -> None:
        for key, (place, _) in node.entries.items():
            if key not in FIELDS:
                near = nearest(key, FIELDS)
                hint = f'did you mean "{near}"?' if near else f"fields here: {', '.join(FIELDS)}"
                self.written.add(f'"{key}" is not a field of an exclusion', place, hint=hint, path=(*path, key))
        missing = [key for key in NEEDED if key not in node.entries]
        if missing:
            names = ", ".join(f'"{key}"' for key in missing)
            self.written.add(f"{names} missing from this exclusion", node.place, path=path)

    def _read_text(self, node: Fields, key: str, path: tuple[str | int, ...]) -> str:
        if key not in node.entries:
            return ""
        place, value = node.entries[key]
        if isinstance(value, Scalar) and value.text.strip():
            return value.text.strip()
        self.written.add(f'"{key}" has no text', place, hint="write one line of text", path=(*path, key))
        return ""

    def _read_word(self, node: Fields, key: str, text: str, allowed: Sequence[str], path: tuple[str | int, ...]) -> str:
        if text and text not in allowed:
            near = nearest(text, allowed)
            hint = f'did you mean "{near}"? ' if near else ""
            place = node.entries[key][1].place
            self.written.add(
                f'"{key}" cannot be "{text[:40]}"', place, hint=f"{hint}one of: {', '.join(allowed)}", path=(*path, key)
            )
        return text

    def _read_time(self, node: Fields, key: str, text: str, path: tuple[str | int, ...]) -> int | None:
        if not text:
            return None
        place = node.entries[key][1].place
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            self.written.add(f'"{key}" is not a moment: "{text[:40]}"', place, hint=EXAMPLE, path=(*path, key))
            return None
        if found.tzinfo is None or not ZONED.fullmatch(text):
            self.written.add(f'"{key}" has no time zone', place, hint=EXAMPLE, path=(*path, key))
            return None
        return int(found.timestamp())
