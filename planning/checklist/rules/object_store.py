"""Rules about the object store of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.object_stores import ONLY_S3, WITH_BUCKET, unreachable
from catalogs.software.reader import parts
from planning.checklist.model.platform_size import size_of
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

PATH: Final = ("platform", "object_store")
ENGINES: Final = frozenset({"minio", "seaweedfs"})


def store_exists(checklist: Checklist) -> Iterator[Broken]:
    """The provider's bucket can be the object store only where Atoll makes a bucket: nowhere on an existing cluster."""
    where = checklist.where
    if checklist.platform.object_store != "provider":
        return
    left = {each.value for each in where.wanted or CloudName} - {each.value for each in where.excluded}
    if where.existing is not None:
        message = "on an existing cluster no bucket of the provider is made, so none can be the object store"
    elif left and left.isdisjoint(WITH_BUCKET):
        message = (
            f"a bucket is made at {', '.join(sorted(WITH_BUCKET))} only, so none can be the object store elsewhere"
        )
    else:
        return
    yield Broken(PATH, message, 'write "object_store: minio" or "object_store: seaweedfs"')


def parts_reach_store(checklist: Checklist) -> Iterator[Broken]:
    """No chosen part is one that the bucket of the only provider does not understand."""
    where, store = checklist.where, checklist.platform.object_store
    left = set(where.wanted) - set(where.excluded)
    if where.existing is not None or len(left) != 1:
        return
    (provider,) = left
    asked, size = checklist.platform, size_of(checklist)
    chosen = [name for name in ONLY_S3 if size in parts()[name].sizes or name in asked.extra]
    for name in chosen:
        reason = unreachable(name, store=store, provider=provider)
        if reason and name not in asked.without:
            message = f"{parts()[name].title} cannot use the bucket of {provider}: {reason}"
            yield Broken(PATH, message, f'write "object_store: minio", or "without: [{name}]"')


def one_store(checklist: Checklist) -> Iterator[Broken]:
    """There is one object store: two engines would answer to the same name."""
    chosen = checklist.platform.object_store
    for at, name in enumerate(checklist.platform.extra):
        if name in ENGINES and name != chosen:
            message = f'"{name}" is added, and the object store is "{chosen}"'
            yield Broken(("platform", "extra", at), message, f'write "object_store: {name}", and leave the line out')
