"""Two manifests against each other: what is missing, extra or different, in one pass over both."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from components.agents.mover.manifests.manifest import Counts, Manifest, ManifestError
from components.agents.mover.manifests.row import UTF_8, proof_of
from components.agents.mover.manifests.scan import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMED: Final = 100  # of each kind by name; the rest are counted
VERSIONS: Final = "versions"  # declared where the target keeps no older ones
# What of a version is compared, and where it stands in a line.
ASPECTS: Final = {"size": 2, "delete marker": 3, "bytes": 4, "headers": 5, "metadata": 6, "tags": 7}
KEY, ORDER, SIZE, DELETED, DIGEST = range(5)

Proof = list[object]  # a line as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMismatch:
    """One version that is not as it should be.

    Args:
        aspects: what differs, of `ASPECTS`; none where one side has nothing.
        source: what the source has of these, and `target` what the target has.
    """

    key: str
    order: int = 0
    aspects: tuple[str, ...] = ()
    source: dict[str, object] = field(default_factory=dict[str, object])
    target: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True)
class MismatchSummary:
    """How many, and the first of them by name."""

    count: int = 0
    first: list[VersionMismatch] = field(default_factory=list[VersionMismatch])

    def add(self, named: VersionMismatch, *, most: int = NAMED) -> None:
        """One more."""
        self.count += 1
        if len(self.first) < most:
            self.first.append(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonTerms:
    """How two sides are held against each other.

    Args:
        sample: whose bytes must have been read on both sides.
        declared: losses that the plan said and a person accepted: words of `ASPECTS`, "versions", or "headers:" and
            a name. They are counted and named all the same.
        reserved: prefix of our own objects at the target.
    """

    sample: Sample = field(default_factory=Sample)
    declared: frozenset[str] = frozenset()
    reserved: str = ""


@dataclass(slots=True, kw_only=True)
class ManifestComparison:
    """What was found.

    Args:
        unread: versions whose bytes should have been read on both sides and were not.
        declared: losses that were declared, by their words.
        compared_rows: versions whose bytes were held against each other, `compared_bytes` their size.
        reserved: rows of our own that were left out.
    """

    source: Counts = field(default_factory=Counts)
    target: Counts = field(default_factory=Counts)
    missing: MismatchSummary = field(default_factory=MismatchSummary)
    extra: MismatchSummary = field(default_factory=MismatchSummary)
    different: MismatchSummary = field(default_factory=MismatchSummary)
    unread: MismatchSummary = field(default_factory=MismatchSummary)
    declared: dict[str, MismatchSummary] = field(default_factory=dict[str, MismatchSummary])
    by_aspect: dict[str, int] = field(default_factory=dict[str, int])
    same: int = 0
    compared_rows: int = 0
    compared_bytes: int = 0
    reserved: int = 0

    @property
    def proven(self) -> bool:
        """Whether the target holds what the source holds, but for what was declared."""
        return not (self.missing.count or self.extra.count or self.different.count or self.unread.count)

    def declare(self, word: str, named: VersionMismatch) -> None:
        """One loss that was declared."""
        self.declared.setdefault(word, MismatchSummary()).add(named)


def compare(source: Path, target: Path, terms: ComparisonTerms) -> ManifestComparison:
    """Hold the target's manifest against the source's.

    Raises:
        ManifestError: one of them is no manifest, or was cut or edited.
    """
    there, here = Manifest(source), Manifest(target)
    found = ManifestComparison()
    for left, right in _pair_proofs(_proofs(there, terms, found), _proofs(here, terms, found)):
        _judge(found, terms, left, right)
    found.source, found.target = there.counts or Counts(), here.counts or Counts()
    return found


def _proofs(manifest: Manifest, terms: ComparisonTerms, found: ManifestComparison) -> Iterator[Proof]:
    try:
        for line in manifest.lines():
            proof: Proof = json.loads(proof_of(line).decode(*UTF_8))
            if terms.reserved and str(proof[KEY]).startswith(terms.reserved):
                found.reserved += 1
            else:
                yield proof
    except (ValueError, IndexError, TypeError) as error:
        raise ManifestError(f"{manifest.path}: a line that is no row: {error}") from error


def _pair_proofs(left: Iterator[Proof], right: Iterator[Proof]) -> Iterator[tuple[Proof | None, Proof | None]]:
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[:2] < other[:2]):
            yield one, None
            one = next(left, None)
        elif one is None or other[:2] < one[:2]:
            yield None, other
            other = next(right, None)
        else:
            yield one, other
            one, other = next(left, None), next(right, None)


def _judge(found: ManifestComparison, terms: ComparisonTerms, left: Proof | None, right: Proof | None) -> None:
    if left is None and right is None:
        return
    if left is None or right is None:
        _judge_alone(found, terms, left, right)
        return
    _judge_bytes(found, terms, left, right)
    if left == right:
        found.same += 1
        return
    aspects = tuple(_aspects(left, right))
    open_aspects = tuple(each for each in aspects if each not in terms.declared)
    for each in aspects:
        found.by_aspect[each] = found.by_aspect.get(each, 0) + 1
        if each in terms.declared:
            found.declare(each, _build_mismatch(left, right, (each,)))
    if open_aspects:
        found.different.add(_build_mismatch(left, right, open_aspects))
    else:
        found.same += not aspects


def _judge_alone(found: ManifestComparison, terms: ComparisonTerms, left: Proof | None, right: Proof | None) -> None:
    proof = left or right or []
    named = VersionMismatch(key=str(proof[KEY]), order=_number(proof[ORDER]))
    if left is None:
        found.extra.add(named)
    elif named.order > 0 and VERSIONS in terms.declared:
        found.declare(VERSIONS, named)
    else:
        found.missing.add(named)


def _judge_bytes(found: ManifestComparison, terms: ComparisonTerms, left: Proof, right: Proof) -> None:
    if left[DIGEST] and right[DIGEST]:
        found.compared_rows += 1
        found.compared_bytes += _number(left[SIZE])
    elif not left[DELETED] and not right[DELETED] and terms.sample.reads(str(left[KEY]), _number(left[SIZE])):
        found.unread.add(VersionMismatch(key=str(left[KEY]), order=_number(left[ORDER])))


def _aspects(left: Proof, right: Proof) -> Iterator[str]:
    """What differs; headers one by one, for stores lose them one by one."""
    for aspect, at in ASPECTS.items():
        one, other = left[at], right[at]
        if one == other or (at == DIGEST and not (one and other)):
            continue
        if aspect == "headers":
            yield from (f"headers:{name}" for name in sorted(_names_that_differ(one, other)))
        else:
            yield aspect


def _names_that_differ(one: object, other: object) -> set[str]:
    left = {tuple(each) for each in _list(one)}
    right = {tuple(each) for each in _list(other)}
    return {str(name) for name, _ in left ^ right}


def _build_mismatch(left: Proof, right: Proof, aspects: tuple[str, ...]) -> VersionMismatch:
    at = {each: ASPECTS[each.partition(":")[0]] for each in aspects}
    return VersionMismatch(
        key=str(left[KEY]),
        order=_number(left[ORDER]),
        aspects=aspects,
        source={each: left[place] for each, place in at.items()},
        target={each: right[place] for each, place in at.items()},
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _list(value: object) -> list[list[str]]:
    return cast("list[list[str]]", value) if isinstance(value, list) else []
