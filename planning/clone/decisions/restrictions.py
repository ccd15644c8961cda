"""Decisions that the target forces: rules of the checklist, machines not sold there, terms of another provider."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import CloudName, Residency
from planning.checklist.rules.table import find_broken_rules
from planning.clone.decisions.decision import (
    DROP,
    KEEP,
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
    """Make decisions needed where the target breaks a rule of the checklist."""
    broken = {".".join(map(str, rule.path)): rule for rule in find_broken_rules(_there(checklist, target))}
    for each in found:
        rule = broken.get(each.path)
        yield _require_decision(each, rule, checklist) if rule is not None and each.need is Need.OFFERED else each


def _there(checklist: Checklist, target: Target) -> Checklist:
    """The checklist at the target, with every other decision settled."""
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
    """Hardware of workloads in the primary placement that is not sold at the target."""
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


# Terms that a provider has promised; the length of the burn-in is the customer's requirement anywhere.
PROMISED: Final = (
    "starts",
    "steps",
    "credits",
    "tier_speeds",
    "fix_within_days",
    "exit_after_days",
    "replace_within_hours",
    "provider_spares",
    "responses",
    "upgrade_after_months",
    "migration_by",
    "maintenance_notice_hours",
)
OF_THE_CUSTOMER: Final = frozenset({"customer_lead", "customer_engineer"})


def list_agreement_decisions(checklist: Checklist, *, source: str, target: Target) -> Iterator[CloneDecision]:
    """Decisions on the agreement: at another provider on the terms of the old one, else on the day of its start.

    Args:
        source: provider of the source's primary placement.
    """
    agreement, starts = checklist.agreement, checklist.agreement.starts
    roles = [each.role for each in agreement.contacts if each.role not in OF_THE_CUSTOMER]
    bound = [name for name in PROMISED if getattr(agreement, name) not in (None, ())]
    bound += [f"contacts ({', '.join(roles)})"] if roles else []
    if target.provider != source and bound:
        yield CloneDecision(
            path="agreement",
            why=f"settled with {source}, which binds {target.provider} to nothing: {', '.join(bound)}",
            old=f"settled with {source}",
            choices=(
                DecisionChoice(DROP, f"these lines stay with the source: settle them with {target.provider}"),
                DecisionChoice(KEEP, f"{target.provider} has agreed to all of it, and these people answer there"),
            ),
            settle=_drop_provider_terms,
            need=Need.ASSUMED,
            assumed=DROP,
        )
    elif target.provider == source and starts is not None:
        yield CloneDecision(
            path="agreement.starts",
            why=f"{starts} is the day on which the work on the source's cluster begins",
            old=str(starts),
            choices=(
                DecisionChoice(NONE, "no day yet: settle one"),
                DecisionChoice(KEEP, "the same day"),
                DecisionChoice("DAY", f"another day, written as {starts} is"),
            ),
            settle=partial(apply_answer, path=("agreement", "starts")),
            need=Need.ASSUMED,
            assumed=NONE,
        )


def _drop_provider_terms(checklist: Checklist, answer: str) -> Checklist:
    if answer != DROP:
        return checklist
    left = checklist.agreement.model_dump(mode="python", exclude=set(PROMISED))
    theirs = [each.model_dump(mode="python") for each in checklist.agreement.contacts if each.role in OF_THE_CUSTOMER]
    return replace_value(checklist, ("agreement",), {**left, "contacts": theirs})
