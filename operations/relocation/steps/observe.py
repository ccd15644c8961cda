"""Watches the target for as long as was asked, and the source for writes: the last look before there is no way back."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.manifest import rows
from components.agents.mover.rounds import MANIFEST
from operations.relocation.buckets import pairs
from operations.relocation.copies.verification import SOURCE
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from components.agents.mover.store.model import Listed
    from operations.relocation.buckets.pairs import BucketPair, Connect

BETWEEN: Final = 60.0  # seconds between two looks, where a look takes less than a tenth of that
SHARE: Final = 10
AT: Final = "observe/since"


def _smoke(move: Move) -> Evidence:
    from operations.relocation.steps.smoke import STEP as SMOKE  # noqa: PLC0415 - it asks services, which a test replaces

    return SMOKE.do(move)


def do(
    move: Move,
    *,
    check: Callable[[Move], Evidence] = _smoke,
    connect: Connect = pairs.connect,
    sleep: Callable[[float], None] = time.sleep,
) -> Evidence:
    """Check at once, then until the time is over. A kill does not begin the time anew.

    Raises:
        StepError: a check failed at the target, or something was written at the source.
    """
    since = datetime.fromisoformat(str(move.memory.remember(AT, move.now().isoformat())))
    until = since + timedelta(minutes=move.places.observe_minutes)
    looks = 0
    while True:
        started = move.now()
        found = check(move)
        changed = list(dict.fromkeys(each for pair in _pairs(move) for each in changes(pair, connect=connect)))
        if changed:
            raise StepError(
                f"written at the source after the freeze: {pairs.format_keys(changed)}",
                hint="somebody still writes there: find out who, and roll back, or copy it by hand before the commit",
                evidence={"keys": changed[:100], "looks": looks},
            )
        looks += 1
        left = (until - move.now()).total_seconds()
        if left <= 0:
            return {"looks": looks, "minutes": move.places.observe_minutes, "last": found, "source": "unchanged"}
        move.say(f"looked {looks} times, all well; {left / 60:.0f} min left")
        sleep(min(left, max(BETWEEN, SHARE * (move.now() - started).total_seconds())))


def changes(pair: BucketPair, *, connect: Connect = pairs.connect) -> Iterator[str]:
    """Keys of the source that are not what the last manifest says.

    Raises:
        StepError: the store refused, or there is no manifest to believe.
    """
    with pairs.translate_store_errors(), closing(connect(pair.source)) as store:
        if pair.bucket.versions:
            now = (each for each in store.versions() if not each.key.startswith(pairs.RESERVED))
        else:
            now = (each for each in store.listing() if not each.key.startswith(pairs.RESERVED))
        yield from _differing(_read_last_states(pair), ((each.key, _state(each)) for each in now))


def _read_last_states(pair: BucketPair) -> Iterator[tuple[str, tuple[object, ...]]]:
    for row in rows(_manifest(pair.folder)):
        yield row.key, (row.size, row.etag, row.deleted)


def _manifest(folder: Path) -> Path:
    """The last one of the source: of the copy, or of the look where the mover makes none."""
    copied = folder / MANIFEST
    return copied if copied.exists() else folder / SOURCE


def _state(listed: Listed) -> tuple[object, ...]:
    return listed.size, listed.etag, listed.deleted


def _differing(
    left: Iterator[tuple[str, tuple[object, ...]]], right: Iterator[tuple[str, tuple[object, ...]]]
) -> Iterator[str]:
    """Keys whose states differ, in one pass over both."""
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if one == other:
            one, other = next(left, None), next(right, None)
        elif other is None or (one is not None and _order(one[0]) < _order(other[0])):
            yield one[0] if one else ""
            one = next(left, None)
        elif one is None or _order(other[0]) < _order(one[0]):
            yield other[0]
            other = next(right, None)
        else:
            yield one[0]
            one, other = next(left, None), next(right, None)


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def _pairs(move: Move) -> tuple[BucketPair, ...]:
    return pairs.pair_buckets(move.places, folder=move.folder, secrets=move.secrets)


STEP: Final = RelocationStep(name="observe", do=do)
