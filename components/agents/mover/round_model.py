"""How a round of copying is asked for, and what it tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.sampling import Shard
from components.agents.mover.store.model import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.agents.mover.progress import Progress

NAMED: Final = 1000  # of each kind by name; the rest are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """How a round copies.

    Args:
        versions: whether older versions and delete markers are copied too; both buckets must keep versions.
        transfers: objects, or parts of one, that are copied side by side.
        part_size: bytes of the smallest part of an upload, whole blocks; larger objects are copied in parts.
        bandwidth_mib_per_s: what all threads may read together; None for all there is.
        tags_again: whether unchanged objects are asked for their tags, which may change without anything else.
        tags_counted: whether the source tells how many tags an object has wherever it has any, as AWS and MinIO do.
        reserved: prefix of our own objects on both sides, which are not the customer's; "" for none.
        expected_bytes: of the whole bucket, where the inventory knows them.
        stop: whether to stop before the next object; the round's report says that it did.
        watch: told of the progress now and then.
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
    watch: Callable[[Progress], None] | None = None


@dataclass(slots=True, kw_only=True)
class RoundReport:
    """What a round did. Names stop at `NAMED`, counts do not.

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
        """Whether the target now holds everything that the source's listing named."""
        return not (self.changes or self.foreigns or self.failures or self.stopped)

    @property
    def quiet(self) -> bool:
        """Whether nothing at all was to be done."""
        return self.complete and not (self.objects or self.deleted or self.retagged)
