"""Nodes: what tells that one failed and what it then needs, and what it is billed for beside its work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date  # noqa: TC003 - types of fields are read to parse rows, here and below
from decimal import Decimal  # noqa: TC003
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).parent


class FailureSignal(StrEnum):
    """Where a failure is seen."""

    CONDITION = "condition"
    LABEL = "label"
    XID = "xid"


class Action(StrEnum):
    """What a failure needs."""

    NONE = "none"
    RESTART_APP = "restart_app"
    LOOK = "look"
    RESET = "reset"
    REBOOT = "reboot"
    REPLACE = "replace"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One sign of a failure.

    Args:
        name: of the condition or label, or the number of the Xid.
        fails_on: value that means failure; "!x" for any but x, "" for any.
        certain: whether it alone is reason enough to give the node no more work.
        after_minutes: how long a condition has to last before it counts.
    """

    kind: FailureSignal
    name: str
    fails_on: str
    meaning: str
    action: Action
    certain: bool
    after_minutes: int
    source: str
    as_of: date | None

    def fails(self, value: str) -> bool:
        if self.fails_on.startswith("!"):
            return value != self.fails_on[1:]
        return not self.fails_on or value == self.fails_on


@cache
def failures() -> Mapping[tuple[FailureSignal, str], Failure]:
    """Every sign, by where it is seen and its name.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {(each.kind, each.name): each for each in parsing.read_facts(ROOT / "failures.csv", Failure)}


ANY: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """What a node is billed for beside its work, its start, its idle end or another: one number between its ends.

    Args:
        fact: what it is, with its unit: "boot_minutes".
        provider: whose nodes; "*" for all that have no row of their own.
        about: kind of node, or accelerator family; "*" for all that have no row of their own.
        source: id in sources.csv.
    """

    fact: str
    provider: str
    about: str
    low: Decimal
    expected: Decimal
    high: Decimal
    source: str
    as_of: date | None

    def __post_init__(self) -> None:
        """Raises ValueError where the ends do not rise from nothing."""
        if not 0 <= self.low <= self.expected <= self.high:
            raise ValueError(f"the ends of {self.fact} do not rise: {self.low}, {self.expected}, {self.high}")


@cache
def node_fact(fact: str, *, provider: str, about: str) -> NodeFact:
    """The row that says most about a provider's nodes: its own before everybody's.

    Raises:
        KeyError: nobody has such a fact.
        CatalogError: a row cannot be read.
    """
    known = _facts()
    keys = ((provider, about), (provider, ANY), (ANY, about), (ANY, ANY))
    return next(known[fact, *key] for key in keys if (fact, *key) in known)


@cache
def _facts() -> Mapping[tuple[str, str, str], NodeFact]:
    return {
        (each.fact, each.provider, each.about): each for each in parsing.read_facts(ROOT / "node_billing.csv", NodeFact)
    }
