"""A journal's line: what is written down, chained to the line before it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST: Final = "0" * 64  # what the first line is chained to


class Kind(StrEnum):
    """What a line says."""

    OPENED = "opened"
    BEGUN = "begun"
    REMEMBERED = "remembered"
    DONE = "done"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"
    ROLLED_BACK = "rolled_back"
    COMMITTED = "committed"


class RecordError(ValueError):
    """A line that is no record, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line.

    Args:
        seq: counts from 1.
        previous: SHA-256 of the line before, without its end; `FIRST` for the first.
        step: whose it is; "" where it is of the whole relocation.
        content: what else is said: evidence, reason, key and value.
    """

    seq: int
    previous: str
    at: datetime
    host: str
    pid: int
    kind: Kind
    step: str = ""
    content: Mapping[str, object] = field(default_factory=dict[str, object])

    def line(self) -> bytes:
        """As it stands in the journal, without the end of the line."""
        form = {
            "seq": self.seq,
            "previous": self.previous,
            "at": self.at.isoformat(),
            "host": self.host,
            "pid": self.pid,
            "kind": self.kind.value,
            "step": self.step,
            "content": self.content,
        }
        return json.dumps(form, ensure_ascii=True, separators=(",", ":")).encode()


def digest(line: bytes) -> str:
    """What the next line is chained to."""
    return sha256(line).hexdigest()


def parse(line: bytes) -> Record:
    """The record on a line.

    Raises:
        RecordError: it is none.
    """
    try:
        form = cast("dict[str, object]", json.loads(line))
        return Record(
            seq=_number(form["seq"]),
            previous=_text(form["previous"]),
            at=datetime.fromisoformat(_text(form["at"])),
            host=_text(form["host"]),
            pid=_number(form["pid"]),
            kind=Kind(_text(form["kind"])),
            step=_text(form["step"]),
            content=_fields(form["content"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError("it is no record of a journal") from error


def _number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def _fields(value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise TypeError
