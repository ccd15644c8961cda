"""The one reader of the catalog: files in, facts out. Nothing here decides which fact is better."""

from __future__ import annotations

from functools import cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, final

from catalogs import integrity, parsing
from catalogs import integrity as integrity_cache
from catalogs.files import read_content
from catalogs.model import (
    CatalogError,
    HandoverStep,
    Item,
    Method,
    Nominal,
    Offer,
    Promise,
    Provider,
    PurchaseKind,
    Region,
    Source,
    StorageTier,
    Term,
)
from catalogs.offers import (
    FLAG_OF_METHOD,
    UNDATED,
    Machines,
    RoughOffer,
    SecondOpinion,
    Size,
    describe_disagreement,
    read_second_opinions,
)
from catalogs.prices import PriceBook
from catalogs.refreshed.layers import ROOT, layers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from catalogs.custom_prices.book import OwnBook
    from catalogs.custom_prices.cells import CustomPriceVocabulary
    from catalogs.model import Accelerator, Machine, Price
    from catalogs.refreshed.layers import CatalogLayers

CURRENT = "current"
SERVICES = frozenset(Item)


@final
class Catalog:
    """Every fact of one price book.

    Args:
        root: folder of the catalog.
        folders: folders with machines.csv and prices.csv, one per provider, or the one of a dated book.
        book: name of the price book.
        lines: sorted price rows, the customer's own exact prices already among them.
        words: what the rows say.
        digest: SHA-256 in hex over the files read.
        own: the customer's own price book, if any.
        layers: folders whose files take the place of the root's.
    """

    def __init__(
        self,
        *,
        root: Path,
        folders: Sequence[Path],
        book: str,
        lines: Sequence[str],
        words: integrity.Words,
        digest: str,
        own: OwnBook | None,
        layers: CatalogLayers | None = None,
    ) -> None:
        self._root = root
        self._layers = layers
        self._folders = folders
        self._offers: dict[tuple[bool, str | None, str | None], Sequence[Offer]] = {}
        self._sizes: dict[tuple[str, Callable[[Size], bool]], Mapping[str, Size]] = {}
        self.own = own
        file = root / "sources.csv"
        sources = parsing.read_facts(layers.resolve(file) if layers else file, Source)
        self.sources: Mapping[str, Source] = {each.id: each for each in (*sources, *(own.sources if own else ()))}
        self.prices = PriceBook(
            name=book,
            lines=lines,
            words=words,
            digest=digest,
            sources=self.sources,
            own=own.prices if own else None,
            seconds_of=self._seconds_of,
        )

    @cached_property
    def accelerators(self) -> Mapping[str, Accelerator]:
        return {each.name: each for each in parsing.read_rows(self._root / "accelerators.csv", parsing.accelerator)}

    @cached_property
    def machines(self) -> Machines:
        return Machines(folder / "machines.csv" for folder in self._folders)

    @cached_property
    def regions(self) -> Mapping[tuple[str, str], Region]:
        paths = (self._root / "regions.csv", *(folder / "regions.csv" for folder in self._folders))
        return {(each.provider, each.name): each for path in paths for each in parsing.read_facts(path, Region)}

    @cached_property
    def providers(self) -> Mapping[str, Provider]:
        return {each.name: each for each in parsing.read_facts(self._root / "providers.csv", Provider)}

    @cached_property
    def terms(self) -> Mapping[tuple[str, str], Term]:
        """By purchase and provider; provider "*" for the rest."""
        return {(each.purchase, each.provider): each for each in parsing.read_facts(self._root / "terms.csv", Term)}

    @cached_property
    def tiers(self) -> Mapping[tuple[str, str], StorageTier]:
        return {(each.provider, each.tier): each for each in parsing.read_facts(self._root / "tiers.csv", StorageTier)}

    @cached_property
    def promises(self) -> Mapping[str, Promise]:
        return {each.name: each for each in parsing.read_facts(self._root / "promises.csv", Promise)}

    @cached_property
    def handover_steps(self) -> Mapping[str, HandoverStep]:
        """By name, in the order in which they are taken."""
        return {each.step: each for each in parsing.read_facts(self._root / "handover_steps.csv", HandoverStep)}

    @cached_property
    def nominals(self) -> Mapping[str, Nominal]:
        """By accelerator family: peaks that the book's own text calculates with. Empty for the current book."""
        found = (parsing.read_facts(folder / "nominal_tflops.csv", Nominal) for folder in self._folders)
        return {each.family: each for every in found for each in every}

    def offers(self, *, accelerated: bool, provider: str | None = None, region: str | None = None) -> Sequence[Offer]:
        """Every machine price joined with its machine and its term, GPU machines or CPU machines; cached.

        Over 35,000 CPU offers exist: name a provider and a region, and only those are built.

        Raises:
            CatalogError: a purchase word that terms.csv does not explain.
        """
        asked = (accelerated, provider, region)
        if asked not in self._offers:
            self._offers[asked] = tuple(
                self._build_offer(price)
                for machine in self.machines.some(accelerated=accelerated, provider=provider)
                for price in self.prices.of_item(provider=machine.provider, item=machine.name, region=region)
            )
        return self._offers[asked]

    def offer(self, *, provider: str, machine: str, region: str, purchase: str) -> Offer:
        """The one offer of a key.

        Raises:
            CatalogError: no such machine.
            UnpricedError, AmbiguousPriceError: as `Prices.one`.
        """
        if (provider, machine) not in self.machines:
            raise CatalogError(f"{provider} has no machine {machine!r} in the catalog")
        price = self.prices.one(provider=provider, item=machine, region=region, purchase=purchase)
        return self._build_offer(price)

    def _build_offer(self, price: Price) -> Offer:
        flags = (
            UNDATED if price.as_of is None else None,
            *(FLAG_OF_METHOD.get(self.sources[each].method) for each in (price.source, price.list_source) if each),
            self._describe_disagreement(price),
        )
        return Offer(
            machine=self.machines[price.provider, price.item],
            region=price.region,
            price=price,
            term=self._require_term(provider=price.provider, purchase=price.purchase),
            flags=tuple(flag for flag in flags if flag),
        )

    def _describe_disagreement(self, price: Price) -> str:
        """By how much another source differs from the list price; an agreed price is none of the list's."""
        is_agreed = price.list_usd is None and self.sources[price.source].method is Method.OWN
        key = f"{price.provider},{price.item},{price.region},{price.purchase}"
        return "" if is_agreed else describe_disagreement([price.list_usd or price.usd], self._seconds_of(key))

    def _seconds_of(self, key: str) -> Sequence[SecondOpinion]:
        return self.second_opinions.get(key, ())

    def find_term(self, *, provider: str, purchase: str) -> Term | None:
        """What a purchase word means at a provider; None where terms.csv does not explain it."""
        return self.terms.get((purchase, provider)) or self.terms.get((purchase, "*"))

    def _require_term(self, *, provider: str, purchase: str) -> Term:
        found = self.find_term(provider=provider, purchase=purchase)
        if found is None:
            raise CatalogError(f"purchase {purchase!r} of {provider} is not explained in terms.csv")
        return found

    def machine_prices(self, *, provider: str, region: str, usable: Callable[[Size], bool]) -> Iterator[RoughOffer]:
        """Prices of usable machines without accelerators at one place, their offers not made yet."""
        sizes = self._sizes.get((provider, usable))
        if sizes is None:
            sizes = {size.name: size for size in filter(usable, self.machines.sizes(provider))}
            self._sizes[provider, usable] = sizes
        kinds: dict[str, PurchaseKind] = {}
        for line in self.prices.lines_in(provider=provider, region=region):
            _, name, _, purchase, _ = line.split(",", 4)
            if name in sizes:
                kind = kinds[purchase] = (
                    kinds.get(purchase) or self._require_term(provider=provider, purchase=purchase).kind
                )
                yield RoughOffer(sizes[name], kind, self.prices.roughly(line), partial(self._offer_of_line, line))

    def regions_of(self, machine: Machine) -> tuple[str, ...]:
        lines = self.prices.lines_of(provider=machine.provider, item=machine.name)
        return tuple(dict.fromkeys(line.split(",", 3)[2] for line in lines))

    def offers_of(self, machine: Machine, region: str) -> tuple[Offer, ...]:
        """Every offer of a machine in one region."""
        lines = self.prices.lines_of(provider=machine.provider, item=machine.name, region=region)
        return tuple(map(self._offer_of_line, lines))

    def _offer_of_line(self, line: str) -> Offer:
        return self._build_offer(self.prices.price(line))

    def zones(self, *, provider: str, machine: str, region: str) -> tuple[str, ...]:
        """Zones of a region that offer the machine; () where that is not known."""
        return self._zones.get((provider, machine, region), ())

    @cached_property
    def _zones(self) -> Mapping[tuple[str, str, str], tuple[str, ...]]:
        found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        for folder in self._folders:
            path = folder / "zones.csv"
            for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else ():
                machine, region, zones = line.split(",")
                found[folder.name, machine, region] = tuple(zones.split())
        return found

    @cached_property
    def second_opinions(self) -> Mapping[str, Sequence[SecondOpinion]]:
        """Prices of other sources for a key that has a price, by "provider,item,region,purchase"."""
        found: dict[str, list[SecondOpinion]] = {}
        for folder in self._folders:
            path = folder / "second_source.csv"
            for each in read_second_opinions(self._layers.resolve(path) if self._layers else path):
                found.setdefault(each.key, []).append(each)
        return found


