"""The one comment that is ours: its hidden marker, its limit, which of many it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from operations.code_hosts.commit_status import Standing
    from planning.diff.form import DiffForm

    RenderComment: TypeAlias = Callable[[DiffForm | None, Standing, str], str]
    """Writes the comment about one commit: the checked diff where there is one, what it comes to, the commit's hash."""

MARKER: Final = "<!-- atoll-diff -->"
LONGEST: Final = 65_536  # characters of a comment's body, GitHub's own message when it refuses a longer one


def is_ours(words: str | None) -> bool:
    """Whether a comment begins with our marker; one that quotes it further down is somebody else's."""
    return (words or "").startswith(MARKER)
