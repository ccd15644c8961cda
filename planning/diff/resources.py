"""The resources of two sides: what is made, changed, replaced and deleted, and what of it may lose something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.diff.replacements import forced, identity, same

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from planning.costs.resources.resource import Resource
    from planning.diff.form import CalledOutForm, CountsForm

# Types whose deletion loses data, or the key to it (tests/program/test_census_laws.py has the same list).
HOLDS_DATA: Final = frozenset(
    {
        "aws:ebs/volume:Volume",
        "aws:efs/fileSystem:FileSystem",
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "aws:kms/key:Key",
        "aws:s3/bucket:Bucket",
        "coreweave:index/objectStorageBucket:ObjectStorageBucket",
        "gcp:compute/disk:Disk",
        "gcp:filestore/instance:Instance",
        "gcp:kms/cryptoKey:CryptoKey",
        "gcp:lustre/instance:Instance",
        "gcp:storage/bucket:Bucket",
        "kubernetes:core/v1:PersistentVolume",
        "kubernetes:core/v1:PersistentVolumeClaim",
        "kubernetes:postgresql.cnpg.io/v1:Cluster",
    }
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What happens to the resources of a stack."""

    counts: CountsForm
    called_out: list[CalledOutForm]

    @property
    def any(self) -> bool:
        """Whether anything happens at all."""
        counts = self.counts
        return bool(counts["created"] or counts["updated"] or counts["replaced"] or counts["deleted"])


def changes(old: Sequence[Resource], new: Sequence[Resource]) -> Changes:
    """Old against new, by URN without the stack's name: a renamed stack keeps its resources."""
    before = {identity(each.urn): each for each in old}
    after = {identity(each.urn): each for each in new}
    deleted = [each for identity, each in before.items() if identity not in after]
    kept = [(before[identity], each) for identity, each in after.items() if identity in before]
    moved = [(one, other, changed_inputs(one, other)) for one, other in kept]
    replaced = [(one, because) for one, other, paths in moved if (because := forced(paths, one, other))]
    updated = [pair for pair in moved if (pair[2] or pair[0].protect != pair[1].protect)]
    counts: CountsForm = {
        "created": len(after) - len(kept),
        "updated": len(updated) - len(replaced),
        "replaced": len(replaced),
        "deleted": len(deleted),
        "unchanged": len(kept) - len(updated),
    }
    bare = [one for one, other in kept if _bared(one, other)]
    called = [
        *(_called("delete", each) for each in deleted if each.custom),
        *(_called("replace", each, because) for each, because in replaced),
        *(_called("unprotect", each) for each in bare),
    ]
    return Changes(counts, sorted(called, key=_gravity))


def changed_inputs(old: Resource, new: Resource) -> list[str]:
    """Names of the inputs that differ."""
    names = sorted({*old.inputs, *new.inputs})
    return [name for name in names if not same(old.inputs.get(name), new.inputs.get(name))]


def _bared(old: Resource, new: Resource) -> bool:
    """Whether a resource loses what keeps it or its data."""
    return (old.protect and not new.protect) or (
        old.type in HOLDS_DATA and old.retain_on_delete and not new.retain_on_delete
    )


def _called(
    action: Literal["delete", "replace", "unprotect"], resource: Resource, because: Sequence[str] = ()
) -> CalledOutForm:
    return {
        "action": action,
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "protected": resource.protect,
        "holds_data": resource.type in HOLDS_DATA,
        "because": list(because),
    }


def _gravity(form: CalledOutForm) -> tuple[bool, bool, str, str]:
    """What holds data first, then what is protected."""
    return not form["holds_data"], not form["protected"], form["action"], form["urn"]
