"""What every reader returns: the resources of a stack before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planning.costs.resources.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A stack as one file describes it.

    Args:
        stack: name of the stack; "" where the file does not say.
        old: resources that exist now; None where the file does not say.
        new: resources that will exist, or do in the case of an exported stack.
        default_region: config "aws:region", None where the file does not say.
        notes: what a reader of the figures should know, as that unchanged resources are not in the file.
        gaps: which of them keep resources out, so that a total is only a floor.
    """

    stack: str
    old: tuple[Resource, ...] | None
    new: tuple[Resource, ...]
    default_region: str | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
