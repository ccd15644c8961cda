"""Rules about workloads that run in a cluster of their own, at another place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import regions
from planning.checklist.model.checklist import suggest_range
from planning.checklist.model.vocabulary import HOME, Residency
from planning.checklist.rules.rule_violation import RuleViolation
from planning.inputs.faults import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.checklist.model.checklist import Checklist, Existing
    from planning.checklist.model.vocabulary import CloudName

    Path = tuple[str | int, ...]
    Named = tuple[Path, str, Collection[CloudName]]


MOST: Final = 3  # beside home


def places_named(checklist: Checklist) -> Iterator[RuleViolation]:
    """Each placement has a name of its own, and none is called home."""
    seen = {HOME}
    for at, each in enumerate(checklist.where.elsewhere):
        if each.name in seen:
            message = f'two placements are called "{each.name}"'
            yield RuleViolation(
                ("where", "elsewhere", at, "name"), message, "give each its own name; the first is home"
            )
        seen.add(each.name)
        if at == MOST:
            message = f"a stack holds home and {MOST} more placements"
            yield RuleViolation(("where", "elsewhere", at), message, "make a second stack of the rest")


def workloads_placed(checklist: Checklist) -> Iterator[RuleViolation]:
    """Each workload runs at one place, and one at least stays in the primary placement."""
    known = {each.name for each in checklist.workloads}
    away: set[str] = set()
    for at, each in enumerate(checklist.where.elsewhere):
        for position, name in enumerate(each.workloads):
            path = ("where", "elsewhere", at, "workloads", position)
            if name not in known:
                yield RuleViolation(
                    path, f'no workload is called "{name}"', f"workloads are {', '.join(sorted(known))}"
                )
            elif name in away:
                yield RuleViolation(path, f'"{name}" runs in several placements', "name it once")
            away.add(name)
    if known and known <= away:
        yield RuleViolation(
            ("where", "elsewhere"),
            "no workload is left in the primary placement",
            "leave one out, or write where.wanted",
        )


def people_at_home(checklist: Checklist) -> Iterator[RuleViolation]:
    """Notebooks are where the people are."""
    notebooks = {each.name for each in checklist.workloads if each.kind == "notebooks"}
    for at, each in enumerate(checklist.where.elsewhere):
        for position, name in enumerate(each.workloads):
            if name in notebooks:
                path = ("where", "elsewhere", at, "workloads", position)
                yield RuleViolation(
                    path,
                    f'"{name}" are notebooks, which run in the primary placement',
                    "leave them out of where.elsewhere",
                )


def ranges_apart(checklist: Checklist) -> Iterator[RuleViolation]:
    """Networks of one stack have no address in common."""
    taken = [("where.cidr", checklist.where.cidr)]
    for at, each in enumerate(checklist.where.elsewhere):
        for name, other in taken:
            if each.cidr.overlaps(other):
                path = ("where", "elsewhere", at, "cidr")
                hint = f"choose another, as in {suggest_range(checklist, at=at)}"
                yield RuleViolation(path, f"{each.cidr} overlaps {other} of {name}", hint)
        taken.append((f'"{each.name}"', each.cidr))


ANYWHERE: Final = "any"  # the catalog's word where a provider's prices hold in every region of theirs


def regions_named(checklist: Checklist) -> Iterator[RuleViolation]:
    """An empty text names no region."""
    main = checklist.main_cloud
    named = [
        *([(("main_cloud", "region"), main.region)] if main is not None else ()),
        *((path, existing.region) for path, existing in _existing(checklist)),
        *((path, name) for path, name, _ in _list_wanted_regions(checklist)),
    ]
    for path, region in named:
        if not region.strip():
            yield RuleViolation(path, "the region is empty", 'write its name, as in "us-east-1"')


def regions_known(checklist: Checklist) -> Iterator[RuleViolation]:
    """Every region wanted is one that a wanted provider has, and lies where data may lie."""
    for path, name, wanted in _list_wanted_regions(checklist):
        if name.strip():
            yield from _check_region(path, name, wanted=wanted, residency=checklist.where.residency)


def homes_known(checklist: Checklist) -> Iterator[RuleViolation]:
    """The main cloud and every cluster that exists are in a region of their provider."""
    main = checklist.main_cloud
    if main is not None and ANYWHERE not in _names(main.provider):
        yield from _at_provider(("main_cloud", "region"), main.region, provider=main.provider)
    for path, existing in _existing(checklist):
        if existing.region != ANYWHERE:
            yield from _at_provider(path, existing.region, provider=existing.provider)


def _existing(checklist: Checklist) -> Iterator[tuple[Path, Existing]]:
    """Every cluster that exists, with the path of its region."""
    where = checklist.where
    if where.existing is not None:
        yield ("where", "existing", "region"), where.existing
    for at, each in enumerate(where.elsewhere):
        if each.existing is not None:
            yield ("where", "elsewhere", at, "existing", "region"), each.existing


def _at_provider(path: Path, name: str, *, provider: CloudName) -> Iterator[RuleViolation]:
    known = _names(provider)
    if not name.strip() or name in known:
        return
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"one of: {', '.join(known)}"
    if ANYWHERE in known:
        hint = f'its prices are the same everywhere: write "{ANYWHERE}", or delete the line'
    yield RuleViolation(path, f'the catalog has no region "{name}" of {provider}', hint)


def _names(provider: CloudName) -> list[str]:
    return [each.name for each in regions() if each.provider == provider]


def _list_wanted_regions(checklist: Checklist) -> Iterator[Named]:
    """Every region that the checklist wants, with its path and the providers wanted there; none for all."""
    where = checklist.where
    yield from ((("where", "regions", at), name, where.wanted) for at, name in enumerate(where.regions))
    for place, each in enumerate(where.elsewhere):
        path = ("where", "elsewhere", place, "regions")
        yield from (((*path, at), name, each.wanted) for at, name in enumerate(each.regions))


def _check_region(
    path: Path, name: str, *, wanted: Collection[CloudName], residency: Residency
) -> Iterator[RuleViolation]:
    sold = [each for each in regions() if not wanted or each.provider in wanted]
    meant = [each for each in sold if each.name == name]
    if not meant:
        near = nearest(name, [each.name for each in sold])
        others = ", ".join(sorted({each.provider for each in regions() if each.name == name}))
        hint = f'did you mean "{near}"?' if near else "write it as the provider does, or leave it out"
        yield RuleViolation(path, f'no wanted provider has a region "{name}"', f"{others} has it" if others else hint)
    elif residency is not Residency.ANY and all(each.residency != residency for each in meant):
        yield RuleViolation(
            path, f'"{name}" is not known to lie in {residency}, as where.residency wants', "change one of the two"
        )