def load(
    book: str = CURRENT,
    *,
    override: Path | None = None,
    root: Path = ROOT,
    layers: CatalogLayers | None = None,
    stamped: bool = True,
    today: date | None = None,
) -> Catalog:
    """Read a price book: "current", or the date of a snapshot under books/.

    Args:
        book: name of the price book.
        override: the customer's own price book; see `catalogs.custom_prices.book`.
        root: folder of the catalog.
        layers: folders whose files take the place of the root's; those of the setting for None.
        stamped: whether files that a stamp knows to be sound are believed; see `catalogs.integrity`.
        today: the day after which no row of the customer's own book may be dated; None for any.

    Raises:
        CatalogError: no such book, faulty rows, or faults in `override`; all faults of a file at once.
    """
    folders = _folders(book, root=root)
    paths = [*sorted(root.glob("*.csv")), *(path for folder in folders for path in sorted(folder.glob("*.csv")))]
    layers = layers or layers_of(root)
    contents = layers.read(paths)
    hashed = sha256(b"".join(contents.values()))
    digest = hashed.hexdigest()
    stamp = layers.resolve(root / integrity_cache.NAME)
    known = integrity_cache.words_found(stamp, digest=digest) if stamped and book == CURRENT else None
    words = known or integrity.Words()
    lines = _lines(contents, None if known else words)
    build = partial(Catalog, root=root, folders=folders, book=book, layers=layers)
    catalog = build(lines=lines, words=words, digest=digest, own=None)
    if not known:
        _refuse_strangers(catalog, words)
    if override is None:
        return catalog
    from catalogs.custom_prices import book as own_book  # noqa: PLC0415 - few customers have prices of their own
    from catalogs.custom_prices.sheet import MOST_BYTES  # noqa: PLC0415 - as above

    own = own_book.read(override, known=_build_vocabulary(catalog, today=today), lines=lines)
    hashed.update(read_content(override, most_bytes=MOST_BYTES))
    return build(lines=own.lines, words=integrity.collect_words(own.lines), digest=hashed.hexdigest(), own=own)


