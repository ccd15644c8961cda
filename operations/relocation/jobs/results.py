"""What the movers of a Job left at the target: their results, and manifests of their shards."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Any, Final, cast

from components.agents.mover.job import MANIFEST, RESULT, deposit_key
from components.agents.mover.manifest import Counts, write_json
from components.agents.mover.scan import ScanResult, gather
from components.agents.mover.store.model import BucketEndpoint, StoreError
from components.agents.mover.transfer_plan import NAMED, RoundReport
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from components.agents.mover.store.s3_client import S3Store


PIECE: Final = 2**18  # bytes read at once

Result = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposits:
    """Results that the copy workers of a run left at the target.

    Args:
        deposits: prefix that they left it under.
        name: of the run.
        folder: where they are read to.
    """

    connect: Callable[[BucketEndpoint], S3Store]
    target: BucketEndpoint
    deposits: str
    name: str
    shards: int
    folder: Path

    def read_results(self) -> list[Result]:
        """The result of each shard.

        Raises:
            StoreError: one is not there, or is none.
        """
        found: list[Result] = []
        for path in self._fetch_files(RESULT):
            try:
                found.append(cast("Result", json.loads(path.read_text(encoding="utf-8"))))
            except ValueError as error:
                raise StoreError(f"{path} is no result of a mover: {error}") from error
        return found

    def fetch_manifest(self, path: Path) -> Counts:
        """One manifest of all shards.

        Raises:
            StoreError: the store refused.
            ManifestError: a shard is missing, or cannot be believed.
        """
        return gather(self._fetch_files(MANIFEST), path, name=self.name)

    def remove(self) -> None:
        """Remove everything of this run at the target.

        Raises:
            StoreError: the store refused.
        """
        with closing(self.connect(self.target)) as store:
            listed = store.list_versions if store.is_versioned() else store.list_objects
            for each in list(listed(prefix=f"{self.deposits}{self.name}/")):
                store.delete(each.key, version=each.version)

    def _fetch_files(self, name: str) -> list[Path]:
        self.folder.mkdir(parents=True, exist_ok=True)
        found: list[Path] = []
        with closing(self.connect(self.target)) as store:
            for index in range(self.shards):
                path = self.folder / f"{self.name}-{index}-of-{self.shards}-{name}"
                with path.open("wb") as file:
                    _read(store, deposit_key(self.deposits, self.name, name, index=index, of=self.shards), file)
                found.append(path)
        return found


def _read(store: S3Store, key: str, file: IO[bytes]) -> None:
    body = store.open(key)
    room = memoryview(bytearray(PIECE))
    try:
        while count := body.read_into(room):
            file.write(room[:count])
    finally:
        body.close()


def whole_round(results: Sequence[Mapping[str, object]]) -> RoundReport:
    """Merge the reports of all shards."""
    whole = RoundReport()
    for each in results:
        part = cast("dict[str, Any]", each["copy"])
        for name in ("objects", "size", "skipped", "skipped_size", "retagged", "deleted", "changes"):
            setattr(whole, name, getattr(whole, name) + part[name])
        for name in ("foreigns", "failures", "abandoned"):
            setattr(whole, name, getattr(whole, name) + part[name])
        whole.changed_during = [*whole.changed_during, *part["changed_during"]][:NAMED]
        whole.foreign = [*whole.foreign, *((key, why) for key, why in part["foreign"])][:NAMED]
        whole.failed = [*whole.failed, *((key, why) for key, why in part["failed"])][:NAMED]
        whole.seconds = max(whole.seconds, part["seconds"])
    return whole


def whole_look(results: Sequence[Mapping[str, object]]) -> ScanResult:
    """Merge the scans of all shards."""
    looks = [cast("dict[str, Any]", each["look"]) for each in results]
    # Not their sum: each shard counts all that is reserved.
    whole = ScanResult(reserved=max((each["reserved"] for each in looks), default=0))
    for part in looks:
        for name in ("rows", "size", "read_rows", "read_bytes", "changes"):
            setattr(whole, name, getattr(whole, name) + part[name])
        whole.changed = [*whole.changed, *part["changed"]][:NAMED]
    return whole


COPY: Final = "copy"
FILE: Final = "cluster-{}.json"  # in the bucket's folder


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverRun:
    """Task of a run, and its record on disk.

    Args:
        kind: word in the Job's name.
        rate: what all of them may read together, in MiB/s; None for all there is.
    """

    spec: Mapping[str, object]
    kind: str
    folder: Path
    rate: float | None

    def read_known(self, *, shards: int) -> dict[str, Any]:
        """Record of earlier rounds.

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
        """Whether to wait for the running Job."""
        # A scan shows the bucket as it was when it began: one that somebody else asked for is outdated.
        return self.kind == COPY and known.get("asked") == self._asked

    def write(self, number: int, *, shards: int, is_open: bool) -> None:
        write_json(self._path, {"number": number, "open": is_open, "shards": shards, "asked": self._asked})

    @property
    def _path(self) -> Path:
        return self.folder / FILE.format(self.kind)

    @property
    def _asked(self) -> str:
        return sha256(json.dumps(dict(self.spec), sort_keys=True).encode()).hexdigest()


def kinds(folder: Path) -> list[str]:
    """Kinds of runs with a record in a bucket's folder, and copies in any case."""
    before, after = FILE.split("{}")
    found = {path.name.removeprefix(before).removesuffix(after) for path in folder.glob(FILE.format("*"))}
    return sorted(found | {COPY})
