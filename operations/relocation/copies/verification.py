"""The proof of a copy: manifests of both sides, held against each other, as a report for each bucket."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.manifest import ManifestRow, write_json
from components.agents.mover.rounds import MANIFEST
from components.agents.mover.scan import Connect, Sample, ScanCallbacks, ScanRequest, ScanResult, write_manifest
from components.agents.mover.worker_pool import Bandwidth
from operations.relocation.buckets import pairs
from operations.relocation.buckets.canary import CONTENT
from operations.relocation.jobs.copies import Open, cluster_movers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from components.agents.mover.store.model import BucketEndpoint, Listed
    from operations.relocation.buckets.pairs import BucketPair
    from operations.relocation.runner.step import RunContext


CANARY: Final = re.compile(re.escape(pairs.RESERVED) + r"[0-9a-f]{16}")  # as buckets.canary names its objects
Form = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """Doubts about a proof.

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
        changed = f", {self.changes:,} changed meanwhile" if self.changes else ""
        count = len(self.reserved)
        left = f", {count:,} left out below {pairs.RESERVED} and not ours" if count else ""
        return changed + left

    def format_first(self) -> tuple[str, ...]:
        changed = (f"changed meanwhile: {json.dumps(each)}" for each in self.changed)
        left = (f"left out and not ours: {json.dumps(each)}" for each in self.reserved[: pairs.NAMED])
        return *changed, *left

    def form(self) -> Form:
        return {
            "changed": {"count": self.changes, "first": list(self.changed)},
            "left_out_at_the_source": {"count": len(self.reserved), "first": list(self.reserved[: pairs.NAMED])},
        }


def unknown_reserved(pair: BucketPair, *, connect: Connect) -> Iterator[str]:
    """Keys of the source below our prefix that are no canaries.

    Raises:
        StoreError: the store refused.
    """
    with closing(connect(pair.source)) as store:
        listing = store.list_versions if pair.bucket.versions else store.list_objects
        for each in listing(prefix=pairs.RESERVED):
            if each.key.startswith(pairs.RESERVED) and not _is_canary(each):
                yield each.key


def _is_canary(found: Listed) -> bool:
    return bool(CANARY.fullmatch(found.key)) and (found.deleted or found.size == len(CONTENT))


EVERY: Final = 10_000  # rows between two lines of progress
SOURCE: Final = "proof-source.manifest"
TARGET: Final = "target.manifest"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketProof:
    """Proof of one bucket.

    Args:
        path: the report.
        first: what is not as it should be, the first of each kind by name.
        text: the report for a person.
        manifests: of the source and the target, which were held against each other on these terms.
        changes: objects that changed while they were looked at.
        left_out: objects of the source that nothing copies or compares; see `open_questions`.
    """

    bucket: str
    sentence: str
    proven: bool
    path: Path
    first: tuple[str, ...]
    text: str
    manifests: tuple[Path, Path]
    terms: ComparisonTerms
    changes: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proving:
    """Options of a proof.

    Args:
        again: whether the source is read again; else its manifest of the last copy is believed, whose bytes were hashed
            as they were copied.
        prefix: of the reports' names.
        cluster: opens the movers of buckets that are looked at in a cluster.
    """

    move: RunContext
    connect: Connect = pairs.connect
    again: bool = False
    prefix: str = "verify"
    cluster: Open = cluster_movers


def prove(proving: Proving) -> list[BucketProof]:
    """Prove every bucket; each report is written in any case.

    Raises:
        StepError: a store refused, or a manifest cannot be believed.
    """
    with pairs.translate_store_errors():
        return [_proof(proving, pair) for pair in pairs.pair_buckets(proving.move)]


