"""Lets the writers of the target run, as those of the source ran before the freeze: the first writes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.objects import mapping, value_at
from operations.relocation.runner.step import StepError
from operations.relocation.writers import workloads
from operations.relocation.writers.suspension import PATIENT, key_of, known, put

if TYPE_CHECKING:
    from operations.clouds.kubernetes.objects import Cluster
    from operations.relocation.runner.step import Move
    from operations.relocation.writers.suspension import Patience
    from operations.relocation.writers.workloads import Writer

# What is people's own runs at the target as it ran at the source; the platform is as large as the target's lock says.
AS_AT_SOURCE: Final = (*kinds.SCHEDULES, kinds.QUEUES)
AGAIN: Final = "look at its pods; then run again, nothing that was opened is closed"


def open_writers(cluster: Cluster, move: Move) -> list[str]:
    """Open what the freeze closed at the target; what was opened, in words. Users start their notebooks themselves."""
    every = [each for stage, writers in workloads.stages(cluster) if stage != "notebooks" for each in writers]
    return [each.words for each in reversed(every) if _open(cluster, move, each)]


def _open(cluster: Cluster, move: Move, writer: Writer) -> bool:
    kept = _wanted(move, writer)
    return bool(kept) and not writer.way.holds(kept["before"]) and put(cluster, writer, kept["before"])


def _wanted(move: Move, writer: Writer) -> dict[str, object]:
    """What it was at the source, where the source had one of its name; else what it was at the target."""
    if writer.way in AS_AT_SOURCE and (was := mapping(move.memory.recall(key_of("source", writer)))):
        return dict(was)
    return known(move, writer, side="target")


def wait_ready(cluster: Cluster, move: Move, *, patience: Patience = PATIENT) -> list[str]:
    """Wait until the platform's writers are there; their names.

    Raises:
        StepError: one is not when patience ends.
    """
    due = [each for each in _platform(cluster) if not each.way.holds(known(move, each, side="target").get("before", 0))]
    left: list[str] = []

    def ready() -> bool:
        left[:] = [each.words for each in due if not _is_ready(cluster, each)]
        return not left

    if not patience.until(ready):
        raise StepError(f"not ready at the target: {', '.join(left)}", hint=AGAIN, evidence={"not_ready": left})
    return [each.words for each in due]


def _platform(cluster: Cluster) -> list[Writer]:
    named = {(way.kind.name, namespace, name) for way, namespace, name in (*kinds.KEEPERS, *kinds.PLATFORM)}
    every = (each for _, writers in workloads.stages(cluster) for each in writers)
    return [each for each in every if (each.way.kind.name, each.namespace, each.name) in named]


def _is_ready(cluster: Cluster, writer: Writer) -> bool:
    document = cluster.get(writer.way.kind, namespace=writer.namespace, name=writer.name)
    if document is None:
        return True
    wanted, ready = value_at(document, ("spec", "replicas")), value_at(document, ("status", "readyReplicas"))
    return (ready if isinstance(ready, int) else 0) >= (wanted if isinstance(wanted, int) else 1)
