"""Five views of one demand: each a goal, and what it may not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.options.fastest import fastest
from planning.options.field import anything
from planning.options.permits import may_reserve
from planning.options.search import cheapest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.options.candidate import Candidate
    from planning.options.field import Field
    from planning.options.market import Place
    from planning.options.search import Pick

INTERRUPTIBLE: Final = frozenset({PurchaseKind.SPOT, PurchaseKind.FLEX})


@dataclass(frozen=True, slots=True)
class View:
    """One goal.

    Args:
        why: what an option is chosen for, in the customer's words.
        find: the pick, or the reason why there is none.
    """

    why: str
    find: Callable[[Field], Pick | str]


def anywhere(place: Place) -> bool:
    """Admits every place."""
    del place
    return True


def is_dependable(candidate: Candidate) -> bool:
    """Nothing of it can be taken away while it runs."""
    return all(part.offer.term.kind not in INTERRUPTIBLE for part in candidate.parts)


def _cheapest(field: Field) -> Pick | str:
    return cheapest(field, anything, only=anywhere) or "nothing on sale satisfies the checklist"


def _dependable(field: Field) -> Pick | str:
    return cheapest(field, is_dependable, only=anywhere) or "nothing but spot machines satisfies the checklist"


def _at_home(field: Field) -> Pick | str:
    main = field.checklist.main_cloud
    if main is None:
        return "the checklist names no main cloud"
    home = (main.provider.value, main.region)
    pick = cheapest(field, anything, only=lambda place: place == home)
    return pick or f"nothing that fits is on sale in {main.provider} {main.region}"


def _committed(field: Field) -> Pick | str:
    months = field.checklist.contract.months
    if months == 0:
        return "the checklist asks for no contract"
    reservable = {demand.workload for demand in field.demands if may_reserve(demand, field.checklist)}

    def has_reserved_base(candidate: Candidate) -> bool:
        if candidate.demand.workload not in reservable or candidate.accelerator is None:
            return is_dependable(candidate)
        return is_reserved(candidate)

    reserved = field.market.reserved_places(months)
    for keep in (has_reserved_base, is_dependable):
        pick = cheapest(field, keep, only=reserved.__contains__, accept=has_reserved)
        if pick is not None:
            return _adds_nothing(field, pick) or pick
    return f"no price for {months} months is published for machines that are always on"


def _adds_nothing(field: Field, pick: Pick) -> str:
    """Why a pick that reserves no accelerator is no option of its own; "" where it is one."""
    if any(is_reserved(each) and each.accelerator is not None for each in pick.candidates):
        return ""
    ours = reserved_nodes(pick)
    for name, goal in (("cheapest", _cheapest), ("dependable", _dependable)):
        other = goal(field)
        if other == pick or isinstance(other, str):
            return ""
        theirs = reserved_nodes(other)
        if all(nodes <= theirs.get(workload, 0) for workload, nodes in ours.items()):
            return f"it would reserve {', '.join(ours)} and no accelerator, which the {name} option does as well"
    return ""


def reserved_nodes(pick: Pick) -> dict[str, int]:
    """Nodes that are reserved for the contract, by workload; without the workloads that have none."""
    found = {each.demand.workload: _reserved_nodes(each) for each in pick.candidates}
    return {workload: nodes for workload, nodes in found.items() if nodes}


def _reserved_nodes(candidate: Candidate) -> int:
    return sum(part.nodes for part in candidate.parts if part.offer.term.kind is PurchaseKind.RESERVED)


def has_reserved(pick: Pick) -> bool:
    """Whether any pool is reserved for the contract."""
    return any(is_reserved(each) for each in pick.candidates)


def is_reserved(candidate: Candidate) -> bool:
    """Whether any of it is reserved for the contract."""
    return any(part.offer.term.kind is PurchaseKind.RESERVED for part in candidate.parts)


VIEWS: Final[Mapping[str, View]] = {
    "cheapest": View("the lowest monthly bill of a whole cluster", _cheapest),
    "dependable": View("the lowest bill without spot machines", _dependable),
    "fastest": View("meets the deadline, or is the quickest under the ceiling", fastest),
    "at_home": View("in the main cloud, next to the VPC", _at_home),
    "committed": View("a reserved base for the contract, the rest autoscaled", _committed),
}
