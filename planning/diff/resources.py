"""The resources of two sides: what is made, changed, replaced and deleted, and what of it may lose something.

The provider is not asked, so the list holds what loses data or GPU nodes; anything else reads "updated".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import UnknownValue
from planning.diff.form import CalledOutForm
from planning.inputs.fact_tables import read_rows
from planning.values.json_format import fill_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from planning.costs.resources.resource import Resource, Value
    from planning.diff.form import CountsForm


KUBERNETES: Final = "kubernetes:"
# Identity of an object in its cluster (kubernetes.io/docs/concepts/overview/working-with-objects/names, 2026-11-21).
OBJECT_IDENTITY: Final = ("apiVersion", "kind", "metadata.name", "metadata.namespace")


@cache
def _read_replacing_inputs() -> Mapping[tuple[str, str], Sequence[str]]:
    """Inputs whose change, "any" or to "smaller", makes a resource anew, by type and change.

    They are `ForceNew` of the schemas beneath the Pulumi providers.
    """
    rows = read_rows("resources/replacing_inputs.csv")
    return {(row["type"], row["change"]): row["inputs"].split() for row in rows}


def list_replacement_paths(changed: Sequence[str], old: Resource, new: Resource) -> list[str]:
    """Paths of the inputs that force a replacement, sorted; none where the provider changes the resource in place.

    Args:
        changed: names of the inputs that differ.
    """
    replacing = _read_replacing_inputs()
    paths = OBJECT_IDENTITY if old.type.startswith(KUBERNETES) else replacing.get((old.type, "any"), ())
    touched = [path for path in paths if path.partition(".")[0] in changed]
    different = [path for path in touched if not is_equal_value(_at(old, path), _at(new, path))]
    smaller: list[str] = []
    for path in replacing.get((old.type, "smaller"), ()):
        before, after = _at(old, path), _at(new, path)
        if isinstance(before, int | float) and isinstance(after, int | float) and after < before:
            smaller.append(path)
    return sorted({*different, *smaller})


def is_equal_value(old: Value, new: Value) -> bool:
    """Whether two values say the same, wherever the stack that an unknown comes from is called otherwise.

    Two secrets are taken for equal, as their values are hidden.
    """
    if isinstance(old, UnknownValue) and isinstance(new, UnknownValue):
        return old.output == new.output and strip_stack(old.urn) == strip_stack(new.urn)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(is_equal_value, old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(is_equal_value(value, new[name]) for name, value in old.items())
    return type(old) is type(new) and old == new


def strip_stack(urn: str) -> str:
    """A URN without "urn:pulumi:<stack>"."""
    return urn.partition("::")[2]


def _at(resource: Resource, path: str) -> Value:
    """What stands at a path of a resource's inputs; None where nothing does."""
    first, *rest = path.split(".")
    value = resource.inputs.get(first)
    for step in rest:
        value = value.get(step) if isinstance(value, dict) else None
    return value


# Types whose deletion loses data, or the key to it (tests/components/program/test_census_laws.py has the same list).
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
        counts = self.counts
        return bool(counts["created"] or counts["updated"] or counts["replaced"] or counts["deleted"])


def changes(old: Sequence[Resource], new: Sequence[Resource]) -> Changes:
    """Old against new, by URN without the stack's name: a renamed stack keeps its resources."""
    before = {strip_stack(each.urn): each for each in old}
    after = {strip_stack(each.urn): each for each in new}
    deleted = [each for identity, each in before.items() if identity not in after]
    kept = [(before[identity], each) for identity, each in after.items() if identity in before]
    moved = [(one, other, list_changed_inputs(one, other)) for one, other in kept]
    replaced = [(one, because) for one, other, paths in moved if (because := list_replacement_paths(paths, one, other))]
    updated = [pair for pair in moved if (pair[2] or pair[0].protect != pair[1].protect)]
    counts: CountsForm = {
        "created": len(after) - len(kept),
        "updated": len(updated) - len(replaced),
        "replaced": len(replaced),
        "deleted": len(deleted),
        "unchanged": len(kept) - len(updated),
    }
    bare = [one for one, other in kept if _loses_protection(one, other)]
    called = [
        *(_build_called_out_form("delete", each) for each in deleted if each.custom),
        *(_build_called_out_form("replace", each, because) for each, because in replaced),
        *(_build_called_out_form("unprotect", each) for each in bare),
    ]
    return Changes(counts, sorted(called, key=_gravity))


def list_changed_inputs(old: Resource, new: Resource) -> list[str]:
    names = sorted({*old.inputs, *new.inputs})
    return [name for name in names if not is_equal_value(old.inputs.get(name), new.inputs.get(name))]


def _loses_protection(old: Resource, new: Resource) -> bool:
    """Whether a resource loses what keeps it or its data."""
    return (old.protect and not new.protect) or (
        old.type in HOLDS_DATA and old.retain_on_delete and not new.retain_on_delete
    )


def _build_called_out_form(
    action: Literal["delete", "replace", "unprotect"], resource: Resource, because: Sequence[str] = ()
) -> CalledOutForm:
    return fill_form(
        CalledOutForm,
        resource,
        action=action,
        protected=resource.protect,
        holds_data=resource.type in HOLDS_DATA,
        because=list(because),
    )


def _gravity(form: CalledOutForm) -> tuple[bool, bool, str, str]:
    """What holds data first, then what is protected."""
    return not form["holds_data"], not form["protected"], form["action"], form["urn"]
