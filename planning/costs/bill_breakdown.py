"""Parts of a bill: which component of the cluster a line belongs to, told from its key alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planning.costs.bill import LineItem

# Chapters of the keys that `planning.costs.charges` gives, with the words that name one component.
DEPTHS: Final = {
    "access": 2,
    "control_plane": 1,
    "logs": 1,
    "network": 1,
    "platform": 2,
    "pool": 2,
    "security": 1,
    "services": 1,
    "storage": 2,
}
_COUNTED: Final = re.compile(r"(?:#\d+|~\d+)+$")  # a price tier, and lines that share a key by chance


def component_of(key: str) -> str:
    """The component of a line: of "pool/train/machine#2" "pool/train", of "far/pool/train/disk" "far/pool/train".

    A resource that nobody of us placed is a component of its own, under its logical name.
    """
    words = _COUNTED.sub("", key).split("/")
    if words[0] in DEPTHS or len(words) == 1 or words[1] not in DEPTHS:
        return "/".join(words[: DEPTHS.get(words[0], 1)])
    return "/".join(words[: 1 + DEPTHS[words[1]]])


def in_part(component: str, part: str) -> bool:
    """Whether a component is the part, or lies in it: "pool/train" in "pool", "far/network" in "far"."""
    return component == part or component.startswith(f"{part}/")


def by_component(lines: Iterable[LineItem]) -> dict[str, tuple[LineItem, ...]]:
    """Lines under their components, in the order in which these come first."""
    found: dict[str, list[LineItem]] = {}
    for line in lines:
        found.setdefault(component_of(line.key), []).append(line)
    return {component: tuple(mine) for component, mine in found.items()}


def placed(key: str) -> bool:
    """Whether a key says where in a cluster its line belongs; a gap of a whole resource may not."""
    words = key.split("/")
    return words[0] in DEPTHS or (len(words) > 1 and words[1] in DEPTHS)


def placement_of(key: str) -> str:
    """The placement that a line's key begins with; "" at home, and where the key does not say."""
    words = key.split("/")
    return "" if words[0] in DEPTHS or not placed(key) else words[0]
