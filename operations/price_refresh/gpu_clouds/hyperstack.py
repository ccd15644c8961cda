"""Hyperstack's price book: rates per resource and hour, joined with the flavors that say what a machine is made of.

`value` is what the account pays, its discounts taken off; `original_value` is the list price, which is taken here
(docs.hyperstack.cloud, PricebookModel). vCPU and memory of a machine with GPUs cost nothing on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item, Method, Source
from catalogs.parsing import EVERYWHERE, unit_of
from operations.price_refresh.amounts import read_amount, read_count
from operations.price_refresh.answers import as_objects, as_text, read_json, read_object
from operations.price_refresh.gpu_clouds.machine_quotes import (
    ON_DEMAND,
    SPOT,
    MachineQuote,
    machine_sections,
    name_some,
)
from operations.price_refresh.model import FoundPrice, PriceReadError, PriceSection, SectionKind, SilentSection
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from operations.price_refresh.model import PriceRequest

FLAVORS: Final = "/v1/core/flavors"
BOOK: Final = "/v1/pricebook"
SPOT_SUFFIX: Final = "-spot"  # of a GPU's name in the book, and of the flavors with it
VCPU: Final = "vCPU (cpu-only-flavors)"
MEMORY: Final = "RAM (cpu-only-flavors)"
VOLUME: Final = "Cloud-SSD"  # a GB of a volume for an hour


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """Volumes, and the machines, whose rates name no place. Raises: as `Reader.read`."""
    (key,) = request.keys.values()
    headers = {"api_key": key}
    rates = read_rates(read_json(request, BOOK, headers=headers))
    if request.wants(SectionKind.SERVICES):
        yield _services(request, rates)
    if request.wants(SectionKind.MACHINES):
        answer = read_object(request, FLAVORS, headers=headers)
        unpriced: set[str] = set()
        quotes = list(read_quotes(answer, request, rates=rates, unpriced=unpriced))
        skipped = [f"flavors without a rate: {name_some(unpriced)}"] if unpriced else []
        yield from machine_sections(request, quotes, skipped=skipped)


def read_rates(book: object) -> Mapping[str, Decimal]:
    """The list price of each resource for an hour.

    Raises:
        PriceReadError: not the form of a price book, or two prices of one resource.
    """
    found: dict[str, Decimal] = {}
    for entry in as_objects(book, name="the price book"):
        name = as_text(entry.get("name"), name="name")
        if name in found:
            raise PriceReadError(f"the price book has two prices of {name[:60]}")
        found[name] = read_amount(entry.get("original_value"), name=f"{name}: original_value")
    return found


def read_quotes(
    answer: Mapping[str, object], request: PriceRequest, *, rates: Mapping[str, Decimal], unpriced: set[str]
) -> Iterator[MachineQuote]:
    """The flavors of every region; `unpriced` gets the names of those whose resources have no rate.

    Raises:
        PriceReadError: not the form of the answer.
    """
    source = _source(request, method=Method.PER_GPU_RATE, suffix="gpu", basis="rate per GPU times those of the flavor")
    for group in as_objects(answer.get("data"), name="data"):
        for flavor in as_objects(group.get("flavors"), name="flavors"):
            name = as_text(flavor.get("name"), name="name")
            gpu = as_text(flavor.get("gpu") or "", name=f"{name}: gpu")
            amount = _flavor_amount(flavor, name=name, gpu=gpu, rates=rates)
            if not amount:
                unpriced.add(name)
                continue
            yield MachineQuote(
                name=name.removesuffix(SPOT_SUFFIX),
                place=as_text(flavor.get("region_name"), name=f"{name}: region_name"),
                accelerators=read_count(flavor.get("gpu_count"), name=f"{name}: gpu_count"),
                purchase=SPOT if gpu.endswith(SPOT_SUFFIX) else ON_DEMAND,
                amount=amount,
                as_of=request.today,
                source=source,
            )


def _flavor_amount(
    flavor: Mapping[str, object], *, name: str, gpu: str, rates: Mapping[str, Decimal]
) -> Decimal | None:
    """USD an hour; None where a rate is missing, 0 where all are."""
    counts = {gpu: "gpu_count"} if gpu else {VCPU: "cpu", MEMORY: "ram"}
    parts = [
        (rates.get(resource), read_amount(flavor.get(field), name=f"{name}: {field}"))
        for resource, field in counts.items()
    ]
    amounts = [rate * count for rate, count in parts if rate is not None]
    return sum(amounts[1:], amounts[0]) if len(amounts) == len(parts) else None


def _services(request: PriceRequest, rates: Mapping[str, Decimal]) -> PriceSection | SilentSection:
    if VOLUME not in rates:
        reason = f"the price book has no {VOLUME}"
        return SilentSection(provider=request.provider, region=EVERYWHERE, kind=SectionKind.SERVICES, reason=reason)
    return PriceSection(
        provider=request.provider,
        region=EVERYWHERE,
        kind=SectionKind.SERVICES,
        source=_source(
            request, method=Method.LIST, suffix="services", basis=f"per GB and hour, times {HOURS_PER_MONTH} h"
        ),
        prices=(
            FoundPrice(
                item=Item.DISK,
                amount=rates[VOLUME] * HOURS_PER_MONTH,
                as_of=request.today,
                unit=unit_of(Item.DISK),
            ),
        ),
    )


def _source(request: PriceRequest, *, method: Method, suffix: str, basis: str) -> Source:
    return Source(
        id=f"hyperstack-book-{suffix}",
        text=f"Hyperstack price book API, list prices before the account's discounts, of the day it was asked; {basis}",
        url=request.address + BOOK,
        as_of=request.today,
        method=method,
    )
