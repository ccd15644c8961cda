"""What a counter finds in a resource: charges, gaps where a price should be, or that it is free and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from planning.costs.bill import Group
    from planning.costs.charge import Charge
    from planning.costs.resources.context import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One charge of several, as with a node group of several machine types: the first is the expected one."""

    charges: tuple[Charge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that is paid for and cannot be counted.

    Args:
        item: word or machine that is missing, or the type token where not even that is known.
        reason: names the property or the missing rule.
        at_most: what it comes to at most, the dearest of each choice together; empty where nothing bounds it.
    """

    key: str
    label: str
    group: Group
    item: str
    reason: str
    at_most: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Free:
    """Nothing is paid, and `reason` is the rule."""

    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a charge is priced."""

    provider: str
    region: str


Finding: TypeAlias = "Charge | Choice | Gap | Free"
Counter: TypeAlias = "Callable[[Case], Iterable[Finding]]"
