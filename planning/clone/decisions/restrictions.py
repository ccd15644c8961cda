"""What is asked for and cannot be at the target whatever machine is chosen: then the field needs a decision."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import CloudName, Residency
from planning.checklist.rules.table import broken_rules
from planning.clone.decisions.decision import NONE, Choice, Decision, Need, put, said, value_at
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.rules.rule_violation import Broken
    from planning.clone.decisions.decision import Path
    from planning.clone.target import Ground, Target


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


SHOWN: Final = 4


def machine_decisions(checklist: Checklist, *, target: Target, ground: Ground) -> Iterator[Decision]:
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
            yield Decision(
                path=f"{path}.purchase",
                why=f"nothing is sold by {asked.purchase.replace('_', ' ')} at {target}",
                old=asked.purchase.value,
                choices=(Choice(NONE, "as the rest of the checklist allows"), *(Choice(way, "") for way in sold)),
                settle=partial(said, path=("workloads", at, "hardware", "purchase")),
            )


def _ways(accelerator: str | None, ground: Ground) -> frozenset[str]:
    if accelerator:
        return ground.sells(accelerator)
    return frozenset(way for ways in ground.kinds.values() for way in ways)


def _accelerator(path: str, asked: str, *, at: int, target: Target, ground: Ground) -> Decision:
    sold = sorted(ground.kinds)
    where = next((regions for name, regions in ground.elsewhere.items() if asked in (name, ground.families[name])), ())
    has = f"; {target.provider} sells it in {', '.join(where[:SHOWN])}" if where else ""
    return Decision(
        path=f"{path}.accelerator",
        why=f"{asked} is not sold at {target}{has}",
        old=asked,
        choices=(
            Choice(NONE, "whatever the work fits into"),
            Choice("ACCELERATOR", f"one that is sold there: {', '.join(sold) or 'none is'}"),
        ),
        settle=lambda each, answer: _sold(each, answer, at=at, ground=ground),
    )


def _sold(checklist: Checklist, answer: str, *, at: int, ground: Ground) -> Checklist:
    path: Path = ("workloads", at, "hardware", "accelerator")
    if answer == NONE:
        free = put(checklist, path, None)
        return put(free, (*path[:-1], "form"), None)
    if not ground.sells(answer):
        sold = ", ".join(ground.kinds) or "nothing"
        raise InputError(f'"{answer[:40]}" is not sold there', hint=f"sold there: {sold}")
    return put(checklist, path, answer)
