"""Whether every figure of a document is what it says it is: looked up where it claims to be from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from catalogs.catalog import ROOT
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.documents.blocks import Document
from planning.documents.figures import Figure, Origin

MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Known:
    """What figures may be quoted from."""

    lock: Mapping[str, Any]
    checklist: Mapping[str, Any]
    measured: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path, *, measured: Mapping[str, Any] | None = None) -> Known:
        """Of a stack's folder; defaults of the checklist count as its own."""
        checklist: Checklist = read_file(folder / "checklist.yaml")
        lock = json.loads((folder / "quote.lock.json").read_text())
        return cls(lock, checklist.model_dump(mode="json"), measured or {})


def untraced(document: Document, known: Known) -> list[str]:
    """A sentence for each figure that is not where it says it is, or shows another value than is there."""
    return [fault for figure in document.figures() for fault in _faults(figure, known)]


def _faults(figure: Figure, known: Known) -> Iterator[str]:
    match figure.origin:
        case Origin.LOCK:
            yield from _looked_up(figure, known.lock)
        case Origin.CHECKLIST:
            yield from _looked_up(figure, known.checklist)
        case Origin.MEASURED:
            yield from _looked_up(figure, known.measured)
        case Origin.CATALOG:
            yield from _catalogued(figure)
        case Origin.CALCULATED:
            for each in figure.inputs:
                yield from _faults(each, known)


def _looked_up(figure: Figure, whole: Mapping[str, Any]) -> Iterator[str]:
    found: Any = whole
    for step in figure.at.split("."):
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, TypeError, ValueError):
            yield f"{figure.text!r}: {figure.origin} has no {figure.at}"
            return
    if not same(figure.text, found):
        yield f"{figure.text!r}: {figure.origin} {figure.at} is {found!r}"


def _catalogued(figure: Figure) -> Iterator[str]:
    file, _, rest = figure.at.partition(" ")
    key, _, column = rest.rpartition(" ")
    rows = [line for path in ROOT.rglob(file) for line in path.read_text(encoding="utf-8").splitlines()]
    if not figure.source:
        yield f"{figure.text!r}: {figure.at} names no source"
    if not column or not any(all(part in line for part in key.split()) for line in rows):
        yield f"{figure.text!r}: no row {key!r} in {file}"
        return
    mine = [line for line in rows if all(part in line for part in key.split())]
    if not any(same(figure.text, part) for line in mine for part in re.split(r"[ ,]", line)):
        yield f"{figure.text!r}: not in the row {mine[0][:80]!r} of {file}"


def same(shown: str, stands: object) -> bool:
    """Whether what is shown is what stands there: as text, or as a number with its unit and its thousands apart."""
    if str(stands) in shown or str(stands).endswith(f"/{shown}"):  # the latter is the name of a subject
        return True
    if MINUTE.fullmatch(shown) and str(stands).replace("T", " ").startswith(shown):
        return True
    numbers = [_number(each.replace(",", "")) for each in NUMBER.findall(shown)]
    there = _number(str(stands))
    return there is not None and there in numbers


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text).normalize()
    except InvalidOperation:
        return None
