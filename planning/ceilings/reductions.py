"""What of a bill there can be less of: nodes of pools, GB of tiers, load balancers, resources of others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.costs.bill import Bill, Group
from planning.costs.bill_breakdown import by_component, placed
from planning.values.money import HOURS_PER_MONTH, ZERO

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
    """Something that there can be less of.

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

    def left(self, given_up: int) -> Decimal:
        """The part that is left."""
        return max((self.count - given_up) / self.count, ZERO)

    def least_left(self, given_up: int) -> Decimal:
        """The part that is left of what is there in a quiet month."""
        left = self.left(given_up)
        return min(Decimal(1), left * self.count / self.always) if self.always else left


def knobs(bill: Bill, *, keep: Collection[str] = (), nodes: Mapping[str, int] | None = None) -> Iterator[Knob]:
    """What there can be less of: nodes of pools, GB of tiers, balancers beyond the first, and resources of others."""
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
            yield from _knob(lying, _gb(lying), lambda n, of, name=component: _smaller(name, n, of))
        elif not placed(component):
            yield from _knob(lines, Decimal(1), lambda _n, _of, name=component: f"Take {name} out")
        for line in lines:
            if line.item == _BALANCER and line.unit == _HOUR:
                count = line.quantity.max / HOURS_PER_MONTH
                yield from _knob((line,), count, lambda n, of: f"Do without {n} of {of} load balancers", kept=1)


def _knob(
    lines: Sequence[LineItem], count: Decimal, words: Callable[[int, int], str], *, kept: int = 0
) -> Iterator[Knob]:
    """The knob of some lines, where there is anything that can be given up."""
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
    hours = (line.quantity for line in lines if line.group is Group.COMPUTE and line.unit == _HOUR)
    return sum((each.max if most else each.min for each in hours), start=ZERO) / HOURS_PER_MONTH


def _gb(lines: Iterable[LineItem]) -> Decimal:
    return sum((line.quantity.max for line in lines if line.unit == _GB), start=ZERO)
