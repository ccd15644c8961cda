from __future__ import annotations

from collections.abc import Iterator

import pytest
from memory_store import MemoryStores
from scripted_store import Scripts


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripts]:
    """A store for a script of answers."""
    found = Scripts(monkeypatch)
    yield found
    found.close()


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> MemoryStores:
    """Stores in memory instead of those on the wire."""
    found = MemoryStores()
    for name in ("components.agents.mover.rounds.connect", "components.agents.mover.worker_pool.connect"):
        monkeypatch.setattr(name, found.connect)
    return found
