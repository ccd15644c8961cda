"""The proof of a copy as a file: one sentence, what it rests on, and everything that is not as it should be."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.agents.mover.manifests.comparison import (
        ComparisonTerms,
        ManifestComparison,
        MismatchSummary,
        VersionMismatch,
    )
    from components.agents.mover.manifests.manifest import Counts
    from components.agents.mover.manifests.row import ManifestRow


FORMAT: Final = 1
SHOWN: Final = 10  # of each kind in text; the file has more
Report = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedBuckets:
    """What was compared, in words of people: buckets with their stores."""

    source: str
    target: str


def sentence(found: ManifestComparison) -> str:
    """What is proven, or not."""
    counted = f"{found.source.objects:,} objects, {found.source.size:,} bytes"
    rest = f"{found.missing.count:,} missing, {found.extra.count:,} extra, {found.different.count:,} different"
    older = found.source.rows - found.source.objects
    versions = f" with {older:,} older versions and delete markers" if older else ""
    unread = f", {found.unread.count:,} not read" if found.unread.count else ""
    lost = "".join(f", {each.count:,} without {word} as declared" for word, each in sorted(found.declared.items()))
    return f"{counted}{versions}, {rest}{unread}{lost}"


def report(found: ManifestComparison, terms: ComparisonTerms, sides: ComparedBuckets) -> Report:
    """The whole of it, as JSON has it."""
    return {
        "atoll_proof": FORMAT,
        "sentence": sentence(found),
        "proven": found.proven,
        "source": {"name": sides.source, **_counts(found.source)},
        "target": {"name": sides.target, **_counts(found.target)},
        "bytes_read_on_both_sides": {
            "rows": found.compared_rows,
            "bytes": found.compared_bytes,
            "percent_asked": terms.sample.percent,
            "seed": terms.sample.seed,
        },
        "same": found.same,
        "missing": _render_mismatches(found.missing),
        "extra": _render_mismatches(found.extra),
        "different": {**_render_mismatches(found.different), "by_aspect": dict(sorted(found.by_aspect.items()))},
        "not_read": _render_mismatches(found.unread),
        "declared_losses": {word: _render_mismatches(each) for word, each in sorted(found.declared.items())},
        "our_own_left_out": {"prefix": terms.reserved, "rows": found.reserved},
    }


def text(found: ManifestComparison, terms: ComparisonTerms, sides: ComparedBuckets) -> str:
    """The same for a person who reads it in a terminal."""
    lines = [sentence(found), f"source {sides.source}, manifest sha256 {found.source.sha256}"]
    lines.append(f"target {sides.target}, manifest sha256 {found.target.sha256}")
    asked = f"{terms.sample.percent} % asked" + (f", seed {terms.sample.seed}" if terms.sample.seed else "")
    lines.append(f"bytes read on both sides: {found.compared_rows} rows, {found.compared_bytes} bytes ({asked})")
    kinds = {"missing": found.missing, "extra": found.extra, "different": found.different, "not read": found.unread}
    kinds |= {f"without {word}, as declared": each for word, each in sorted(found.declared.items())}
    for kind, each in kinds.items():
        lines += [f"{kind}: {name(one)}" for one in each.first[:SHOWN]]
        if each.count > SHOWN:
            lines.append(f"{kind}: and {each.count - min(SHOWN, len(each.first))} more")
    return "\n".join(lines) + "\n"


def name(named: VersionMismatch) -> str:
    """One version in one line, whatever its key holds."""
    version = f", version {named.order} before the latest" if named.order else ""
    aspects = f": {', '.join(named.aspects)}" if named.aspects else ""
    return f"{json.dumps(named.key)}{version}{aspects}"


def write(path: Path, what: Report) -> None:
    """Write canonical JSON beside the path, then rename: a reader finds all of it or what was there before.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as file:
            file.write(json.dumps(what, indent=2, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _counts(counts: Counts) -> Report:
    return {"rows": counts.rows, "objects": counts.objects, "bytes": counts.size, "manifest_sha256": counts.sha256}


def _render_mismatches(found: MismatchSummary) -> Report:
    return {"count": found.count, "first": [asdict(each) for each in found.first]}


GIB_5: Final = 5 * 2**30  # the most that S3 copies or writes in one request
SHORT: Final = 2**20  # bytes; below it requests cost more time than bytes
KINDS_NAMED: Final = 50


@dataclass(slots=True, kw_only=True)
class Used:
    """Counts of what its objects have; rows are versions and delete markers.

    Args:
        content_types: the most frequent ones.
        longest_key: in UTF-8 bytes.
        short_objects: below 1 MiB.
    """

    rows: int = 0
    objects: int = 0
    size: int = 0
    older_versions: int = 0
    delete_markers: int = 0
    with_tags: int = 0
    with_metadata: int = 0
    metadata_names: int = 0
    most_tags: int = 0
    headers: dict[str, int] = field(default_factory=dict[str, int])
    content_types: dict[str, int] = field(default_factory=dict[str, int])
    content_encodings: dict[str, int] = field(default_factory=dict[str, int])
    biggest: int = 0
    biggest_key: str = ""
    over_5_gib: int = 0
    zero_byte: int = 0
    short_objects: int = 0
    longest_key: int = 0
    keys_with_spaces: int = 0
    keys_not_ascii: int = 0
    keys_with_control_characters: int = 0
    keys_ending_in_slash: int = 0
    keys_with_odd_parts: int = 0


def summarize_manifest(path: Path) -> dict[str, object]:
    """What the bucket of a manifest uses, as JSON has it.

    Raises:
        ManifestError: the manifest cannot be believed.
    """
    manifest = Manifest(path)
    found = count_usage(manifest.rows())
    return {"bucket": manifest.bucket, **asdict(found)}


def count_usage(rows: Iterable[ManifestRow]) -> Used:
    """What rows use."""
    found = Used()
    names: set[str] = set()
    headers: Counter[str] = Counter()
    types: Counter[str] = Counter()
    encodings: Counter[str] = Counter()
    for row in rows:
        _count(found, row)
        _count_key(found, row.key)
        names.update(name for name, _ in row.metadata)
        headers.update(name for name, _ in row.headers)
        types.update(value for name, value in row.headers if name == "content-type")
        encodings.update(value for name, value in row.headers if name == "content-encoding")
    found.metadata_names = len(names)
    found.headers = dict(sorted(headers.items()))
    found.content_types = dict(types.most_common(KINDS_NAMED))
    found.content_encodings = dict(encodings.most_common(KINDS_NAMED))
    return found


def _count(found: Used, row: ManifestRow) -> None:
    found.rows += 1
    found.size += row.size
    found.delete_markers += row.deleted
    found.objects += row.order == 0 and not row.deleted
    found.older_versions += row.order > 0 and not row.deleted
    found.with_tags += bool(row.tags)
    found.with_metadata += bool(row.metadata)
    found.most_tags = max(found.most_tags, len(row.tags))
    found.zero_byte += row.size == 0 and not row.deleted
    found.short_objects += row.size < SHORT and not row.deleted
    found.over_5_gib += row.size > GIB_5
    if row.size > found.biggest:
        found.biggest, found.biggest_key = row.size, row.key


def _count_key(found: Used, key: str) -> None:
    found.longest_key = max(found.longest_key, len(key.encode("utf-8", "surrogatepass")))
    found.keys_with_spaces += " " in key
    found.keys_not_ascii += not key.isascii()
    found.keys_with_control_characters += any(each < " " or each == "\x7f" for each in key)
    found.keys_ending_in_slash += key.endswith("/")
    # Stores that lie on a file system refuse or fold these.
    found.keys_with_odd_parts += any(part in {"", ".", ".."} for part in key.rstrip("/").split("/"))
