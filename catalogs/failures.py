"""What tells that a node failed, and what it then needs: a small file, read without the price book."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

ROOT: Final = Path(__file__).parent
NAME: Final = "failures.csv"
_TRUTH: Final = {"true": True, "false": False}


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
    return {(each.kind, each.name): each for each in parsing.read_rows(ROOT / NAME, failure)}


def failure(row: Mapping[str, str]) -> Failure:
    """A row of failures.csv.

    Raises:
        ValueError: a word that is not known.
        KeyError: a column is missing, or a truth is neither "true" nor "false".
    """
    return Failure(
        kind=FailureSignal(row["kind"]),
        name=row["name"],
        fails_on=row["fails_on"],
        meaning=row["meaning"],
        action=Action(row["action"]),
        certain=_TRUTH[row["certain"]],
        after_minutes=int(row["after_minutes"]),
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )
