"""What a rule says when it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planning.checklist.model.checklist import Checklist


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A rule is broken at the field of this path."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""


Rule = Callable[[Checklist], Iterator[RuleViolation]]
