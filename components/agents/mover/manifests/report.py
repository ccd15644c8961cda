"""The proof of a copy as a file: one sentence, what it rests on, and everything that is not as it should be."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from components.agents.mover.manifests.comparison import Comparison, Found, Named, Terms
    from components.agents.mover.manifests.manifest import Counts

FORMAT: Final = 1
SHOWN: Final = 10  # of each kind in text; the file has more
Report = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What was compared, in words of people: buckets with their stores."""

    source: str
    target: str


def sentence(found: Comparison) -> str:
    """What is proven, or not."""
    counted = f"{found.source.objects:,} objects, {found.source.size:,} bytes"
    rest = f"{found.missing.count:,} missing, {found.extra.count:,} extra, {found.different.count:,} different"
    older = found.source.rows - found.source.objects
    versions = f" with {older:,} older versions and delete markers" if older else ""
    unread = f", {found.unread.count:,} not read" if found.unread.count else ""
    lost = "".join(f", {each.count:,} without {word} as declared" for word, each in sorted(found.declared.items()))
    return f"{counted}{versions}, {rest}{unread}{lost}"


def report(found: Comparison, terms: Terms, sides: Sides) -> Report:
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
        "missing": _found(found.missing),
        "extra": _found(found.extra),
        "different": {**_found(found.different), "by_aspect": dict(sorted(found.by_aspect.items()))},
        "not_read": _found(found.unread),
        "declared_losses": {word: _found(each) for word, each in sorted(found.declared.items())},
        "our_own_left_out": {"prefix": terms.reserved, "rows": found.reserved},
    }


def text(found: Comparison, terms: Terms, sides: Sides) -> str:
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


def name(named: Named) -> str:
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


def _found(found: Found) -> Report:
    return {"count": found.count, "first": [asdict(each) for each in found.first]}
