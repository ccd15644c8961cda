"""Observation before the point of no return: the target's health for the configured time, and writes at the source."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifest import Manifest, align
from components.agents.mover.rounds import MANIFEST
from operations.relocation.buckets import pairs
from operations.relocation.copies.verification import SOURCE
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.agents.mover.scan import Connect
    from operations.relocation.buckets.pairs import BucketPair

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
    """Check now, then until the time is over.

    Raises:
        StepError: a check failed at the target, or something was written at the source.
    """
    # Remembered, so that a kill does not begin the time anew.
    since = datetime.fromisoformat(str(move.memory.remember(AT, move.now().isoformat())))
    until = since + timedelta(minutes=move.places.observe_minutes)
    looks = 0
    while True:
        started = move.now()
        found = check(move)
        changed = list(
            dict.fromkeys(each for pair in pairs.pair_buckets(move) for each in changes(pair, connect=connect))
        )
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
        # A share of the time that a look takes: checks of a large source must not load it without a pause.
        sleep(min(left, max(BETWEEN, SHARE * (move.now() - started).total_seconds())))


def changes(pair: BucketPair, *, connect: Connect = pairs.connect) -> Iterator[str]:
    """Keys of the source that differ from the last manifest.

    Raises:
        StepError: the store refused, or there is no manifest to believe.
    """
    copied = pair.folder / MANIFEST
    with pairs.translate_store_errors(), closing(connect(pair.source)) as store:
        listed = store.list_versions() if pair.bucket.versions else store.list_objects()
        now = (
            (each.key, (each.size, each.etag, each.deleted))
            for each in listed
            if not each.key.startswith(pairs.RESERVED)
        )
        # The last manifest of the source: of the copy, or of the look where pods made none.
        rows = Manifest(copied if copied.exists() else pair.folder / SOURCE).read_rows()
        before = ((row.key, (row.size, row.etag, row.deleted)) for row in rows)
        yield from (key for key, then, there in align(before, now) if then != there)


STEP: Final = RelocationStep(name="observe", do=do)
