"""Closes the object store of a side to its writers, opens it again, and proves both with canaries."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from operations.relocation.buckets import canary
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import Move, StepError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from components.agents.mover.store.s3_client import S3Store
    from operations.relocation.config.endpoints import Keys, RelocationSide
    from operations.relocation.writers.ports import Done, QuiescePorts, StorePort

# How a person does what nobody here can. An IAM deny policy names storage.googleapis.com/objects.create and .delete
# (https://cloud.google.com/iam/docs/deny-access, read 2026-11-22).
BY_HAND: Final[Mapping[str, str]] = {
    "gcs": "an IAM deny policy for storage.googleapis.com/objects.create and objects.delete, the copy worker exempted",
    "other": "whatever refuses writes there, the copy worker exempted",
}
SOURCE: Final = "source"
TARGET: Final = "target"


def side_of(move: Move, side: str) -> RelocationSide:
    return move.places.source if side == SOURCE else move.places.target


def buckets_of(move: Move, side: str) -> list[str]:
    every = (each.source if side == SOURCE else each.target for each in move.places.buckets)
    return list(dict.fromkeys(every))


def see_that_canaries_write(move: Move, hands: QuiescePorts) -> None:
    """Check before the freeze that the canary may write: otherwise a refusal during it proves nothing.

    Raises:
        StepError: it may not, in some bucket.
    """
    place = move.places.source.store
    if place.canary is None:
        raise StepError(
            "the source's store names no canary, so its freeze cannot be proved",
            hint="give `canary` in relocation.yaml the keys of a user who writes into every bucket that is moved",
        )
    # A person who stops writers by hand may have done so already: there the canary must at least read.
    allowed = canary.may_write if place.kind in hands.stores else canary.may_read
    for bucket in buckets_of(move, SOURCE):
        key = f"freeze/{SOURCE}/canary/{bucket}"
        if move.memory.recall(key) is not None:
            continue
        with _open_bucket(move, hands, side=SOURCE, keys=place.canary, bucket=bucket) as store:
            if not allowed(store):
                raise StepError(
                    f"the canary may not write into {bucket} even before the freeze, so its refusal proves nothing",
                    hint="let the user of the source's `canary` write there",
                )
        move.memory.remember(key, value=True)


def close(move: Move, hands: QuiescePorts, *, side: str) -> Done:
    """Close the moved buckets of a side; a store without an automatic way is closed by hand."""
    place = side_of(move, side).store
    buckets = buckets_of(move, side)
    stopper = _stopper(move, hands, side=side)
    if stopper is None:
        how = BY_HAND.get(place.kind, "`admin` of the store in relocation.yaml")
        move.say(f"the store of the {side} is closed by hand: {', '.join(buckets)}: {how}")
        return {"kind": place.kind, "by_hand": how, "buckets": buckets}
    done = stopper.close(place, buckets, move, side=side)
    if side == TARGET:
        _see_that_mover_writes(move, hands)
    return done


def _stopper(move: Move, hands: QuiescePorts, *, side: str) -> StorePort | None:
    """Port of a side's store; MinIO needs an administrator."""
    place = side_of(move, side).store
    if place.kind == "minio" and place.admin is None:
        if side == SOURCE:
            raise StepError(
                "MinIO's users cannot be stopped: the source's store names no `admin`",
                hint="give `admin` in relocation.yaml the keys of MinIO's administrator",
            )
        return None
    return hands.stores.get(place.kind)


def _see_that_mover_writes(move: Move, hands: QuiescePorts) -> None:
    place = move.places.target.store
    for bucket in buckets_of(move, TARGET):
        with _open_bucket(move, hands, side=TARGET, keys=place.mover, bucket=bucket) as store:
            if not canary.may_write(store):
                raise StepError(
                    f"the copy worker may no longer write into {bucket} of the target",
                    hint="its keys belong to a user who is stopped: give the copy worker a user of its own",
                )


def prove_closed(move: Move, hands: QuiescePorts) -> list[dict[str, str]]:
    """Let a canary write, upload and delete in every bucket of the source: each must be refused.

    Raises:
        StepError: one of them succeeds.
    """
    place = move.places.source.store
    stopper = hands.stores.get(place.kind)
    patience = replace(hands.patience, seconds=stopper.settle_seconds if stopper else 0.0)
    proofs: list[dict[str, str]] = []
    for bucket in buckets_of(move, SOURCE):
        with _open_bucket(move, hands, side=SOURCE, keys=place.canary, bucket=bucket) as store:
            # A cloud's policy takes effect only after a while; what still writes then is a fault.
            patience.until(lambda store=store: not canary.may_write(store))
            proofs.append(canary.check_writes_refused(store))
    return proofs


def open_again(move: Move, hands: QuiescePorts, *, side: str) -> Done:
    place = side_of(move, side).store
    stopper = _stopper(move, hands, side=side)
    if stopper is None:
        move.say(f"let writers of the {side}'s store write again by hand: {', '.join(buckets_of(move, side))}")
        return {"kind": place.kind, "by_hand": True}
    return stopper.open_again(place, buckets_of(move, side), move, side=side)


def write_again(move: Move, hands: QuiescePorts, *, side: str) -> dict[str, bool]:
    """Whether the canary of a side may write, by bucket; empty without a canary."""
    keys = side_of(move, side).store.canary
    stopper = hands.stores.get(side_of(move, side).store.kind)
    patience = replace(hands.patience, seconds=stopper.settle_seconds if stopper else 0.0)
    found: dict[str, bool] = {}
    for bucket in buckets_of(move, side) if keys else []:
        with _open_bucket(move, hands, side=side, keys=keys, bucket=bucket) as store:
            found[bucket] = patience.until(lambda store=store: canary.may_write(store))
    return found


@contextmanager
def _open_bucket(move: Move, hands: QuiescePorts, *, side: str, keys: Keys | None, bucket: str) -> Generator[S3Store]:
    """Open a bucket with a pair of keys.

    Raises:
        StepError: there are no such keys.
    """
    if keys is None:
        raise StepError(f"the store of the {side} names no canary", hint="`canary` in relocation.yaml")
    store = hands.connect(place_of(side_of(move, side).store, keys, bucket, move.secrets))
    try:
        yield store
    finally:
        store.close()
