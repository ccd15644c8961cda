"""What a job of the acceptance is to whoever runs it: objects to make, a sign to wait for, a log to read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Manifest = dict[str, object]
TRUE: Final = "True"


class JobState(StrEnum):
    """How far an object has come."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An object of the cluster; `namespace` is "" for one of the whole cluster."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusMatcher:
    """A field of an object that says how it stands.

    Args:
        path: from the top of the object, ("status", "conditions").
        condition: type of the condition in the list that lies there, whose `status` is read; "" for a plain field.
        value: text of the field when the sign is given.
    """

    path: tuple[str, ...]
    condition: str = ""
    value: str = TRUE

    def matches(self, document: Mapping[str, object]) -> bool:
        found = _at(document, self.path)
        if not self.condition:
            return found is not None and str(found) == self.value
        conditions = cast("list[object]", found) if isinstance(found, list) else []
        mine = [to_mapping(each) for each in conditions if to_mapping(each).get("type") == self.condition]
        return any(str(each.get("status")) == self.value for each in mine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Where `Measured` lines are read: the container of every pod that the label selector finds."""

    namespace: str
    selector: str
    container: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJob:
    """One job of the acceptance.

    Args:
        name: unique in a run: "node-gpu-0".
        checks: ids of `planning.agents.measurement_records.CHECKS` that it measures.
        subject: what it is about, as `Measured.subject` says it: "node/ip-10-64-1-7", "service/mlflow".
        objects: to make, in order; those of one job are deleted by `removed`.
        awaited: the object among them that is watched.
        done: any of these says that it is over and well.
        failed: any of these says that it is over and not well.
        log: None where no pod of ours measures: then the seconds until `done` are the reading of its one check.
        seconds: after which it is given up.
        stage: jobs of one stage may run side by side; the next stage starts when all of them are over.
        nodes: names of the nodes that it needs for itself; empty where any will do.
        removed: to delete afterwards, in order, whatever came of it.
    """

    name: str
    checks: tuple[str, ...]
    subject: str
    objects: tuple[Manifest, ...]
    awaited: Reference
    done: tuple[StatusMatcher, ...]
    failed: tuple[StatusMatcher, ...]
    log: Log | None
    seconds: int
    stage: int
    nodes: tuple[str, ...] = ()
    removed: tuple[Reference, ...] = ()

    def judge_state(self, document: Mapping[str, object]) -> JobState:
        """How the awaited object stands, as the API shows it."""
        if any(sign.matches(document) for sign in self.failed):
            return JobState.FAILED
        return JobState.DONE if any(sign.matches(document) for sign in self.done) else JobState.WAITING


JOB_DONE: Final = (StatusMatcher(path=("status", "conditions"), condition="Complete"),)
JOB_FAILED: Final = (StatusMatcher(path=("status", "conditions"), condition="Failed"),)


def reference(manifest: Manifest) -> Reference:
    metadata = to_mapping(manifest["metadata"])
    return Reference(
        api_version=str(manifest["apiVersion"]),
        kind=str(manifest["kind"]),
        name=str(metadata["name"]),
        namespace=str(metadata.get("namespace", "")),
    )


def list_deletion_order(manifests: Iterable[Manifest]) -> tuple[Reference, ...]:
    """References of objects, the last first, as they are deleted."""
    return tuple(reversed([reference(each) for each in manifests]))


def _at(document: Mapping[str, object], path: tuple[str, ...]) -> object:
    found: object = document
    for name in path:
        found = to_mapping(found).get(name)
    return found
