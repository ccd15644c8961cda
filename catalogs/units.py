"""What a price is per, by item: the words that every price list and every own price book uses."""

from __future__ import annotations

from typing import Final

HOUR: Final = "hour"  # of every machine, and of what is rented by the hour
_ITEMS: Final = {  # words of `catalogs.model.Item`
    "GB": "nat_data transit_data cross_zone_data inter_region_data internet_egress log_ingest",
    "GB-month": "disk disk_fast shared_ssd shared_scratch shared_disk log_storage "
    "object object_infrequent object_archive",
    "IOPS-month": "disk_iops disk_fast_iops",
    "MBps-month": "disk_throughput",
    "1k requests": "object_put object_get",
    "key-month": "encryption_key",
    "zone-month": "dns_zone",
    "USD of monthly bill": "support_business_hours support_24x7",
}
_WORDS: Final = {"1k requests": "thousand requests"}  # where the word of a price list is not what people say
_COUNTED: Final = frozenset({"hour", "month", "unit", "request"})  # units that take a plural
_UNIT_OF: Final = {item: unit for unit, items in _ITEMS.items() for item in items.split()}


def unit_of(item: str) -> str:
    """The unit in which an item is counted; a machine, like all that is rented, by the hour."""
    return _UNIT_OF.get(item, HOUR)


def spell_unit(unit: str, amount: str = "1") -> str:
    """A unit in words, after an amount as it is shown; without one as after "per"."""
    return f"{unit}s" if unit in _COUNTED and amount != "1" else _WORDS.get(unit, unit)
