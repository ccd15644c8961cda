"""What a node is billed for beside its work: its start, its idle end, units of billing, spot interruptions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from decimal import Decimal

ROOT: Final = Path(__file__).parent
NAME: Final = "node_billing.csv"
ANY: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One number between its ends.

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
    return {(each.fact, each.provider, each.about): each for each in parsing.each(ROOT / NAME, read_node_fact)}


def read_node_fact(row: Mapping[str, str]) -> NodeFact:
    """A row of node_billing.csv.

    Raises:
        ValueError: the ends do not rise from nothing.
        KeyError: a column is missing.
    """
    low, expected, high = (parsing.money(row[name]) for name in ("low", "expected", "high"))
    if not 0 <= low <= expected <= high:
        raise ValueError(f"the ends of {row['fact']} do not rise: {low}, {expected}, {high}")
    return NodeFact(
        fact=row["fact"],
        provider=row["provider"],
        about=row["about"],
        low=low,
        expected=expected,
        high=high,
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )
