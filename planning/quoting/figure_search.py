"""Why a number is what it is: figures looked up by what they belong to and what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planning.sizing.demand import Figure, Sizing


def explain(sizing: Sizing, *, subject: str | None = None, name: str | None = None) -> tuple[Figure, ...]:
    """Figures in their order; of one subject, or whose name holds `name`, where these are given."""
    sought = "" if name is None else name.casefold()
    found = (figure for figure in sizing.figures if sought in figure.name.casefold())
    return tuple(figure for figure in found if subject in (None, figure.subject))


def subjects(sizing: Sizing) -> tuple[str, ...]:
    """What there are figures of, each once, in their order."""
    return tuple(dict.fromkeys(figure.subject for figure in sizing.figures))
