"""The rules, in the order in which they are told: money, prices, place, pools, safety, order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.rules import tags

if TYPE_CHECKING:
    from policies.rule import Rule

RULES: Final[tuple[Rule, ...]] = (tags.RULE,)
BY_NAME: Final = {rule.name: rule for rule in RULES}
