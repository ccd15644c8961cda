"""The one comment that is ours: its hidden marker, its text within the limit, which of many it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from driver.pull_request.escaping import prose
from driver.pull_request.markdown import MARKER, text
from driver.pull_request.standing import code

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver.pull_request.standing import Standing
    from planning.diff_shapes import DiffForm

LONGEST: Final = 65_536  # characters of a comment's body, GitHub's own message when it refuses a longer one
FOR_FIGURES: Final = 60_000  # the rest is the banner's
TOO_LONG: Final = "The figures are too many for a comment; the job's summary and its artifact have them all."


def rendered(form: DiffForm) -> str:
    """The figures of a checked diff in Markdown, made here and not where the diff was."""
    return text(form, limit=FOR_FIGURES)


def body(
    form: DiffForm | None, standing: Standing, *, commit: str, render: Callable[[DiffForm], str] = rendered
) -> str:
    """The comment about one commit: marker, banner, figures; a short one where the whole would be too long."""
    whole = _joined(standing, "" if form is None else render(form), commit=commit)
    return whole if len(whole) <= LONGEST else _joined(standing, TOO_LONG, commit=commit)


def is_ours(words: str | None) -> bool:
    """Whether a comment begins with our marker; one that quotes it further down is somebody else's."""
    return (words or "").startswith(MARKER)


def _joined(standing: Standing, figures: str, *, commit: str) -> str:
    foot = f"<sub>{code(commit[:12])}: {standing.state}, {prose(standing.description)}</sub>"
    return (
        "\n\n".join(part for part in (MARKER, standing.banner, figures.replace(MARKER, "").strip(), foot) if part)
        + "\n"
    )
