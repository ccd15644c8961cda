"""Parts of a comment on a code host, each of which fits into a budget of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ALIGNED = {"l": ":--", "r": "--:"}


def table(headings: Sequence[str], aligned: str, rows: Iterable[Sequence[str]], *, budget: int) -> str:
    """A table; rows that have no room are counted below it."""
    head = [_render_row(headings), _render_row([_ALIGNED[each] for each in aligned])]
    lines, more = fit_lines((_render_row(row) for row in rows), budget=budget)
    return "\n".join((*head, *lines)) + "\n\n" + (f"{_more(more, 'row')}\n\n" if more else "")


def render_list(heading: str, items: Sequence[str], *, budget: int) -> str:
    if not items:
        return ""
    lines, more = fit_lines((f"- {each}" for each in items), budget=budget)
    if more:
        lines.append(f"- {_more(more, 'entry')}")
    return "\n".join((f"**{heading}**", "", *lines)) + "\n\n"


def box(kind: str, lines: Iterable[str], *, budget: int) -> str:
    """An alert of GitHub and GitLab; other Markdown renders it as a quotation."""
    shown, more = fit_lines((f"> - {each}" for each in lines), budget=budget)
    if len(shown) == 1 and not more:
        shown = [shown[0].replace("> - ", "> ", 1)]
    if more:
        shown.append(f"> - {_more(more, 'entry')}")
    return "\n".join((f"> [!{kind}]", *shown)) + "\n\n"


def fit_lines(lines: Iterable[str], *, budget: int) -> tuple[list[str], int]:
    """The lines that have room, in order, and how many have none; a long one hides none of those behind it."""
    kept: list[str] = []
    more = 0
    for line in lines:
        if len(line) + 1 > budget:
            # Go on with the next: one long line must not hide the short ones behind it.
            more += 1
            continue
        budget -= len(line) + 1
        kept.append(line)
    return kept, more


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _more(count: int, what: str) -> str:
    plural = {"row": "rows", "entry": "entries"}[what]
    return f"_and {count} more {what if count == 1 else plural}, not shown here_"
