"""Rules about the names of regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.regions import regions
from planning.checklist.model.vocabulary import Residency
from planning.checklist.rules.rule_violation import Broken
from planning.inputs.faults import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.checklist.model.checklist import Checklist, Existing
    from planning.checklist.model.vocabulary import CloudName

    Path = tuple[str | int, ...]
    Named = tuple[Path, str, Collection[CloudName]]

ANYWHERE: Final = "any"  # the catalog's word where a provider's prices hold in every region of theirs


def regions_named(checklist: Checklist) -> Iterator[Broken]:
    """An empty text names no region."""
    main = checklist.main_cloud
    named = [
        *([(("main_cloud", "region"), main.region)] if main is not None else ()),
        *((path, existing.region) for path, existing in _existing(checklist)),
        *((path, name) for path, name, _ in _wanted(checklist)),
    ]
    for path, region in named:
        if not region.strip():
            yield Broken(path, "the region is empty", 'write its name, as in "us-east-1"')


def regions_known(checklist: Checklist) -> Iterator[Broken]:
    """Every region wanted is one that a wanted provider has, and lies where data may lie."""
    for path, name, wanted in _wanted(checklist):
        if name.strip():
            yield from _known(path, name, wanted=wanted, residency=checklist.where.residency)


def homes_known(checklist: Checklist) -> Iterator[Broken]:
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


def _at_provider(path: Path, name: str, *, provider: CloudName) -> Iterator[Broken]:
    known = _names(provider)
    if not name.strip() or name in known:
        return
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"one of: {', '.join(known)}"
    if ANYWHERE in known:
        hint = f'its prices are the same everywhere: write "{ANYWHERE}", or delete the line'
    yield Broken(path, f'the catalog has no region "{name}" of {provider}', hint)


def _names(provider: CloudName) -> list[str]:
    return [each.name for each in regions() if each.provider == provider]


def _wanted(checklist: Checklist) -> Iterator[Named]:
    """Every region that the checklist wants, with its path and the providers wanted there; none for all."""
    where = checklist.where
    yield from ((("where", "regions", at), name, where.wanted) for at, name in enumerate(where.regions))
    for place, each in enumerate(where.elsewhere):
        path = ("where", "elsewhere", place, "regions")
        yield from (((*path, at), name, each.wanted) for at, name in enumerate(each.regions))


def _known(path: Path, name: str, *, wanted: Collection[CloudName], residency: Residency) -> Iterator[Broken]:
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
