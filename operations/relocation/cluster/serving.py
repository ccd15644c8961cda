"""Models that KServe serves: made again at the target with their new addresses, stopped until the commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from operations.clouds.kubernetes.objects import Kind, metadata, name_of, namespace_of
from operations.relocation.cluster.recreation import Recreated, recreate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.clouds.kubernetes.objects import Cluster
    from operations.relocation.cluster.recreation import Makes
    from operations.relocation.databases.uri_rules import Rules
    from operations.relocation.runner.step import Memory

GROUP: Final = "serving.kserve.io"
# KServe takes the pods away of what says "true" here (kserve, pkg/constants, StopAnnotationKey; 0.18).
STOP: Final = f"{GROUP}/stop"
# What names storage before what uses it. Versions that are stored, as CRDS.yaml of the platform reference has them
# (2026-11-22): an older one that is served too has not every field.
RUNTIMES: Final = Kind(group=GROUP, version="v1alpha1", plural="servingruntimes", name="ServingRuntime")
SERVICES: Final = (
    Kind(group=GROUP, version="v1beta1", plural="inferenceservices", name="InferenceService"),
    Kind(group=GROUP, version="v1alpha2", plural="llminferenceservices", name="LLMInferenceService"),
    Kind(group=GROUP, version="v1alpha1", plural="inferencegraphs", name="InferenceGraph"),
)


def served(*, source: Cluster, target: Cluster, makes: Makes, rules: Rules) -> dict[str, Recreated]:
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
        found[kind.name] = recreate(kind, source=source, target=target, makes=makes, rules=rules, still=stopped)
    return found


def start_all(memory: Memory, *, source: Cluster, target: Cluster) -> list[str]:
    """Let what was made here run as it ran at the source: at commit."""
    started: list[str] = []
    for kind in SERVICES:
        if memory.recall(key_of(kind)) is None:
            continue
        for each in source.listed(kind):
            was = _annotations(each).get(STOP)
            change: Mapping[str, object] = {"metadata": {"annotations": {STOP: was}}}
            if target.change(kind, namespace=namespace_of(each), name=name_of(each), change=change):
                started.append(f"{kind.name} {namespace_of(each)}/{name_of(each)}")
    return started


def key_of(kind: Kind) -> str:
    """Under which is remembered what was made of a kind."""
    return f"rewrite/serving/{kind.plural}"


def stopped(document: dict[str, object]) -> dict[str, object]:
    """A model server whose pods are taken away."""
    annotations = {**_annotations(document), STOP: "true"}
    return {**document, "metadata": {**metadata(document), "annotations": annotations}}


def _annotations(document: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", metadata(document).get("annotations") or {})
