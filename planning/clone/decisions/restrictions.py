"""What is asked for and cannot be at the target whatever machine is chosen: then the field needs a decision."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import CloudName, Residency
from planning.checklist.rules.table import find_broken_rules
from planning.clone.decisions.decision import (
    NONE,
    CloneDecision,
    DecisionChoice,
    Need,
    apply_answer,
    replace_value,
    value_at,
)
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.rules.rule_violation import RuleViolation
    from planning.clone.decisions.decision import Path
    from planning.clone.target import Target, TargetMarket


def promote_forced_decisions(
    found: Sequence[CloneDecision], checklist: Checklist, *, target: Target
) -> Iterator[CloneDecision]:
    """The same decisions; one that a rule of the checklist forces at the target is needed."""
    broken = {".".join(map(str, rule.path)): rule for rule in find_broken_rules(_there(checklist, target))}
    for each in found:
        rule = broken.get(each.path)
        yield _require_decision(each, rule, checklist) if rule is not None and each.need is Need.OFFERED else each


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


def _require_decision(each: CloneDecision, rule: RuleViolation, checklist: Checklist) -> CloneDecision:
    value = value_at(checklist, rule.path)
    word = NONE if each.path == "platform.sharing" else "VALUE"
    if isinstance(value, bool):
        word = "false" if value else "true"
    choice = DecisionChoice(word, rule.hint)
    return replace(each, need=Need.NEEDED, assumed="", why=rule.message, choices=(choice,))


SHOWN: Final = 4


def machine_decisions(checklist: Checklist, *, target: Target, ground: TargetMarket) -> Iterator[CloneDecision]:
    """What is asked for at home and cannot be had there."""
    for at, work in enumerate(checklist.workloads):
        asked, away = work.hardware, {name for each in checklist.where.elsewhere for name in each.workloads}
        if asked is None or work.name in away:
            continue
        path = f"workloads.{work.name}.hardware"
        if asked.accelerator is not None and not ground.sells(asked.accelerator):
            yield _accelerator(path, asked.accelerator, at=at, target=target, ground=ground)
        elif asked.purchase is not None and asked.purchase not in _ways(asked.accelerator, ground):
            sold = sorted(_ways(asked.accelerator, ground))
            yield CloneDecision(
                path=f"{path}.purchase",
                why=f"nothing is sold by {asked.purchase.replace('_', ' ')} at {target}",
                old=asked.purchase.value,
                choices=(
                    DecisionChoice(NONE, "as the rest of the checklist allows"),
                    *(DecisionChoice(way, "") for way in sold),
                ),
                settle=partial(apply_answer, path=("workloads", at, "hardware", "purchase")),
            )


def _ways(accelerator: str | None, ground: TargetMarket) -> frozenset[str]:
    if accelerator:
        return ground.sells(accelerator)
    return frozenset(way for ways in ground.kinds.values() for way in ways)


def _accelerator(path: str, asked: str, *, at: int, target: Target, ground: TargetMarket) -> CloneDecision:
    sold = sorted(ground.kinds)
    where = next((regions for name, regions in ground.elsewhere.items() if asked in (name, ground.families[name])), ())
    has = f"; {target.provider} sells it in {', '.join(where[:SHOWN])}" if where else ""
    return CloneDecision(
        path=f"{path}.accelerator",
        why=f"{asked} is not sold at {target}{has}",
        old=asked,
        choices=(
            DecisionChoice(NONE, "whatever the work fits into"),
            DecisionChoice("ACCELERATOR", f"one that is sold there: {', '.join(sold) or 'none is'}"),
        ),
        settle=lambda each, answer: _apply_accelerator(each, answer, at=at, ground=ground),
    )


def _apply_accelerator(checklist: Checklist, answer: str, *, at: int, ground: TargetMarket) -> Checklist:
    path: Path = ("workloads", at, "hardware", "accelerator")
    if answer == NONE:
        free = replace_value(checklist, path, None)
        return replace_value(free, (*path[:-1], "form"), None)
    if not ground.sells(answer):
        sold = ", ".join(ground.kinds) or "nothing"
        raise InputError(f'"{answer[:40]}" is not sold there', hint=f"sold there: {sold}")
    return replace_value(checklist, path, answer)
