"""Reads the AWS price list: for each region the file of each offer that has something of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from operations.price_refresh.answers import as_object, as_text, open_lines, read_object
from operations.price_refresh.aws.matching import MACHINE, find_machine, find_prices, offer_items
from operations.price_refresh.aws.offer_rows import read_offer
from operations.price_refresh.model import PriceReadError, PriceSection, SectionKind, SilentSection
from operations.project.http import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from operations.price_refresh.aws.matching import OfferItem
    from operations.price_refresh.model import FoundPrice, PriceRequest

ROOT: Final = "/offers/v1.0/aws"
MACHINES: Final = "AmazonEC2"
LARGEST: Final = 2 << 30  # bytes of an offer in one region; AmazonEC2 has some 300 MB
ID: Final = "aws-price-list"
TEXT: Final = (
    "AWS price list (bulk offers) by way of atoll catalog refresh; rows are dated by the publication of their offer"
)
URL: Final = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/index.json"


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """Services and machines of each region, every offer in its own file; one that fails skips its own items."""
    yield from _PriceListRun(request).sections()


@dataclass(slots=True)
class _RegionPrices:
    """What the offers of one region gave.

    Args:
        failed: what could not be read, in words, by offer.
    """

    services: list[FoundPrice] = field(default_factory=list["FoundPrice"])
    machines: list[FoundPrice] = field(default_factory=list["FoundPrice"])
    failed: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class _PriceListRun:
    request: PriceRequest
    _paths: dict[str, Mapping[str, str] | str] = field(default_factory=dict["str", "Mapping[str, str] | str"])

    def sections(self) -> Iterator[PriceSection | SilentSection]:
        for region in self.request.regions:
            found = _RegionPrices()
            for offer, items in self._offers().items():
                path = self._path(offer, region)
                if path is None:
                    continue
                self.request.tell(f"{region}: {offer}")
                try:
                    self._read_offer(offer, items, region=region, path=path, found=found)
                except (PriceReadError, HttpError) as error:
                    found.failed[offer] = f"{offer}: {error}"
            yield from self._section(region, found)

    def _offers(self) -> dict[str, tuple[OfferItem, ...]]:
        """The offers that are wanted, with their items."""
        wanted: dict[str, tuple[OfferItem, ...]] = {}
        if self.request.wants(SectionKind.MACHINES):
            wanted[MACHINES] = ()
        for item in offer_items() if self.request.wants(SectionKind.SERVICES) else ():
            wanted[item.offer] = (*wanted.get(item.offer, ()), item)
        return wanted

    def _path(self, offer: str, region: str) -> str | None:
        """Where an offer's file of a region lies; None where the offer is not sold there, or its index fails."""
        if offer not in self._paths:
            try:
                self._paths[offer] = self._read_index(offer)
            except (PriceReadError, HttpError) as error:
                self._paths[offer] = f"{offer}: {error}"
        paths = self._paths[offer]
        return None if isinstance(paths, str) else paths.get(region)

    def _read_index(self, offer: str) -> Mapping[str, str]:
        path = f"{ROOT}/{offer}/current/region_index.json"
        regions = as_object(read_object(self.request, path).get("regions"), name=f"regions of {offer}")
        found: dict[str, str] = {}
        for region, entry in regions.items():
            url = as_text(
                as_object(entry, name=region).get("currentVersionUrl"), name=f"the address of {offer}, {region}"
            )
            if not url.startswith(f"{ROOT}/{offer}/") or ".." in url:
                raise PriceReadError(f"the index of {offer} names an address that is none of the price list")
            found[region] = url.removesuffix("json") + "csv"
        return found

    def _read_offer(
        self, offer: str, items: tuple[OfferItem, ...], *, region: str, path: str, found: _RegionPrices
    ) -> None:
        """Add what an offer says of a region; nothing of it where it breaks off."""
        machines = offer == MACHINES and self.request.wants(SectionKind.MACHINES)
        words = [f'{item.usage.replace("{region}", region)}"' if item.usage else '"' for item in items]
        columns = {name for item in items for name in item.where}
        columns |= {*MACHINE, "Instance Type"} if machines else set()
        services: list[Mapping[str, str]] = []
        hosts: list[FoundPrice] = []
        with open_lines(self.request, path, most_bytes=LARGEST) as lines:
            file = read_offer(
                lines, offer=offer, words=[*words, *(['"RunInstances"'] if machines else [])], columns=sorted(columns)
            )
            for row in file.rows:
                host = find_machine(row, region=region, published=file.published) if machines else None
                if host:
                    hosts.append(host)
                elif any(item.matches(row, region=region) for item in items):
                    services.append(row)
        found.services += find_prices(services, items, region=region, published=file.published)
        found.machines += dict.fromkeys(hosts)

    def _section(self, region: str, found: _RegionPrices) -> Iterator[PriceSection | SilentSection]:
        failed = (*(text for text in self._paths.values() if isinstance(text, str)), *found.failed.values())
        for kind, prices in ((SectionKind.MACHINES, found.machines), (SectionKind.SERVICES, found.services)):
            if not self.request.wants(kind):
                continue
            whose = MACHINES if kind is SectionKind.MACHINES else ""
            concerns = tuple(text for text in failed if text.startswith(whose))
            if prices:
                yield PriceSection(
                    provider=self.request.provider,
                    region=region,
                    kind=kind,
                    source=_source(max(each.as_of for each in prices)),
                    prices=tuple(prices),
                    skipped=concerns,
                    whole=not concerns,
                )
            else:
                reason = "; ".join(concerns) or f"the AWS price list has no {region} any more"
                yield SilentSection(provider=self.request.provider, region=region, kind=kind, reason=reason)


def _source(newest: date) -> Source:
    return Source(id=ID, text=TEXT, url=URL, as_of=newest, method=Method.LIST)
