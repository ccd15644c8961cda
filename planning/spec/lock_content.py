"""What a lock holds: the accepted option and its bill, decided, in plain values.

Only what follows from the lock alone. Whether it follows from the checklist and the prices is another question.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, Field

from planning.checklist.model.vocabulary import HOME, Reading, Residency
from planning.spec.cluster import Amounts, ClusterSpec
from planning.spec.model import SpecModel
from planning.values.money import CENT, HOURS_PER_MONTH, ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.spec.cluster import Pool


class State(StrEnum):
    """The four states of a price. Unpriced is never 0, and an estimate is never signed as a price."""

    PRICED = "priced"
    FREE = "free"  # free by a rule that `source` names
    ESTIMATED = "estimated"  # a range by the rule of `planning.costs.estimates`
    UNPRICED = "unpriced"


TO_BE_CONFIRMED: Final = "to be confirmed"  # how the basis of an estimate begins: nobody has agreed to its price


def is_empty(text: str) -> bool:
    """Whether there is nothing to write."""
    return not text


class LockedLine(SpecModel):
    """One line of the bill as it was accepted."""

    key: str
    label: str
    item: str
    state: str
    unit: str
    quantity: tuple[Decimal, Decimal, Decimal]
    """min, expected, max in a month."""
    usd_per_unit: Decimal | None
    usd_per_month: tuple[Decimal, Decimal, Decimal] | None
    source: str
    as_of: date | None
    basis: str = Field(default="", exclude_if=is_empty)
    """Of an estimate: what it leans on, in words. No other line has one, nor has a lock without estimates the word."""


class Ceilings(SpecModel):
    """The limits that hold for the life of the cluster."""

    usd_per_month: Decimal | None
    usd_per_contract: Decimal | None
    usd_per_gpu_hour: Decimal | None
    binds: str


class Lock(SpecModel):
    """quote.lock.json."""

    schema_version: int
    stack: str
    option: str
    views: tuple[str, ...]
    checklist_digest: str
    prices: str
    prices_digest: str
    prices_as_of: date | None
    priced_at: date
    valid_until: date
    ceiling: Ceilings
    contract_months: int
    placements: tuple[ClusterSpec, ...]
    """One cluster each; the first is home."""
    joined: bool
    """Whether jobs of the home cluster are sent on to the others (Kueue MultiKueue)."""
    residency: str = "any"
    """Where data may lie, as the checklist says it."""
    bill: tuple[LockedLine, ...]

    @property
    def spec(self) -> ClusterSpec:
        return self.placements[0]


Finding = tuple[str, str]  # path, message

READINGS: Final = tuple(each.value for each in Reading)
_HANDED_OVER: Final = ("existing", "none")  # whose provider may be any
_ROLE_OF_ACCELERATORS: Final = "gpu"
HAS_PRICE: Final[Mapping[str, tuple[bool, bool]]] = {  # by the unit, by the month
    State.PRICED: (True, True),
    State.FREE: (False, True),
    State.ESTIMATED: (True, True),
    State.UNPRICED: (False, False),
}


def inconsistencies(lock: Lock) -> Iterator[Finding]:
    """Every contradiction, with its path."""
    if not lock.placements:
        yield "placements", "a stack is at one place at least"
        return
    yield from _terms(lock)
    yield from _ceiling(lock.ceiling)
    yield from _find_duplicates("placements", (each.placement.name for each in lock.placements))
    for at, cluster in enumerate(lock.placements):
        where = f"placements.{at}"
        yield from _placement(cluster, where=where, is_first=not at)
        yield from _find_duplicates(f"{where}.pools", (pool.name for pool in cluster.pools))
        for number, pool in enumerate(cluster.pools):
            yield from _pool(pool, where=f"{where}.pools.{number}")
        yield from _amounts(cluster, where=where)
    yield from _find_duplicates("bill", (line.key for line in lock.bill))
    for number, line in enumerate(lock.bill):
        yield from _line(line, where=f"bill.{number}")


def _terms(lock: Lock) -> Iterator[Finding]:
    home = lock.placements[0]
    place = f"{home.placement.provider}-{home.placement.region}".replace(" ", "-")
    if not lock.option.startswith(place):
        yield "option", f"{lock.option} is not an option in {place}, where the cluster is"
    if lock.joined and len(lock.placements) == 1:
        yield "joined", "one placement alone is joined to nothing"
    if lock.residency not in set(Residency):
        yield "residency", f"{lock.residency!r} is none of {', '.join(Residency)}"
    if lock.valid_until < lock.priced_at:
        yield "valid_until", f"{lock.valid_until} is before {lock.priced_at}, when it was priced"
    if lock.contract_months < 0:
        yield "contract_months", f"{lock.contract_months} is negative"


def _ceiling(ceiling: Ceilings) -> Iterator[Finding]:
    if ceiling.binds not in READINGS:
        yield "ceiling.binds", f"{ceiling.binds!r} is none of {', '.join(READINGS)}"
    for name in ("usd_per_month", "usd_per_contract", "usd_per_gpu_hour"):
        limit: Decimal | None = getattr(ceiling, name)
        if limit is not None and limit < ZERO:
            yield f"ceiling.{name}", f"{limit} is negative"


def _placement(cluster: ClusterSpec, *, where: str, is_first: bool) -> Iterator[Finding]:
    place = cluster.placement
    if is_first != (place.name == HOME):
        yield f"{where}.placement.name", f'{place.name!r}: the first placement is "{HOME}", and no other is'
    if place.target not in _HANDED_OVER and place.target != place.provider:
        yield f"{where}.placement.target", f"{place.target} builds no cluster at {place.provider}"
    if (place.target == "existing") != (cluster.existing is not None):
        yield f"{where}.existing", f"does not fit target {place.target}"


def _pool(pool: Pool, *, where: str) -> Iterator[Finding]:
    counts = {name: getattr(pool, name) for name in ("working", "spares", "min_nodes", "accelerators", "disk_gb")}
    yield from ((f"{where}.{name}", f"{count} is negative") for name, count in counts.items() if count < 0)
    if pool.max_nodes != pool.working + pool.spares:
        yield f"{where}.max_nodes", f"{pool.max_nodes} is not {pool.working} working and {pool.spares} spare nodes"
    if pool.min_nodes > pool.max_nodes:
        yield f"{where}.min_nodes", f"{pool.min_nodes} is more than max_nodes, {pool.max_nodes}"
    if pool.node_hours.max > pool.max_nodes * HOURS_PER_MONTH:
        yield f"{where}.node_hours.max", f"{pool.node_hours.max} is more than {pool.max_nodes} nodes have in a month"
    has_accelerators = pool.accelerator is not None
    if has_accelerators != bool(pool.accelerators) or has_accelerators != (pool.role == _ROLE_OF_ACCELERATORS):
        what = f"{pool.accelerators} of {pool.accelerator}"
        yield f"{where}.accelerators", f"{what} in a pool of role {pool.role}"


def _amounts(value: BaseModel, *, where: str) -> Iterator[Finding]:
    """Every range below a part of the lock that does not rise from zero or above."""
    for name in type(value).model_fields:
        inner: object = getattr(value, name)
        many = cast("tuple[object, ...]", inner) if isinstance(inner, tuple) else (inner,)
        for at, each in enumerate(many):
            path = f"{where}.{name}" + (f".{at}" if isinstance(inner, tuple) else "")
            if isinstance(each, Amounts):
                yield from _rising((each.min, each.expected, each.max), where=path)
            elif isinstance(each, BaseModel):
                yield from _amounts(each, where=path)


def _rising(readings: Sequence[Decimal], *, where: str) -> Iterator[Finding]:
    shown = ", ".join(str(each) for each in readings)
    if readings[0] < ZERO:
        yield where, f"{readings[0]} is negative"
    elif list(readings) != sorted(readings):
        yield where, f"{shown} do not rise from min over expected to max"


def _line(line: LockedLine, *, where: str) -> Iterator[Finding]:
    """A line whose price, quantity and total do not go together."""
    yield from _rising(line.quantity, where=f"{where}.quantity")
    if line.state not in HAS_PRICE:
        yield f"{where}.state", f"{line.state!r} is none of {', '.join(HAS_PRICE)}"
        return
    has_price = (line.usd_per_unit is not None, line.usd_per_month is not None)
    if has_price != HAS_PRICE[line.state]:
        yield f"{where}.state", f"{line.state}, and usd_per_unit is {line.usd_per_unit}"
        return
    if bool(line.basis) != (line.state == State.ESTIMATED):
        yield f"{where}.basis", f"{line.state}, and its basis is {line.basis!r}"
    if line.usd_per_month is None:
        return
    yield from _rising(line.usd_per_month, where=f"{where}.usd_per_month")
    yield from _product(line, line.usd_per_month, where=where)


def _product(line: LockedLine, usd: Sequence[Decimal], *, where: str) -> Iterator[Finding]:
    """Quantity times price; the most may be more, where another purchase may take this one's place.

    Of an estimate the price is the expected one: the least region's is below it, the most expensive one's above.
    """
    rate = line.usd_per_unit or ZERO
    if rate < ZERO:
        yield f"{where}.usd_per_unit", f"{rate} is negative"
    for name, amount, quantity in zip(READINGS, usd, line.quantity, strict=True):
        product = quantity * rate
        may_be_less = name == READINGS[0] and line.state == State.ESTIMATED
        may_be_more = name == READINGS[-1] and line.state in {State.PRICED, State.ESTIMATED}
        if (amount < product - CENT and not may_be_less) or (amount > product + CENT and not may_be_more):
            yield f"{where}.usd_per_month", f"{name} is {amount}, and {quantity} at {rate} are {product}"


def _find_duplicates(where: str, names: Iterable[str]) -> Iterator[Finding]:
    for name, count in Counter(names).items():
        if count > 1:
            yield where, f"{count} are named {name!r}"