def _proof(proving: Proving, pair: BucketPair) -> BucketProof:
    sample = _sample(proving, pair)
    source = pair.folder / (SOURCE if proving.again else MANIFEST)
    looks: list[ScanResult] = []
    if proving.again or not source.exists():
        source = pair.folder / SOURCE
        looks.append(_look(proving, pair, place=pair.source, path=source, sample=sample))
    target = pair.folder / f"{proving.prefix}-{TARGET}"
    looks.append(_look(proving, pair, place=pair.target, path=target, sample=sample))
    terms = ComparisonTerms(sample=sample, reserved=pairs.RESERVED)
    doubts = Doubts(
        changes=sum(each.changes for each in looks),
        changed=tuple(name for each in looks for name in each.changed)[: pairs.NAMED],
        reserved=tuple(unknown_reserved(pair, connect=proving.connect)),
    )
    return _write_report(proving, pair, (source, target), terms, doubts)


def _write_report(
    proving: Proving, pair: BucketPair, manifests: tuple[Path, Path], terms: ComparisonTerms, doubts: Doubts
) -> BucketProof:
    """Compare the manifests and write the report."""
    found = compare(*manifests, terms)
    sides = {
        side: f"{place.bucket} at {place.endpoint}"
        for side, place in (("source", pair.source), ("target", pair.target))
    }
    path = proving.move.folder / "reports" / f"{proving.prefix}-{pair.bucket.source}.json"
    said = found.sentence + doubts.words
    proven = found.proven and not doubts
    first = [f"{kind} {each}" for kind, several in found.kinds.items() for each in several.first]
    whole = {**found.build_report(**sides), "sentence": said, "proven": proven, **doubts.form()}
    write_json(path, whole)
    proving.move.say(f"{pair.bucket.source}: {said}")
    return BucketProof(
        bucket=pair.bucket.source,
        sentence=said,
        proven=proven,
        path=path,
        first=(*first[: pairs.NAMED], *doubts.format_first())[: 2 * pairs.NAMED],
        text=found.format_text(**sides) + "".join(f"{each}\n" for each in doubts.format_first()),
        manifests=manifests,
        terms=terms,
        changes=doubts.changes,
        left_out=len(doubts.reserved),
    )


def _sample(proving: Proving, pair: BucketPair) -> Sample:
    """Everything of irreplaceable data; a share of large data, drawn by the names of the stacks."""
    if pair.bucket.loss == "irreplaceable":
        return Sample()
    # Drawn by names, not at random: a second proof reads the same objects, and can confirm the first.
    seed = f"{proving.move.places.source.stack}--{proving.move.places.target.stack}"
    return Sample(percent=proving.move.places.sample_percent, seed=seed)


def _look(proving: Proving, pair: BucketPair, *, place: BucketEndpoint, path: Path, sample: Sample) -> ScanResult:
    sides = proving.move.places.source if place == pair.source else proving.move.places.target
    wanted = ScanRequest(
        place=place,
        versions=pair.bucket.versions,
        sample=sample,
        reserved=pairs.RESERVED,
        counts_tags=sides.store.kind in pairs.COUNTS_TAGS,
        threads=proving.move.places.transfers,
    )
    if pair.bucket.mover == "cluster":
        movers = proving.cluster(proving.move.places, proving.move.secrets)
        say, rate = partial(_say, proving, pair), proving.move.places.bandwidth_mib_per_s
        return movers.take(pair.source, pair.target, wanted, path, say=say, mib_per_s=rate)
    return _look_here(proving, wanted, path)


def _say(proving: Proving, pair: BucketPair, line: str) -> None:
    proving.move.say(f"{pair.bucket.source}: {line}")


def _look_here(proving: Proving, wanted: ScanRequest, path: Path) -> ScanResult:
    watching = ScanCallbacks(
        row=tell_rows(wanted.place.bucket, proving.move.say),
        spend=Bandwidth(proving.move.places.bandwidth_mib_per_s).take,
    )
    facts = {"read": "by looking", "percent": wanted.sample.percent, "seed": wanted.sample.seed}
    return write_manifest(proving.connect, wanted, path, facts=facts, watching=watching)


def tell_rows(bucket: str, say: Callable[[str], None]) -> Callable[[ManifestRow], None]:
    counted = count(1)

    def row(_: ManifestRow) -> None:
        number = next(counted)
        if number % EVERY == 0:
            say(f"{bucket}: {number:,} looked at")

    return row
