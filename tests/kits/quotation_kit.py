"""Requests for quotation filled in as a provider would: a price for each row, in the units that it sells by."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

Row = dict[str, str]
Fill = Callable[[Row], Mapping[str, str]]
DAY = "2026-11-09"
BY_ITEM = {"cpu-node": ("146", "month"), "disk": ("80", "TB-month"), "object": ("20", "TB-month")}
BY_UNIT = {
    "hour": ("14.60", "month"),
    "GB": ("20", "TB"),
    "GB-month": ("200", "TB-month"),
    "USD of monthly bill": ("5", "% of monthly bill"),
    "1k requests": ("5", "1M requests"),
}


def read_sheet(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answer(row: Row) -> Mapping[str, str]:
    """A price of every item; of a term a discount where only the most is published, of accelerators per GPU."""
    usd, unit = BY_ITEM.get(row["item"]) or BY_UNIT.get(row["unit"], ("0.01", row["unit"]))
    if row["reason"] == "only a maximum discount is published":
        usd, unit = "-35%", row["unit"]
    elif " x " in row["what"]:
        usd, unit = "2.10", "GPU-hour"
    return {"usd": usd, "unit": unit, "source": "quotation 4711", "as_of": DAY}


def fill_in(path: Path, to: Path, fill: Fill = answer, *, delimiter: str = ",") -> None:
    rows = read_sheet(path)
    with to.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows({**row, **fill(row)} for row in rows)
