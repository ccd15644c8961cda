"""What is to be done with each key: the source's listing, the target's and the ledger side by side, in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from components.agents.mover.manifest import align
from components.agents.mover.scan import Shard
from components.agents.mover.store.model import BLOCK, Listed, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from components.agents.mover.ledger import Written


CLOCK_SLACK: Final = 2.0  # seconds; listings tell whole seconds
NOT_OURS: Final = "is at the target and was not written by this copy"
WRITTEN_SINCE: Final = "was written at the target by somebody else since it was copied"
NULL: Final = "null"

Verdict = Literal["keep", "copy", "delete", "foreign", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """State of one key in source, target and ledger; versions oldest first.

    Args:
        intended: whether a copy of it was begun and not written down, so that whatever is at the target is ours.
    """

    name: str
    source: tuple[Listed, ...] = ()
    target: tuple[Listed, ...] = ()
    written: tuple[Written, ...] = ()
    intended: bool = False


def side_by_side(
    source: Iterable[Listed],
    target: Iterable[Listed],
    written: Iterable[tuple[str, tuple[Written, ...]]],
    *,
    intended: frozenset[str],
) -> Iterator[KeyState]:
    """Every key of source, target and ledger, in order."""
    stores = ((name, (here, there)) for name, here, there in align(_group_by_key(source), _group_by_key(target)))
    for name, listed, before in align(stores, iter(written)):
        here, there = listed or ((), ())
        yield KeyState(
            name=name, source=here or (), target=there or (), written=before or (), intended=name in intended
        )


def _group_by_key(listed: Iterable[Listed]) -> Iterator[tuple[str, tuple[Listed, ...]]]:
    """Versions of each key, oldest first.

    Raises:
        StoreError: the store does not list in the order of the keys, as S3 does.
    """
    last = None
    for name, several in groupby(listed, lambda each: each.key):
        if last is not None and name <= last:
            raise StoreError(f"the store listed {name!r} after {last!r}: a store that speaks S3 lists keys in order")
        last = name
        yield name, tuple(several)[::-1]


def verdict(key: KeyState) -> tuple[Verdict, str]:
    """Action for a key, and the reason if it is left alone."""
    if key.target and not key.intended:
        if not key.written:
            return "foreign", NOT_OURS
        if not is_untouched(key.target[-1], key.written[-1]):
            return "foreign", WRITTEN_SINCE
    if not key.source:
        return ("delete", "") if key.target else ("gone", "")
    if key.intended or not key.target or not key.written or not is_same_version(key.source[-1], key.written[-1]):
        return "copy", ""
    return "keep", ""


def verdict_of_versions(key: KeyState) -> tuple[Verdict, str]:
    """Action for all versions of a key, and the reason if it is left alone."""
    ours = {normalize_version(each.target_version) for each in key.written}
    there = {normalize_version(each.version) for each in key.target}
    if not key.intended and (there - ours or _null_touched(key)):
        return "foreign", WRITTEN_SINCE if key.written else NOT_OURS
    if not key.source:
        return ("delete", "") if key.target else ("gone", "")
    if key.intended or ours - there or len(key.source) != len(key.written):
        return "copy", ""
    equal = all(is_same_version(listed, before) for listed, before in zip(key.source, key.written, strict=True))
    return ("keep", "") if equal else ("copy", "")


def normalize_version(version: str) -> str:
    """The id in a listing: "null" for a version without one."""
    # MinIO keeps no versions of keys that end with a slash, whatever the bucket does.
    return version or NULL


def _null_touched(key: KeyState) -> bool:
    """Whether the version "null", which is overwritten in place, is no longer the one we wrote."""
    there = [each for each in key.target if normalize_version(each.version) == NULL]
    ours = [each for each in key.written if normalize_version(each.target_version) == NULL]
    return bool(there and ours) and not is_untouched(there[0], ours[-1])


def is_same_version(listed: Listed, written: Written) -> bool:
    """Whether the source still has the copied version."""
    return (listed.etag, listed.size, listed.modified, listed.version, listed.deleted) == (
        written.etag,
        written.size,
        written.modified,
        written.version,
        written.deleted,
    )


def is_untouched(listed: Listed, written: Written) -> bool:
    """Whether the target still has our copy."""
    # Some stores list another etag than they answered: size and time decide then.
    if listed.etag == written.target_etag:
        return True
    return listed.size == written.size and listed.modified <= written.target_time + CLOCK_SLACK


NAMED: Final = 1000  # of each kind by name; the rest are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """Options of a round.

    Args:
        versions: whether older versions and delete markers are copied too; both buckets must keep versions.
        transfers: objects, or parts of one, copied at the same time.
        part_size: smallest part of an upload in bytes, a multiple of the block; larger objects are copied in parts.
        bandwidth_mib_per_s: limit of all threads together; None for no limit.
        tags_again: whether tags of unchanged objects are compared: tags change without the object.
        tags_counted: whether the source reports the number of tags of an object, as AWS and MinIO do.
        reserved: prefix of our own objects on both sides, which are not copied; "" for none.
        expected_bytes: of the whole bucket, if the inventory has them.
        stop: whether to stop before the next object; the round's report says that it did.
        watch: called every few seconds with the copied versions and their bytes.
    """

    versions: bool = False
    transfers: int = 8
    part_size: int = BLOCK
    bandwidth_mib_per_s: float | None = None
    tags_again: bool = False
    tags_counted: bool = True
    shard: Shard = field(default_factory=Shard)
    reserved: str = ""
    expected_bytes: int | None = None
    stop: Callable[[], bool] = lambda: False
    watch: Callable[[int, int], None] = lambda _objects, _size: None


@dataclass(slots=True, kw_only=True)
class RoundReport:
    """Result of a round. Lists of names end at `NAMED`, counts do not.

    Args:
        objects: versions copied, `size` their bytes.
        skipped: objects found unchanged, `skipped_size` their bytes.
        changed_during: keys that were written or deleted at the source while they were copied; the next round's.
        foreign: keys at the target that this copy did not write, and why; never touched.
        failed: keys that could not be copied, and why.
        abandoned: unfinished uploads of an earlier, killed round that were thrown away.
        stopped: whether it was asked to stop before the end; then there is no manifest.
        manifest: file of the source's manifest; "" where there is none.
    """

    objects: int = 0
    size: int = 0
    skipped: int = 0
    skipped_size: int = 0
    retagged: int = 0
    deleted: int = 0
    changes: int = 0
    changed_during: list[str] = field(default_factory=list[str])
    foreigns: int = 0
    foreign: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failures: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    abandoned: int = 0
    stopped: bool = False
    seconds: float = 0.0
    manifest: str = ""

    @property
    def complete(self) -> bool:
        """Whether the target holds everything that the source's listing named."""
        return not (self.changes or self.foreigns or self.failures or self.stopped)

    @property
    def quiet(self) -> bool:
        return self.complete and not (self.objects or self.deleted or self.retagged)
