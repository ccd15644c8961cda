"""Recurring runs of Kubeflow Pipelines: made again at the target, disabled, and known there by their new ids.

A run's schedule is an object of the cluster, and its row in the database has that object's uid as its key. A server
gives every object a uid of its own, so without the last step Pipelines would not know its own schedules
(kubeflow/pipelines 4862; backend/src/apiserver/model/{job,run,resource_reference}.go, 2.16).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.objects import ResourceKind, metadata, name_of, namespace_of
from operations.relocation.cluster.recreation import Recreated, recreate
from operations.relocation.databases import mysql, postgres
from operations.relocation.databases.sql import execute_change, tables_of
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from operations.clouds.kubernetes.objects import KubernetesApi
    from operations.relocation.cluster.recreation import Makes
    from operations.relocation.config.endpoints import DatabasePlace
    from operations.relocation.databases.client_programs import ProgramRunner
    from operations.relocation.databases.uri_rules import UriRules
    from operations.relocation.runner.step import Memory


RECURRING: Final = kinds.RECURRING.kind
UID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Where a recurring run's id stands: table, column, and what the row must say beside it.
PLACES: Final = (
    ("jobs", "UUID", ""),
    ("run_details", "JobUUID", ""),
    ("resource_references", "ResourceUUID", "ResourceType = 'Job'"),
    ("resource_references", "ReferenceUUID", "ReferenceType = 'Job'"),
)
TABLES: Final = frozenset(table for table, _, _ in PLACES)


def recreate_schedules(*, source: KubernetesApi, target: KubernetesApi, makes: Makes, rules: UriRules) -> Recreated:
    """Every recurring run of the source, at the target, disabled.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    return recreate(RECURRING, source=source, target=target, makes=makes, rules=rules, still=disable_schedule)


def disable_schedule(document: dict[str, object]) -> dict[str, object]:
    """A recurring run that starts nothing."""
    spec = cast("Mapping[str, object]", document.get("spec") or {})
    return {**document, "spec": {**spec, "enabled": False}}


def update_run_ids(
    place: DatabasePlace,
    secrets: Mapping[str, str],
    uids: Mapping[str, str],
    *,
    folder: Path,
    starts: ProgramRunner = mysql.run,
) -> int:
    """Give recurring runs their new ids in the target's database, all or none; how many there are.

    Raises:
        StepError: an id that is none, or the database refuses.
    """
    wrong = [each for pair in uids.items() for each in pair if not UID.fullmatch(each)]
    if wrong:
        raise StepError(f"no ids of objects: {', '.join(wrong)}")
    moved = {old: new for old, new in uids.items() if old != new}
    if place.engine == "mysql":
        script = statements(moved)
        if script and _tables(place, secrets, folder, starts) >= TABLES:
            mysql.ask(place, secrets, script, folder=folder, starts=starts)
        return len(moved)
    with postgres.session(place, secrets, writing=True) as connection:
        if tables_of(connection) >= TABLES:
            for table, column, only in PLACES:
                for old, new in moved.items():
                    execute_change(connection, _update(table, column, only, '"'), (new, old))
        connection.commit()
    return len(moved)


def statements(uids: Mapping[str, str]) -> str:
    """One transaction for MySQL; ids were looked at before and hold nothing but digits and dashes."""
    lines = [
        (_update(table, column, only, "`") % (f"'{new}'", f"'{old}'"))
        for table, column, only in PLACES
        for old, new in sorted(uids.items())
    ]
    return ";\n".join(["START TRANSACTION", *lines, "COMMIT"]) + ";\n" if lines else ""


def _tables(place: DatabasePlace, secrets: Mapping[str, str], folder: Path, starts: ProgramRunner) -> set[str]:
    return {row[0] for row in mysql.ask(place, secrets, "SHOW TABLES", folder=folder, starts=starts)}


def _update(table: str, column: str, only: str, quote: str) -> str:
    def quote_name(word: str) -> str:
        return f"{quote}{word}{quote}"

    also = f" AND {quote_name(only.split(maxsplit=1)[0])} = {only.rsplit(maxsplit=1)[-1]}" if only else ""
    parts = ["UPDATE", quote_name(table), "SET", quote_name(column), "= %s WHERE", quote_name(column), "= %s"]
    return " ".join(parts) + also


GROUP: Final = "serving.kserve.io"
# KServe takes the pods away of what says "true" here (kserve, pkg/constants, StopAnnotationKey; 0.18).
STOP: Final = f"{GROUP}/stop"
# What names storage before what uses it. Versions that are stored, as CRDS.yaml of the platform reference has them
# (2026-11-22): an older one that is served too has not every field.
RUNTIMES: Final = ResourceKind(group=GROUP, version="v1alpha1", plural="servingruntimes", name="ServingRuntime")
SERVICES: Final = (
    ResourceKind(group=GROUP, version="v1beta1", plural="inferenceservices", name="InferenceService"),
    ResourceKind(group=GROUP, version="v1alpha2", plural="llminferenceservices", name="LLMInferenceService"),
    ResourceKind(group=GROUP, version="v1alpha1", plural="inferencegraphs", name="InferenceGraph"),
)


def recreate_models(
    *, source: KubernetesApi, target: KubernetesApi, makes: Makes, rules: UriRules
) -> dict[str, Recreated]:
    """Every model server of the source, at the target, stopped; by kind.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    found = {
        RUNTIMES.name: recreate(
            RUNTIMES, source=source, target=target, makes=makes, rules=rules, still=lambda document: document
        )
    }
    for kind in SERVICES:
        found[kind.name] = recreate(kind, source=source, target=target, makes=makes, rules=rules, still=stop_model)
    return found


def start_all(memory: Memory, *, source: KubernetesApi, target: KubernetesApi) -> list[str]:
    """Let what was made here run as it ran at the source: at commit."""
    started: list[str] = []
    for kind in SERVICES:
        if memory.recall(memory_key_of_kind(kind)) is None:
            continue
        for each in source.listed(kind):
            was = _annotations(each).get(STOP)
            change: Mapping[str, object] = {"metadata": {"annotations": {STOP: was}}}
            if target.change(kind, namespace=namespace_of(each), name=name_of(each), change=change):
                started.append(f"{kind.name} {namespace_of(each)}/{name_of(each)}")
    return started


def memory_key_of_kind(kind: ResourceKind) -> str:
    """Under which is remembered what was made of a kind."""
    return f"rewrite/serving/{kind.plural}"


def stop_model(document: dict[str, object]) -> dict[str, object]:
    annotations = {**_annotations(document), STOP: "true"}
    return {**document, "metadata": {**metadata(document), "annotations": annotations}}


def _annotations(document: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", metadata(document).get("annotations") or {})
