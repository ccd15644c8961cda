"""Copying what one key has: an object in one request, in parts that several threads write, or every version of it."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import Written
from components.agents.mover.manifest import ManifestRow, line_of, row_of
from components.agents.mover.scan import of_blocks
from components.agents.mover.store.model import BLOCK, Head, Listed, Pairs, StoreError
from components.agents.mover.transfer_plan import KeyState, is_same_version, normalize_version
from components.agents.mover.worker_pool import KeyOutcome, WorkerContext, WorkItem, classify_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.agents.mover.store.s3_client import S3Body


PARTS_MOST: Final = 10_000  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html (2026-11-22)
PIECE: Final = 2**19  # bytes; hashed while they are still near the processor
ODD: Final = "/"  # a key that begins so is kept under another name by a store that tidies paths


def part_size(size: int, *, least: int = BLOCK) -> int:
    """Bytes of a part: whole blocks, and as many as the limit of parts requires."""
    blocks = max(least // BLOCK, -(-size // (BLOCK * PARTS_MOST)), 1)
    return blocks * BLOCK


def copy_object(hands: WorkerContext, listed: Listed) -> KeyOutcome | None:
    """Copy one object; None while its parts are in progress."""
    if listed.key.startswith(ODD):
        refuse_other_name(hands, listed.key)
    if listed.size > hands.crew.part_size:
        Upload(listed).begin(hands)
        return None
    return _complete_copy(hands, listed, copy_whole(hands, listed))


def _complete_copy(hands: WorkerContext, listed: Listed, written: Written) -> KeyOutcome:
    if listed.key.startswith(ODD):
        refuse_lost_name(hands, listed.key)
    return KeyOutcome(key=listed.key, what="copied", rows=(written,), size=listed.size, copied=1)


def copy_whole(hands: WorkerContext, listed: Listed) -> Written:
    with closing(hands.source.open(listed.key, version=listed.version, etag=listed.etag)) as body:
        room = hands.reserve_buffer(body.head.size)
        digests, digest = fill(body, room, hands.crew.spend)
    tags = tags_of(hands, listed, body.head)
    answer = hands.target.put(listed.key, room, sha256=digest, like=body.head, tags=tags)
    return build_ledger_entry(listed, body.head, tags, digest=of_blocks(digests, size=len(room)), answer=answer)


def fill(body: S3Body, room: memoryview, spend: Callable[[int], None]) -> tuple[list[bytes], str]:
    """Fill the buffer; SHA-256 of each block, and of the whole in hexadecimal.

    Raises:
        StoreError: fewer bytes came.
    """
    digests: list[bytes] = []
    for start in range(0, len(room), BLOCK):
        block, end, at = sha256(), min(start + BLOCK, len(room)), start
        while at < end:
            count = body.read_into(room[at : min(at + PIECE, end)])
            if not count:
                raise StoreError(f"only {at} of {len(room)} bytes came", code="Short", status=200)
            spend(count)
            block.update(room[at : at + count])
            at += count
        digests.append(block.digest())
    return digests, digests[0].hex() if len(digests) == 1 else sha256(room).hexdigest()


def tags_of(hands: WorkerContext, listed: Listed, head: Head) -> Pairs:
    """Tags of an object; requested only if it may have some."""
    if head.tag_count == 0 or (head.tag_count is None and hands.crew.tags_counted):
        return ()
    return hands.source.get_tags(listed.key, version=listed.version)


def build_ledger_entry(listed: Listed, head: Head, tags: Pairs, *, digest: str, answer: Head) -> Written:
    """Ledger entry of a copy or a delete marker."""
    row = ManifestRow(
        key=listed.key,
        size=listed.size,
        deleted=listed.deleted,
        digest=digest,
        headers=head.headers,
        metadata=head.metadata,
        tags=tags,
        etag="" if listed.deleted else listed.etag,
        version=listed.version,
    )
    return Written(
        key=listed.key,
        version=listed.version,
        etag=listed.etag,
        size=listed.size,
        modified=listed.modified,
        target_etag=answer.etag,
        target_version=answer.version,
        target_time=answer.server_time,
        deleted=listed.deleted,
        line=line_of(row),
    )


class Upload:
    """A multipart upload; the thread with the last part completes it."""

    def __init__(self, listed: Listed) -> None:
        self._listed = listed
        self._lock = threading.Lock()
        self._error: StoreError | None = None
        self._id = ""
        self._head = Head(size=0, etag="")
        self._tags: Pairs = ()
        self._etags: list[str] = []
        self._digests: list[list[bytes]] = []
        self._left = 0

    def begin(self, hands: WorkerContext) -> None:
        """Begin the upload and queue its parts."""
        size, firsts = self._start(hands)
        self._left = len(firsts)
        parts = [
            WorkItem(self._listed.key, self._plan_part(at, first, size), part=True) for at, first in enumerate(firsts)
        ]
        hands.crew.give_first(parts)

    def upload_whole(self, hands: WorkerContext) -> Written:
        size, firsts = self._start(hands)
        try:
            for at, first in enumerate(firsts):
                self._upload_part(hands, at, first, size)
            return self._finish(hands)
        except StoreError:
            self._abandon(hands)
            raise

    def _start(self, hands: WorkerContext) -> tuple[int, range]:
        """Begin the upload; bytes of a part, and the offset of each."""
        listed = self._listed
        self._head = hands.source.head(listed.key, version=listed.version)
        # The parts would be of two versions.
        if self._head.etag != listed.etag:
            raise StoreError(f"{listed.key} was written since it was listed", code="PreconditionFailed", status=412)
        self._tags = tags_of(hands, listed, self._head)
        self._id = hands.target.create_upload(listed.key, like=self._head, tags=self._tags)
        size = part_size(listed.size, least=hands.crew.part_size)
        firsts = range(0, listed.size, size)
        self._etags, self._digests = [""] * len(firsts), [[] for _ in firsts]
        return size, firsts

    def _plan_part(self, at: int, first: int, size: int) -> Callable[[WorkerContext], KeyOutcome | None]:
        def work(hands: WorkerContext) -> KeyOutcome | None:
            if self._error is None and not hands.crew.stopping.is_set():
                try:
                    self._upload_part(hands, at, first, size)
                except StoreError as error:
                    self._error = error
            with self._lock:
                self._left -= 1
                last = not self._left
            return self._end(hands) if last else None

        return work

    def _upload_part(self, hands: WorkerContext, at: int, first: int, size: int) -> None:
        listed = self._listed
        end = min(first + size, listed.size)
        body = hands.source.open(listed.key, version=listed.version, first=first, last=end - 1, etag=listed.etag)
        with closing(body):
            room = hands.reserve_buffer(end - first)
            self._digests[at], digest = fill(body, room, hands.crew.spend)
        self._etags[at] = hands.target.upload_part(listed.key, self._id, at + 1, room, sha256=digest)

    def _end(self, hands: WorkerContext) -> KeyOutcome:
        if self._error is None and not hands.crew.stopping.is_set():
            return _complete_copy(hands, self._listed, self._finish(hands))
        self._abandon(hands)
        if self._error is None:
            return KeyOutcome(key=self._listed.key, what="failed", why="it was stopped before its last part")
        return classify_error(self._listed.key, self._error)

    def _finish(self, hands: WorkerContext) -> Written:
        answer = hands.target.complete_upload(self._listed.key, self._id, self._etags)
        digest = of_blocks((one for each in self._digests for one in each), size=self._listed.size)
        return build_ledger_entry(self._listed, self._head, self._tags, digest=digest, answer=answer)

    def _abandon(self, hands: WorkerContext) -> None:
        try:
            hands.target.abort_upload(self._listed.key, self._id)
        except StoreError as error:
            # The next round abandons it: its key stays intended. The first error is the one that tells why.
            self._error = self._error or error


def refuse_other_name(hands: WorkerContext, key: str) -> None:
    """Refuse a key that the target keeps under another name, where that would overwrite another object."""
    try:
        # MinIO keeps "/a" as "a", without a word: there may be an object of that name.
        hands.target.head(key)
    except StoreError as error:
        if error.code == "NoSuchKey":
            return
        raise
    if not _is_listed(hands, key):
        raise StoreError(f"the target keeps {key!r} under the name of another object", code="OtherName", status=409)


def refuse_lost_name(hands: WorkerContext, key: str) -> None:
    """Delete what the target stored under another name."""
    if not _is_listed(hands, key):
        hands.target.delete(key)
        raise StoreError(f"the target does not keep {key!r} under its name", code="OtherName", status=409)


def _is_listed(hands: WorkerContext, key: str) -> bool:
    return any(each.key == key for each in hands.target.list_objects(prefix=key))


def replay_versions(hands: WorkerContext, key: KeyState) -> KeyOutcome:
    """Make the target's versions of a key those of the source, oldest first, with delete markers."""
    kept = _find_valid_copies(key)
    staying = {normalize_version(each.target_version) for each in kept}
    for each in key.target:
        # Vanished at the source, out of order, or left by a killed copy.
        if normalize_version(each.version) not in staying:
            hands.target.delete(key.name, version=each.version)
    lost, size = hands.target.lost, 0
    rows = list(kept)
    for listed in key.source[len(kept) :]:
        rows.append(_copy_version(hands, listed))
        size += listed.size
    if hands.target.lost > lost:
        _delete_twins(hands, key.name, {normalize_version(each.target_version) for each in rows})
    numbered = tuple(replace(each, number=number) for number, each in enumerate(rows))
    return KeyOutcome(key=key.name, what="copied", rows=numbered, size=size, copied=len(rows) - len(kept))


