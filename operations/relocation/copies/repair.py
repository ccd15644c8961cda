"""Mending a copy: what a proof found missing or different is written down, and the next round copies it anew.

An object that differs is deleted at the target first, so that no etag or time that is equal by
chance can keep it. Only what the source has is touched: what is extra at the target is somebody else's.
"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.mover.manifests import manifest
from operations.project.atomic_files import write_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from components.agents.mover.manifests.comparison import ComparisonTerms
    from components.agents.mover.manifests.row import ManifestRow
    from components.agents.mover.store.model import BucketClient
    from operations.relocation.buckets.pairs import BucketPair, Connect

NAME: Final = "mending.json"  # in the bucket's folder
NAMED: Final = 100  # keys, in what is told
TAGS: Final = "tags"

Keyed = tuple[str, list["ManifestRow"]]


@dataclass(slots=True, kw_only=True)
class Damage:
    """What a proof found, by key.

    Args:
        missing: how many keys the target has nothing of.
        different: every key that is not as the source has it.
        extra: how many keys only the target has.
        first: of what is missing or different.
    """

    missing: int = 0
    different: list[str] = field(default_factory=list[str])
    extra: int = 0
    first: list[str] = field(default_factory=list[str])

    @property
    def count(self) -> int:
        """How many keys can be mended."""
        return self.missing + len(self.different)

    def __bool__(self) -> bool:
        return bool(self.count or self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairNote:
    """What is to be mended in a bucket, and what was since the relocation began.

    Args:
        first: of what was mended.
    """

    open: Damage = field(default_factory=Damage)
    mended: int = 0
    first: tuple[str, ...] = ()


def damage(source: Path, target: Path, terms: ComparisonTerms) -> Damage:
    """Every key that is not as it should be, of two manifests.

    Raises:
        ManifestError: one of them cannot be believed.
    """
    found = Damage()
    sides = (_by_key(manifest.rows(path), terms) for path in (source, target))
    for key, here, there in _side_by_side(*sides):
        if not here:
            found.extra += 1
            continue
        if _same(here, there, terms):
            continue
        if there:
            found.different.append(key)
        else:
            found.missing += 1
        found.first += [key] if len(found.first) < NAMED else []
    return found


def read_note(pair: BucketPair) -> RepairNote:
    path = pair.folder / NAME
    if not path.exists():
        return RepairNote()
    read = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    return RepairNote(open=Damage(**read["open"]), mended=read["mended"], first=tuple(read["first"]))


def note(pair: BucketPair, found: Damage) -> None:
    _write(pair, replace(read_note(pair), open=found))


def clear(pair: BucketPair, *, connect: Connect) -> None:
    """Delete at the target what differs there, so that it is copied like everything that is missing.

    Raises:
        StoreError: the store refused.
    """
    keys = read_note(pair).open.different
    if not keys:
        return
    with closing(connect(pair.target)) as store:
        for key in keys:
            _delete(store, key, versions=pair.bucket.versions)


def close(pair: BucketPair) -> None:
    before = read_note(pair)
    if not before.open:
        return
    first = (*before.first, *before.open.first)[:NAMED]
    _write(pair, RepairNote(mended=before.mended + before.open.count, first=first))


def _write(pair: BucketPair, what: RepairNote) -> None:
    write_all({pair.folder / NAME: json.dumps(asdict(what), indent=1) + "\n"})


def _delete(store: BucketClient, key: str, *, versions: bool) -> None:
    if not versions:
        store.delete(key)
        return
    for each in list(store.versions(prefix=key)):
        if each.key != key:
            return
        store.delete(key, version=each.version)


def _by_key(rows: Iterable[ManifestRow], terms: ComparisonTerms) -> Iterator[Keyed]:
    for key, several in groupby(rows, attrgetter("key")):
        if not (terms.reserved and key.startswith(terms.reserved)):
            yield key, list(several)


def _side_by_side(
    source: Iterator[Keyed], target: Iterator[Keyed]
) -> Iterator[tuple[str, list[ManifestRow], list[ManifestRow]]]:
    left, right = next(source, None), next(target, None)
    while heads := [each[0] for each in (left, right) if each is not None]:
        key = min(heads)
        here = left[1] if left and left[0] == key else []
        there = right[1] if right and right[0] == key else []
        yield key, here, there
        left = next(source, None) if here else left
        right = next(target, None) if there else right


def _same(here: list[ManifestRow], there: list[ManifestRow], terms: ComparisonTerms) -> bool:
    return len(here) == len(there) and all(_equal(*each, terms) for each in zip(here, there, strict=True))


def _equal(one: ManifestRow, other: ManifestRow, terms: ComparisonTerms) -> bool:
    """Whether a version is as it should be, as far as was read, but for what was declared."""
    if one.digest and other.digest and one.digest != other.digest:
        return False
    if one.tags != other.tags and TAGS not in terms.declared:
        return False
    return (one.size, one.deleted, one.headers, one.metadata) == (
        other.size,
        other.deleted,
        other.headers,
        other.metadata,
    )
