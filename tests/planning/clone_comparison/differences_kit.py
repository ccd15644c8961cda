from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache
from io import StringIO
from pathlib import Path

from rich.console import Console

from catalogs.catalog import Catalog, load
from cli.views.clone.differences import parts
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.reading.checklist_file import read_file
from planning.clone.comparison.stack_comparison import CloneComparison, compare
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Lock, LockedLine

ROOT = Path(__file__).parents[3]
TODAY = date(2026, 11, 21)  # the prices of the catalog are of this autumn


@cache
def catalog() -> Catalog:
    return load()


@cache
def demo(provider: str, region: str) -> Lock:
    """The demo, quoted at a place and accepted."""
    checklist = read_file(ROOT / "stacks/demo/checklist.yaml")
    where = checklist.where.model_copy(update={"wanted": (CloudName(provider),), "regions": (region,)})
    asked = checklist.model_copy(update={"where": where})
    stack = f"demo-{region}"
    found = quote(asked, checklist_digest="", stack=stack, market=Market(catalog()), today=TODAY)
    return lock(
        found,
        found.options[0],
        ceiling=ceilings(asked),
        contract_months=asked.contract.months,
        residency=asked.where.residency,
    )


@cache
def across() -> CloneComparison:
    return compare(demo("aws", "us-east-1"), demo("gcp", "us-central1"), catalog=catalog())


def at(home: Lock, *, stack: str = "clone", residency: str | None = None, **placement: object) -> Lock:
    """The same lock with another placement, which nobody quoted."""
    spec = home.spec
    moved = spec.model_copy(update={"placement": spec.placement.model_copy(update=placement)})
    changes = {"stack": stack, "placements": (moved, *home.placements[1:])}
    return home.model_copy(update={**changes, **({"residency": residency} if residency else {})})


def with_spec(home: Lock, **changes: object) -> Lock:
    return home.model_copy(update={"placements": (home.spec.model_copy(update=changes), *home.placements[1:])})


def billed(home: Lock, *lines: LockedLine) -> Lock:
    return home.model_copy(update={"bill": lines})


def line(key: str, usd: str | None, *, per: str | None = None) -> LockedLine:
    amount = None if usd is None else (Decimal(usd), Decimal(usd), Decimal(usd))
    return LockedLine(
        key=key,
        label=f"line of {key}",
        item="x",
        state="unpriced" if usd is None else "priced",
        unit="hour",
        quantity=(Decimal(1), Decimal(1), Decimal(1)),
        usd_per_unit=None if usd is None else Decimal(per or usd),
        usd_per_month=amount,
        source="a page",
        as_of=TODAY,
    )


def shown(comparison: CloneComparison, *, width: int = 200) -> str:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None)
    for each in parts(comparison):
        console.print(each)
    return out.getvalue()
