"""The buckets of a relocation: how each side is reached, where its manifests lie, and what the target already holds."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import NAME, CopyLedger
from components.agents.mover.manifest import ManifestError, align
from components.agents.mover.store import s3_client
from components.agents.mover.store.model import BucketEndpoint, StoreError
from operations.relocation.buckets.canary import PREFIX
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import RunContext, StepError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from components.agents.mover.scan import Connect
    from operations.relocation.config.endpoints import BucketMove


RESERVED: Final = PREFIX  # of our own objects, on both sides: canaries
COUNTS_TAGS: Final = frozenset({"aws", "minio"})  # kinds of stores that tell how many tags an object has
NAMED: Final = 10  # of each kind, in messages
connect: Final[Connect] = s3_client.connect


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPair:
    """A bucket at the source and its target.

    Args:
        folder: with its ledger and its manifests.
    """

    bucket: BucketMove
    source: BucketEndpoint
    target: BucketEndpoint
    folder: Path


def pair_buckets(move: RunContext) -> tuple[BucketPair, ...]:
    """Every bucket pair, with the keys of the copy worker."""
    source, target = move.places.source.store, move.places.target.store
    return tuple(
        BucketPair(
            bucket=each,
            source=place_of(source, source.mover, each.source, move.secrets),
            target=place_of(target, target.mover, each.target, move.secrets),
            folder=move.folder / "manifests" / each.source,
        )
        for each in move.places.buckets
    )


def find_foreign_objects(pair: BucketPair, *, connected: Connect = connect) -> tuple[int, list[str]]:
    """Objects of the target that this relocation did not write: their count, and the first names.

    Raises:
        StoreError: the store refused.
    """
    found: list[str] = []
    count = 0
    with closing(connected(pair.target)) as store, _ours(pair) as ours:
        there = ((each.key, True) for each in store.list_objects())
        for key, listed, mine in align(there, ((key, True) for key in ours)):
            if listed and not mine and not key.startswith(RESERVED):
                count += 1
                found += [key] if len(found) < NAMED else []
    return count, found


@contextmanager
def _ours(pair: BucketPair) -> Generator[Iterator[str]]:
    """Keys that this relocation wrote or intended to write, in the order of a listing."""
    if not (pair.folder / NAME).exists():
        yield iter(())
        return
    with CopyLedger(pair.folder, source=pair.source, target=pair.target, versions=pair.bucket.versions) as ledger:
        intended = ((key, True) for key in ledger.list_intended())
        yield (key for key, _, _ in align(intended, ledger.group_by_key()))


@contextmanager
def translate_store_errors() -> Generator[None]:
    """Raise errors of stores and manifests as StepError.

    Raises:
        StepError: one of them refused or is broken.
    """
    try:
        yield
    except (StoreError, ManifestError) as error:
        raise StepError(str(error)) from error


def format_keys(keys: list[str]) -> str:
    """The first keys for a message, whatever characters they have."""
    shown = ", ".join(repr(each) for each in keys[:NAMED])
    return f"{shown}, ..." if len(keys) > NAMED else shown
