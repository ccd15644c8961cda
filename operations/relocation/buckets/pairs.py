"""The buckets of a relocation: how each side is reached, where its manifests lie, and what the target already holds."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.mover.ledger import NAME, CopyLedger
from components.agents.mover.manifests.manifest import ManifestError
from components.agents.mover.store import s3_client
from components.agents.mover.store.model import StoreError
from operations.relocation.buckets import rclone
from operations.relocation.buckets.canary import PREFIX, place_of
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from components.agents.mover.store.model import BucketClient, BucketEndpoint
    from operations.relocation.config.endpoints import BucketMove, Places

    Connect = Callable[[BucketEndpoint], BucketClient]

RESERVED: Final = PREFIX  # of our own objects, on both sides: canaries
COUNTS_TAGS: Final = frozenset({"aws", "minio"})  # kinds of stores that tell how many tags an object has
NAMED: Final = 10  # of each kind, in messages
connect: Final[Connect] = s3_client.connect


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPair:
    """A bucket and where it goes.

    Args:
        folder: with its ledger and its manifests.
    """

    bucket: BucketMove
    source: BucketEndpoint
    target: BucketEndpoint
    folder: Path


def pair_buckets(places: Places, *, folder: Path, secrets: Mapping[str, str]) -> tuple[BucketPair, ...]:
    """Every bucket, reached with the movers' keys.

    Args:
        folder: of the relocation.
    """
    source, target = places.source.store, places.target.store
    return tuple(
        BucketPair(
            bucket=each,
            source=place_of(source, source.mover, each.source, secrets),
            target=place_of(target, target.mover, each.target, secrets),
            folder=folder / "manifests" / each.source,
        )
        for each in places.buckets
    )


def find_foreign_objects(pair: BucketPair, *, connected: Connect = connect) -> tuple[int, list[str]]:
    """Objects of the target that this relocation did not write: how many, and the first of them.

    Raises:
        StoreError: the store refused.
    """
    if (pair.folder / rclone.OURS).exists():
        return 0, []  # the bucket was empty when rclone began, which keeps no ledger
    found: list[str] = []
    count = 0
    with closing(connected(pair.target)) as store, _ours(pair) as ours:
        mine = next(ours, None)
        for each in store.listing():
            while mine is not None and _order(mine) < _order(each.key):
                mine = next(ours, None)
            if each.key != mine and not each.key.startswith(RESERVED):
                count += 1
                found += [each.key] if len(found) < NAMED else []
    return count, found


@contextmanager
def _ours(pair: BucketPair) -> Generator[Iterator[str]]:
    """Keys that this relocation wrote, or was about to write, in the order of a listing."""
    if not (pair.folder / NAME).exists():
        yield iter(())
        return
    with CopyLedger(pair.folder, source=pair.source, target=pair.target, versions=pair.bucket.versions) as ledger:
        yield _merge_keys(iter(ledger.intended()), (key for key, _ in ledger.by_key()))


def _merge_keys(one: Iterator[str], other: Iterator[str]) -> Iterator[str]:
    left, right = next(one, None), next(other, None)
    while left is not None or right is not None:
        if right is None or (left is not None and _order(left) <= _order(right)):
            yield left or ""
            left = next(one, None)
        else:
            yield right
            right = next(other, None)


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


@contextmanager
def translate_store_errors() -> Generator[None]:
    """What stores and manifests say, as a step says it.

    Raises:
        StepError: one of them refused or is broken.
    """
    try:
        yield
    except (StoreError, ManifestError) as error:
        raise StepError(str(error)) from error


def format_keys(keys: list[str]) -> str:
    """The first keys for a message, however odd they are."""
    shown = ", ".join(repr(each) for each in keys[:NAMED])
    return f"{shown}, ..." if len(keys) > NAMED else shown
