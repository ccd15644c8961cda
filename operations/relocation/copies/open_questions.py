"""What makes a proof doubtful though both manifests agree: objects that changed meanwhile, or that nobody compared."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.relocation.buckets import pairs
from operations.relocation.buckets.canary import CONTENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.agents.mover.store.model import Listed
    from operations.relocation.buckets.pairs import Connect, Pair

CANARY: Final = re.compile(re.escape(pairs.RESERVED) + r"[0-9a-f]{16}")  # as freezing.canary names its objects
Form = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """What was found of both.

    Args:
        changes: objects that were written or deleted while they were looked at; `changed` the first by name.
        reserved: objects of the source below our own prefix that are no canaries: nothing copies or compares them.
    """

    changes: int = 0
    changed: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.reserved)

    @property
    def words(self) -> str:
        """What a sentence says more; nothing where there is no doubt."""
        changed = f", {self.changes:,} changed meanwhile" if self.changes else ""
        count = len(self.reserved)
        left = f", {count:,} left out below {pairs.RESERVED} and not ours" if count else ""
        return changed + left

    def named(self) -> tuple[str, ...]:
        """The first of them, a line for each."""
        changed = (f"changed meanwhile: {json.dumps(each)}" for each in self.changed)
        left = (f"left out and not ours: {json.dumps(each)}" for each in self.reserved[: pairs.NAMED])
        return *changed, *left

    def form(self) -> Form:
        """As JSON has them."""
        return {
            "changed": {"count": self.changes, "first": list(self.changed)},
            "left_out_at_the_source": {"count": len(self.reserved), "first": list(self.reserved[: pairs.NAMED])},
        }


def unknown_reserved(pair: Pair, *, connect: Connect) -> Iterator[str]:
    """Keys of the source below our own prefix that no canary has left there.

    Raises:
        StoreError: the store refused.
    """
    with closing(connect(pair.source)) as store:
        listing = store.versions if pair.bucket.versions else store.listing
        for each in listing(prefix=pairs.RESERVED):
            if each.key.startswith(pairs.RESERVED) and not _is_canary(each):
                yield each.key


def _is_canary(found: Listed) -> bool:
    return bool(CANARY.fullmatch(found.key)) and (found.deleted or found.size == len(CONTENT))
