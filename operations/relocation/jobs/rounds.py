"""Rounds of movers in a cluster as they are known here: their numbers, and whether one was begun and not ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.mover.manifests import report
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COPY: Final = "copy"
FILE: Final = "cluster-{}.json"  # in the bucket's folder


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverRun:
    """What movers are asked, and where what is known of such rounds lies.

    Args:
        kind: word in the Job's name.
        rate: what all of them may read together, in MiB/s; None for all there is.
    """

    spec: Mapping[str, object]
    kind: str
    folder: Path
    rate: float | None

    def known(self, *, shards: int) -> dict[str, Any]:
        """What is known of the rounds before.

        Raises:
            StepError: they had another number of shards, whose ledgers no mover would find.
        """
        if not self._path.exists():
            return {}
        found = cast("dict[str, Any]", json.loads(self._path.read_text(encoding="utf-8")))
        if self.kind == COPY and found["shards"] != shards:
            raise StepError(
                f"earlier rounds of this bucket had {found['shards']} shards, not {shards}",
                hint="each shard has its own ledger: keep their number to the end of the relocation",
            )
        return found

    def goes_on(self, known: Mapping[str, object]) -> bool:
        """Whether the Job that was begun is waited for: an older look would tell how it was then."""
        return self.kind == COPY and known.get("asked") == self._asked

    def write(self, number: int, *, shards: int, is_open: bool) -> None:
        """Put on disk whether a round is under way."""
        report.write(self._path, {"number": number, "open": is_open, "shards": shards, "asked": self._asked})

    @property
    def _path(self) -> Path:
        return self.folder / FILE.format(self.kind)

    @property
    def _asked(self) -> str:
        return sha256(json.dumps(dict(self.spec), sort_keys=True).encode()).hexdigest()


def kinds(folder: Path) -> list[str]:
    """What is known of in a bucket's folder; copies in any case."""
    before, after = FILE.split("{}")
    found = {path.name.removeprefix(before).removesuffix(after) for path in folder.glob(FILE.format("*"))}
    return sorted(found | {COPY})
