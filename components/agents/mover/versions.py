"""Copying every version of a key, oldest first, delete markers made again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import Written
from components.agents.mover.manifests.row import Row, line_of
from components.agents.mover.transfer import Upload, copy_whole
from components.agents.mover.transfer_plan import NOT_OURS, WRITTEN_SINCE, Key, Verdict, same, untouched
from components.agents.mover.worker_pool import Hands, Outcome

if TYPE_CHECKING:
    from components.agents.mover.store.model import Listed

NULL: Final = "null"


def verdict(key: Key) -> tuple[Verdict, str]:
    """What to do with all versions of a key, and why where it is not touched."""
    ours = {_named(each.target_version) for each in key.written}
    there = {_named(each.version) for each in key.target}
    if not key.intended and (there - ours or _null_touched(key)):
        return "foreign", WRITTEN_SINCE if key.written else NOT_OURS
    if not key.source:
        return ("delete", "") if key.target else ("gone", "")
    if key.intended or ours - there or len(key.source) != len(key.written):
        return "copy", ""
    equal = all(same(listed, before) for listed, before in zip(key.source, key.written, strict=True))
    return ("keep", "") if equal else ("copy", "")


def _named(version: str) -> str:
    """A version as a listing names it: what was written without one is listed as "null".

    MinIO keeps no versions of keys that end with a slash, whatever the bucket does.
    """
    return version or NULL


def _null_touched(key: Key) -> bool:
    """Whether the version without a name, which is overwritten in place, is another than the one we wrote."""
    there = [each for each in key.target if _named(each.version) == NULL]
    ours = [each for each in key.written if _named(each.target_version) == NULL]
    return bool(there and ours) and not untouched(there[0], ours[-1])


def replayed(hands: Hands, key: Key, *, tags_counted: bool) -> Outcome:
    """Bring the target's versions of a key to those of the source."""
    kept = _kept(key)
    staying = {_named(each.target_version) for each in kept}
    for each in key.target:
        if _named(each.version) not in staying:  # vanished at the source, out of order, or left by a killed copy
            hands.target.delete(key.name, version=each.version)
    lost = hands.target.lost
    rows = list(kept)
    size = 0
    for listed in key.source[len(kept) :]:
        row = _marked(hands, listed) if listed.deleted else _copied(hands, listed, tags_counted=tags_counted)
        rows.append(replace(row, number=len(rows)))
        size += listed.size
    if hands.target.lost > lost:
        _without_twins(hands, key.name, {_named(each.target_version) for each in rows})
    return Outcome(key=key.name, what="copied", rows=_numbered(rows), size=size, copied=len(rows) - len(kept))


def _kept(key: Key) -> list[Written]:
    """Copies that can stay, because what comes after them is newer; all or none."""
    there = {_named(each.version) for each in key.target}
    alive = [each for each in key.written if any(same(listed, each) for listed in key.source)]
    pairs = zip(key.source, alive, strict=False)
    in_order = len(alive) <= len(key.source) and all(
        same(listed, each) and _named(each.target_version) in there for listed, each in pairs
    )
    return alive if in_order else []


def _copied(hands: Hands, listed: Listed, *, tags_counted: bool) -> Written:
    if listed.size > hands.crew.part_size:
        return Upload(listed, tags_counted=tags_counted).whole(hands)
    return copy_whole(hands, listed, tags_counted=tags_counted)


def _marked(hands: Hands, listed: Listed) -> Written:
    """Make a delete marker again."""
    version = hands.target.delete(listed.key)
    row = Row(key=listed.key, size=0, deleted=True, version=listed.version)
    return Written(
        key=listed.key,
        version=listed.version,
        etag=listed.etag,
        size=listed.size,
        modified=listed.modified,
        target_etag="",
        target_version=version,
        target_time=0.0,
        deleted=True,
        line=line_of(row),
    )


def _without_twins(hands: Hands, key: str, ours: set[str]) -> None:
    """Delete what was written twice because an answer was lost."""
    for each in hands.target.versions(prefix=key):
        if each.key != key:
            return
        if _named(each.version) not in ours:
            hands.target.delete(key, version=each.version)


def _numbered(rows: list[Written]) -> tuple[Written, ...]:
    return tuple(replace(each, number=number) for number, each in enumerate(rows))
