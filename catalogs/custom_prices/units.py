"""Units of a price, converted to the one in which the catalog counts an item: hours, GB, GB-months, requests."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.parsing import HOUR, unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

GPU: Final = "GPU-"  # before a unit of time: per accelerator of a machine, not per machine
_HOURS: Final = {"hour": Decimal(1), "month": Decimal(730), "year": Decimal(8760)}  # a month has 730 hours
# How many GB one of them is: decimal, and binary as IEC 80000-13 has them.
_SIZES: Final = {"GB": Decimal(1), "GiB": Decimal("1.073741824"), "TB": Decimal(1000), "TiB": Decimal("1099.511627776")}
_KEPT: Final = {"hour": Decimal(1) / 730, "month": Decimal(1), "year": Decimal(12)}
_RATES: Final = {
    "MBps": Decimal(1),
    "MiBps": Decimal("1.048576"),
    "GBps": Decimal(1000),
    "GiBps": Decimal("1073.741824"),
}
_REQUESTS: Final = {"request": "0.001", "1k requests": "1", "10k requests": "10", "1M requests": "1000"}
_SHARES: Final = {"USD of monthly bill": Decimal(1), "% of monthly bill": Decimal(100)}
_DIGITS: Final = Decimal("1e-12")  # a rate beyond it moves no cent of a month


def _keep(things: Mapping[str, Decimal]) -> Mapping[str, Decimal]:
    """What is kept over time, counted by the month: "GiB-hour" is a 730th of a GiB-month."""
    return {f"{thing}-{time}": size * months for thing, size in things.items() for time, months in _KEPT.items()}


# By the catalog's unit, how many of it one of each unit is.
_UNITS: Final[Mapping[str, Mapping[str, Decimal]]] = {
    HOUR: _HOURS,
    "GB": _SIZES,
    "GB-month": _keep(_SIZES),
    "IOPS-month": _keep({"IOPS": Decimal(1)}),
    "MBps-month": _keep(_RATES),
    "1k requests": {word: Decimal(thousands) for word, thousands in _REQUESTS.items()},
    "key-month": _keep({"key": Decimal(1)}),
    "zone-month": _keep({"zone": Decimal(1)}),
    "USD of monthly bill": _SHARES,
}


def list_units(item: str, *, accelerators: int = 0) -> tuple[str, ...]:
    """Every unit in which a price of an item may be given, the catalog's own first.

    Args:
        accelerators: of a machine; 0 for none, and for what is no machine.
    """
    own = unit_of(item)
    words = (own, *(word for word in _UNITS[own] if word != own))
    return (*words, *(f"{GPU}{word}" for word in _HOURS)) if accelerators else words


def convert_price(usd: Decimal, *, unit: str, item: str, accelerators: int = 0) -> Decimal:
    """USD per unit of the catalog, of a price per `unit`.

    Raises:
        KeyError: no unit of this item.
    """
    own = unit_of(item)
    if unit == own:
        return usd
    if accelerators and unit.startswith(GPU):
        return _round(usd * accelerators / _HOURS[unit.removeprefix(GPU)])
    return _round(usd / _UNITS[own][unit])


def _round(usd: Decimal) -> Decimal:
    return Decimal(format(usd.quantize(_DIGITS).normalize(), "f"))
