"""The cheapest change that brings a bill under a limit: what to have less of, and how much less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.ceilings.verdict import is_counted_in_share, is_share, of_lines
from planning.costs.bill import Bill, BillGroup, by_component, component_of, has_placement
from planning.costs.pricing import LEAST_BILL_USD
from planning.values.money import HOURS_PER_MONTH, ZERO, Range, to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from planning.costs.bill import LineItem


_POOL: Final = "pool"
_GB: Final = "GB-month"
_HOUR: Final = "hour"
_REQUESTS: Final = "1k requests"
_BALANCER: Final = "load_balancer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One thing in the bill that can be reduced.

    Args:
        keys: the lines that shrink with it.
        words: makes the imperative clause from how many are given up.
        count: how many there are.
        spare: how many can be given up.
        always: of a pool, nodes that are always up: they stay as long as there is room.
    """

    keys: frozenset[str]
    words: Callable[[int], str]
    count: Decimal
    spare: int
    always: Decimal = ZERO

    def compute_share_left(self, given_up: int) -> Decimal:
        return max((self.count - given_up) / self.count, ZERO)

    def compute_least_left(self, given_up: int) -> Decimal:
        """The part that is left of a quiet month."""
        left = self.compute_share_left(given_up)
        return min(Decimal(1), left * self.count / self.always) if self.always else left


def knobs(bill: Bill, *, keep: Collection[str] = (), nodes: Mapping[str, int] | None = None) -> Iterator[Knob]:
    """Nodes of pools, GB of tiers, balancers beyond the first, and resources outside the lock."""
    for component, lines in by_component(bill.lines).items():
        chapter = component.rpartition("/")[0].rpartition("/")[2]
        if component in keep:
            continue
        if chapter == _POOL:
            most = _nodes(lines, most=True) if nodes is None or component not in nodes else Decimal(nodes[component])
            words = partial(_less, component)
            yield from (replace(each, always=_nodes(lines, most=False)) for each in _knob(lines, most, words))
        elif chapter == "storage":
            lying = [line for line in lines if line.unit != _REQUESTS]  # less of it is not asked for less often
            held_gb = sum((line.quantity.max for line in lying if line.unit == _GB), start=ZERO)
            yield from _knob(lying, held_gb, lambda n, of, name=component: _smaller(name, n, of))
        elif not has_placement(component):
            yield from _knob(lines, Decimal(1), lambda _n, _of, name=component: f"Take {name} out")
        for line in lines:
            if line.item == _BALANCER and line.unit == _HOUR:
                count = line.quantity.max / HOURS_PER_MONTH
                yield from _knob((line,), count, lambda n, of: f"Do without {n} of {of} load balancers", kept=1)


def _knob(
    lines: Sequence[LineItem], count: Decimal, words: Callable[[int, int], str], *, kept: int = 0
) -> Iterator[Knob]:
    """The knob of some lines, if any of them can be given up."""
    whole = int(count.to_integral_value(ROUND_CEILING))
    if whole > kept:
        keys = frozenset(line.key for line in lines)
        yield Knob(keys=keys, words=lambda n: words(n, whole), count=count, spare=whole - kept)


def _less(pool: str, given_up: int, nodes: int) -> str:
    return f"Leave {pool} out" if given_up == nodes else f"Cut {pool} by {given_up} of {nodes} nodes"


def _smaller(tier: str, given_up: int, gb: int) -> str:
    if given_up == gb:
        return f"Leave {tier} out"
    return f"Cut {tier} by {given_up:,} of {gb:,} GB, if what it holds fits into the rest"


def _nodes(lines: Iterable[LineItem], *, most: bool) -> Decimal:
    """Nodes of a busy month, or of a quiet one."""
    hours = (line.quantity for line in lines if line.group is BillGroup.COMPUTE and line.unit == _HOUR)
    return sum((each.max if most else each.min for each in hours), start=ZERO) / HOURS_PER_MONTH


