"""DigitalOcean's list of Droplet sizes: its price by the hour, held against the one by the month."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from catalogs.model import Method, Source
from operations.price_refresh.amounts import read_amount, read_count
from operations.price_refresh.answers import as_object, as_objects, as_text, read_object
from operations.price_refresh.gpu_clouds.machine_quotes import (
    ON_DEMAND,
    SPOT,
    MachineQuote,
    machine_sections,
    name_some,
)
from operations.price_refresh.model import PriceReadError, SectionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date
    from decimal import Decimal

    from operations.price_refresh.model import PriceRequest, PriceSection, SilentSection

PATH: Final = "/v2/sizes"
PAGE: Final = 500
MOST_PAGES: Final = 20
SPOT_SUFFIX: Final = "-spot"  # of the slug of a size that is sold as spare capacity only
# A month is charged as 672 hours (a Basic Droplet at 4 and 0.00595 USD) to 744 (GPU Droplets); both from the list.
LEAST_HOURS, MOST_HOURS = 600, 760


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """The machines of each region. Raises: as `Reader.read`."""
    if not request.wants(SectionKind.MACHINES):
        return
    source = Source(
        id="digitalocean-api",
        text="DigitalOcean API, sizes; the price of the day on which it was asked",
        url=request.address + PATH,
        as_of=request.today,
        method=Method.LIST,
    )
    torn: set[str] = set()
    quotes = [
        quote for size in _sizes(request) for quote in read_quotes(size, source=source, today=request.today, torn=torn)
    ]
    said = [f"sizes whose prices by hour and by month disagree: {name_some(torn)}"] if torn else []
    yield from machine_sections(request, quotes, skipped=said)


def _sizes(request: PriceRequest) -> Iterator[Mapping[str, object]]:
    (key,) = request.keys.values()
    for page in range(1, MOST_PAGES + 1):
        query = {"per_page": PAGE, "page": page}
        answer = read_object(request, PATH, query=query, headers={"Authorization": f"Bearer {key}"})
        sizes = as_objects(answer.get("sizes"), name="sizes")
        yield from sizes
        total = read_count(as_object(answer.get("meta"), name="meta").get("total"), name="meta.total")
        if not sizes or page * PAGE >= total:
            return
    raise PriceReadError(f"{request.address}{PATH} has more than {MOST_PAGES} pages")


def read_quotes(size: Mapping[str, object], *, source: Source, today: date, torn: set[str]) -> Iterator[MachineQuote]:
    """A size in each region that has it; `torn` gets the name of one whose prices cannot both be right.

    Raises:
        PriceReadError: not the form of the list.
    """
    name = as_text(size.get("slug"), name="slug")
    amount = read_amount(size.get("price_hourly"), name=f"{name}: price_hourly")
    if not _agree(amount, read_amount(size.get("price_monthly"), name=f"{name}: price_monthly")):
        torn.add(name)
        return
    gpu = size.get("gpu_info")
    count = (
        0 if gpu is None else read_count(as_object(gpu, name=f"{name}: gpu_info").get("count"), name=f"{name}: count")
    )
    regions = size.get("regions")
    if not isinstance(regions, list):
        raise PriceReadError(f"{name}: regions is no list: the source has changed its form")
    for region in cast("list[object]", regions):
        yield MachineQuote(
            name=name,
            place=as_text(region, name=f"{name}: regions"),
            accelerators=count,
            purchase=SPOT if name.endswith(SPOT_SUFFIX) else ON_DEMAND,
            amount=amount,
            as_of=today,
            source=source,
        )


def _agree(hour: Decimal, month: Decimal) -> bool:
    return LEAST_HOURS * abs(hour) <= abs(month) <= MOST_HOURS * abs(hour)
