"""What a bucket really uses, from its manifest: what a mover must not lose there."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from components.agents.mover.manifests.row import Row

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


def used(path: Path) -> dict[str, object]:
    """What the bucket of a manifest uses, as JSON has it.

    Raises:
        ManifestError: the manifest cannot be believed.
    """
    manifest = Manifest(path)
    found = used_by(manifest.rows())
    return {"bucket": manifest.bucket, **asdict(found)}


def used_by(rows: Iterable[Row]) -> Used:
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


def _count(found: Used, row: Row) -> None:
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