_MOST_STEPS: Final = 6
_READINGS: Final[tuple[Callable[[Range], Decimal], ...]] = (
    lambda each: each.min,
    lambda each: each.expected,
    lambda each: each.max,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """One step: how much of one knob is given up."""

    knob: Knob
    given_up: int

    @property
    def words(self) -> str:
        return self.knob.words(self.given_up)


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """Steps that together are enough.

    Args:
        bill: what is left of it.
        saved: USD a month of what is judged.
    """

    steps: tuple[Reduction, ...]
    bill: Bill
    saved: Decimal

    @property
    def words(self) -> str:
        """What to do and what it saves, as one clause."""
        return f"{_join_clauses(step.words for step in self.steps)}, which saves {to_cents(self.saved):,} USD a month"


def relief(
    bill: Bill,
    limit: Decimal,
    *,
    judged: Callable[[Bill], Decimal],
    keep: Collection[str] = (),
    nodes: Mapping[str, int] | None = None,
) -> Savings | None:
    """The change that saves least and is enough; None where taking all away that may be taken is not.

    Of several steps none could be smaller. What is expected of a pool is taken to fall in proportion with its nodes,
    down to those that are always on.

    Args:
        limit: USD a month.
        judged: what of a bill is held against the limit, as `amount`; it never rises when a line shrinks.
        keep: components that must stay, as the system pool.
        nodes: the most of each pool, by component, "pool/train"; where it is not known, as many as its hours fill.
    """
    left, steps = bill, ()
    for _ in range(_MOST_STEPS):
        tried = list(_try_reductions(left, limit, judged, keep=keep, nodes=_count_remaining_nodes(nodes or {}, steps)))
        enough = [each for each in tried if judged(each[1]) <= limit]
        best = max(enough, key=lambda each: judged(each[1]), default=None)
        chosen = best or min(tried, key=lambda each: judged(each[1]), default=None)
        if chosen is None or judged(chosen[1]) >= judged(left):
            return None
        steps, left = (*steps, chosen[0]), chosen[1]
        if best is not None:
            steps = _trim_steps(bill, steps, limit, judged)
            left = _after(bill, steps)
            return Savings(steps=steps, bill=left, saved=judged(bill) - judged(left))
    return None


def _trim_steps(
    bill: Bill, steps: tuple[Reduction, ...], limit: Decimal, judged: Callable[[Bill], Decimal]
) -> tuple[Reduction, ...]:
    """Each step as small as the others let it be; one that they make needless is left out."""
    for at, step in enumerate(steps[:-1]):

        def enough(count: int, at: int = at, step: Reduction = step, all_steps: tuple[Reduction, ...] = steps) -> bool:
            fewer = (*all_steps[:at], replace(step, given_up=count), *all_steps[at + 1 :])
            return judged(_after(bill, fewer)) <= limit

        steps = (*steps[:at], replace(step, given_up=_least(0, step.given_up, enough)), *steps[at + 1 :])
    return tuple(step for step in steps if step.given_up)


def _after(bill: Bill, steps: Iterable[Reduction]) -> Bill:
    for step in steps:
        bill = apply_reduction(bill, step)
    return bill


def _least(low: int, high: int, enough: Callable[[int], bool]) -> int:
    """The least number that is enough; the highest where none is."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def monthly_amount(bill: Bill, reading: str) -> Decimal:
    """What a month comes to: at most, where that is known, else at least."""
    month = of_lines(bill.lines, reading)
    return month.low if month.high is None else month.high


def _try_reductions(
    bill: Bill,
    limit: Decimal,
    judged: Callable[[Bill], Decimal],
    *,
    keep: Collection[str],
    nodes: Mapping[str, int],
) -> Iterator[tuple[Reduction, Bill]]:
    """Each thing given up as far as it takes, or wholly where that is not enough."""
    for knob in knobs(bill, keep=keep, nodes=nodes):

        def enough(count: int, knob: Knob = knob) -> bool:
            return judged(apply_reduction(bill, Reduction(knob=knob, given_up=count))) <= limit

        step = Reduction(knob=knob, given_up=_least(1, knob.spare, enough))
        yield step, apply_reduction(bill, step)


def apply_reduction(bill: Bill, step: Reduction) -> Bill:
    """What is left of a bill after a step; shares of the bill move with it."""
    left, fewest = step.knob.compute_share_left(step.given_up), step.knob.compute_least_left(step.given_up)
    fewer = dict(_shrunk([line for line in bill.lines if line.key in step.knob.keys], left, fewest=fewest))
    lines = tuple(fewer.get(line.key, line) for line in bill.lines)
    moved = dict(_shares(bill.lines, lines))
    return Bill(tuple(moved.get(line.key, line) for line in lines))


def _join_clauses(clauses: Iterable[str]) -> str:
    first, *others = clauses
    return " and ".join((first, *(f"{each[:1].lower()}{each[1:]}" for each in others)))


def _count_remaining_nodes(nodes: Mapping[str, int], steps: Iterable[Reduction]) -> Mapping[str, int]:
    """Nodes that are left of each pool after steps before."""
    gone = {component_of(next(iter(step.knob.keys))): step.given_up for step in steps}
    return {name: count - gone.get(name, 0) for name, count in nodes.items()}


def _shrunk(lines: Iterable[LineItem], left: Decimal, *, fewest: Decimal) -> Iterator[tuple[str, LineItem]]:
    """Lines of which so large a part is left, by key; of price tiers the highest go first."""
    found: dict[str, list[LineItem]] = {}
    for line in lines:
        found.setdefault(line.key.partition("#")[0], []).append(line)
    for tiers in found.values():
        if len(tiers) > 1 and all(line.unit == _GB and line.usd_per_month is not None for line in tiers):
            held = [sum((read(line.quantity) for line in tiers), start=ZERO) for read in _READINGS]
            yield from _empty_tiers(tiers, [there * (1 - left) for there in held])
        else:
            yield from ((line.key, _scale_line(line, left, fewest=fewest)) for line in tiers)


def _scale_line(line: LineItem, left: Decimal, *, fewest: Decimal) -> LineItem:
    """A line of which so large a part is left, and of its quiet month another."""
    most = line.at_most_usd_per_month

    def scale(each: Range) -> Range:
        return _rising(min(each.min * fewest, each.max * left), each.expected * left, each.max * left)

    return replace(
        line,
        quantity=scale(line.quantity),
        usd_per_month=None if line.usd_per_month is None else scale(line.usd_per_month),
        at_most_usd_per_month=None if most is None else most * left,
    )


def _shares(before: Sequence[LineItem], after: Sequence[LineItem]) -> Iterator[tuple[str, LineItem]]:
    """The lines that are shares of the bill, by key, lowered by what the bill has lost."""
    found: dict[str, list[LineItem]] = {}
    for line in after:
        if is_share(line):
            found.setdefault(line.key.partition("#")[0], []).append(line)
    for tiers in found.values():
        pairs = [
            (old.usd_per_month, new.usd_per_month)
            for old, new in zip(before, after, strict=True)
            if is_counted_in_share(tiers[0], old)
        ]
        lost = [sum((read(old) - read(new) for old, new in pairs if old and new), start=ZERO) for read in _READINGS]
        yield from _lower_tiers(tiers, lost)


def _lower_tiers(tiers: Sequence[LineItem], lost: Sequence[Decimal]) -> Iterator[tuple[str, LineItem]]:
    """The tiers of a share after the bill has lost so much, emptied from the highest down to the least fee."""
    least = LEAST_BILL_USD.get(tiers[0].item, ZERO)
    held = [sum((read(line.quantity) for line in tiers), start=ZERO) for read in _READINGS]
    yield from _empty_tiers(
        tiers, [min(gone, max(there - least, ZERO)) for gone, there in zip(lost, held, strict=True)]
    )


def _empty_tiers(tiers: Sequence[LineItem], gone_of_each: Sequence[Decimal]) -> Iterator[tuple[str, LineItem]]:
    """Price tiers without so much in each reading, taken from the highest first."""
    rest = list(gone_of_each)
    for line in reversed(tiers):
        there = [read(line.quantity) for read in _READINGS]
        taken = [min(gone, here) for gone, here in zip(rest, there, strict=True)]
        rest = [gone - less for gone, less in zip(rest, taken, strict=True)]
        quantity = _rising(*(here - less for here, less in zip(there, taken, strict=True)))
        rates = line.usd_per_unit_range
        usd = quantity.by(rates) if rates else quantity.times(line.usd_per_unit or ZERO)
        yield line.key, replace(line, quantity=quantity, usd_per_month=usd)


def _rising(least: Decimal, expected: Decimal, most: Decimal) -> Range:
    """A range whose readings differ by no more than rounding from rising ones."""
    return Range(least, max(least, expected), max(least, expected, most))
