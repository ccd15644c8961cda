"""The proof of a copy: two manifests against each other in one pass, as a sentence, a report and text for a person."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from components.agents.mover.manifest import Counts, Manifest, ManifestError, align, proof_of
from components.agents.mover.scan import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT: Final = 1
NAMED: Final = 100  # of each kind by name; the rest are counted
SHOWN: Final = 10  # of each kind in text; the report has more
# What of a version is compared, and where it stands in a line.
ASPECTS: Final = {"size": 2, "delete marker": 3, "bytes": 4, "headers": 5, "metadata": 6, "tags": 7}
KEY, ORDER, SIZE, DELETED, DIGEST = range(5)

Proof = list[object]  # a line as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMismatch:
    """One version that differs.

    Args:
        aspects: what differs, of `ASPECTS`; none where one side has nothing.
        source: what the source has of these, and `target` what the target has.
    """

    key: str
    order: int = 0
    aspects: tuple[str, ...] = ()
    source: dict[str, object] = field(default_factory=dict[str, object])
    target: dict[str, object] = field(default_factory=dict[str, object])

    def __str__(self) -> str:
        """One line, whatever characters its key has."""
        version = f", version {self.order} before the latest" if self.order else ""
        aspects = f": {', '.join(self.aspects)}" if self.aspects else ""
        return f"{json.dumps(self.key)}{version}{aspects}"


@dataclass(slots=True)
class MismatchSummary:
    """A count, and the first mismatches by name."""

    count: int = 0
    first: list[VersionMismatch] = field(default_factory=list[VersionMismatch])

    def add(self, named: VersionMismatch) -> None:
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonTerms:
    """Scope of a comparison.

    Args:
        sample: whose bytes must have been read on both sides.
        reserved: prefix of our own objects at the target.
    """

    sample: Sample = field(default_factory=Sample)
    reserved: str = ""


@dataclass(slots=True, kw_only=True)
class ManifestComparison:
    """Result of a comparison.

    Args:
        unread: versions whose bytes should have been read on both sides and were not.
        compared_rows: versions whose bytes were held against each other, `compared_bytes` their size.
        reserved: rows of our own that were left out.
    """

    terms: ComparisonTerms
    source: Counts = field(default_factory=Counts)
    target: Counts = field(default_factory=Counts)
    missing: MismatchSummary = field(default_factory=MismatchSummary)
    extra: MismatchSummary = field(default_factory=MismatchSummary)
    different: MismatchSummary = field(default_factory=MismatchSummary)
    unread: MismatchSummary = field(default_factory=MismatchSummary)
    by_aspect: dict[str, int] = field(default_factory=dict[str, int])
    same: int = 0
    compared_rows: int = 0
    compared_bytes: int = 0
    reserved: int = 0

    @property
    def proven(self) -> bool:
        """Whether the target holds what the source holds."""
        return not any(each.count for each in self.kinds.values())

    @property
    def kinds(self) -> dict[str, MismatchSummary]:
        """Mismatches by their name in the report."""
        return {"missing": self.missing, "extra": self.extra, "different": self.different, "not read": self.unread}

    @property
    def sentence(self) -> str:
        rest = f"{self.missing.count:,} missing, {self.extra.count:,} extra, {self.different.count:,} different"
        older = self.source.rows - self.source.objects
        versions = f" with {older:,} older versions and delete markers" if older else ""
        unread = f", {self.unread.count:,} not read" if self.unread.count else ""
        return f"{self.source.objects:,} objects, {self.source.size:,} bytes{versions}, {rest}{unread}"

    def build_report(self, *, source: str, target: str) -> dict[str, object]:
        """The report as JSON; the names are those of the buckets with their stores."""
        sample = self.terms.sample
        return {
            "atoll_proof": FORMAT,
            "sentence": self.sentence,
            "proven": self.proven,
            "source": {"name": source, **_render_counts(self.source)},
            "target": {"name": target, **_render_counts(self.target)},
            "bytes_read_on_both_sides": {
                "rows": self.compared_rows,
                "bytes": self.compared_bytes,
                "percent_asked": sample.percent,
                "seed": sample.seed,
            },
            "same": self.same,
            "missing": asdict(self.missing),
            "extra": asdict(self.extra),
            "different": {**asdict(self.different), "by_aspect": dict(sorted(self.by_aspect.items()))},
            "not_read": asdict(self.unread),
            "declared_losses": {},  # no copier of ours drops anything; readers of older reports look for it
            "our_own_left_out": {"prefix": self.terms.reserved, "rows": self.reserved},
        }

    def format_text(self, *, source: str, target: str) -> str:
        """The report for a terminal."""
        sample = self.terms.sample
        asked = f"{sample.percent} % asked" + (f", seed {sample.seed}" if sample.seed else "")
        lines = [
            self.sentence,
            f"source {source}, manifest sha256 {self.source.sha256}",
            f"target {target}, manifest sha256 {self.target.sha256}",
            f"bytes read on both sides: {self.compared_rows} rows, {self.compared_bytes} bytes ({asked})",
        ]
        for kind, each in self.kinds.items():
            lines += [f"{kind}: {one}" for one in each.first[:SHOWN]]
            if each.count > SHOWN:
                lines.append(f"{kind}: and {each.count - min(SHOWN, len(each.first))} more")
        return "\n".join(lines) + "\n"


def compare(source: Path, target: Path, terms: ComparisonTerms) -> ManifestComparison:
    """Compare the target's manifest with the source's.

    Raises:
        ManifestError: one of them is no manifest, or was cut or edited.
    """
    there, here = Manifest(source), Manifest(target)
    found = ManifestComparison(terms=terms)
    sides = (
        (((str(proof[KEY]), cast("int", proof[ORDER])), proof) for proof in read_proofs(each, terms, found))
        for each in (there, here)
    )
    for _, one, other in align(*sides):
        if one is None or other is None:
            (found.missing if other is None else found.extra).add(_name(one or other or []))
        else:
            _compare_versions(found, one, other)
    found.source, found.target = there.counts, here.counts
    return found


def read_proofs(manifest: Manifest, terms: ComparisonTerms, found: ManifestComparison | None = None) -> Iterator[Proof]:
    """Compared fields of each row, without our own objects, which are counted.

    Raises:
        ManifestError: it cannot be believed.
    """
    try:
        for line in manifest.read_lines():
            proof = proof_of(line)
            if not terms.reserved or not str(proof[KEY]).startswith(terms.reserved):
                yield proof
            elif found is not None:
                found.reserved += 1
    except (ValueError, IndexError, TypeError) as error:
        raise ManifestError(f"{manifest.path}: a line that is no row: {error}") from error


def _compare_versions(found: ManifestComparison, left: Proof, right: Proof) -> None:
    size = cast("int", left[SIZE])
    if left[DIGEST] and right[DIGEST]:
        found.compared_rows += 1
        found.compared_bytes += size
    elif not left[DELETED] and not right[DELETED] and found.terms.sample.reads(str(left[KEY]), size):
        found.unread.add(_name(left))
    aspects = list_differences(left, right)
    if not aspects:
        found.same += 1
        return
    for each in aspects:
        found.by_aspect[each] = found.by_aspect.get(each, 0) + 1
    at = {each: ASPECTS[each.partition(":")[0]] for each in aspects}
    found.different.add(
        VersionMismatch(
            key=str(left[KEY]),
            order=cast("int", left[ORDER]),
            aspects=aspects,
            source={each: left[place] for each, place in at.items()},
            target={each: right[place] for each, place in at.items()},
        )
    )


def list_differences(left: Proof, right: Proof) -> tuple[str, ...]:
    """Aspects in which one version differs: bytes only if both were read."""
    if left == right:
        return ()
    found: list[str] = []
    for aspect, at in ASPECTS.items():
        one, other = left[at], right[at]
        if one == other or (at == DIGEST and not (one and other)):
            continue
        # One by one: stores lose some headers and keep the others.
        if aspect == "headers":
            pairs = ({tuple(each) for each in cast("list[list[str]]", side)} for side in (one, other))
            found += [f"headers:{name}" for name in sorted({name for name, _ in next(pairs) ^ next(pairs)})]
        else:
            found.append(aspect)
    return tuple(found)


def _name(proof: Proof) -> VersionMismatch:
    return VersionMismatch(key=str(proof[KEY]), order=cast("int", proof[ORDER]))


def _render_counts(counts: Counts) -> dict[str, object]:
    return {"rows": counts.rows, "objects": counts.objects, "bytes": counts.size, "manifest_sha256": counts.sha256}


def find_damage(source: Path, target: Path, terms: ComparisonTerms) -> Iterator[tuple[str, bool, bool]]:
    """Keys that differ between two manifests, and whether the source and the target have any version of them.

    Raises:
        ManifestError: one of them cannot be believed.
    """
    sides = (_group_by_key(read_proofs(Manifest(path), terms)) for path in (source, target))
    for key, here, there in align(*sides):
        if here is None or there is None or len(here) != len(there):
            yield key, here is not None, there is not None
        elif any(list_differences(*pair) for pair in zip(here, there, strict=True)):
            yield key, True, True


def _group_by_key(proofs: Iterator[Proof]) -> Iterator[tuple[str, list[Proof]]]:
    return ((str(key), list(several)) for key, several in groupby(proofs, itemgetter(KEY)))
