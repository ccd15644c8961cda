"""Relocations between the same two stacks, each in a folder of its own, and what all of them name together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from operations.project.journal import NAME, read_journal
from operations.relocation.config.endpoints import PLACES_NAME
from operations.relocation.config.reader import read_file
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from operations.relocation.config.endpoints import BucketMove, Places


class AllSet(dict[str, str]):
    """An environment in which every variable is set: to read places takes no key."""

    @override
    def get(self, key: str, default: str | None = None, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] - it never has to fall back
        """Something for every name."""
        del default
        return key


ALL_SET: Final = AllSet()


def list_relocation_folders(main: Path, *, source: str, target: str) -> tuple[Path, ...]:
    """Folders of every relocation between two stacks, that without a name first; it need not be there.

    Raises:
        InputError: a journal is broken.
    """
    others = sorted(main.parent.glob(f"{main.name}-*")) if main.parent.is_dir() else []
    return (main, *(each for each in others if _is_between(each, source, target)))


def _is_between(folder: Path, source: str, target: str) -> bool:
    """Whether a folder is of these two: by its journal; by its places, where it was never opened.

    Places that cannot be read count as theirs: what may be theirs is not passed over.
    """
    records = read_journal(folder / NAME).records
    if records:
        first = records[0].content
        return (first.get("source"), first.get("target")) == (source, target)
    if not (folder / PLACES_NAME).is_file():
        return False
    places = places_in(folder)
    return places is None or (places.source.stack, places.target.stack) == (source, target)


def places_in(folder: Path) -> Places | None:
    """relocation.yaml of a folder; None where there is none, or none that can be read."""
    path = folder / PLACES_NAME
    try:
        return read_file(path, environment=ALL_SET, in_clear=True).places if path.is_file() else None
    except InputError:
        return None


def bucket_of(key: str, locator: str, buckets: Iterable[BucketMove]) -> BucketMove | None:
    """Which bucket of relocation.yaml a thing of the inventory is; None where none can be told to be it.

    A tier's bucket is named after its thing, with letters behind that the engine drew: "cold-data-1a2b3c4".
    """
    place, _, name = key.partition("/")
    word = name.rpartition("/")[2]
    for each in buckets:
        if each.source == locator or (
            place == "bucket" and (each.source == word or each.source.startswith(f"{word}-"))
        ):
            return each
    return None


def find_covered_keys(things: Iterable[tuple[str, str]], places: Iterable[Places]) -> frozenset[str]:
    """Keys of the things that at least one relocation.yaml names.

    Args:
        things: key and locator of each.
    """
    every = tuple(places)
    buckets = [bucket for each in every for bucket in each.buckets]
    parts = {f"database/{base.part}" for each in every for base in each.source.databases}
    names = any(each.names is not None for each in every)
    return frozenset(
        key
        for key, locator in things
        if key in parts
        or (key.startswith("names/") and names)
        or (key.startswith(("bucket/", "store/")) and bucket_of(key, locator, buckets) is not None)
    )
