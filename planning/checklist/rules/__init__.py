"""Rules that look at more than one field of a checklist; each is a small function in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.rules.broken import Broken, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model import Checklist

RULES: Final[tuple[Rule, ...]] = ()


def broken_rules(checklist: Checklist) -> Iterator[Broken]:
    """Everything that the checklist asks for and that cannot be, rule by rule."""
    for rule in RULES:
        yield from rule(checklist)


__all__ = ["RULES", "Broken", "Rule", "broken_rules"]
