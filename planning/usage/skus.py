"""Which item of our price lists a row of a bill is of: machines by their names, the rest by the words of a provider."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from planning.costs.resources.counters import MACHINE_NAMES
from planning.inputs.fact_tables import read_rows
from planning.usage.columns import DESCRIPTION, LONGEST, PRICING_UNIT, SERVICE, SKU, SKU_DETAILS, USAGE_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping


MACHINE: Final = "machine"  # the group of a pattern that holds a machine's name
MOST_NAME: Final = 80
# Before a usage type of AWS: "USE2-", "EU-", "us-east-1-" (AWS CUR user guide, usage types).
_REGION: Final = re.compile(r"(?:[A-Z]{2,4}\d{0,2}|[a-z]{2}(?:-[a-z]+)+-\d)-")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkuPattern:
    """What a provider's words in one column mean.

    Args:
        service: a word of the service's name, where the bill tells it: others sell under the same usage type.
        item: "" where the pattern itself holds the name of a machine.
    """

    provider: str
    column: str
    pattern: re.Pattern[str]
    service: re.Pattern[str] | None
    item: str

    def find_item(self, row: Mapping[str, str]) -> str:
        """The item; "" where the row is of another."""
        said, service = row.get(self.column, ""), row.get(SERVICE, "")
        if not said or (self.service is not None and service and self.service.search(service) is None):
            return ""
        texts = (said, _REGION.sub("", said, count=1)) if self.column == USAGE_TYPE else (said,)
        match = next((found for text in texts if (found := self.pattern.fullmatch(text))), None)
        return "" if match is None else self.item or match[MACHINE]


@cache
def _read_patterns() -> tuple[SkuPattern, ...]:
    return tuple(
        SkuPattern(
            provider=row["provider"],
            column=row["column"],
            pattern=re.compile(row["pattern"], re.IGNORECASE if row["column"] == DESCRIPTION else 0),
            service=re.compile(row["service"]) if row["service"] else None,
            item=row["item"],
        )
        for row in read_rows("resources/usage_skus.csv")
    )


def find_item(
    row: Mapping[str, str], *, providers: tuple[str, ...] | None = None, machines: frozenset[str] = frozenset()
) -> str:
    """What of our price lists a row is of; "" where nothing says it for certain.

    Args:
        providers: those whose words the bill may have; None for every one.
        machines: names of machines that a SKU may be as it stands.
    """
    found = _find_item(tuple(row.get(name, "").strip()[:LONGEST] for name in _COLUMNS), providers, machines)
    if not found and (instance := _INSTANCE.search(row.get(SKU_DETAILS, ""))) and instance[1] in machines:
        return instance[1]
    return found


_INSTANCE: Final = re.compile(r'"InstanceType"\s*:\s*"([^"]+)"')  # a property of SkuPriceDetails from FOCUS 1.2 on
_COLUMNS: Final = (SKU, USAGE_TYPE, DESCRIPTION, SERVICE, PRICING_UNIT)


@lru_cache(maxsize=10_000)
def _find_item(cells: tuple[str, ...], providers: tuple[str, ...] | None, machines: frozenset[str]) -> str:
    row: dict[str, str] = dict(zip(_COLUMNS, cells, strict=True))
    if row[SKU] in machines:
        return row[SKU]
    for provider, names in MACHINE_NAMES.items():
        if row[SKU] in names and (providers is None or provider in providers):
            return names[row[SKU]]
    patterns = (each for each in _read_patterns() if providers is None or each.provider in providers)
    return next((item for each in patterns if (item := each.find_item(row))), "")


def name_sku(row: Mapping[str, str]) -> str:
    """What a reader calls a row's SKU: the first column that says something, cut off."""
    return next((row[name] for name in (USAGE_TYPE, DESCRIPTION, SKU, SERVICE) if row.get(name)), "")[:MOST_NAME]
