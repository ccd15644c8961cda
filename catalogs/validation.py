"""Every fault of the catalog's files at once: printed by `atoll catalog check`, held at none by the tests of facts.

Run as a program, it looks at every row of the current book and writes the stamp of it.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs import integrity, parsing
from catalogs import integrity as integrity_cache
from catalogs.catalog import CURRENT, ROOT, Catalog, load
from catalogs.model import CatalogError, Item, Machine
from catalogs.parsing import EVERYWHERE, HOUR, LIST, unit_of
from catalogs.providers import OWN_CLUSTER, OWNERS, PARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

COMMAND: Final = ".venv/bin/python -m catalogs.validation"
INCLUDED = "included"
UNKNOWN = "unknown"
HOLDS = ("yes", "no", UNKNOWN)
RESIDENCIES = frozenset(("US", "CA", "NA", "LATAM", "EU", "EEA", "UK", "CH", "APAC", "ME", "AFRICA", UNKNOWN))

KEYS: Mapping[str, tuple[str, ...]] = {
    "accelerators.csv": ("name",),
    "regions.csv": ("provider", "name"),
    "providers.csv": ("name",),
    "terms.csv": ("purchase", "provider"),
    "tiers.csv": ("provider", "tier"),
    "profiles.csv": ("provider",),
    "promises.csv": ("name",),
    "handover_steps.csv": ("step",),
    "failures.csv": ("kind", "name"),
    "node_billing.csv": ("fact", "provider", "about"),
    "achievable.csv": ("accelerator", "precision"),
    "training_runs.csv": ("name",),
    "serving_runs.csv": ("name",),
    "tier_speeds.csv": ("provider", "tier"),
    "seen_memory.csv": ("accelerator",),
    "sources.csv": ("id",),
    "machines.csv": ("provider", "name"),
    "zones.csv": ("machine", "region"),
    "second_source.csv": ("provider", "item", "region", "purchase", "source"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFault:
    """What is wrong with one row; line 0 where no single line is."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        """Path, line and text, as an editor can follow them."""
        return f"{self.path}:{self.line}: {self.text}"


def faults(root: Path = ROOT) -> list[RowFault]:
    """Every fault of the current book and of each dated book under `root`."""
    books = [CURRENT, *sorted(path.parent.name for path in root.glob("books/*/prices.csv"))]
    found = list(_twice(root))
    for book in books:
        try:
            catalog = load(book, root=root)
            found += [fault for check in CHECKS for fault in check(catalog, _folders(book, root=root))]
        except CatalogError as fault:
            found.append(RowFault(path=root, line=0, text=str(fault)))
    return found


def _folders(book: str, *, root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("*/prices.csv" if book == CURRENT else f"books/{book}/prices.csv"))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        for row in reader:
            yield reader.line_num, row


def _twice(root: Path) -> Iterator[RowFault]:
    """Rows whose key stands in an earlier row of the same file."""
    for path in sorted(root.rglob("*.csv")):
        seen: set[tuple[str, ...]] = set()
        for line, row in _rows(path) if path.name in KEYS else ():
            key = tuple(row[column] for column in KEYS[path.name])
            if key in seen:
                yield RowFault(path=path, line=line, text=f"key {','.join(key)} has two rows; one key may have one row")
            seen.add(key)


def _price_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    for folder in folders:
        path = folder / "prices.csv"
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        if header != integrity.HEADER or lines != sorted(lines):
            yield RowFault(path=path, line=1, text="rows must be sorted as text under the price header")
        for number, text in integrity.faults(lines):
            yield RowFault(path=path, line=number, text=text)
        for number, line in enumerate(lines, start=integrity.FIRST_LINE):
            for text in _price_strangers(catalog, line):
                yield RowFault(path=path, line=number, text=text)


def _price_strangers(catalog: Catalog, line: str) -> Iterator[str]:
    provider, item, region, purchase, unit, _, _, source, _ = line.split(",")
    if source not in catalog.sources:
        yield f"unknown source {source!r}"
    if provider not in catalog.providers:
        yield f"unknown provider {provider!r}"
    if (provider, region) not in catalog.regions and region != EVERYWHERE:
        yield f"unknown region {region!r} of {provider}"
    if (provider, item) in catalog.machines:
        if unit != HOUR or region == EVERYWHERE or not {(purchase, provider), (purchase, "*")} & catalog.terms.keys():
            yield f"a machine is priced by the hour, in a region, for a purchase of terms.csv; not {unit}, {purchase}"
        return
    if item not in set(Item):
        yield f"unknown item {item!r} of {provider}: neither a machine nor a service word"
    elif unit != unit_of(item) or purchase != LIST:
        yield f"{item} is priced per {unit_of(item)} for purchase {LIST}; not {unit}, {purchase}"


def _machine_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    for folder in folders:
        for line, row in _rows(folder / "machines.csv"):
            machine = parsing.build_fact(Machine, row)
            if machine.accelerator and machine.accelerator not in catalog.accelerators:
                yield RowFault(
                    path=folder / "machines.csv", line=line, text=f"unknown accelerator {machine.accelerator}"
                )
            if bool(machine.accelerator) != bool(machine.accelerators):
                yield RowFault(path=folder / "machines.csv", line=line, text="accelerator and its count disagree")


def _second_source_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    for folder in folders:
        path = folder / "second_source.csv"
        for line, row in _rows(path):
            prices = catalog.prices.of_item(provider=row["provider"], item=row["item"], region=row["region"])
            if row["purchase"] not in {price.purchase for price in prices}:
                yield RowFault(path=path, line=line, text="no price has this key: a second source needs a first")


def _find_unsourced(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    """Rows of any file that name no known source."""
    tops = sorted(folders[0].parent.glob("*.csv"))
    for path in (*tops, *(path for folder in folders for path in sorted(folder.glob("*.csv")))):
        for line, row in _rows(path) if path.name != "prices.csv" else ():  # `_price_strangers` has those
            named = [row[column] for column in ("source", "holds_source") if column in row]
            for source in (each for each in named if each not in catalog.sources):
                yield RowFault(path=path, line=line, text=f"unknown source {source!r}")


def _timeless_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    """Sources of no day: their prices would never be too old."""
    path = folders[0].parent / "sources.csv"
    for line, row in _rows(path):
        source = catalog.sources.get(row["id"])
        if source is not None and source.as_of is None and source.entered is None:
            yield RowFault(path=path, line=line, text=f"{source.id} has no date: say in entered when its rows came in")


def _word_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    root = folders[0].parent
    for key, region in catalog.regions.items():
        if region.residency not in RESIDENCIES or not region.country:
            yield RowFault(path=root / "regions.csv", line=0, text=f"{key}: residency {region.residency!r}")
    for key, tier in catalog.tiers.items():
        if tier.item not in {*Item, INCLUDED}:
            yield RowFault(path=root / "tiers.csv", line=0, text=f"{key}: unknown item {tier.item!r}")
    for key, term in catalog.terms.items():
        if term.holds not in HOLDS:
            yield RowFault(path=root / "terms.csv", line=0, text=f"{key}: holds is one of {HOLDS}, not {term.holds!r}")


def _profile_faults(catalog: Catalog, folders: list[Path]) -> Iterator[RowFault]:
    """Each part of a cluster has one owner, and each provider that sells Kubernetes has its row."""
    path = folders[0].parent / "profiles.csv"
    missing = {name for name, provider in catalog.providers.items() if provider.kubernetes}
    for line, row in _rows(path):
        missing.discard(row["provider"])
        for column in PARTS:
            if row[column] not in OWNERS:
                yield RowFault(path=path, line=line, text=f"{column} has one owner of {OWNERS}, not {row[column]!r}")
        if row["provider"] not in (*catalog.providers, OWN_CLUSTER):
            yield RowFault(path=path, line=line, text=f"unknown provider {row['provider']!r}")
    if path.exists():
        for name in sorted(missing):
            yield RowFault(path=path, line=0, text=f"{name} sells Kubernetes and has no row")


CHECKS: tuple[Callable[[Catalog, list[Path]], Iterator[RowFault]], ...] = (
    _price_faults,
    _machine_faults,
    _second_source_faults,
    _find_unsourced,
    _timeless_faults,
    _word_faults,
    _profile_faults,
)


def main() -> None:
    """Look at every row of the current book, and stamp it."""
    catalog = load(stamped=False)
    written = integrity_cache.text(digest=catalog.prices.digest, words=catalog.prices.words)
    (ROOT / integrity_cache.NAME).write_text(written, encoding="utf-8")
    sys.stdout.write(f"{integrity_cache.NAME}: {catalog.prices.digest}\n")


if __name__ == "__main__":
    main()
