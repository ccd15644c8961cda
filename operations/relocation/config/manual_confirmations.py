"""by-hand.yaml: what people say they moved and checked themselves, read strictly, and the empty form of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.faults import nearest
from planning.inputs.files import MissingFileError, read_text
from planning.inputs.plain_values import REFUSED, plain
from planning.inputs.yaml_document import YamlText
from planning.inputs.yaml_nodes import Fields, YamlFault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path


BY_HAND_NAME: Final = "by-hand.yaml"
SECTION: Final = "things"
FIELDS: Final = ("who", "when", "how")
LONGEST: Final = 2000  # characters of a field
TIME: Final = 'with its zone, as in "2026-11-22T14:30Z"'


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualConfirmation:
    """One confirmation of a person.

    Args:
        when: the first moment that the words may mean, in UTC: a day alone means all of it.
        until: the last.
    """

    who: str
    when: datetime
    until: datetime
    how: str

    def form(self) -> dict[str, object]:
        return {"who": self.who, "when": self.when.isoformat(), "how": self.how}


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualConfirmations:
    """Confirmations of a file.

    Args:
        confirmed: by key; only those of which every field is there.
        empty: keys that stand there with fields to fill in.
    """

    confirmed: Mapping[str, ManualConfirmation]
    empty: frozenset[str]


def draft(things: Iterable[tuple[str, str, str]]) -> str:
    """The file, unconfirmed.

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


def read_marks(path: Path, *, known: Collection[str], now: datetime) -> ManualConfirmations:
    """Read the file; empty if there is none.

    Args:
        known: keys that there are to confirm.

    Raises:
        InputError: with every fault in it, in the order of the lines.
    """
    try:
        text = read_text(path, hint="it is a page of text")
    except MissingFileError:
        return ManualConfirmations(confirmed={}, empty=frozenset())
    return parse(text, file=str(path), known=known, now=now)


def parse(text: str, *, file: str, known: Collection[str], now: datetime) -> ManualConfirmations:
    """Parse confirmations; `file` is only its name in faults.

    Raises:
        InputError: as `read_marks`.
    """
    written = YamlText(text, file=file)
    found = _ConfirmationReader(written, known=known, now=now).read()
    if written.faults:
        raise written.build_refusal()
    return found


class _ConfirmationReader:
    def __init__(self, written: YamlText, *, known: Collection[str], now: datetime) -> None:
        self.written, self.known, self.now = written, known, now
        self._say(written.notes)

    def read(self) -> ManualConfirmations:
        confirmed: dict[str, ManualConfirmation] = {}
        empty: set[str] = set()
        for key, fields in self._read_things().items():
            if key not in self.known:
                near = nearest(key, self.known)
                hint = f'did you mean "{near}"?' if near else "take it out: there is nothing to confirm"
                self._add_fault(f'"{key}" is nothing that the plan knows', (SECTION, key), hint=hint, at_key=True)
                continue
            mark = self._read_mark(key, fields)
            if isinstance(mark, ManualConfirmation):
                confirmed[key] = mark
            elif mark:
                empty.add(key)
        return ManualConfirmations(confirmed=confirmed, empty=frozenset(empty))

    def _read_things(self) -> dict[str, object]:
        if not isinstance(self.written.root, Fields):
            if not self.written.faults:
                self._add_fault(f'it begins with "{SECTION}:"', ())
            return {}
        notes: list[YamlFault] = []
        values = cast("dict[str, object]", plain(self.written.root, notes=notes, dates=True))
        self._say(notes)
        for name in values.keys() - {SECTION}:
            self._add_fault(
                f'"{name}" is not a field of the file', (name,), hint=f"fields here: {SECTION}", at_key=True
            )
        things = values.get(SECTION, {})
        if isinstance(things, dict):
            return cast("dict[str, object]", things)
        if things is not REFUSED and things is not None:
            self._add_fault(f'"{SECTION}" has a section for each thing, by its key', (SECTION,))
        return {}

    def _read_mark(self, key: str, given: object) -> ManualConfirmation | bool:
        """A confirmation; else whether it is merely empty: a fault is noted."""
        if given is None:
            return True
        if not isinstance(given, dict):
            # What YAML itself refused has been noted there.
            if given is not REFUSED:
                self._add_fault(f'"{key}" has the fields {", ".join(FIELDS)}', (SECTION, key))
            return False
        fields = cast("dict[str, object]", given)
        before = len(self.written.faults)
        for name in fields.keys() - set(FIELDS):
            near = nearest(name, FIELDS)
            hint = f'did you mean "{near}"?' if near else f"fields here: {', '.join(FIELDS)}"
            self._add_fault(f'"{name}" is not a field of "{key}"', (SECTION, key, name), hint=hint, at_key=True)
        said = {name: self._read_text(key, name, fields.get(name)) for name in FIELDS}
        if not any(said.values()):
            return len(self.written.faults) == before
        for name in FIELDS:
            if not str(fields.get(name) or "").strip():
                self._add_fault(f'"{name}" of "{key}" is empty', (SECTION, key, name))
        span = self._read_span(key, said["when"]) if said["when"] else None
        if span is None or len(self.written.faults) > before:
            return False
        return ManualConfirmation(who=said["who"], when=span[0], until=span[1], how=said["how"])

    def _read_text(self, key: str, name: str, value: object) -> str:
        if value is None or value is REFUSED:
            return ""
        if not isinstance(value, str):
            self._add_fault(f'"{name}" of "{key}" is words', (SECTION, key, name))
            return ""
        if len(value) > LONGEST:
            self._add_fault(f'"{name}" of "{key}" is longer than {LONGEST} characters', (SECTION, key, name))
        return " ".join(value.split())

    def _read_span(self, key: str, text: str) -> tuple[datetime, datetime] | None:
        """First and last moment that a time may mean."""
        path = (SECTION, key, "when")
        try:
            first = _time(text)
        except ValueError:
            self._add_fault(f'"{text[:40]}" is no time', path, hint=f"a day, or a time {TIME}")
            return None
        if first.tzinfo is None:
            self._add_fault(f'"{text[:40]}" does not say its zone', path, hint=TIME)
            return None
        if first > self.now:
            self._add_fault(f'"{text[:40]}" lies ahead', path, hint=f"it is {self.now.isoformat(timespec='minutes')}")
            return None
        # A day alone may mean any moment of it, up to now.
        last = first + timedelta(days=1) if _is_day(text) else first
        return first.astimezone(UTC), min(last, self.now).astimezone(UTC)

    def _say(self, notes: Iterable[YamlFault]) -> None:
        self.written.say(map(_of_time, notes))

    def _add_fault(self, message: str, path: tuple[str, ...], *, hint: str = "", at_key: bool = False) -> None:
        self.written.add(message, self.written.at(path, at_key=at_key), hint=hint, path=path)


def _of_time(note: YamlFault) -> YamlFault:
    """The fault of a time without the hint about quotes."""
    if "is a date" not in note.message:
        return note
    return replace(note, message=note.message.partition(" is a date")[0] + " must stand in quotes", hint=TIME)


def _is_day(text: str) -> bool:
    return len(text) == len("2026-11-22")


def _time(text: str) -> datetime:
    if _is_day(text):
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), tzinfo=UTC)
    return datetime.fromisoformat(text)
