"""Our own hash of an object: the same whoever stores it, in however many parts it was uploaded.

SHA-256 over the SHA-256 of each block of 16 MiB, in order, and the size: blocks can be read side by side, and a store
that is given a block's digest checks it on arrival. An object without bytes has no block.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from components.agents.mover.store.model import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable


def of_blocks(digests: Iterable[bytes], *, size: int) -> str:
    """Hash of an object from the SHA-256 of each of its blocks; hexadecimal."""
    whole = sha256(f"atoll-blocks-{BLOCK}:{size}:".encode())
    for each in digests:
        whole.update(each)
    return whole.hexdigest()
