"""Bills for tests: months of equal days, as a file, and measured."""

from __future__ import annotations

import csv
import gzip
import io
import json
from calendar import monthrange
from decimal import Decimal
from pathlib import Path

from operations.usage.bill_files import rows
from planning.usage.meters import MonthlyUsage

ROOT = Path(__file__).parents[2]
OURS = ("atoll:stack", "demo")
GIB = Decimal(2**30) / 10**9


def focus(
    month: str, *, usage: str, quantity: float, unit: str = "GB", stack: str = "demo", **more: str
) -> list[dict[str, str]]:
    """A month of days, each with the same quantity."""
    year, number = (int(part) for part in month.split("-"))
    return [
        {
            "ChargePeriodStart": f"{month}-{day:02}T00:00:00Z",
            "ConsumedQuantity": str(quantity),
            "ConsumedUnit": unit,
            "ChargeCategory": "Usage",
            "ChargeDescription": "",
            "x_UsageType": usage,
            "Tags": json.dumps({"user:atoll:stack": stack}),
            **more,
        }
        for day in range(1, monthrange(year, number)[1] + 1)
    ]


def table(path: Path, found: list[dict[str, str]]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(found[0]))
    writer.writeheader()
    writer.writerows(found)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def measured(path: Path, *, tag: tuple[str, str] | None = OURS) -> MonthlyUsage:
    found = MonthlyUsage()
    found.take(rows(path, tag=tag))
    return found
