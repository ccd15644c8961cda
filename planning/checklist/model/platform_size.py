"""How large a platform a checklist asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.workload import Notebooks

if TYPE_CHECKING:
    from planning.checklist.model.checklist import Checklist

SMALL: Final = "small"
STANDARD: Final = "standard"


def size_of(checklist: Checklist) -> str:
    """The size asked for; small where there are only notebooks, else standard."""
    if checklist.platform.size is not None:
        return checklist.platform.size
    only_notebooks = all(isinstance(work, Notebooks) for work in checklist.workloads)
    return SMALL if only_notebooks else STANDARD
