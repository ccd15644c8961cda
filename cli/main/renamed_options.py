"""Options as they were written before decision 0033, for one release more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOK_A_FILE: Final = frozenset({"accept-test", "clone", "diff", "plan", "relocate", "sla"})  # `--json FILE|-`
JSON: Final = "--json"
STDOUT: Final = "-"
ENDING: Final = ".json"


def rewritten(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The arguments in today's options, and what to tell whoever wrote yesterday's."""
    if not arguments or arguments[0] not in TOOK_A_FILE:
        return list(arguments), ()
    found: list[str] = []
    remarks: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*found, word, *rest], tuple(remarks)
        value = _value(word, rest)
        if value is None:
            found.append(word)
            continue
        if word == JSON:
            rest.pop(0)
        if value == STDOUT:
            found.append(JSON)
            remarks.append("warning: write --json without a value; it prints to standard output")
        else:
            found += ["--output", value]
            remarks.append(f"warning: write -o {value}; --json takes no file any more and prints to standard output")
    return found, tuple(remarks)


def _value(word: str, rest: Sequence[str]) -> str | None:
    """The file that `--json` names in the old way; None for everything else."""
    if word.startswith(f"{JSON}="):
        return word.partition("=")[2] or None
    if word == JSON and rest and (rest[0] == STDOUT or rest[0].endswith(ENDING)):
        return rest[0]
    return None
