"""What is asked for and cannot be at the target whatever machine is chosen: then the field needs a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import CloudName, Residency
from planning.checklist.rules.table import broken_rules
from planning.clone.decisions.answer import value_at
from planning.clone.decisions.decision import NONE, Choice, Need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.rules.rule_violation import Broken
    from planning.clone.decisions.decision import Decision
    from planning.clone.target import Target


def promoted(found: Sequence[Decision], checklist: Checklist, *, target: Target) -> Iterator[Decision]:
    """The same decisions; one that a rule of the checklist forces at the target is needed."""
    broken = {".".join(map(str, rule.path)): rule for rule in broken_rules(_there(checklist, target))}
    for each in found:
        rule = broken.get(each.path)
        yield _needed(each, rule, checklist) if rule is not None and each.need is Need.OFFERED else each


def _there(checklist: Checklist, target: Target) -> Checklist:
    """The checklist as if it were at the target, with every other decision settled."""
    where, provider = checklist.where, CloudName(target.provider)
    existing = where.existing
    return checklist.model_copy(
        update={
            "where": where.model_copy(
                update={
                    "wanted": (provider,),
                    "regions": (target.region,),
                    "excluded": (),
                    "residency": Residency.ANY,
                    "existing": existing and existing.model_copy(update={"provider": provider}),
                }
            )
        }
    )


def _needed(each: Decision, rule: Broken, checklist: Checklist) -> Decision:
    value = value_at(checklist, rule.path)
    word = NONE if each.path == "platform.sharing" else "VALUE"
    if isinstance(value, bool):
        word = "false" if value else "true"
    choice = Choice(word, rule.hint)
    return replace(each, need=Need.NEEDED, assumed="", why=rule.message, choices=(choice,))
