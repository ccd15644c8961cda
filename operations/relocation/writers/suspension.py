"""Stops the writers of one cluster, and lets each go on as it was: what it was is on disk before it is changed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, patch_of, value_at
from operations.relocation.runner.step import Move, StepError
from operations.relocation.writers import workloads
from operations.relocation.writers.workloads import WriterWorkload, writer_of
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from operations.relocation.cluster.client import RelocationCluster


TRIES: Final = 5  # changes of others in between, one after another, on one object
MOST_NAMED: Final = 10  # writers that a message lists
LEAVE_OUT: Final = "let it end, or delete it, and run again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Time to wait.

    Args:
        seconds: altogether. Pods have 30 seconds to end unless they ask for more.
    """

    seconds: float = 180.0
    pause: float = 2.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def until(self, done: Callable[[], bool]) -> bool:
        """Poll; whether it became true in time."""
        end = self.clock() + self.seconds
        while not done():
            if self.clock() >= end:
                return False
            self.sleep(self.pause)
        return True


PATIENT: Final = Patience()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """One stopped writer.

    Args:
        ours: whether the freeze stopped it; one that stood still before is left as it is.
        before: what its field held.
    """

    writer: WriterWorkload
    ours: bool
    before: object

    def form(self) -> dict[str, object]:
        writer = self.writer
        return {
            "kind": writer.way.kind.name,
            "namespace": writer.namespace,
            "name": writer.name,
            "how": writer.way.how if self.ours else "stood still before",
            "before": self.before,
        }


def memory_key_of_writer(side: str, writer: WriterWorkload) -> str:
    """Memory key of a writer's earlier state."""
    return f"freeze/{side}/{writer.way.kind.plural}/{writer.namespace}/{writer.name}"


def stop(cluster: RelocationCluster, move: Move, *, side: str, patience: Patience = PATIENT) -> list[Stopped]:
    """Stop every writer, and repeat until none runs.

    Raises:
        StepError: writers or pods that still run when patience ends, by name.
    """
    stopped: dict[str, Stopped] = {}
    left: list[str] = []

    def round_() -> bool:
        for stage, writers in workloads.stages(cluster):
            for each in writers:
                stopped[each.words] = _stop_one(cluster, move, each, side=side)
            if stage == "keepers" and not _wait_for_keepers(cluster, patience):
                break
        left[:] = [*workloads.still_running(cluster), *_moving(cluster)]
        return not left

    round_()
    if left and not patience.until(round_):
        raise _still(side, left)
    return list(stopped.values())


def _wait_for_keepers(cluster: RelocationCluster, patience: Patience) -> bool:
    """Whether the pods of controllers that restart writers ended."""

    def have_ended() -> bool:
        # One that is just ending would still reopen a queue.
        return not [each for each in workloads.still_running(cluster) if _of_a_keeper(each)]

    return patience.until(have_ended)


def _of_a_keeper(words: str) -> bool:
    return any(f" {namespace}/{name}-" in words for _, namespace, name in kinds.KEEPERS)


def _stop_one(cluster: RelocationCluster, move: Move, writer: WriterWorkload, *, side: str) -> Stopped:
    key = memory_key_of_writer(side, writer)
    if other := to_mapping(move.memory.recall(key)).get("uid"):
        key = key if other == writer.uid else f"{key}/{writer.uid}"  # made anew under the same name since
    before = to_mapping(move.memory.remember(key, {"uid": writer.uid, "before": writer.value})).get("before")
    if not writer.stands_still:
        value = move.now().strftime("%Y-%m-%dT%H:%M:%SZ") if writer.way.stopped is kinds.STAMP else writer.way.stopped
        _set(cluster, writer, value, only_if=lambda now: not now.stands_still)
    return Stopped(writer=writer, ours=not writer.way.holds(before), before=before)


def _set(
    cluster: RelocationCluster, writer: WriterWorkload, value: object, *, only_if: Callable[[WriterWorkload], bool]
) -> bool:
    """Set the field that stops a writer, unless it was replaced or changed by somebody else.

    Raises:
        StepError: others change it all the time.
    """
    way = writer.way
    for _ in range(TRIES):
        document = cluster.get(way.kind, namespace=writer.namespace, name=writer.name)
        if document is None:
            return False
        now = writer_of(way, document)
        if now.uid != writer.uid or not only_if(now):
            return False
        change = patch_of(way.field, value)
        # With its version the server refuses the patch where somebody was faster.
        held = {**to_mapping(change.get("metadata")), "resourceVersion": now.version}
        try:
            return cluster.change(way.kind, namespace=now.namespace, name=now.name, change={**change, "metadata": held})
        except ChangedMeanwhileError:
            continue
    raise StepError(f"{writer.words} is changed by somebody else all the time", hint="find out by whom, and run again")


