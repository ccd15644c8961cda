"""by-hand.yaml: what people say they moved and checked themselves, read strictly, and the empty form of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, cast

from planning.checklist.faults import Source, locate, nearest, spell
from planning.checklist.plain_values import REFUSED, plain
from planning.checklist.yaml_nodes import Fields, Place, compose
from planning.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from planning.checklist.yaml_nodes import Node, Note

BY_HAND_NAME: Final = "by-hand.yaml"
SECTION: Final = "things"
FIELDS: Final = ("who", "when", "how")
MAX_BYTES: Final = 1_000_000
LONGEST: Final = 2000  # characters of a field
TIME: Final = 'with its zone, as in "2026-11-22T14:30Z"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One thing that somebody confirmed.

    Args:
        when: the first moment that the words may mean, in UTC: a day alone means all of it.
        until: the last.
    """

    who: str
    when: datetime
    until: datetime
    how: str

    def form(self) -> dict[str, object]:
        """As JSON."""
        return {"who": self.who, "when": self.when.isoformat(), "how": self.how}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a file says.

    Args:
        confirmed: by key; only those of which every field is there.
        empty: keys that stand there with fields to fill in.
    """

    confirmed: Mapping[str, Mark]
    empty: frozenset[str]


def draft(things: Iterable[tuple[str, str, str]]) -> str:
    """The file with empty marks.

    Args:
        things: key, title and why of each.
    """
    lines = [
        "# What atoll relocate run does not move by itself. Each is confirmed here once it is at the target and was",
        "# checked there: who did, when (with the zone), and how. The run stops before the databases until all are.",
        f"{SECTION}:",
    ]
    for key, title, why in things:
        lines += [f"  {json.dumps(key, ensure_ascii=False)}:    # {_flat(title)}: {_flat(why)}"]
        lines += [f'    {field}: ""' for field in FIELDS]
    return "\n".join(lines) + ("\n" if len(lines) > 3 else " {}\n")  # noqa: PLR2004 - the three lines above


def _flat(words: str) -> str:
    return " ".join(words.split())


def read_marks(path: Path, *, known: Collection[str], now: datetime) -> Marks:
    """The file; nothing where there is none.

    Args:
        known: keys that there are to confirm.

    Raises:
        InputError: with every fault in it, in the order of the lines.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        return Marks(confirmed={}, empty=frozenset())
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file", hint="save it as UTF-8 text") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or 'cannot be read'}") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: over {MAX_BYTES // 10**6} MB", hint="it is a page of text")
    return parse(text, file=str(path), known=known, now=now)


def parse(text: str, *, file: str, known: Collection[str], now: datetime) -> Marks:
    """The marks in a text; `file` is only its name in faults.

    Raises:
        InputError: as `read_marks`.
    """
    reading = _Reading(text, file=file, known=known, now=now)
    found = reading.marks()
    if reading.faults:
        ordered = sorted(reading.faults, key=lambda fault: (fault.line, fault.column))
        count = "1 fault" if len(ordered) == 1 else f"{len(ordered)} faults"
        raise InputError(f"{file}: {count}", faults=ordered)
    return found


class _Reading:
    """A text, its nodes, and the faults found so far."""

    def __init__(self, text: str, *, file: str, known: Collection[str], now: datetime) -> None:
        self.source = Source(file=file, lines=text.splitlines())
        self.root, notes = compose(text)
        self.known, self.now = known, now
        self.faults: list[Fault] = []
        self._say(notes)

    def marks(self) -> Marks:
        """Everything that is right; faults are kept beside it."""
        confirmed: dict[str, Mark] = {}
        empty: set[str] = set()
        for key, fields in self._things().items():
            if key not in self.known:
                near = nearest(key, self.known)
                hint = f'did you mean "{near}"?' if near else "take it out: there is nothing to confirm"
                self._fault(f'"{key}" is nothing that the plan knows', (SECTION, key), hint=hint, at_key=True)
                continue
            mark = self._mark(key, fields)
            if isinstance(mark, Mark):
                confirmed[key] = mark
            elif mark:
                empty.add(key)
        return Marks(confirmed=confirmed, empty=frozenset(empty))

    def _things(self) -> dict[str, object]:
        if not isinstance(self.root, Fields):
            if not self.faults:
                self._fault(f'it begins with "{SECTION}:"', ())
            return {}
        notes: list[Note] = []
        values = cast("dict[str, object]", plain(self.root, notes=notes, dates=True))
        self._say(notes)
        for name in values.keys() - {SECTION}:
            self._fault(f'"{name}" is not a field of the file', (name,), hint=f"fields here: {SECTION}", at_key=True)
        things = values.get(SECTION, {})
        if isinstance(things, dict):
            return cast("dict[str, object]", things)
        if things is not REFUSED and things is not None:
            self._fault(f'"{SECTION}" has a section for each thing, by its key', (SECTION,))
        return {}

    def _mark(self, key: str, given: object) -> Mark | bool:
        """A mark, or whether it is one that is still empty; faults are said."""
        if given is None:
            return True
        if not isinstance(given, dict):
            if given is not REFUSED:
                self._fault(f'"{key}" has the fields {", ".join(FIELDS)}', (SECTION, key))
            return False
        fields = cast("dict[str, object]", given)
        before = len(self.faults)
        for name in fields.keys() - set(FIELDS):
            near = nearest(name, FIELDS)
            hint = f'did you mean "{near}"?' if near else f"fields here: {', '.join(FIELDS)}"
            self._fault(f'"{name}" is not a field of "{key}"', (SECTION, key, name), hint=hint, at_key=True)
        said = {name: self._text(key, name, fields.get(name)) for name in FIELDS}
        if not any(said.values()):
            return len(self.faults) == before
        for name in FIELDS:
            if not str(fields.get(name) or "").strip():
                self._fault(f'"{name}" of "{key}" is empty', (SECTION, key, name))
        span = self._span(key, said["when"]) if said["when"] else None
        if span is None or len(self.faults) > before:
            return False
        return Mark(who=said["who"], when=span[0], until=span[1], how=said["how"])

    def _text(self, key: str, name: str, value: object) -> str:
        if value is None or value is REFUSED:
            return ""
        if not isinstance(value, str):
            self._fault(f'"{name}" of "{key}" is words', (SECTION, key, name))
            return ""
        if len(value) > LONGEST:
            self._fault(f'"{name}" of "{key}" is longer than {LONGEST} characters', (SECTION, key, name))
        return " ".join(value.split())

    def _span(self, key: str, text: str) -> tuple[datetime, datetime] | None:
        """First and last moment that a time may mean."""
        path = (SECTION, key, "when")
        try:
            first = _time(text)
        except ValueError:
            self._fault(f'"{text[:40]}" is no time', path, hint=f"a day, or a time {TIME}")
            return None
        if first.tzinfo is None:
            self._fault(f'"{text[:40]}" does not say its zone', path, hint=TIME)
            return None
        if first > self.now:
            self._fault(f'"{text[:40]}" lies ahead', path, hint=f"it is {self.now.isoformat(timespec='minutes')}")
            return None
        last = first + timedelta(days=1) if _is_day(text) else first
        return first.astimezone(UTC), min(last, self.now).astimezone(UTC)

    def _say(self, notes: Iterable[Note]) -> None:
        for each in notes:
            date_like = "is a date" in each.message
            message = each.message.partition(" is a date")[0] + " must stand in quotes" if date_like else each.message
            hint = TIME if date_like else each.hint
            fault = self.source.fault(_of_this_file(message), place=each.place, hint=_of_this_file(hint))
            self.faults.append(fault)

    def _fault(self, message: str, path: tuple[str, ...], *, hint: str = "", at_key: bool = False) -> None:
        root: Node | None = self.root
        place = locate(root, path, at_key=at_key) if root else Place(1, 1)
        self.faults.append(self.source.fault(message, place=place, hint=hint, path=spell(path)))


def _of_this_file(words: str) -> str:
    return words.replace("a checklist", "this file")


def _is_day(text: str) -> bool:
    return len(text) == len("2026-11-22")


def _time(text: str) -> datetime:
    if _is_day(text):
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), tzinfo=UTC)
    return datetime.fromisoformat(text)
