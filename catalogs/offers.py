"""Offers: a machine price joined with its machine, its term, and what weakens the price."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, final

from catalogs import parsing
from catalogs.model import CatalogError, Machine, Method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date
    from decimal import Decimal
    from pathlib import Path

    from catalogs.model import Offer, PurchaseKind


UNDATED = "undated"

FLAG_OF_METHOD: Mapping[Method, str] = {
    Method.MINIMUM_ZONE: "thin spot: one zone",
    Method.PER_GPU_RATE: "per-GPU rate times GPUs",
    Method.WITHOUT_LOCAL_SSD: "without local SSD",
    Method.FLOOR: "floor price: moves above it",
    Method.BEFORE_RISE: "older than a known rise",
    Method.COMMUNITY: "community hosts",
    Method.FIGURE: "converted from a published figure",
    Method.OWN: "own price",
}


class RoughOffer(NamedTuple):
    """What orders and rules out offers before they are made: thousands are looked at, few are chosen.

    Args:
        usd_per_hour: near enough to order by; the offer has the exact price.
    """

    size: Size
    kind: PurchaseKind
    usd_per_hour: float
    make: Callable[[], Offer]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """What another source says of a key that has a price. It checks the price; it never is the price."""

    key: str  # "provider,item,region,purchase"
    usd: Decimal
    source: str
    as_of: date | None


def read_second_opinions(path: Path) -> Iterator[SecondOpinion]:
    """The rows of second_source.csv; none where there is no such file.

    Raises:
        CatalogError: a row that is not one; names file and line.
    """
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else ()
    for number, line in enumerate(lines, start=2):
        try:
            key, usd, source, as_of = line.rsplit(",", 3)
            yield SecondOpinion(key=key, usd=parsing.money(usd), source=source, as_of=parsing.day(as_of))
        except ValueError as fault:
            raise CatalogError(f"{path}:{number}: {fault} in {line!r}") from fault


def describe_disagreement(tiers: Sequence[Decimal], seconds: Sequence[SecondOpinion]) -> str:
    """By how much the other sources of a key differ from its price; "" where they agree to a percent.

    Args:
        tiers: USD of each tier. Another source may quote any of them, so that each is held against the nearest.
    """
    asked = [usd for usd in tiers if usd]
    if not asked or not seconds:
        return ""
    percent = max(min(abs(each.usd - usd) / usd * 100 for usd in asked) for each in seconds)
    return f"sources differ by {percent:.0f}%" if percent > 1 else ""


Key = tuple[str, str]

FIRST_COLUMNS: Final = ["provider", "name", "accelerator"]
SIZE_COLUMNS: Final = ("vcpus", "memory_gib", "architecture")
ACCELERATOR: Final = 2  # its place among the columns


class Size(NamedTuple):
    """How large a machine is, near enough to order by; 0 where it is not known."""

    name: str
    vcpus: int
    memory_gib: float
    architecture: str


@final
class Machines(Mapping[Key, Machine]):
    """The machines of some files, in file order.

    Raises:
        CatalogError: two rows of one key; and, when a row is asked for, one that cannot be built. Names file and line.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._rows: dict[Key, tuple[Path, int, list[str]]] = {}
        self._columns: dict[Path, list[str]] = {}
        self._built: dict[Key, Machine] = {}
        for path in paths:
            self._read(path)

    def _read(self, path: Path) -> None:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            header = self._columns[path] = next(lines, list[str]())
            if header[:3] != FIRST_COLUMNS:
                raise CatalogError(f"{path}:1: the first columns must be {','.join(FIRST_COLUMNS)}")
            for cells in lines:
                key = (cells[0], cells[1])
                if key in self._rows:
                    raise CatalogError(f"{path}:{lines.line_num}: {key[0]} {key[1]} has a row already")
                self._rows[key] = (path, lines.line_num, cells)

    def __getitem__(self, key: Key) -> Machine:
        if key not in self._built:
            path, line, cells = self._rows[key]
            row = dict(zip(self._columns[path], cells, strict=False))
            try:
                self._built[key] = parsing.build_fact(Machine, row)
            except (ValueError, KeyError, ArithmeticError) as fault:
                raise CatalogError(f"{path}:{line}: {fault!r} in {row}") from fault
        return self._built[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def sizes(self, provider: str) -> Iterator[Size]:
        """Machines of a provider without accelerators by their size, no fact made of their rows.

        Raises:
            CatalogError: a size that is no number; names file and line.
        """
        places = {path: tuple(map(header.index, SIZE_COLUMNS)) for path, header in self._columns.items()}
        for key, (path, line, cells) in self._rows.items():
            if key[0] != provider or cells[ACCELERATOR]:
                continue
            vcpus, memory_gib, architecture = places[path]
            try:
                size = Size(key[1], int(cells[vcpus] or 0), float(cells[memory_gib] or 0), cells[architecture])
            except ValueError as fault:
                raise CatalogError(f"{path}:{line}: {fault!r} in {cells}") from fault
            yield size

    def some(self, *, accelerated: bool, provider: str | None = None) -> Iterator[Machine]:
        """Machines with or without accelerators, of one provider or of all."""
        for key, (_, _, cells) in self._rows.items():
            if provider in (None, key[0]) and bool(cells[ACCELERATOR]) == accelerated:
                yield self[key]
