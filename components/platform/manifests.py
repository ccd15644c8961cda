"""A part's manifests: paths of a pinned repository, changed by an overlay that is written beside the project."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.ground import Ground
    from planning.installed import Installed

FOLDER: Final = ".atoll/manifests"  # beside stacks/, which git ignores: every update writes it anew


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A change of one object, or of all that match.

    Args:
        kind: of the object.
        name: of the object; a regular expression, as kustomize has it.
        change: a strategic merge patch, without the object's identity; None to leave the object out.
        operations: JSON patch operations instead.
    """

    kind: str
    name: str
    change: Mapping[str, object] | None = None
    operations: Sequence[Mapping[str, object]] = ()


@dataclass(frozen=True, kw_only=True)
class Overlay:
    """What is different from the release's own manifests."""

    patches: Sequence[Patch] = ()
    images: Mapping[str, str] = field(default_factory=dict[str, str])


def manifests(
    name: str,
    part: Installed,
    *,
    paths: Sequence[str],
    ground: Ground,
    overlay: Overlay | None = None,
    opts: pulumi.ResourceOptions,
) -> kubernetes.kustomize.v2.Directory:
    """The objects of some paths of a part's repository."""
    folder = Path("..") / FOLDER / pulumi.get_stack() / ground.handle.placement.name / name
    if not ground.settings.offline:
        _write(folder, kustomization(part, paths=paths, mirror=ground.platform.mirror, at=folder, overlay=overlay))
    return kubernetes.kustomize.v2.Directory(name, directory=str(folder), opts=opts)


def kustomization(
    part: Installed, *, paths: Sequence[str], mirror: str, at: Path, overlay: Overlay | None = None
) -> dict[str, object]:
    """The overlay as kustomize reads it."""
    changes = overlay or Overlay()
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [base(part, path, mirror=mirror, at=at) for path in paths],
        "patches": [_patch(each) for each in changes.patches],
        "images": [_image(name, new) for name, new in changes.images.items()],
    }


def base(part: Installed, path: str, *, mirror: str, at: Path) -> str:
    """Where a path of the repository is read: at its commit, or from the folder that mirrors it."""
    if not mirror or "://" in mirror:
        return f"{part.repository}//{path}?ref={part.ref}"
    return os.path.relpath(Path(mirror) / "manifests" / part.ref / path, at)


def _patch(patch: Patch) -> dict[str, object]:
    target = {"kind": patch.kind, "name": patch.name}
    if patch.operations:
        return {"target": target, "patch": yaml.safe_dump(list(patch.operations))}
    identity = {"apiVersion": "v1", "kind": patch.kind, "metadata": {"name": "any"}}
    body = {"$patch": "delete"} if patch.change is None else dict(patch.change)
    return {"target": target, "patch": yaml.safe_dump({**identity, **body})}


def _image(name: str, new: str) -> dict[str, str]:
    replaced, _, tag = new.rpartition(":")
    return {"name": name, "newName": replaced, "newTag": tag}


def _write(folder: Path, document: Mapping[str, object]) -> None:
    """Beside the old one, then in its place."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / "kustomization.yaml.new"
    draft.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    draft.replace(folder / "kustomization.yaml")
