"""A manifest's row as a line of text: what must be equal on both sides, a tab, what is only its own store's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.row import Row

if TYPE_CHECKING:
    from components.agents.mover.manifests.external_sort import Key
    from components.agents.mover.store.model import Pairs

UTF_8: Final = ("utf-8", "surrogatepass")  # a key that is no text survives too
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def line_of(row: Row) -> bytes:
    """A row's line, with its end."""
    proof = (row.key, row.order, row.size, int(row.deleted), row.digest, row.headers, row.metadata, row.tags)
    return f"{_to_json(proof)}\t{_to_json((row.etag, row.version))}\n".encode(*UTF_8)


def row_of(line: bytes) -> Row:
    """The row of a line.

    Raises:
        ValueError: it is none.
    """
    proof, _, own = line.decode(*UTF_8).partition("\t")
    key, order, size, deleted, digest, headers, metadata, tags = json.loads(proof)
    etag, version = json.loads(own)
    return Row(
        key=key,
        order=order,
        size=size,
        deleted=bool(deleted),
        digest=digest,
        headers=_pairs(headers),
        metadata=_pairs(metadata),
        tags=_pairs(tags),
        etag=etag,
        version=version,
    )


def proof_of(line: bytes) -> bytes:
    """The part of a line that must be equal on both sides."""
    return line.partition(b"\t")[0]


def key_of(line: bytes) -> Key:
    """What lines are sorted by; text in Python sorts as its UTF-8 bytes do."""
    key, order, size, deleted = json.loads(proof_of(line).decode(*UTF_8))[:4]
    return key, order, size, deleted


def _pairs(read: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in read)
