"""Lambda's Cloud API: an object with one instance type under each name, its price in whole US cents an hour."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from operations.price_refresh.amounts import read_amount, read_count
from operations.price_refresh.answers import as_object, read_object
from operations.price_refresh.gpu_clouds.machine_quotes import ON_DEMAND, MachineQuote, machine_sections
from operations.price_refresh.model import PriceReadError, SectionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from operations.price_refresh.model import PriceRequest, PriceSection, SilentSection

PATH: Final = "/api/v1/instance-types"
CENTS: Final = "price_cents_per_hour"
CENT: Final = Decimal("0.01")


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """The machines; their price is the same in every region. Raises: as `Reader.read`."""
    if not request.wants(SectionKind.MACHINES):
        return
    (key,) = request.keys.values()
    answer = read_object(request, PATH, headers={"Authorization": f"Bearer {key}"})
    source = Source(
        id="lambda-api",
        text="Lambda Cloud API, instance types; the price of the day on which it was asked, the same in every region",
        url=request.address + PATH,
        as_of=request.today,
        method=Method.LIST,
    )
    yield from machine_sections(request, read_quotes(answer, source=source, today=request.today))


def read_quotes(answer: Mapping[str, object], *, source: Source, today: date) -> Iterator[MachineQuote]:
    """Every instance type.

    Raises:
        PriceReadError: not the form of the answer, or a price that is no whole number of cents.
    """
    for name, entry in as_object(answer.get("data"), name="data").items():
        kind = as_object(as_object(entry, name=name).get("instance_type"), name=f"{name}: instance_type")
        specs = as_object(kind.get("specs"), name=f"{name}: specs")
        cents = read_amount(kind.get(CENTS), name=f"{name}: {CENTS}")
        if cents != cents.to_integral_value():
            raise PriceReadError(f"{name}: {CENTS} is {cents}, no whole cents: the source has changed its unit")
        gpus = specs.get("gpus")
        yield MachineQuote(
            name=name,
            place="",
            accelerators=None if gpus is None else read_count(gpus, name=f"{name}: gpus"),
            purchase=ON_DEMAND,
            amount=cents * CENT,
            as_of=today,
            source=source,
        )
