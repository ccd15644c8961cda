"""gpuhunt's published catalogs: a ZIP archive with one CSV for each provider, made every hour, dated by its version.

Read by their documented columns and not by the library, which downloads and unpacks without limits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from operations.price_refresh.amounts import read_amount_text
from operations.price_refresh.answers import read_bytes, read_table
from operations.price_refresh.gpu_clouds.machine_quotes import ON_DEMAND, SPOT, MachineQuote, machine_sections
from operations.price_refresh.gpu_clouds.zip_table import LARGEST_ARCHIVE, zip_lines
from operations.price_refresh.model import PriceReadError, SectionKind
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from operations.price_refresh.model import PriceRequest, PriceSection, SilentSection

TABLE: Final = Path(__file__).with_name("published.csv")
COLUMNS: Final = ("instance_name", "location", "price", "gpu_count", "spot", "flags")
LARGEST_VERSION: Final = 100  # bytes
VERSION: Final = re.compile(r"(?P<day>\d{8})-\d{1,12}")  # "20260818-42": date and number of the run that made it
TRUTHS: Final = {"True": SPOT, "False": ON_DEMAND}
PURCHASES: Final = {"gcp-dws-calendar-mode": "dws_calendar"}  # flags of rows that are bought in another way
NOT_SINGLE: Final = "runpod-cluster"  # the flag of pods that are rented two to eight at a time
SECURE_PLACE: Final = "-"  # RunPod's own data centers are "US-TX-3"; hosts of others are known by their country, "US"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCatalog:
    """A row of published.csv.

    Args:
        name: gpuhunt's word for the provider.
        method, spot_method: how its prices came about, and its spot prices.
        by_cloud: whether the place of a row says if the machine is the provider's own or a third party's.
        note: what else the source says of them.
    """

    provider: str
    name: str
    method: Method
    spot_method: Method
    by_cloud: bool
    note: str


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """A section for each region. Raises: as `Reader.read`."""
    if not request.wants(SectionKind.MACHINES):
        return
    catalog = read_published_catalogs()[request.provider]
    version = read_bytes(request, f"/{catalog.name}/version", most_bytes=LARGEST_VERSION).decode("ascii", "replace")
    made = read_version(version)
    request.tell(f"catalog {version.strip()}")
    path = f"/{catalog.name}/{version.strip()}/catalog.zip"
    archive = read_bytes(request, path, most_bytes=LARGEST_ARCHIVE)
    sources = _Sources(catalog, url=request.address + path, made=made)
    rows = unpack_rows(archive, catalog=catalog, name=request.address + path)
    skipped: list[str] = []
    quotes = _quotes(rows, catalog=catalog, sources=sources, skipped=skipped)
    yield from machine_sections(request, quotes, skipped=skipped)


def read_version(text: str) -> date:
    """The day on which a catalog was made.

    Raises:
        PriceReadError: it is no version of a catalog.
    """
    found = VERSION.fullmatch(text.strip())
    try:
        return date.fromisoformat(found["day"] if found else "")
    except ValueError as error:
        raise PriceReadError(f"{text.strip()[:40]!r} is no version of a catalog") from error


def unpack_rows(archive: bytes, *, catalog: PublishedCatalog, name: str) -> Iterator[Mapping[str, str]]:
    """The rows of a catalog. Raises: PriceReadError: as `zip_lines` and `read_table`."""
    lines = zip_lines(archive, member=f"{catalog.name}.csv", name=name)
    return read_table(lines, name=name, columns=COLUMNS)


@cache
def read_published_catalogs() -> Mapping[str, PublishedCatalog]:
    """The rows of published.csv by provider."""
    rows = [
        PublishedCatalog(
            provider=row["provider"],
            name=row["name"],
            method=Method(row["method"]),
            spot_method=Method(row["spot_method"]),
            by_cloud=row["by_cloud"] == "true",
            note=row["note"],
        )
        for row in read_rows(TABLE)
    ]
    return {row.provider: row for row in rows}


class _Sources:
    """The sources of one catalog, by how their prices came about."""

    def __init__(self, catalog: PublishedCatalog, *, url: str, made: date) -> None:
        self.made = made
        note = f"; {catalog.note}" if catalog.note else ""
        self._text = f"gpuhunt's published catalog {catalog.name}.csv, dated by its version{note}"
        self._id = f"gpuhunt-{catalog.provider}"
        self._url = url
        self._catalog = catalog
        self._made: dict[tuple[str, bool], Source] = {}

    def of(self, *, purchase: str, community: bool) -> Source:
        key = (purchase, community)
        if key not in self._made:
            self._made[key] = self._build(purchase=purchase, community=community)
        return self._made[key]

    def _build(self, *, purchase: str, community: bool) -> Source:
        method = self._catalog.spot_method if purchase == SPOT else self._catalog.method
        suffix = f"-{purchase}" if method is not self._catalog.method else ""
        if community:
            method, suffix = Method.COMMUNITY, "-community"
        return Source(id=self._id + suffix, text=self._text, url=self._url, as_of=self.made, method=method)


def _quotes(
    rows: Iterable[Mapping[str, str]], *, catalog: PublishedCatalog, sources: _Sources, skipped: list[str]
) -> Iterator[MachineQuote]:
    """The rows as quotes; what is not one machine's price is counted in `skipped`."""
    clusters = 0
    for number, row in enumerate(rows, start=2):
        flags = row["flags"].split()
        if NOT_SINGLE in flags:
            clusters += 1
            continue
        community = catalog.by_cloud and SECURE_PLACE not in row["location"]
        try:
            bought = next((PURCHASES[flag] for flag in flags if flag in PURCHASES), TRUTHS[row["spot"]])
            quote = MachineQuote(
                name=_name(row["instance_name"], catalog, community=community),
                place=row["location"],
                accelerators=int(row["gpu_count"]),
                purchase=bought,
                amount=read_amount_text(row["price"], name=f"{catalog.name}.csv:{number}: price"),
                as_of=sources.made,
                source=sources.of(purchase=bought, community=community),
            )
        except (ValueError, KeyError) as error:
            raise PriceReadError(f"{catalog.name}.csv:{number}: {error} is not what its column says") from error
        yield quote
    if clusters:
        skipped.append(f"prices of clusters, which are rented several pods at a time: {clusters}")


def _name(name: str, catalog: PublishedCatalog, *, community: bool) -> str:
    if not catalog.by_cloud:
        return name
    return f"{name} ({'community' if community else 'secure'})"
