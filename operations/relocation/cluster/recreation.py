"""Objects of people made again at the target as they are at the source, standing still until the commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from operations.clouds.kubernetes.objects import mapping, metadata, name_of, namespace_of
from operations.relocation.cluster.documents import cleaned, regional_images
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from operations.clouds.kubernetes.objects import Cluster, Kind
    from operations.relocation.databases.uri_rules import Rules


class Makes(Protocol):
    """What is needed of a cluster in which something is made."""

    def create(self, kind: Kind, document: Mapping[str, object]) -> bool:
        """Make an object; False where one of its name is there."""
        ...

    def delete(self, kind: Kind, *, namespace: str, name: str) -> bool:
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
    kind: Kind,
    *,
    source: Cluster,
    target: Cluster,
    makes: Makes,
    rules: Rules,
    still: Callable[[dict[str, object]], dict[str, object]],
) -> Recreated:
    """Make what the source has and the target has not; the same once more changes nothing.

    Args:
        still: makes a document one that starts nothing; what it sets is not compared.

    Raises:
        StepError: the target has another of the same name, or refuses one.
    """
    wanted = {_key(each): each for each in source.listed(kind) if not _owned(each)}
    before = {_key(each): each for each in target.listed(kind)}
    documents = {key: still(_whole(kind, cleaned(each, rules))) for key, each in wanted.items()}
    other = [
        key for key, each in documents.items() if key in before and not same(each, still(cleaned(before[key], rules)))
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


def same(wanted: object, there: object) -> bool:
    """Whether an object says what is wanted; what its server filled in beside that does not count."""
    if isinstance(wanted, dict):
        other = mapping(there)
        return all(same(each, other.get(name)) for name, each in cast("dict[str, object]", wanted).items())
    if isinstance(wanted, list):
        found, items = cast("list[object]", there if isinstance(there, list) else []), cast("list[object]", wanted)
        return len(items) == len(found) and all(map(same, items, found))
    return wanted == there


def summary(found: Mapping[str, Recreated]) -> dict[str, object]:
    """As evidence."""
    return {
        name: {"made": list(each.made), "there_already": list(each.there)}
        for name, each in found.items()
        if each.made or each.there
    }


def images(found: Sequence[Recreated]) -> list[str]:
    """Images for which somebody must decide."""
    return sorted({image for each in found for image in each.images})


def _whole(kind: Kind, document: dict[str, object]) -> dict[str, object]:
    version = f"{kind.group}/{kind.version}" if kind.group else kind.version
    return {**document, "apiVersion": version, "kind": kind.name}


def _key(document: Mapping[str, object]) -> str:
    space = namespace_of(document)
    return f"{space}/{name_of(document)}" if space else name_of(document)


def _uid(document: Mapping[str, object]) -> str:
    return str(metadata(document).get("uid") or "")


def _owned(document: Mapping[str, object]) -> bool:
    """Whether another object makes it: then that one makes it at the target too."""
    return bool(metadata(document).get("ownerReferences"))
