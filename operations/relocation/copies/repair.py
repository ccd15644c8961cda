"""Mending a copy: what a proof found missing or different is written down, and the next round copies it anew.

An object that differs is deleted at the target first, so that no etag or time that is equal by
chance can keep it. Only what the source has is touched: what is extra at the target is somebody else's.
"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.mover.compare import ComparisonTerms, find_damage
from operations.project.atomic_files import write_all

if TYPE_CHECKING:
    from pathlib import Path

    from components.agents.mover.scan import Connect
    from components.agents.mover.store.s3_client import S3Store
    from operations.relocation.buckets.pairs import BucketPair

NAME: Final = "mending.json"  # in the bucket's folder
NAMED: Final = 100  # keys, in what is told


@dataclass(slots=True, kw_only=True)
class Damage:
    """Damaged keys of a bucket.

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
        """Number of keys that can be repaired."""
        return self.missing + len(self.different)

    def __bool__(self) -> bool:
        return bool(self.count or self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairNote:
    """Open damage of a bucket, and what was repaired.

    Args:
        first: of what was mended.
    """

    open: Damage = field(default_factory=Damage)
    mended: int = 0
    first: tuple[str, ...] = ()


def damage(source: Path, target: Path, terms: ComparisonTerms) -> Damage:
    """Compare two manifests by key.

    Raises:
        ManifestError: one of them cannot be believed.
    """
    found = Damage()
    for key, here, there in find_damage(source, target, terms):
        if not here:
            found.extra += 1
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
    """Delete differing objects at the target, so that the next round copies them.

    Raises:
        StoreError: the store refused.
    """
    # A copy round skips what it wrote itself: deleted, a damaged object is copied again.
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


def _delete(store: S3Store, key: str, *, versions: bool) -> None:
    if not versions:
        store.delete(key)
        return
    for each in list(store.list_versions(prefix=key)):
        if each.key != key:
            return
        store.delete(key, version=each.version)
