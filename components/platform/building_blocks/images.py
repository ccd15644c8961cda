"""Container images of a component: from their own registry or a mirror, by digest where that is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from catalogs.software.model import HeldIn, split
from catalogs.software.reader import images_of
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from planning.platform.digests import image_digest
from planning.platform.mirror import host_and_path, target
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from catalogs.software.model import Image
    from components.platform.building_blocks.artifact_mirror import ArtifactMirror
    from components.platform.building_blocks.context import PlatformContext
    from planning.spec.platform import PlatformComponent

BARE: Final = ".sha"  # end of a key whose chart writes "sha256:" itself (kube-prometheus-stack and its subcharts)


def image_values(part: PlatformComponent, context: PlatformContext) -> dict[str, object]:
    """Values of a chart with its images and registries; empty where those of the chart are right."""
    return values_from(part.name, _shelf(context))


def values_from(part: str, found: ArtifactMirror) -> dict[str, object]:
    """Image values of any row of the software catalog."""
    values: dict[str, object] = {}
    for image in images_of(part):
        if image.held_in is HeldIn.VALUES:
            for key, value in _keys(image, found).items():
                _set(values, key.split("."), value)
    return values


def image_map(part: PlatformComponent, context: PlatformContext) -> dict[str, str]:
    """Images in the manifests, without tag, to the images that kustomize writes in their place."""
    found = _shelf(context)
    held: dict[str, list[Image]] = defaultdict(list)
    for image in images_of(part.name):
        if image.held_in is HeldIn.OBJECTS:
            held[split(image.name)[0]].append(image)
    # A tag or digest only where the component has the image once: kustomize replaces all tags alike.
    changed = {repository: _instead(repository, images, found) for repository, images in held.items()}
    return {repository: new for repository, new in changed.items() if new != repository}


def resolve_image(image: str, context: PlatformContext) -> str:
    """Reference of an image in an object of ours: in the mirror, if there is one, and by digest, if that is known."""
    return resolve_image_reference(image, _shelf(context))


def resolve_image_reference(image: str, found: ArtifactMirror) -> str:
    """Reference of an image by a software lock and a mirror."""
    digest = image_digest(image, found.lock)
    named = target(image, found.registry)
    return f"{named}@{digest}" if digest and "@" not in named else named


def merge_values(values: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Values with others over them, mapping by mapping.

    Raises:
        AtollError: a mapping would replace something that is none.
    """
    result = dict(values)
    for key, value in over.items():
        below = result.get(key, {})
        if not isinstance(value, Mapping):
            result[key] = value
        elif isinstance(below, Mapping):
            result[key] = merge_values(cast("Mapping[str, object]", below), cast("Mapping[str, object]", value))
        else:
            raise AtollError(f"the values of a chart have {below!r} at {key!r}, where images are named below it")
    return result


def _shelf(context: PlatformContext) -> ArtifactMirror:
    return read_program_mirror(context.platform.mirror, offline=context.settings.offline)


def _keys(image: Image, found: ArtifactMirror) -> dict[str, str]:
    """Dotted paths of values to what they must be, for one image."""
    said: dict[str, str] = {}
    host, path = host_and_path(image.pulled)
    if found.registry and image.registry_key:
        said[image.registry_key] = f"{found.registry}/{host}"
        said[image.repository_key] = path
    elif found.registry:
        said[image.repository_key] = f"{found.registry}/{host}/{path}"
    if image.instead:
        said[image.tag_key] = split(image.instead)[1]
    digest = found.lock.images.get(image.pulled, "")
    if digest and image.digest_key:
        said[image.digest_key] = digest.removeprefix("sha256:") if image.digest_key.endswith(BARE) else digest
    return said


def _set(values: dict[str, object], keys: list[str], value: str) -> None:
    *folders, last = keys
    for key in folders:
        values = cast("dict[str, object]", values.setdefault(key, {}))
    values[last] = value


def _instead(repository: str, images: list[Image], found: ArtifactMirror) -> str:
    new = split(target(repository, found.registry))[0]
    if len({image.pulled for image in images}) > 1:
        return new
    (image,) = images[:1]
    digest = found.lock.images.get(image.pulled, "")
    if digest:
        return f"{new}@{digest}"
    return f"{new}:{split(image.instead)[1]}" if image.instead else new
