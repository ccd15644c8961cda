"""Offers: a machine price joined with its machine, its term, and what weakens the price."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, final

from catalogs import parsing
from catalogs.model import CatalogError, Machine, Method, Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date
    from decimal import Decimal
    from pathlib import Path

    from catalogs.model import Price, PurchaseKind, Source, Term
    from catalogs.prices import PriceBook


UNDATED = "undated"
ONE_PERCENT = 1

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


class OfferFacts(Protocol):
    """What offers need of a catalog; cached as there, because the type checker takes no plain property for it."""

    @property
    def prices(self) -> PriceBook:
        """The price list."""
        ...

    @cached_property
    def machines(self) -> Machines:
        """Machines by (provider, name)."""
        ...

    @cached_property
    def terms(self) -> Mapping[tuple[str, str], Term]:
        """Purchase words by (word, provider)."""
        ...

    @property
    def sources(self) -> Mapping[str, Source]:
        """Sources by id."""
        ...

    @cached_property
    def second_opinions(self) -> Mapping[str, Sequence[SecondOpinion]]:
        """Prices of other sources by "provider,item,region,purchase"."""
        ...


def second_opinions(path: Path) -> Iterator[SecondOpinion]:
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


def offers(catalog: OfferFacts, *, accelerated: bool, provider: str | None, region: str | None) -> Sequence[Offer]:
    """Offers in the order of machine names, for GPU machines or for CPU machines.

    Raises:
        CatalogError: a purchase word that terms.csv does not explain.
    """
    machines = catalog.machines.some(accelerated=accelerated, provider=provider)
    return tuple(offer for machine in machines for offer in _of(catalog, machine, region=region))


def _of(catalog: OfferFacts, machine: Machine, *, region: str | None) -> Iterator[Offer]:
    for price in catalog.prices.of_item(provider=machine.provider, item=machine.name, region=region):
        yield _offer(catalog, machine=machine, price=price)


def of_line(catalog: OfferFacts, line: str) -> Offer:
    return build_offer(catalog, catalog.prices.price(line))


def build_offer(catalog: OfferFacts, price: Price) -> Offer:
    """The offer that a machine price is.

    Raises:
        CatalogError: no such machine, or a purchase word that terms.csv does not explain.
    """
    return _offer(catalog, machine=catalog.machines[price.provider, price.item], price=price)


def _offer(catalog: OfferFacts, *, machine: Machine, price: Price) -> Offer:
    term = term_of(catalog, provider=price.provider, purchase=price.purchase)
    return Offer(machine=machine, region=price.region, price=price, term=term, flags=_flags(catalog, price))


def term_of(catalog: OfferFacts, *, provider: str, purchase: str) -> Term:
    """What a purchase word means at a provider.

    Raises:
        CatalogError: terms.csv does not explain it.
    """
    found = find_term(catalog, provider=provider, purchase=purchase)
    if found is None:
        raise CatalogError(f"purchase {purchase!r} of {provider} is not explained in terms.csv")
    return found


def find_term(catalog: OfferFacts, *, provider: str, purchase: str) -> Term | None:
    """As `term_of`; None where terms.csv does not explain the word."""
    return catalog.terms.get((purchase, provider)) or catalog.terms.get((purchase, "*"))


def _flags(catalog: OfferFacts, price: Price) -> tuple[str, ...]:
    flags = (
        UNDATED if price.as_of is None else None,
        FLAG_OF_METHOD.get(catalog.sources[price.source].method),
        _disagreement(catalog, price),
    )
    return tuple(flag for flag in flags if flag)


def _disagreement(catalog: OfferFacts, price: Price) -> str | None:
    key = f"{price.provider},{price.item},{price.region},{price.purchase}"
    seconds = catalog.second_opinions.get(key, ())
    if not seconds or not price.usd:
        return None
    percent = max(abs(each.usd - price.usd) / price.usd * 100 for each in seconds)
    return f"sources differ by {percent:.0f}%" if percent > ONE_PERCENT else None


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
