"""Our own hash of an object whose bytes a test holds; movers reckon it from the blocks that pass."""

from __future__ import annotations

from hashlib import sha256

from components.agents.mover.scan import of_blocks
from components.agents.mover.store.model import BLOCK


def of_bytes(content: bytes) -> str:
    """Hash of an object from all of its bytes."""
    blocks = (content[at : at + BLOCK] for at in range(0, len(content), BLOCK))
    return of_blocks((sha256(block).digest() for block in blocks), size=len(content))
