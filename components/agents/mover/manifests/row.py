"""A manifest's row: everything of one version of an object that a move must not lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from components.agents.mover.store.model import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One version of an object.

    Args:
        order: 0 for what a plain read gets, 1 for the version before it, and so on: ids differ from store to store.
        deleted: a delete marker; it has no bytes and no digest.
        digest: own hash, see `block_hash`; "" where the bytes were not read.
        headers: system metadata, content-type among it.
        metadata: the user's own.
        etag: of its own store, only to tell that it was changed since; never compared between stores.
        version: id at its own store; never compared between stores.
    """

    key: str
    size: int
    order: int = 0
    deleted: bool = False
    digest: str = ""
    headers: Pairs = ()
    metadata: Pairs = ()
    tags: Pairs = ()
    etag: str = ""
    version: str = ""
