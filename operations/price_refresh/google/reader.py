"""Reads Google's Cloud Billing Catalog: each service once, then what it says of each region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from operations.price_refresh.google.matching import find_machines, find_services, machine_names, sku_items
from operations.price_refresh.google.skus import read_services, read_skus
from operations.price_refresh.model import PriceReadError, PriceSection, SectionKind, SilentSection
from operations.project.http import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from operations.price_refresh.google.skus import BillingSku
    from operations.price_refresh.model import FoundPrice, PriceRequest

COMPUTE: Final = "Compute Engine"
ID: Final = "google-billing-catalog"
URL: Final = "https://cloudbilling.googleapis.com/v1/services"
TEXT: Final = (
    "Google Cloud Billing Catalog by way of atoll catalog refresh; a machine is the sum of its cores, memory, GPUs and "
    "local disks; rows are dated by the day from which Google's price is in force"
)


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """Services and machines of each region; a service that fails skips its own items alone."""
    failed: dict[str, str] = {}
    skus = list(_read_skus(request, failed))
    machines = [each for (owner, _), each in request.catalog.machines.items() if owner == request.provider]
    for region in request.regions:
        for kind in sorted(request.kinds):
            if kind is SectionKind.SERVICES:
                prices = list(find_services(skus, region=region))
                concerns = tuple(failed.values())
            else:
                prices = list(find_machines(skus, machines, region=region))
                concerns = tuple(text for name, text in failed.items() if name == COMPUTE)
            yield _section(request, region, kind, prices, concerns)


def _read_skus(request: PriceRequest, failed: dict[str, str]) -> Iterator[BillingSku]:
    """The SKUs that are asked about, of every service; what fails is added, in words."""
    ids = read_services(request)
    wanted = {each.service for each in sku_items()} if request.wants(SectionKind.SERVICES) else set[str]()
    for service in sorted(wanted | {COMPUTE}):
        request.tell(service)
        try:
            yield from _relevant(request, service, ids.get(service, ""))
        except (PriceReadError, HttpError) as error:
            failed[service] = f"{service}: {error}"


def _relevant(request: PriceRequest, service: str, id_: str) -> list[BillingSku]:
    if not id_:
        raise PriceReadError("Google has no service of that name any more")
    items = [each for each in sku_items() if each.service == service]
    names = machine_names() if service == COMPUTE else frozenset[str]()
    return [sku for sku in read_skus(request, id_) if sku.name in names or any(each.matches(sku) for each in items)]


def _section(
    request: PriceRequest, region: str, kind: SectionKind, prices: Sequence[FoundPrice], concerns: tuple[str, ...]
) -> PriceSection | SilentSection:
    if not prices:
        reason = "; ".join(concerns) or f"the Cloud Billing Catalog has no {kind} of {region} any more"
        return SilentSection(provider=request.provider, region=region, kind=kind, reason=reason)
    return PriceSection(
        provider=request.provider,
        region=region,
        kind=kind,
        source=_source(max(each.as_of for each in prices)),
        prices=tuple(prices),
        skipped=concerns,
        whole=not concerns,
    )


def _source(newest: date) -> Source:
    return Source(id=ID, text=TEXT, url=URL, as_of=newest, method=Method.LIST)
