"""The reference page of the commands, from the commands themselves.

`.venv/bin/python -m cli.main.reference_page > docs/reference/commands.md`
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperArgument, TyperGroup, TyperOption

from cli.main.application import app
from cli.main.command_table import COMMANDS, EXIT_CODES, example_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD: Final = """\
# The commands

<!-- Generated from cli/commands/ by: .venv/bin/python -m cli.main.reference_page -->

`atoll COMMAND --help` says the same in the terminal. What a program may read goes to standard output, the rest to
standard error.

Every command uses its options in the same way ([decision 0033](../decisions/0033-one-way-of-options.md)):

- `--json` prints JSON to standard output and nothing else there. It takes no file.
- `-o FILE`, `--output FILE` writes what the command makes. The ending of FILE says the form (`.json`, `.html`, `.md`,
  `.sarif`, `.xml`), and `-o` may be given several times. A command that makes a folder takes `-o DIR`. What is printed
  stays the same.
- `-y`, `--yes` answers the one question that the command would ask.
- `atoll --version` prints the version, `eval "$(atoll --completion bash)"` (zsh, fish) completes commands, options and
  stacks.

| exit code | meaning |
|---|---|
{exit_codes}
Ctrl-C ends a command with 130.

| variable | what |
|---|---|
| `ATOLL_TODAY` | the day to reckon as on, where `--today` is not given |
| `ATOLL_DEBUG` | `1` prints the traceback of a fault |
| `NO_COLOR` | anything: no colours |
"""


def text() -> str:
    sections = [section for path, each in leaves() for section in _section(path, each)]
    codes = "".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES)
    return "\n".join([_HEAD.format(exit_codes=codes), *sections])


def leaves() -> Iterator[tuple[str, Any]]:
    every = app()
    for name in COMMANDS:
        yield from _leaves(every.get_command(None, name), f"atoll {name}")


def _leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - Typer keeps its commands' type private
    if not isinstance(command, TyperGroup):
        yield path, command
        return
    for name, each in command.commands.items():
        yield from _leaves(each, f"{path} {name}")


def _section(path: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    arguments = [each for each in command.params if isinstance(each, TyperArgument)]
    options = [each for each in command.params if isinstance(each, TyperOption) and not each.hidden]
    called = " ".join([path, *(_metavar(each) for each in arguments), *(["[OPTIONS]"] if options else [])])
    yield f"## `{called}`\n\n{command.help or ''}\n\n    {example_of(path.removeprefix('atoll '))}\n"
    rows = [
        *((f"`{_metavar(each)}`", each) for each in arguments if each.help),
        *((_format_option(each), each) for each in options),
    ]
    if rows:
        yield "| what | meaning | default |\n|---|---|---|"
        yield "".join(f"| {_cell(name)} | {_cell(each.help or '')} | {_default(each)} |\n" for name, each in rows)


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _metavar(parameter: TyperArgument | TyperOption) -> str:
    """What a value is called: `STACK`, `1 to 24`, `table, json or terraform`; "" for a switch."""
    if parameter.metavar:
        return parameter.metavar
    if isinstance(parameter, TyperOption) and parameter.is_flag:
        return ""
    choices: tuple[str, ...] = getattr(parameter.type, "choices", ())
    low, high = getattr(parameter.type, "min", None), getattr(parameter.type, "max", None)
    return "|".join(choices) or (f"{low}..{high}" if low is not None else parameter.type.name.upper())


def _format_option(option: TyperOption) -> str:
    return f"`{', '.join(option.opts)} {_metavar(option)}".rstrip() + "`"


def _default(parameter: TyperArgument | TyperOption) -> str:
    if parameter.required:
        return "required"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    return f"`{parameter.default}`" if parameter.default not in (None, "", False, ()) else ""


if __name__ == "__main__":
    sys.stdout.write(text())
