"""The transformation: a checklist and a placement in, the checklist at that placement out. No state is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import CloudName
from planning.checklist.rules.table import find_broken_rules
from planning.clone.addresses import ReservedNetwork, find_free_range, refuse_clash
from planning.clone.decisions.decision import Need, value_at
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import CloneDecision
    from planning.clone.target import Target


def transform_checklist(
    checklist: Checklist,
    *,
    target: Target,
    decisions: Sequence[CloneDecision],
    answers: Mapping[str, str],
    taken: Sequence[ReservedNetwork],
) -> Checklist:
    """The checklist at the target, with every decision settled.

    Args:
        answers: by the path of a decision; what is not there is assumed.
        taken: networks that the clone must leave alone.

    Raises:
        InputError: a needed decision is open, an answer cannot be, or the outcome breaks rules; all of these.
    """
    found = _move_places(checklist, target=target, taken=taken)
    for each in decisions:
        answer = answers.get(each.path, each.assumed)
        if each.need is Need.NEEDED and not answer:
            raise InputError(f"{each.path} needs a decision: {each.why}", hint=each.example)
        found = each.settle(found, answer)
    _refuse_broken(found, target=target, decisions=decisions)
    return found


def _move_places(checklist: Checklist, *, target: Target, taken: Sequence[ReservedNetwork]) -> Checklist:
    """Where it is, and its ranges: what follows from the target alone."""
    if target.cidr is not None:
        refuse_clash(target.cidr, taken)
    cidr = target.cidr or find_free_range(checklist.where.cidr, taken)
    known = [*taken, ReservedNetwork("the clone", cidr)]
    elsewhere = list(checklist.where.elsewhere)
    for at, each in enumerate(elsewhere):
        other = find_free_range(each.cidr, known)
        known.append(ReservedNetwork(f"the clone's {each.name}", other))
        elsewhere[at] = each.model_copy(update={"cidr": other})
    where = checklist.where.model_copy(
        update={
            "wanted": (CloudName(target.provider),),
            "regions": (target.region,),
            "cidr": cidr,
            "elsewhere": tuple(elsewhere),
        }
    )
    return checklist.model_copy(update={"where": where})


def _refuse_broken(checklist: Checklist, *, target: Target, decisions: Sequence[CloneDecision]) -> None:
    """Refuse what the checklist's own rules refuse, each with the decision that mends it where there is one."""
    known = {each.path for each in decisions}
    faults = tuple(
        Fault(
            message=rule.message,
            file="clone",
            path=(path := _name_path(rule.path, checklist)),
            hint=rule.hint + (f'; in a decisions file: "{path}: ..."' if path in known else ""),
        )
        for rule in find_broken_rules(checklist)
    )
    if faults:
        hint = "decide these, or change the source"
        raise InputError(f"the checklist cannot be had at {target} as it is", faults=faults, hint=hint)


def _name_path(path: Sequence[str | int], checklist: Checklist) -> str:
    steps = [
        str(getattr(value_at(checklist, path[: at + 1]), "name", step)) if isinstance(step, int) else step
        for at, step in enumerate(path)
    ]
    return ".".join(steps)
