"""What two stacks at once cost: the target before it works, the source's data after, and what was promised to it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, LineItem, component_of
from planning.spec.lock_content import State
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range, to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from catalogs.model import Term
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock, LockedLine

DAYS_PER_MONTH: Final = HOURS_PER_MONTH / 24
MONTHS_PER_YEAR: Final = 12
ONBOARDING: Final = "services/onboarding"
# What data lies on: GB-months of disks, file systems and buckets.
STORED: Final = frozenset(
    {
        Item.DISK,
        Item.DISK_FAST,
        Item.SHARED_SSD,
        Item.SHARED_SCRATCH,
        Item.SHARED_DISK,
        Item.OBJECT,
        Item.OBJECT_INFREQUENT,
        Item.OBJECT_ARCHIVE,
    }
)
CHAPTERS: Final[Mapping[str, BillGroup]] = {
    "access": BillGroup.NETWORK,
    "control_plane": BillGroup.CONTROL_PLANE,
    "logs": BillGroup.OBSERVABILITY,
    "network": BillGroup.NETWORK,
    "platform": BillGroup.STORAGE,
    "pool": BillGroup.COMPUTE,
    "security": BillGroup.SECURITY,
    "services": BillGroup.SERVICES,
    "storage": BillGroup.STORAGE,
}


def is_onboarding(line: LockedLine) -> bool:
    """Whether a line is paid once and only spread over the months."""
    return line.key == ONBOARDING or line.key.endswith(f"/{ONBOARDING}")


def overlap(target: Lock, *, days: Range) -> Iterator[LineItem]:
    """The target while the source still works: everything of its bill but the onboarding, component by component."""
    if days.max > ZERO:
        running = [line for line in target.bill if not is_onboarding(line)]
        yield from _by_component(target, running, days=days, key="overlap", words="beside the source")


def price_retention(source: Lock, *, days: int) -> Iterator[LineItem]:
    """What the source's data costs while it is kept: what it lies on, and nothing that computes."""
    kept = [line for line in source.bill if line.item in STORED and not _of_machines(line.key)]
    if days:
        yield from _by_component(source, kept, days=Range.exactly(days), key="retained", words="of the source, kept")


def _of_machines(key: str) -> bool:
    """Whether a line is a disk that goes with its machines."""
    words = component_of(key).split("/")
    return bool({"pool", "access"} & set(words[:2]))


def _by_component(lock: Lock, lines: Iterable[LockedLine], *, days: Range, key: str, words: str) -> Iterator[LineItem]:
    found: dict[str, list[LockedLine]] = {}
    for line in lines:
        found.setdefault(component_of(line.key), []).append(line)
    for component, mine in found.items():
        chapter = _chapter(component)
        month = [Range(*line.usd_per_month) for line in mine if line.usd_per_month is not None]
        if month:
            yield _line(
                lock,
                key=f"{key}/{component}",
                label=f"{component} {words}",
                group=chapter,
                item=component,
                quantity=days,
                unit="days",
                usd=sum(month, NOTHING).by(days).per(DAYS_PER_MONTH),
                note="its lines of a month, by the day",
                is_estimated=any(line.state == State.ESTIMATED for line in mine),
            )
        for line in mine:
            if line.usd_per_month is None:
                yield _line(
                    None,
                    key=f"{key}/{line.key}",
                    label=f"{line.label} {words}",
                    group=chapter,
                    item=line.item,
                    quantity=days,
                    unit="days",
                    usd=None,
                    note="its lock has no price of it",
                )


def _line(
    lock: Lock | None,
    *,
    key: str,
    label: str,
    group: BillGroup,
    item: str,
    quantity: Range,
    unit: str,
    usd: Range | None,
    note: str,
    usd_per_unit: Decimal | None = None,
    most: Decimal | None = None,
    is_estimated: bool = False,
) -> LineItem:
    """A line of the move.

    Args:
        lock: where its price is from; None for a line that no lock prices.
        most: that it can come to, where it has no price.
        is_estimated: whether a part of its price is an estimate.
    """
    return LineItem(
        key=key,
        label=label,
        group=group,
        item=item,
        state=_state(usd, is_estimated=is_estimated),
        quantity=quantity,
        unit=unit,
        usd_per_unit=usd_per_unit,
        usd_per_month=usd,
        source=f"lock of {lock.stack}" if lock else "",
        as_of=lock.priced_at if lock else None,
        note=note,
        at_most_usd_per_month=most,
    )


