"""Objects of people made again at the target as they are at the source, standing still until the commit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, cast

from operations.clouds.kubernetes.objects import mapping, metadata, name_of, namespace_of
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from operations.clouds.kubernetes.objects import KubernetesApi, ResourceKind
    from operations.relocation.databases.uri_rules import UriRules


KEPT: Final = ("name", "namespace", "labels", "annotations")  # of metadata
# Annotations that say what was applied, or by whom it is managed: they are the old cluster's.
LEFT: Final = re.compile(r"kubectl\.kubernetes\.io/|argocd\.argoproj\.io/|meta\.helm\.sh/")
# Registries of one region: Amazon's by account and region, Google's by region.
REGIONAL: Final = re.compile(
    r"^(?P<host>\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?|[a-z]+-[a-z]+\d+-docker\.pkg\.dev)/"
)


def clean_document(document: Mapping[str, object], rules: UriRules) -> dict[str, object]:
    """What is made at the target: name, labels, annotations and spec, every address in it rewritten."""
    metadata = cast("Mapping[str, object]", document.get("metadata") or {})
    kept = {name: metadata[name] for name in KEPT if metadata.get(name)}
    annotations = cast("Mapping[str, object]", kept.get("annotations") or {})
    own = {name: value for name, value in annotations.items() if not LEFT.match(name)}
    kept = {name: value for name, value in {**kept, "annotations": own}.items() if value}
    left = {name: value for name, value in document.items() if name not in {"metadata", "status"}}
    return cast("dict[str, object]", rewrite_value({**left, "metadata": kept}, rules))


def rewrite_value(value: object, rules: UriRules) -> object:
    """A JSON value with every address in its texts rewritten."""
    if isinstance(value, str):
        return rules.applied_within(value)
    if isinstance(value, dict):
        return {name: rewrite_value(each, rules) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [rewrite_value(each, rules) for each in cast("list[object]", value)]
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


class Makes(Protocol):
    """What is needed of a cluster in which something is made."""

    def create(self, kind: ResourceKind, document: Mapping[str, object]) -> bool:
        """Make an object; False where one of its name is there."""
        ...

    def delete(self, kind: ResourceKind, *, namespace: str, name: str) -> bool:
        """Delete an object; False where none is there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recreated:
    """What was done for one kind.

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
    source: KubernetesApi,
    target: KubernetesApi,
    makes: Makes,
    rules: UriRules,
    still: Callable[[dict[str, object]], dict[str, object]],
) -> Recreated:
    """Make what the source has and the target has not; the same once more changes nothing.

    Args:
        still: makes a document one that starts nothing; what it sets is not compared.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    wanted = {_key(each): each for each in source.listed(kind) if not _has_owner(each)}
    before = {_key(each): each for each in target.listed(kind)}
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
    made = [key for key, each in sorted(documents.items()) if key not in before and makes.create(kind, each)]
    after = {_key(each): each for each in target.listed(kind)}
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
    """Whether an object says what is wanted; what its server filled in beside that does not count."""
    if isinstance(wanted, dict):
        other = mapping(there)
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
    """Images for which somebody must decide."""
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
    """Whether another object makes it: then that one makes it at the target too."""
    return bool(metadata(document).get("ownerReferences"))
