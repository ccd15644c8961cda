"""Objects of people made again at the target as they are at the source, standing still until the commit.

A recurring run's schedule is an object of the cluster, and its row in the database has that object's uid as its key. A
server gives every object a uid of its own, so without the last step Pipelines would not know its own schedules
(kubeflow/pipelines 4862; backend/src/apiserver/model/{job,run,resource_reference}.go, 2.16).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.objects import ResourceKind, metadata, name_of, namespace_of
from operations.relocation.databases import mysql, postgres
from operations.relocation.databases.sql import execute_change, tables_of
from operations.relocation.runner.step import Memory, StepError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from operations.relocation.cluster.client import RelocationCluster
    from operations.relocation.config.endpoints import DatabasePlace
    from operations.relocation.databases.client_programs import ProgramRunner
    from operations.relocation.databases.uri_rules import UriRules


KEPT: Final = ("name", "namespace", "labels", "annotations")  # of metadata
# Annotations that say what was applied, or by whom it is managed: they are the old cluster's.
LEFT: Final = re.compile(r"kubectl\.kubernetes\.io/|argocd\.argoproj\.io/|meta\.helm\.sh/")
# Registries of one region: Amazon's by account and region, Google's by region.
REGIONAL: Final = re.compile(
    r"^(?P<host>\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?|[a-z]+-[a-z]+\d+-docker\.pkg\.dev)/"
)


def clean_document(document: Mapping[str, object], rules: UriRules) -> dict[str, object]:
    """The object for the target: name, labels, annotations and spec, with addresses rewritten."""
    own = {name: value for name, value in _annotations(document).items() if not LEFT.match(name)}
    # The rest of the metadata (uid, resourceVersion, managedFields) is the source server's own, and the target refuses
    # it.
    kept = {name: metadata(document).get(name) for name in KEPT} | {"annotations": own}
    kept = {name: value for name, value in kept.items() if value}
    left = {name: value for name, value in document.items() if name not in {"metadata", "status"}}
    return cast("dict[str, object]", rewrite_value({**left, "metadata": kept}, rules))


def rewrite_value(value: object, rules: UriRules) -> object:
    """A JSON value with the addresses in its texts rewritten."""
    if isinstance(value, str):
        return rules.apply_within(value)
    if isinstance(value, dict):
        return {name: rewrite_value(each, rules) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [rewrite_value(each, rules) for each in cast("list[object]", value)]
    return value


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from texts(each)


def regional_images(document: Mapping[str, object]) -> list[str]:
    """Images in a registry of one region: whether they are copied needs a decision."""
    return sorted({each for each in texts(document) if REGIONAL.match(each)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recreated:
    """Result for one kind.

    Args:
        uids: of the source's objects, to those of the target's.
        images: references to images in a registry of one region.
    """

    made: tuple[str, ...]
    there: tuple[str, ...]
    uids: Mapping[str, str] = field(default_factory=dict[str, str])
    images: tuple[str, ...] = ()


def recreate(
    kind: ResourceKind,
    *,
    source: RelocationCluster,
    target: RelocationCluster,
    rules: UriRules,
    still: Callable[[dict[str, object]], dict[str, object]],
) -> Recreated:
    """Create what the target lacks; running it again changes nothing.

    Args:
        still: makes a document one that starts nothing; what it sets is not compared.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    # What has an owner is made by that owner's controller at the target; a second one of ours would fight it.
    wanted = {_key(each): each for each in source.list_objects(kind) if not _has_owner(each)}
    before = {_key(each): each for each in target.list_objects(kind)}
    documents = {key: still(_whole(kind, clean_document(each, rules))) for key, each in wanted.items()}
    other = [
        key
        for key, each in documents.items()
        if key in before and not matches_wanted(each, still(clean_document(before[key], rules)))
    ]
    if other:
        raise StepError(
            f"the target has another {kind.name} of the same name: {', '.join(sorted(other))}",
            hint="delete it or rename it there, then run again; nothing of the source was changed",
            evidence={"kind": kind.name, "different": sorted(other)},
        )
    made = [key for key, each in sorted(documents.items()) if key not in before and target.create(kind, each)]
    after = {_key(each): each for each in target.list_objects(kind)}
    missing = sorted(set(wanted) - set(after))
    if missing:
        raise StepError(f"the target does not have the {kind.name} {', '.join(missing)} that were made there")
    return Recreated(
        made=tuple(made),
        there=tuple(sorted(set(wanted) & set(before))),
        uids={_uid(each): _uid(after[key]) for key, each in sorted(wanted.items())},
        images=tuple(sorted({image for each in wanted.values() for image in regional_images(each)})),
    )


def matches_wanted(wanted: object, there: object) -> bool:
    if isinstance(wanted, dict):
        other = to_mapping(there)
        return all(matches_wanted(each, other.get(name)) for name, each in cast("dict[str, object]", wanted).items())
    if isinstance(wanted, list):
        found, items = cast("list[object]", there if isinstance(there, list) else []), cast("list[object]", wanted)
        return len(items) == len(found) and all(map(matches_wanted, items, found))
    return wanted == there


