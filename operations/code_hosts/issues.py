"""One issue per running stack that has drifted: opened, kept up to date, closed once all is well again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from operations.code_hosts.github import GitHub

LABEL: Final = "atoll-watch"
LONGEST: Final = 65_000
_MARKER: Final = re.compile(r"<!-- atoll:watch:([a-z][a-z0-9-]{0,62}) -->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What `atoll watch` said of a stack; exit code 0 where all is well."""

    stack: str
    exit_code: int
    report: str


def keep(watched: Iterable[Watched], *, github: GitHub) -> tuple[str, ...]:
    """Bring the issues in line with what was seen; what was done, a sentence each. Stacks not named are left alone.

    Raises:
        HttpError: GitHub refuses or does not answer.
    """
    standing: dict[str, list[tuple[int, str]]] = {}
    for issue in github.issues(LABEL):
        text, number = issue.get("body") or "", issue.get("number", 0)
        if (found := _MARKER.match(text)) and number:
            standing.setdefault(found[1], []).append((number, text))
    return tuple(
        line for each in watched for line in _sync_stack_issues(each, sorted(standing.get(each.stack, [])), github)
    )


def _sync_stack_issues(seen: Watched, issues: list[tuple[int, str]], github: GitHub) -> Iterable[str]:
    wanted = _body(seen)
    if seen.exit_code and not issues:
        github.open_issue(title=_title(seen), body=wanted, label=LABEL)
        yield f"{seen.stack}: issue opened"
    for place, (number, text) in enumerate(issues):
        if place or not seen.exit_code:
            github.edit_issue(number, state="closed")
            yield f"{seen.stack}: issue #{number} closed"
        elif text != wanted:
            github.edit_issue(number, title=_title(seen), body=wanted)
            yield f"{seen.stack}: issue #{number} updated"


def _title(seen: Watched) -> str:
    return f"{seen.stack}: the running stack no longer keeps what it was accepted for"


def _body(seen: Watched) -> str:
    """Marker, exit code, and the report as an indented block, which no text in it can end."""
    plain = "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in seen.report[:LONGEST])
    block = "\n".join(f"    {line}" for line in plain.splitlines())[: LONGEST - 500]
    marker = f"<!-- atoll:watch:{seen.stack} -->"
    return f"{marker}\n\n`atoll watch {seen.stack}` ended with exit code {seen.exit_code}:\n\n{block}\n"