def _moving(cluster: RelocationCluster) -> list[str]:
    """Writers that run although they were stopped: something restarted them."""
    return [each.words for _, writers in workloads.stages(cluster) for each in writers if not each.stands_still]


def _still(side: str, left: Sequence[str]) -> StepError:
    named = ", ".join(left[:MOST_NAMED]) + (f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else "")
    return StepError(
        f"{len(left)} writers of the {side} still run: {named}",
        hint=LEAVE_OUT,
        evidence={"still_running": list(left)},
    )


def restore(cluster: RelocationCluster, move: Move, *, side: str) -> list[str]:
    """Restore each writer that the freeze stopped; their names.

    One that was deleted, made anew or set otherwise meanwhile is left as it is.
    """
    every = [each for _, writers in workloads.stages(cluster) for each in writers]
    # Controllers that restart others come last: the writers they watch are then as the source had them.
    return [each.words for each in reversed(every) if _back(cluster, move, each, side=side)]


def _back(cluster: RelocationCluster, move: Move, writer: WriterWorkload, *, side: str) -> bool:
    kept = recall_state(move, writer, side=side)
    return bool(kept) and not writer.way.holds(kept["before"]) and restore_value(cluster, writer, kept["before"])


def recall_state(move: Move, writer: WriterWorkload, *, side: str) -> dict[str, object]:
    """Remembered state of a writer; empty if it did not exist when the freeze began."""
    key = memory_key_of_writer(side, writer)
    for each in (key, f"{key}/{writer.uid}"):
        kept = to_mapping(move.memory.recall(each))
        # A new object of the same name is not the one that we stopped.
        if kept.get("uid") == writer.uid:
            return dict(kept)
    return {}


def restore_value(cluster: RelocationCluster, writer: WriterWorkload, value: object) -> bool:
    """Restore a stopped writer's value; whether it was changed."""
    if not writer.stands_still:
        return False
    return _set(cluster, writer, value, only_if=lambda now: now.stands_still)


# What is people's own runs at the target as it ran at the source; the platform is as large as the target's lock says.
AS_AT_SOURCE: Final = (*kinds.SCHEDULES, kinds.QUEUES)
AGAIN: Final = "look at its pods; then run again, nothing that was opened is closed"


def open_writers(cluster: RelocationCluster, move: Move) -> list[str]:
    """Start what the freeze stopped at the target. Users start their notebooks themselves."""
    every = [each for stage, writers in workloads.stages(cluster) if stage != "notebooks" for each in writers]
    return [each.words for each in reversed(every) if _open(cluster, move, each)]


def _open(cluster: RelocationCluster, move: Move, writer: WriterWorkload) -> bool:
    kept = _recall_wanted_state(move, writer)
    return bool(kept) and not writer.way.holds(kept["before"]) and restore_value(cluster, writer, kept["before"])


def _recall_wanted_state(move: Move, writer: WriterWorkload) -> dict[str, object]:
    """State at the source, if the source had one of that name; else the earlier state at the target."""
    if writer.way in AS_AT_SOURCE and (was := to_mapping(move.memory.recall(memory_key_of_writer("source", writer)))):
        return dict(was)
    return recall_state(move, writer, side="target")


def wait_ready(cluster: RelocationCluster, move: Move, *, patience: Patience = PATIENT) -> list[str]:
    """Wait until the platform's writers are ready; their names.

    Raises:
        StepError: one is not when patience ends.
    """
    due = [
        each
        for each in _platform(cluster)
        if not each.way.holds(recall_state(move, each, side="target").get("before", 0))
    ]
    left: list[str] = []

    def ready() -> bool:
        left[:] = [each.words for each in due if not _is_ready(cluster, each)]
        return not left

    if not patience.until(ready):
        raise StepError(f"not ready at the target: {', '.join(left)}", hint=AGAIN, evidence={"not_ready": left})
    return [each.words for each in due]


def _platform(cluster: RelocationCluster) -> list[WriterWorkload]:
    named = {(way.kind.name, namespace, name) for way, namespace, name in (*kinds.KEEPERS, *kinds.PLATFORM)}
    every = (each for _, writers in workloads.stages(cluster) for each in writers)
    return [each for each in every if (each.way.kind.name, each.namespace, each.name) in named]


def _is_ready(cluster: RelocationCluster, writer: WriterWorkload) -> bool:
    document = cluster.get(writer.way.kind, namespace=writer.namespace, name=writer.name)
    if document is None:
        return True
    wanted, ready = value_at(document, ("spec", "replicas")), value_at(document, ("status", "readyReplicas"))
    return (ready if isinstance(ready, int) else 0) >= (wanted if isinstance(wanted, int) else 1)