def _find_valid_copies(key: KeyState) -> list[Written]:
    """Copies that can stay because everything after them is newer; all or none."""
    there = {normalize_version(each.version) for each in key.target}
    alive = [each for each in key.written if any(is_same_version(listed, each) for listed in key.source)]
    pairs = zip(key.source, alive, strict=False)
    in_order = len(alive) <= len(key.source) and all(
        is_same_version(listed, each) and normalize_version(each.target_version) in there for listed, each in pairs
    )
    return alive if in_order else []


def _copy_version(hands: WorkerContext, listed: Listed) -> Written:
    if listed.deleted:
        marker = Head(size=0, etag="", version=hands.target.delete(listed.key))
        return build_ledger_entry(listed, marker, (), digest="", answer=marker)
    return Upload(listed).upload_whole(hands) if listed.size > hands.crew.part_size else copy_whole(hands, listed)


def _delete_twins(hands: WorkerContext, key: str, ours: set[str]) -> None:
    """Delete versions that were written twice, as after a lost answer."""
    for each in hands.target.list_versions(prefix=key):
        # The prefix also meets longer keys, which are other objects; the listing is sorted.
        if each.key != key:
            return
        if normalize_version(each.version) not in ours:
            hands.target.delete(key, version=each.version)


def refresh_tags(hands: WorkerContext, key: KeyState) -> KeyOutcome:
    """Update the tags of a key's copies."""
    after = tuple(each if each.deleted else _refresh_version(hands, each) for each in key.written)
    return KeyOutcome(key=key.name, what="kept" if after == key.written else "retagged", rows=after)


def _refresh_version(hands: WorkerContext, before: Written) -> Written:
    row = row_of(before.line)
    tags = hands.source.get_tags(before.key, version=before.version)
    if tags == row.tags:
        return before
    hands.target.set_tags(before.key, tags, version=before.target_version)
    return replace(before, line=line_of(replace(row, tags=tags)))


def delete_copy(hands: WorkerContext, key: KeyState, *, versions: bool) -> KeyOutcome:
    """Delete the copy of a key, with every version if versions are copied."""
    # The newest last, so that no older one comes back to a reader.
    for version in [each.version for each in key.target] if versions else [""]:
        hands.target.delete(key.name, version=version)
    return KeyOutcome(key=key.name, what="deleted")


def abandon_uploads(hands: WorkerContext, key: str) -> KeyOutcome:
    """Abort the uploads of a key that a killed copy left, and count them."""
    found = hands.target.list_uploads(key)
    for each in found:
        hands.target.abort_upload(key, each)
    return KeyOutcome(key=key, what="abandoned", copied=len(found))