def _folders(book: str, *, root: Path) -> list[Path]:
    if book == CURRENT:
        return sorted(path.parent for path in root.glob("*/machines.csv"))
    books = sorted(path.parent.name for path in root.glob("books/*/prices.csv"))
    if book not in books:
        raise CatalogError(f"no price book {book!r}: there are {', '.join((CURRENT, *books))}")
    return [root / "books" / book]


def _lines(contents: Mapping[Path, bytes], words: integrity.Words | None) -> list[str]:
    """The price rows of every file, sorted; looked at to fill `words`, unless they are known to be sound.

    Raises:
        CatalogError: faulty rows; all of the first faulty file.
    """
    found: list[str] = []
    prices = (each for each in contents.items() if each[0].name == "prices.csv")
    for path, content in prices:
        header, *lines = content.decode("utf-8").splitlines() or [""]
        if header != integrity.HEADER:
            raise CatalogError(f"{path}:1: the first line must be {integrity.HEADER}")
        in_order = sorted(lines)
        if words is not None and not integrity.looks_sound(in_order, words):
            faults = tuple(integrity.faults(lines))
            told = "\n".join(f"{path}:{number}: {text}" for number, text in faults)
            raise CatalogError(told or f"{path}: a row is out of order", faults=faults)
        found += in_order
    found.sort()
    return found


def _refuse_strangers(catalog: Catalog, words: integrity.Words) -> None:
    """Raises CatalogError where a price row names a source or a purchase that no file explains."""
    sources = {source for source, _ in words.sources} - catalog.sources.keys()
    purchases = {
        f"{purchase} of {provider}"
        for purchase, provider, _ in words.purchases
        if purchase != parsing.LIST and not {(purchase, provider), (purchase, "*")} & catalog.terms.keys()
    }
    if sources:
        raise CatalogError(f"sources.csv does not explain {', '.join(sorted(sources))}")
    if purchases:
        raise CatalogError(f"terms.csv does not explain {', '.join(sorted(purchases))}")


def _build_vocabulary(catalog: Catalog, *, today: date | None) -> CustomPriceVocabulary:
    from catalogs.custom_prices.cells import CustomPriceVocabulary  # noqa: PLC0415 - as above

    machines, terms = catalog.machines, catalog.terms

    def list_families(provider: str) -> Mapping[str, str]:
        found = machines.some(accelerated=True, provider=provider)
        return {each.name: catalog.accelerators[each.accelerator].family for each in found if each.accelerator}

    return CustomPriceVocabulary(
        providers=catalog.providers.keys(),
        services=SERVICES,
        purchases=lambda provider: {word for word, owner in terms if owner in (provider, "*")} | {parsing.LIST},
        machines=lambda provider: {name for owner, name in machines if owner == provider},
        regions=lambda provider: {name for owner, name in catalog.regions if owner == provider},
        families=list_families,
        accelerators=lambda provider, name: (
            machines[provider, name].accelerators if (provider, name) in machines else 0
        ),
        reserved=lambda provider: {
            word
            for (word, owner), term in terms.items()
            if owner in (provider, "*") and term.kind is PurchaseKind.RESERVED
        },
        today=today,
    )