def _state(usd: Range | None, *, is_estimated: bool) -> State:
    if usd is None:
        return State.UNPRICED
    if usd.max == ZERO:
        return State.FREE
    return State.ESTIMATED if is_estimated else State.PRICED


def _chapter(component: str) -> BillGroup:
    words = component.split("/")
    return CHAPTERS.get(words[0]) or CHAPTERS.get(words[min(1, len(words) - 1)], BillGroup.SERVICES)


def onboarding(target: Lock) -> Iterator[LineItem]:
    """What people are paid once for bringing the target up, to the cent; its bill spreads that, with a term or none."""
    months = max(target.spec.services.contract_months, 1)
    lines = [line for line in target.bill if is_onboarding(line) and line.usd_per_month is not None]
    usd = sum((Range(*line.usd_per_month).times(months) for line in lines if line.usd_per_month), NOTHING)
    usd = Range(to_cents(usd.min), to_cents(usd.expected), to_cents(usd.max))
    if usd.max > ZERO:
        yield _line(
            target,
            key="onboarding",
            label="onboarding services of the target",
            group=BillGroup.SERVICES,
            item="onboarding",
            quantity=Range.exactly(1),
            unit="",
            usd=usd,
            usd_per_unit=usd.expected,
            note=f"once; the bill of a month spreads it over {months} months" if months > 1 else "once",
        )


def commitments(
    source: Lock, *, from_day: date, starts: Mapping[str, date], term_of: Callable[[str, str], Term | None]
) -> Iterator[LineItem]:
    """What is left to pay of machines that were promised to be paid, whether used or not.

    Args:
        from_day: day from which they stand idle.
        starts: pool to the day on which its term began.
        term_of: purchase and provider to what the word means.
    """
    for spec in source.placements:
        for pool in spec.pools:
            if pool.kind in {"reserved", "capacity_block"}:
                term = term_of(pool.purchase, spec.placement.provider)
                yield _remainder(source, spec, pool, term=term, from_day=from_day, start=starts.get(pool.name))


def _remainder(
    source: Lock, spec: ClusterSpec, pool: Pool, *, term: Term | None, from_day: date, start: date | None
) -> LineItem:
    """Remaining term of a pool; an upper bound where something of it is unknown."""
    prefix = "" if spec.placement.name == HOME else f"{spec.placement.name}/"
    key = f"{prefix}pool/{pool.name}/machine"
    paid = next(
        (line.usd_per_month for line in source.bill if line.key == key and line.usd_per_month is not None), None
    )
    months = Decimal(term.months) if term else ZERO
    note = (
        f"{term.note}; ask what of it may be used in another region or sold"
        if term
        else "terms.csv does not explain it"
    )
    usd, most = None, None
    if paid and months and start is not None:
        left = months_left(start, months=int(months), on=from_day)
        quantity, usd = Range.exactly(left), Range(*paid).times(left)
        note = note if usd.max > ZERO else f"its term has ended; {note}"
    else:
        quantity, most = Range(ZERO, months, months), paid[2] * months if paid and months else None
        lacking = "the first day of its term" if start is None and most is not None else "its price or its length"
        note = f"{lacking} is not known; {note}"
    return _line(
        source,
        key=f"commitment/{key}",
        label=f"{pool.name}: what is left of {pool.purchase.replace('_', ' ')}",
        group=BillGroup.COMPUTE,
        item=pool.machine,
        quantity=quantity,
        unit="months",
        usd=usd,
        note=note,
        most=most,
    )


def months_left(start: date, *, months: int, on: date) -> Decimal:
    """Months of a term that are left on a day, by the day of a month's average length; never below 0."""
    end = _months_later(start, months)
    return max(ZERO, Decimal((end - on).days) / DAYS_PER_MONTH) if on >= start else Decimal(months)


def _months_later(day: date, months: int) -> date:
    """The same day so many months later, or the last day of a shorter month."""
    year, month = divmod(day.month - 1 + months, MONTHS_PER_YEAR)
    for last in range(day.day, 0, -1):
        try:
            return date(day.year + year, month + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has a first day")