def summary(found: Mapping[str, Recreated]) -> dict[str, object]:
    return {
        name: {"made": list(each.made), "there_already": list(each.there)}
        for name, each in found.items()
        if each.made or each.there
    }


def images(found: Sequence[Recreated]) -> list[str]:
    """Images that need a decision."""
    return sorted({image for each in found for image in each.images})


def _whole(kind: ResourceKind, document: dict[str, object]) -> dict[str, object]:
    version = f"{kind.group}/{kind.version}" if kind.group else kind.version
    return {**document, "apiVersion": version, "kind": kind.name}


def _key(document: Mapping[str, object]) -> str:
    space = namespace_of(document)
    return f"{space}/{name_of(document)}" if space else name_of(document)


def _uid(document: Mapping[str, object]) -> str:
    return str(metadata(document).get("uid") or "")


def _has_owner(document: Mapping[str, object]) -> bool:
    """Whether a controller makes it, as it will at the target."""
    return bool(metadata(document).get("ownerReferences"))


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


def recreate_schedules(*, source: RelocationCluster, target: RelocationCluster, rules: UriRules) -> Recreated:
    """Create every recurring run of the source at the target, disabled.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    return recreate(RECURRING, source=source, target=target, rules=rules, still=disable_schedule)


def disable_schedule(document: dict[str, object]) -> dict[str, object]:
    """Disable a recurring run."""
    return {**document, "spec": {**to_mapping(document.get("spec")), "enabled": False}}


def update_run_ids(
    place: DatabasePlace,
    secrets: Mapping[str, str],
    uids: Mapping[str, str],
    *,
    folder: Path,
    starts: ProgramRunner = mysql.run,
) -> int:
    """Give recurring runs their new ids in the target's database, all or none; their count.

    Raises:
        StepError: an id that is none, or the database refuses.
    """
    # MySQL's client takes a text without parameters: only what holds digits and dashes may stand in it.
    wrong = [each for pair in uids.items() for each in pair if not UID.fullmatch(each)]
    if wrong:
        raise StepError(f"no ids of objects: {', '.join(wrong)}")
    moved = {old: new for old, new in uids.items() if old != new}
    if place.engine == "mysql":
        if moved:
            there = {row[0] for row in mysql.ask(place, secrets, "SHOW TABLES", folder=folder, starts=starts)}
            # A database in which Pipelines never ran has no tables to change.
            if there >= TABLES:
                mysql.ask(place, secrets, statements(moved), folder=folder, starts=starts)
        return len(moved)
    with postgres.session(place, secrets, writing=True) as connection:
        if tables_of(connection) >= TABLES:
            for table, column, only in PLACES:
                for old, new in moved.items():
                    execute_change(connection, _update(table, column, only, '"'), (new, old))
        connection.commit()
    return len(moved)


def statements(uids: Mapping[str, str]) -> str:
    """One transaction for MySQL."""
    lines = [
        (_update(table, column, only, "`") % (f"'{new}'", f"'{old}'"))
        for table, column, only in PLACES
        for old, new in sorted(uids.items())
    ]
    return ";\n".join(["START TRANSACTION", *lines, "COMMIT"]) + ";\n" if lines else ""


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


def recreate_models(*, source: RelocationCluster, target: RelocationCluster, rules: UriRules) -> dict[str, Recreated]:
    """Create every model server of the source at the target, stopped; by kind.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    found = {
        RUNTIMES.name: recreate(RUNTIMES, source=source, target=target, rules=rules, still=lambda document: document)
    }
    for kind in SERVICES:
        found[kind.name] = recreate(kind, source=source, target=target, rules=rules, still=stop_model)
    return found


def start_all(memory: Memory, *, source: RelocationCluster, target: RelocationCluster) -> list[str]:
    """Start what was created as it ran at the source; part of the commit."""
    started: list[str] = []
    for kind in SERVICES:
        if memory.recall(memory_key_of_kind(kind)) is None:
            continue
        for each in source.list_objects(kind):
            # None, where the source's runs, removes our annotation: a merge patch deletes what is null.
            was = _annotations(each).get(STOP)
            change: Mapping[str, object] = {"metadata": {"annotations": {STOP: was}}}
            if target.change(kind, namespace=namespace_of(each), name=name_of(each), change=change):
                started.append(f"{kind.name} {namespace_of(each)}/{name_of(each)}")
    return started


def memory_key_of_kind(kind: ResourceKind) -> str:
    return f"rewrite/serving/{kind.plural}"


def stop_model(document: dict[str, object]) -> dict[str, object]:
    annotations = {**_annotations(document), STOP: "true"}
    return {**document, "metadata": {**metadata(document), "annotations": annotations}}


def _annotations(document: Mapping[str, object]) -> Mapping[str, object]:
    return to_mapping(metadata(document).get("annotations"))
