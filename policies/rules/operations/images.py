"""Images that Kubernetes objects name, wherever a pod is described; what could hide one is not passed over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from planning.costs.resources.properties import Properties, UnreadableError
from planning.costs.resources.resource import Secret, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES: Final = frozenset({"image", "imageName"})
WAY: Final = frozenset(  # properties on the way from an object to the images of its pods
    ("spec", "template", "jobTemplate", "replicatedJobs", "containers", "initContainers", "ephemeralContainers")
)
TEXTS: Final = ("kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Secret")  # data, in which "image" means anything
DIGITS: Final = re.compile(r"\d")


def in_object(inputs: Properties) -> Iterator[Properties]:
    """Images of an object's pods.

    Raises:
        UnreadableError: something in which an image may stand cannot be read.
    """
    yield from _along(inputs.at("spec"))


def _along(there: Properties) -> Iterator[Properties]:
    """What stands on the way is looked into; beside it, an image is one where it is named as such."""
    value = there.value
    if isinstance(value, Unknown | Secret):
        there.text()  # says why it cannot be read
    if isinstance(value, list):
        for each in there.each():
            yield from _along(each)
    if isinstance(value, Mapping):
        for name in cast("Mapping[str, object]", value):
            if name in IMAGES:
                yield there.at(name)
            elif name in WAY:
                yield from _along(there.at(name))


def in_values(values: Properties) -> Iterator[Properties]:
    """Images and tags that the values of a chart set.

    Raises:
        UnreadableError: the values as a whole, or a part that is about images, cannot be read.
    """
    value = values.value
    if isinstance(value, Unknown | Secret):
        if values.path in ("values", "") or _about_images(values.path):
            raise UnreadableError(f"{values.path} cannot be read", path=values.path)
        return
    if isinstance(value, list):
        for each in values.each():
            yield from in_values(each)
    if isinstance(value, Mapping):
        for name in cast("Mapping[str, object]", value):
            inside = values.at(name)
            if name == "tag" or (name == "image" and not isinstance(inside.value, Mapping)):
                yield inside
            else:
                yield from in_values(inside)


def _about_images(path: str) -> bool:
    """Whether the last word of a path names an image, or containers that have one."""
    last = path.rpartition(".")[2].partition("[")[0].lower()
    return last.endswith(("image", "images", "containers"))


def floats(tag: str) -> bool:
    """Whether a tag moves: one that has no number in it names no release. An empty one is the chart's own."""
    return bool(tag) and not DIGITS.search(tag)
