from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from catalogs.catalog import Catalog, load
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.relocation.costs.bill import MovingBill, RelocationTerms, moving_bill
from planning.relocation.costs.route import Exit, Route
from planning.relocation.inventory.volume import TransferVolume
from planning.spec.lock import Lock, LockedLine
from planning.values.money import Range

if TYPE_CHECKING:
    from planning.costs.bill import LineItem

ROOT = Path(__file__).parents[3]
TODAY = date(2026, 11, 21)  # the prices of the catalog are of this autumn
TB = 10**12


@cache
def catalog() -> Catalog:
    return load()


@cache
def example(name: str) -> Lock:
    """The first option of an example, accepted."""
    checklist = read_file(ROOT / "stacks" / name / "checklist.yaml")
    found = quote(checklist, checklist_digest="", stack=name, market=Market(catalog()), today=TODAY)
    return lock(found, found.options[0], ceiling=ceilings(checklist), contract_months=checklist.contract.months)


@cache
def termed(name: str, *, months: int, onboarding_usd: int) -> Lock:
    """The same example with another term, 0 for none, and another price of the onboarding."""
    checklist = read_file(ROOT / "stacks" / name / "checklist.yaml")
    contract = checklist.contract.model_copy(update={"months": months, "onboarding_usd": Decimal(onboarding_usd)})
    asked = checklist.model_copy(update={"contract": contract})
    found = quote(asked, checklist_digest="", stack=name, market=Market(catalog()), today=TODAY)
    return lock(found, found.options[0], ceiling=ceilings(asked), contract_months=months)


def at(home: Lock, *, provider: str, region: str, stack: str = "clone") -> Lock:
    """The same lock, said to be elsewhere."""
    spec = home.spec
    placement = spec.placement.model_copy(update={"provider": provider, "region": region})
    return home.model_copy(
        update={"stack": stack, "placements": (spec.model_copy(update={"placement": placement}), *home.placements[1:])}
    )


def billed(home: Lock, *lines: LockedLine, stack: str | None = None) -> Lock:
    return home.model_copy(update={"bill": lines, "stack": stack or home.stack})


def line(key: str, usd: str | None, *, low: str | None = None, high: str | None = None, item: str = "x") -> LockedLine:
    amount = None if usd is None else (Decimal(low or usd), Decimal(usd), Decimal(high or usd))
    return LockedLine(
        key=key,
        label=key,
        item=item,
        state="unpriced" if usd is None else "priced",
        unit="month",
        quantity=(Decimal(1), Decimal(1), Decimal(1)),
        usd_per_unit=None,
        usd_per_month=amount,
        source="a page",
        as_of=TODAY,
    )


def terms(*, overlap_days: int = 0, retain_days: int = 0, rounds: int = 3, **starts: date) -> RelocationTerms:
    return RelocationTerms(
        commit_on=date(2027, 1, 31),
        overlap_days=Range.exactly(overlap_days),
        retain_days=retain_days,
        rounds=rounds,
        commitments=starts,
    )


def one(moving: MovingBill, key: str) -> LineItem:
    (found,) = [each for each in moving.bill.lines if each.key == key]
    return found


def move(
    *volumes: TransferVolume,
    provider: str = "aws",
    region: str = "us-east-1",
    to: tuple[str, str] = ("aws", "us-west-2"),
    leaves_by: Exit = "gateway_endpoint",
    reads_back: bool = False,
    terms_: RelocationTerms | None = None,
) -> MovingBill:
    """The bill of the way alone, between places that only the route names."""
    source = billed(at(example("demo"), provider=provider, region=region, stack="old"))
    target = billed(at(example("demo"), provider=to[0], region=to[1], stack="new"))
    route = Route.between(source, target, leaves_by=leaves_by, reads_back=reads_back)
    return moving_bill(volumes, source=source, target=target, route=route, terms=terms_ or terms(), catalog=catalog())


def bucket(tb: str | int, *, objects: int | None = None) -> TransferVolume:
    return TransferVolume.from_measurement("bucket", "datasets", size=int(Decimal(tb) * TB), objects=objects)
