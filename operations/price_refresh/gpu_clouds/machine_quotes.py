"""Machines under their seller's names and places as sections of the catalog's: what it does not know is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operations.price_refresh.model import FoundPrice, PriceSection, SectionKind, SilentSection
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Source
    from operations.price_refresh.model import PriceRequest

TABLE: Final = Path(__file__).with_name("machine_names.csv")
EVERY_PLACE: Final = "any"  # the region of a provider whose prices name no place
ON_DEMAND: Final = "on_demand"
SPOT: Final = "spot"
NAMED: Final = 4  # unknown machines; a price list of a large cloud has hundreds
LONGEST_NAME: Final = 60  # characters of a name as it is said
ZONE: Final = 2  # characters of a zone after its region: "us-central1-a"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineQuote:
    """What a seller asks for an hour of one machine.

    Args:
        place: region or zone, in the seller's words; "" where the price holds everywhere.
        accelerators: GPUs of the machine; None where the source does not say.
        amount: USD for an hour of the whole machine.
    """

    name: str
    place: str
    accelerators: int | None
    purchase: str
    amount: Decimal
    as_of: date
    source: Source


@dataclass(slots=True)
class _Place:
    """What was found in one region."""

    amounts: dict[tuple[str, str], dict[Decimal, MachineQuote]] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter[str])
    other_size: Counter[str] = field(default_factory=Counter[str])

    def add(self, machine: str, quote: MachineQuote) -> None:
        self.amounts.setdefault((machine, quote.purchase), {}).setdefault(quote.amount, quote)


def machine_sections(
    request: PriceRequest, quotes: Iterable[MachineQuote], *, skipped: Iterable[str] = ()
) -> Iterator[PriceSection | SilentSection]:
    """One section for each region that was asked for.

    A machine with two prices in one region has none: which of them holds cannot be told.

    Args:
        skipped: what the reader left out, said with the first section; complete once the quotes are read.
    """
    known = {name for provider, name in request.catalog.regions if provider == request.provider}
    places: dict[str, _Place] = {}
    elsewhere: Counter[str] = Counter()
    for quote in quotes:
        region = _region_of(quote.place, known)
        if region:
            _sort_in(quote, places.setdefault(region, _Place()), request)
        else:
            elsewhere[quote.place] += 1
    left_out = [*skipped, *_count_words(elsewhere, "place", "places")]
    for region in request.regions:
        section = _build_section(request, region, places.get(region, _Place()), left_out)
        left_out = [] if isinstance(section, PriceSection) else left_out
        yield section


def _sort_in(quote: MachineQuote, place: _Place, request: PriceRequest) -> None:
    name = _machine_of(request, quote)
    if name is None:
        known = sizes_of(request.provider, quote.name)
        (place.other_size if known else place.unknown)[quote.name] += 1
    elif quote.accelerators not in (None, request.catalog.machines[request.provider, name].accelerators):
        place.other_size[quote.name] += 1  # n1-standard-8 is a machine, and the same name with a GPU another one
    else:
        place.add(name, quote)


def _build_section(
    request: PriceRequest, region: str, place: _Place, left_out: Iterable[str]
) -> PriceSection | SilentSection:
    found = [next(iter(quotes.values())) for quotes in place.amounts.values() if len(quotes) == 1]
    keys = [key for key, quotes in place.amounts.items() if len(quotes) == 1]
    torn = Counter(key[0] for key, quotes in place.amounts.items() if len(quotes) > 1)
    said = [
        *left_out,
        *_count_words(place.unknown, "machine", "machines"),
        *_count_words(place.other_size, "machine", "machines", why="with other GPUs than the catalog has it with"),
        *_count_words(torn, "machine", "machines", why="with two prices for one region"),
    ]
    if not found:
        reason = "no price of a machine that the catalog knows" + (f": {'; '.join(said)}" if said else "")
        return SilentSection(provider=request.provider, region=region, kind=SectionKind.MACHINES, reason=reason)
    source = min(found, key=lambda quote: (quote.purchase != ON_DEMAND, quote.source.id)).source
    prices = [_build_price(key, quote, source) for key, quote in zip(keys, found, strict=True)]
    return PriceSection(
        provider=request.provider,
        region=region,
        kind=SectionKind.MACHINES,
        source=source,
        prices=tuple(sorted(prices, key=lambda each: (each.item, each.purchase))),
        skipped=tuple(said),
    )


def _build_price(key: tuple[str, str], quote: MachineQuote, source: Source) -> FoundPrice:
    machine, purchase = key
    own = None if quote.source == source else quote.source
    return FoundPrice(item=machine, amount=quote.amount, as_of=quote.as_of, purchase=purchase, source=own)


def _region_of(place: str, known: Collection[str]) -> str:
    """The catalog's region of a place, its zone taken off; "any" for a provider without regions; "" for none."""
    return next((each for each in (place, place[:-ZONE], EVERY_PLACE) if each in known), "")


def _machine_of(request: PriceRequest, quote: MachineQuote) -> str | None:
    own = own_names().get((request.provider, quote.name, quote.accelerators or 0))
    names = (own, quote.name, quote.name.replace(" ", "_"))  # Nebius: "gpu-h100-sxm 8gpu-128vcpu-1600gb"
    return next((name for name in names if name and (request.provider, name) in request.catalog.machines), None)


@cache
def own_names() -> Mapping[tuple[str, str, int], str]:
    """Machines by provider, the seller's name and the number of GPUs, where the catalog calls them otherwise."""
    return {(row["provider"], row["name"], int(row["accelerators"])): row["machine"] for row in read_rows(TABLE)}


def sizes_of(provider: str, name: str) -> tuple[int, ...]:
    """The numbers of GPUs with which the catalog has a machine that it calls otherwise; () for one it does not know."""
    return tuple(size for owner, known, size in own_names() if (owner, known) == (provider, name))


def _count_words(found: Counter[str], one: str, many: str, *, why: str = "that the catalog does not know") -> list[str]:
    if not found:
        return []
    return [f"{len(found)} {one if len(found) == 1 else many} {why}: {name_some(found)}"]


def name_some(names: Collection[str]) -> str:
    """The first names in their order, and how many more there are."""
    first = ", ".join(name[:LONGEST_NAME] for name in sorted(names)[:NAMED])
    return f"{first} and {len(names) - NAMED} more" if len(names) > NAMED else first
