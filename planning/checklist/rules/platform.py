"""Rules about the object store of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.rules.broken import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model import Checklist

PATH: Final = ("platform", "object_store")
ENGINES: Final = frozenset({"minio", "seaweedfs"})


def store_exists(checklist: Checklist) -> Iterator[Broken]:
    """The provider's bucket can be the object store only where Atoll makes a bucket: nowhere on an existing cluster."""
    if checklist.platform.object_store == "provider" and checklist.where.existing is not None:
        message = "on an existing cluster no bucket of the provider is made, so none can be the object store"
        yield Broken(PATH, message, 'write "object_store: minio" or "object_store: seaweedfs"')


def one_store(checklist: Checklist) -> Iterator[Broken]:
    """There is one object store: two engines would answer to the same name."""
    chosen = checklist.platform.object_store
    for at, name in enumerate(checklist.platform.extra):
        if name in ENGINES and name != chosen:
            message = f'"{name}" is added, and the object store is "{chosen}"'
            yield Broken(("platform", "extra", at), message, f'write "object_store: {name}", and leave the line out')
