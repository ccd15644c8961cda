"""Rules about workloads that run in a cluster of their own, at another place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.checklist import suggested_range
from planning.checklist.model.vocabulary import HOME
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

MOST: Final = 3  # beside home


def places_named(checklist: Checklist) -> Iterator[Broken]:
    """Each placement has a name of its own, and none is called home."""
    seen = {HOME}
    for at, each in enumerate(checklist.where.elsewhere):
        if each.name in seen:
            message = f'two placements are called "{each.name}"'
            yield Broken(("where", "elsewhere", at, "name"), message, "give each its own name; the first is home")
        seen.add(each.name)
        if at == MOST:
            message = f"a stack holds home and {MOST} more placements"
            yield Broken(("where", "elsewhere", at), message, "make a second stack of the rest")


def workloads_placed(checklist: Checklist) -> Iterator[Broken]:
    """Each workload runs at one place, and one at least stays at home."""
    known = {each.name for each in checklist.workloads}
    away: set[str] = set()
    for at, each in enumerate(checklist.where.elsewhere):
        for position, name in enumerate(each.workloads):
            path = ("where", "elsewhere", at, "workloads", position)
            if name not in known:
                yield Broken(path, f'no workload is called "{name}"', f"workloads are {', '.join(sorted(known))}")
            elif name in away:
                yield Broken(path, f'"{name}" runs at two places', "name it once")
            away.add(name)
    if known and known <= away:
        yield Broken(("where", "elsewhere"), "no workload is left at home", "leave one out, or write where.wanted")


def people_at_home(checklist: Checklist) -> Iterator[Broken]:
    """Notebooks are where the people are."""
    notebooks = {each.name for each in checklist.workloads if each.kind == "notebooks"}
    for at, each in enumerate(checklist.where.elsewhere):
        for position, name in enumerate(each.workloads):
            if name in notebooks:
                path = ("where", "elsewhere", at, "workloads", position)
                yield Broken(path, f'"{name}" are notebooks, which run at home', "leave them out of where.elsewhere")


def ranges_apart(checklist: Checklist) -> Iterator[Broken]:
    """Networks of one stack have no address in common."""
    taken = [("where.cidr", checklist.where.cidr)]
    for at, each in enumerate(checklist.where.elsewhere):
        for name, other in taken:
            if each.cidr.overlaps(other):
                path = ("where", "elsewhere", at, "cidr")
                hint = f"choose another, as in {suggested_range(checklist, at=at)}"
                yield Broken(path, f"{each.cidr} overlaps {other} of {name}", hint)
        taken.append((f'"{each.name}"', each.cidr))
