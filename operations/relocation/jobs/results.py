"""What the movers of a Job left at the target: their results, and manifests of their shards."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final, cast

from components.agents.mover.job import MANIFEST, RESULT, deposit_key
from components.agents.mover.manifests.shards import gather
from components.agents.mover.store.model import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from components.agents.mover.manifests.manifest import Counts
    from components.agents.mover.store.model import Place, Store

PIECE: Final = 2**18  # bytes read at once

Result = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposits:
    """Where the movers of a run left what they found.

    Args:
        deposits: prefix that they left it under.
        name: of the run.
        folder: where they are read to.
    """

    connect: Callable[[Place], Store]
    target: Place
    deposits: str
    name: str
    shards: int
    folder: Path

    def results(self) -> list[Result]:
        """The result of each shard.

        Raises:
            StoreError: one is not there, or is none.
        """
        found: list[Result] = []
        for path in self._files(RESULT):
            try:
                found.append(cast("Result", json.loads(path.read_text(encoding="utf-8"))))
            except ValueError as error:
                raise StoreError(f"{path} is no result of a mover: {error}") from error
        return found

    def manifest(self, path: Path) -> Counts:
        """One manifest of all shards.

        Raises:
            StoreError: the store refused.
            ManifestError: a shard is missing, or cannot be believed.
        """
        return gather(self._files(MANIFEST), path, name=self.name)

    def remove(self) -> None:
        """Leave nothing of this run at the target.

        Raises:
            StoreError: the store refused.
        """
        with closing(self.connect(self.target)) as store:
            listed = store.versions if store.versioned() else store.listing
            for each in list(listed(prefix=f"{self.deposits}{self.name}/")):
                store.delete(each.key, version=each.version)

    def _files(self, name: str) -> list[Path]:
        self.folder.mkdir(parents=True, exist_ok=True)
        found: list[Path] = []
        with closing(self.connect(self.target)) as store:
            for index in range(self.shards):
                path = self.folder / f"{self.name}-{index}-of-{self.shards}-{name}"
                with path.open("wb") as file:
                    _read(store, deposit_key(self.deposits, self.name, name, index=index, of=self.shards), file)
                found.append(path)
        return found


def _read(store: Store, key: str, file: IO[bytes]) -> None:
    body = store.open(key)
    room = memoryview(bytearray(PIECE))
    try:
        while count := body.read_into(room):
            file.write(room[:count])
    finally:
        body.close()
