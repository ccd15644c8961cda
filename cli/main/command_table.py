"""The commands of `commands.csv` by name, their groups in the help, and the exit codes of all."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


GROUPS: Final = ("Plan", "Build", "Govern", "Operate", "Hand over", "Move")
EXIT_CODES: Final = (
    (0, "ok"),
    (1, "failed, or bad input"),
    (2, "wrong usage"),
    (3, "a provider that was asked for its prices gave none"),
    (10, "over the ceiling, or an SLA missed"),
    (11, "undetermined: prices or answers are missing"),
    (12, "prices too old"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEntry:
    """A command, or a group of them.

    Args:
        name: what is typed.
        group: heading above it in `atoll --help`.
        summary: first sentence of its help, so that the overview imports no command.
        examples: a command line for it, or for each command of the group, without "atoll NAME".
        is_group: whether it has commands of its own.
        file: of `cli/commands` that holds it, behind its folder.
    """

    name: str
    group: str
    summary: str
    examples: tuple[str, ...]
    is_group: bool
    file: str

    @property
    def module(self) -> str:
        return f"cli.commands.{self.file}"

    @property
    def function(self) -> str:
        return "app" if self.is_group else f"run_{self.name.replace('-', '_')}"


def _read_commands() -> dict[str, CommandEntry]:
    with Path(__file__).with_name("commands.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["name"]: CommandEntry(
                name=row["name"],
                group=row["group"],
                summary=row["summary"],
                examples=tuple(row["examples"].split("; ")),
                is_group=row["is_group"] == "yes",
                file=row["file"],
            )
            for row in csv.DictReader(file)
        }


COMMANDS: Final = _read_commands()


def example_of(path: str) -> str:
    """The example of a command, by its words behind "atoll": "quote", "relocate run"; "" for a group."""
    name, _, word = path.partition(" ")
    entry = COMMANDS[name]
    if not word:
        return f"atoll {name} {entry.examples[0]}"
    found = next((each for each in entry.examples if each.split(" ")[0] == word), "")
    return f"atoll {name} {found}" if found else ""


def exit_code_lines() -> tuple[str, ...]:
    return tuple(f"{code:>3}  {meaning}" for code, meaning in EXIT_CODES)


# The names of earlier releases, understood until the next one.
RENAMED: Final = {
    "catalog worth": "catalog price-performance",
    "handover": "gitops export",
    "leftovers": "orphans",
    "nodes hold": "nodes standby",
    "nodes mend": "nodes replace",
}
TOOK_A_FILE: Final = frozenset({"accept-test", "clone", "diff", "plan", "relocate", "sla"})  # `--json FILE|-`
JSON: Final = "--json"
STDOUT: Final = "-"
ENDING: Final = ".json"


def rewrite_arguments(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The arguments with today's names of commands and options, and a warning for each old name among them."""
    for old, new in RENAMED.items():
        words = old.split()
        if list(arguments[: len(words)]) == words:
            warning = f'warning: "atoll {old}" is now "atoll {new}"; the old name goes with the next release'
            return [*new.split(), *arguments[len(words) :]], (warning,)
    return _rewrite_json_option(arguments)


def _rewrite_json_option(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
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
