"""Copying one object: in one request, or in parts that several threads write side by side."""

from __future__ import annotations

import threading
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import Written
from components.agents.mover.manifests.row import ManifestRow, line_of, row_of
from components.agents.mover.manifests.scan import of_blocks
from components.agents.mover.store.model import BLOCK, Head, StoreError
from components.agents.mover.worker_pool import KeyOutcome, WorkerContext, WorkItem, classify_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.agents.mover.store.model import Body, Listed, Pairs
    from components.agents.mover.transfer_plan import KeyState


PARTS_MOST: Final = 10_000  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html (2026-11-22)
PIECE: Final = 2**19  # bytes; hashed while they are still near the processor


def part_size(size: int, *, least: int = BLOCK) -> int:
    """Bytes of a part: whole blocks, as few as make no more parts than a store takes."""
    blocks = max(least // BLOCK, -(-size // (BLOCK * PARTS_MOST)), 1)
    return blocks * BLOCK


def fill(body: Body, room: memoryview, spend: Callable[[int], None]) -> list[bytes]:
    """Fill the room to its end; SHA-256 of each block.

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
    return digests


def copy_object(hands: WorkerContext, listed: Listed, *, tags_counted: bool) -> KeyOutcome | None:
    """Copy one object; None where its parts are still under way."""
    if is_odd_key(listed.key):
        refuse_other_name(hands, listed.key)
    if listed.size > hands.crew.part_size:
        Upload(listed, tags_counted=tags_counted).begin(hands)
        return None
    written = copy_whole(hands, listed, tags_counted=tags_counted)
    if is_odd_key(listed.key):
        refuse_lost_name(hands, listed.key)
    return KeyOutcome(key=listed.key, what="copied", rows=(written,), size=listed.size, copied=1)


def copy_whole(hands: WorkerContext, listed: Listed, *, tags_counted: bool) -> Written:
    """Copy an object in one request."""
    body = hands.source.open(listed.key, version=listed.version, etag=listed.etag)
    try:
        room = hands.room(body.head.size)
        digests = fill(body, room, hands.crew.spend)
    finally:
        body.close()
    tags = tags_of(hands, listed, body.head, counted=tags_counted)
    whole = digests[0].hex() if len(digests) == 1 else sha256(room).hexdigest()
    answer = hands.target.put(listed.key, room, sha256=whole, like=body.head, tags=tags)
    return build_ledger_entry(listed, body.head, tags, digest=of_blocks(digests, size=len(room)), answer=answer)


def tags_of(hands: WorkerContext, listed: Listed, head: Head, *, counted: bool) -> Pairs:
    """Its tags; asked only where there may be some."""
    if head.tag_count == 0 or (head.tag_count is None and counted):
        return ()
    return hands.source.tags(listed.key, version=listed.version)


def build_ledger_entry(listed: Listed, head: Head, tags: Pairs, *, digest: str, answer: Head) -> Written:
    """What the ledger says of a copy."""
    row = ManifestRow(
        key=listed.key,
        size=listed.size,
        digest=digest,
        headers=head.headers,
        metadata=head.metadata,
        tags=tags,
        etag=listed.etag,
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
        line=line_of(row),
    )


class Upload:
    """One object on its way in parts; whoever writes the last part puts them together."""

    def __init__(self, listed: Listed, *, tags_counted: bool) -> None:
        self._listed = listed
        self._counted = tags_counted
        self._lock = threading.Lock()
        self._error: StoreError | None = None
        self._id = ""
        self._head = Head(size=0, etag="")
        self._tags: Pairs = ()
        self._etags: list[str] = []
        self._digests: list[list[bytes]] = []
        self._left = 0

    def begin(self, hands: WorkerContext) -> None:
        """Begin it and give its parts to all threads."""
        key, listed = self._listed.key, self._listed
        size = part_size(listed.size, least=hands.crew.part_size)
        self._look(hands)
        self._id = hands.target.begin(key, like=self._head, tags=self._tags)
        firsts = range(0, listed.size, size)
        self._etags, self._digests, self._left = [""] * len(firsts), [[] for _ in firsts], len(firsts)
        hands.crew.give_first(
            WorkItem(key, self._part_job(at, first, size), part=True) for at, first in enumerate(firsts)
        )

    def whole(self, hands: WorkerContext) -> Written:
        """All of it by one thread."""
        size = part_size(self._listed.size, least=hands.crew.part_size)
        self._look(hands)
        self._id = hands.target.begin(self._listed.key, like=self._head, tags=self._tags)
        firsts = range(0, self._listed.size, size)
        self._etags, self._digests, self._left = [""] * len(firsts), [[] for _ in firsts], 0
        try:
            for at, first in enumerate(firsts):
                self._part(hands, at, first, size)
            return self._finish(hands)
        except StoreError:
            self._abandon(hands)
            raise

    def _look(self, hands: WorkerContext) -> None:
        listed = self._listed
        self._head = hands.source.head(listed.key, version=listed.version)
        if self._head.etag != listed.etag:
            raise StoreError(f"{listed.key} was written since it was listed", code="PreconditionFailed", status=412)
        self._tags = tags_of(hands, listed, self._head, counted=self._counted)

    def _part_job(self, at: int, first: int, size: int) -> Callable[[WorkerContext], KeyOutcome | None]:
        def work(hands: WorkerContext) -> KeyOutcome | None:
            if self._error is None and not hands.crew.stopping.is_set():
                try:
                    self._part(hands, at, first, size)
                except StoreError as error:
                    self._error = error
            with self._lock:
                self._left -= 1
                last = not self._left
            return self._ended(hands) if last else None

        return work

    def _part(self, hands: WorkerContext, at: int, first: int, size: int) -> None:
        listed = self._listed
        end = min(first + size, listed.size)
        body = hands.source.open(listed.key, version=listed.version, first=first, last=end - 1, etag=listed.etag)
        try:
            room = hands.room(end - first)
            digests = fill(body, room, hands.crew.spend)
        finally:
            body.close()
        whole = digests[0].hex() if len(digests) == 1 else sha256(room).hexdigest()
        self._etags[at] = hands.target.part(listed.key, self._id, at + 1, room, sha256=whole)
        self._digests[at] = digests

    def _ended(self, hands: WorkerContext) -> KeyOutcome:
        key = self._listed.key
        if self._error is not None or hands.crew.stopping.is_set():
            self._abandon(hands)
            if self._error is None:
                return KeyOutcome(key=key, what="failed", why="it was stopped before its last part")
            return classify_error(key, self._error)
        row = self._finish(hands)
        if is_odd_key(key):
            refuse_lost_name(hands, key)
        return KeyOutcome(key=key, what="copied", rows=(row,), size=self._listed.size, copied=1)

    def _finish(self, hands: WorkerContext) -> Written:
        answer = hands.target.finish(self._listed.key, self._id, self._etags)
        digest = of_blocks((one for each in self._digests for one in each), size=self._listed.size)
        return build_ledger_entry(self._listed, self._head, self._tags, digest=digest, answer=answer)

    def _abandon(self, hands: WorkerContext) -> None:
        try:
            hands.target.abandon(self._listed.key, self._id)
        except StoreError as error:
            # The next round abandons it: its key stays intended. The first error is the one that tells why.
            self._error = self._error or error


def is_odd_key(key: str) -> bool:
    """Whether a store that tidies paths would keep it under another name."""
    return key.startswith("/")


def refuse_other_name(hands: WorkerContext, key: str) -> None:
    """MinIO keeps "/a" as "a", without a word: refuse where that would overwrite another object."""
    try:
        hands.target.head(key)
    except StoreError as error:
        if error.code == "NoSuchKey":
            return
        raise
    if not _is_listed(hands, key):
        raise StoreError(f"the target keeps {key!r} under the name of another object", code="OtherName", status=409)


def refuse_lost_name(hands: WorkerContext, key: str) -> None:
    """Take back what the target keeps under another name than it was given."""
    if not _is_listed(hands, key):
        hands.target.delete(key)
        raise StoreError(f"the target does not keep {key!r} under its name", code="OtherName", status=409)


def _is_listed(hands: WorkerContext, key: str) -> bool:
    return any(each.key == key for each in hands.target.listing(prefix=key))


def refresh_tags(hands: WorkerContext, key: str, rows: tuple[Written, ...]) -> KeyOutcome:
    """Give the copies of a key the tags that its versions have now."""
    after = tuple(each if each.deleted else _again(hands, each) for each in rows)
    return KeyOutcome(key=key, what="kept" if after == rows else "retagged", rows=after)


def _again(hands: WorkerContext, before: Written) -> Written:
    row = row_of(before.line)
    tags = hands.source.tags(before.key, version=before.version)
    if tags == row.tags:
        return before
    hands.target.set_tags(before.key, tags, version=before.target_version)
    return replace(before, line=line_of(replace(row, tags=tags)))


def delete_copy(hands: WorkerContext, key: KeyState, *, versions: bool) -> KeyOutcome:
    """Delete a key's copy, or every version of it where versions are copied."""
    if versions:
        for each in key.target:  # the newest last, so that no older one comes back to a reader
            hands.target.delete(key.name, version=each.version)
    else:
        hands.target.delete(key.name)
    return KeyOutcome(key=key.name, what="deleted")


def abandon_uploads(hands: WorkerContext, key: str) -> int:
    """Throw away the uploads of a key that a killed copy left; how many there were."""
    found = hands.target.uploads(key)
    for each in found:
        hands.target.abandon(key, each)
    return len(found)
