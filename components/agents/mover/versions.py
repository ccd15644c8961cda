"""Copying every version of a key, oldest first, delete markers made again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import Written
from components.agents.mover.manifests.row import ManifestRow, line_of
from components.agents.mover.transfer import Upload, copy_whole
from components.agents.mover.transfer_plan import (
    NOT_OURS,
    WRITTEN_SINCE,
    KeyState,
    Verdict,
    is_same_version,
    is_untouched,
)
from components.agents.mover.worker_pool import KeyOutcome, WorkerContext

if TYPE_CHECKING:
    from components.agents.mover.store.model import Listed

NULL: Final = "null"


def verdict(key: KeyState) -> tuple[Verdict, str]:
    """What to do with all versions of a key, and why where it is not touched."""
    ours = {_normalize_version(each.target_version) for each in key.written}
    there = {_normalize_version(each.version) for each in key.target}
    if not key.intended and (there - ours or _null_touched(key)):
        return "foreign", WRITTEN_SINCE if key.written else NOT_OURS
    if not key.source:
        return ("delete", "") if key.target else ("gone", "")
    if key.intended or ours - there or len(key.source) != len(key.written):
        return "copy", ""
    equal = all(is_same_version(listed, before) for listed, before in zip(key.source, key.written, strict=True))
    return ("keep", "") if equal else ("copy", "")


def _normalize_version(version: str) -> str:
    """A version as a listing names it: what was written without one is listed as "null".

    MinIO keeps no versions of keys that end with a slash, whatever the bucket does.
    """
    return version or NULL


def _null_touched(key: KeyState) -> bool:
    """Whether the version without a name, which is overwritten in place, is another than the one we wrote."""
    there = [each for each in key.target if _normalize_version(each.version) == NULL]
    ours = [each for each in key.written if _normalize_version(each.target_version) == NULL]
    return bool(there and ours) and not is_untouched(there[0], ours[-1])


def replay_versions(hands: WorkerContext, key: KeyState, *, tags_counted: bool) -> KeyOutcome:
    """Bring the target's versions of a key to those of the source."""
    kept = _find_valid_copies(key)
    staying = {_normalize_version(each.target_version) for each in kept}
    for each in key.target:
        if (
            _normalize_version(each.version) not in staying
        ):  # vanished at the source, out of order, or left by a killed copy
            hands.target.delete(key.name, version=each.version)
    lost = hands.target.lost
    rows = list(kept)
    size = 0
    for listed in key.source[len(kept) :]:
        row = (
            _make_delete_marker(hands, listed)
            if listed.deleted
            else _copy_version(hands, listed, tags_counted=tags_counted)
        )
        rows.append(replace(row, number=len(rows)))
        size += listed.size
    if hands.target.lost > lost:
        _without_twins(hands, key.name, {_normalize_version(each.target_version) for each in rows})
    return KeyOutcome(key=key.name, what="copied", rows=_number_rows(rows), size=size, copied=len(rows) - len(kept))


def _find_valid_copies(key: KeyState) -> list[Written]:
    """Copies that can stay, because what comes after them is newer; all or none."""
    there = {_normalize_version(each.version) for each in key.target}
    alive = [each for each in key.written if any(is_same_version(listed, each) for listed in key.source)]
    pairs = zip(key.source, alive, strict=False)
    in_order = len(alive) <= len(key.source) and all(
        is_same_version(listed, each) and _normalize_version(each.target_version) in there for listed, each in pairs
    )
    return alive if in_order else []


def _copy_version(hands: WorkerContext, listed: Listed, *, tags_counted: bool) -> Written:
    if listed.size > hands.crew.part_size:
        return Upload(listed, tags_counted=tags_counted).whole(hands)
    return copy_whole(hands, listed, tags_counted=tags_counted)


def _make_delete_marker(hands: WorkerContext, listed: Listed) -> Written:
    """Make a delete marker again."""
    version = hands.target.delete(listed.key)
    row = ManifestRow(key=listed.key, size=0, deleted=True, version=listed.version)
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


def _without_twins(hands: WorkerContext, key: str, ours: set[str]) -> None:
    """Delete what was written twice because an answer was lost."""
    for each in hands.target.versions(prefix=key):
        if each.key != key:
            return
        if _normalize_version(each.version) not in ours:
            hands.target.delete(key, version=each.version)


def _number_rows(rows: list[Written]) -> tuple[Written, ...]:
    return tuple(replace(each, number=number) for number, each in enumerate(rows))
