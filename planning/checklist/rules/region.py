"""Rules about the names of regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.regions import regions
from planning.checklist.faults import nearest
from planning.checklist.rules.broken import Broken
from planning.checklist.words import Residency

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.checklist.model import Checklist
    from planning.checklist.words import CloudName

    Named = tuple[tuple[str | int, ...], str, Collection[CloudName]]


def regions_named(checklist: Checklist) -> Iterator[Broken]:
    """An empty text names no region."""
    main, existing = checklist.main_cloud, checklist.where.existing
    named: list[tuple[tuple[str | int, ...], str | None]] = [
        (("main_cloud", "region"), main.region if main else None),
        (("where", "existing", "region"), existing.region if existing else None),
        *((path, name) for path, name, _ in _wanted(checklist)),
    ]
    for path, region in named:
        if region is not None and not region.strip():
            yield Broken(path, "the region is empty", 'write its name, as in "us-east-1"')


def regions_known(checklist: Checklist) -> Iterator[Broken]:
    """Every region wanted is one that a wanted provider has, and lies where data may lie."""
    for path, name, wanted in _wanted(checklist):
        if name.strip():
            yield from _known(path, name, wanted=wanted, residency=checklist.where.residency)


def _wanted(checklist: Checklist) -> Iterator[Named]:
    """Every region that the checklist wants, with its path and the providers wanted there; none for all."""
    where = checklist.where
    yield from ((("where", "regions", at), name, where.wanted) for at, name in enumerate(where.regions))
    for place, each in enumerate(where.elsewhere):
        path = ("where", "elsewhere", place, "regions")
        yield from (((*path, at), name, each.wanted) for at, name in enumerate(each.regions))


def _known(
    path: tuple[str | int, ...], name: str, *, wanted: Collection[CloudName], residency: Residency
) -> Iterator[Broken]:
    sold = [each for each in regions() if not wanted or each.provider in wanted]
    meant = [each for each in sold if each.name == name]
    if not meant:
        near = nearest(name, [each.name for each in sold])
        others = ", ".join(sorted({each.provider for each in regions() if each.name == name}))
        hint = f'did you mean "{near}"?' if near else "write it as the provider does, or leave it out"
        yield Broken(path, f'no wanted provider has a region "{name}"', f"{others} has it" if others else hint)
    elif residency is not Residency.ANY and all(each.residency != residency for each in meant):
        yield Broken(
            path, f'"{name}" is not known to lie in {residency}, as where.residency wants', "change one of the two"
        )
