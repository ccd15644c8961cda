"""Objects of a cluster made ready for another: without what the first wrote into them, addresses rewritten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.relocation.databases.uri_rules import Rules

KEPT: Final = ("name", "namespace", "labels", "annotations")  # of metadata
# Annotations that say what was applied, or by whom it is managed: they are the old cluster's.
LEFT: Final = re.compile(r"kubectl\.kubernetes\.io/|argocd\.argoproj\.io/|meta\.helm\.sh/")
# Registries of one region: Amazon's by account and region, Google's by region.
REGIONAL: Final = re.compile(
    r"^(?P<host>\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?|[a-z]+-[a-z]+\d+-docker\.pkg\.dev)/"
)


def cleaned(document: Mapping[str, object], rules: Rules) -> dict[str, object]:
    """What is made at the target: name, labels, annotations and spec, every address in it rewritten."""
    metadata = cast("Mapping[str, object]", document.get("metadata") or {})
    kept = {name: metadata[name] for name in KEPT if metadata.get(name)}
    annotations = cast("Mapping[str, object]", kept.get("annotations") or {})
    own = {name: value for name, value in annotations.items() if not LEFT.match(name)}
    kept = {name: value for name, value in {**kept, "annotations": own}.items() if value}
    left = {name: value for name, value in document.items() if name not in {"metadata", "status"}}
    return cast("dict[str, object]", rewritten({**left, "metadata": kept}, rules))


def rewritten(value: object, rules: Rules) -> object:
    """A JSON value with every address in its texts rewritten."""
    if isinstance(value, str):
        return rules.applied_within(value)
    if isinstance(value, dict):
        return {name: rewritten(each, rules) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [rewritten(each, rules) for each in cast("list[object]", value)]
    return value


def texts(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from texts(each)


def regional_images(document: Mapping[str, object]) -> list[str]:
    """References to images in a registry of one region: whether they are copied too is somebody's decision."""
    return sorted({each for each in texts(document) if REGIONAL.match(each)})
