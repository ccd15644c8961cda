"""The commands as Typer sees them: known by name and summary, imported once one of them is asked for."""

from __future__ import annotations

import copy
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from cli.main.command_table import COMMANDS, GROUPS, example_of, exit_code_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    Guard = Callable[[Callable[..., int]], Callable[..., int]]

COMMAND_LINE: Final = "COMMANDLINE"  # click's name for where a value came from
HELP: Final = "From one checklist to priced GPU cluster options, a lock, and the Pulumi program that builds it."


class LazyGroup(TyperGroup):
    """`atoll`: lists every command from the table and imports only the one that is asked for."""

    guard: Guard

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - Typer keeps its contexts' type private
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - as above
        del ctx
        return command_of(cmd_name, guard=self.guard) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        """The command that is asked for.

        Raises:
            typer.BadParameter: there is none; says which was meant.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], COMMANDS, n=1)
            meant = f'; did you mean "{near[0]}"?' if near else ""
            raise typer.BadParameter(f"there is no command {args[0]!r}{meant}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        del ctx
        for group in GROUPS:
            rows = [(each.name, each.summary) for each in COMMANDS.values() if each.group == group]
            with formatter.section(group):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        del ctx
        for heading, lines in _closing("atoll quote demo"):
            _write_lines(formatter, heading, lines)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # noqa: ANN401 - as above
        """Commands by their names, none imported for it; then options."""
        from typer._click.shell_completion import CompletionItem  # noqa: PLC0415 - no public name for it

        found = [
            CompletionItem(name, help=entry.summary) for name, entry in COMMANDS.items() if name.startswith(incomplete)
        ]
        own = [each for each in super().shell_complete(ctx, incomplete) if each.value.startswith("-")]
        return [*found, *own] if incomplete != "-" else own


class CheckedCommand(TyperCommand):
    """A command that ignores no value: what names nothing, or is given twice where one counts, is wrong usage."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """The arguments, once each of them can change something.

        Raises:
            typer.BadParameter: one cannot.
        """
        self._refuse_repeated(ctx, list(args))
        rest = super().parse_args(ctx, args)
        for each in self.params:
            given = ctx.get_parameter_source(each.name)
            values = ctx.params.get(each.name)
            if given is not None and given.name == COMMAND_LINE and _names_nothing(values):
                raise typer.BadParameter("it is empty: name something, or leave it out", ctx=ctx, param=each)
        return rest

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:  # noqa: ANN401 - as above
        before_end = args[: args.index("--")] if "--" in args else args
        words = [each.partition("=")[0] for each in before_end]
        for each in self.params:
            is_single = isinstance(each, TyperOption) and not each.multiple and not each.is_flag
            if is_single and sum(word in each.opts for word in words) > 1:
                raise typer.BadParameter("it is given twice; only one of them can count", ctx=ctx, param=each)


def _names_nothing(value: object) -> bool:
    """Whether a text, or one of several, holds nothing but blanks and commas."""
    if isinstance(value, list | tuple):
        return any(map(_names_nothing, cast("list[object]", value)))
    return isinstance(value, str) and not value.strip(", \t\n\r")


class WholeSummaries(TyperGroup):
    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        rows = [(name, _first_sentence(self.get_command(ctx, name))) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _first_sentence(command: Any) -> str:  # noqa: ANN401 - as above
    text = " ".join(str(command.help or "").partition("\n\n")[0].split())
    return text.partition(". ")[0].rstrip(".") + "."


def command_of(name: str, *, guard: Guard) -> Any:  # noqa: ANN401 - Typer keeps its commands' type private
    entry = COMMANDS[name]
    found: object = getattr(import_module(entry.module), entry.function)
    outer = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    outer.callback()(_nothing)
    if isinstance(found, typer.Typer):
        outer.add_typer(_wrap_group(found, name, guard=guard), name=name, cls=WholeSummaries, epilog=_epilog(name))
    else:
        command = cast("Callable[..., int]", found)
        outer.command(name, cls=CheckedCommand, epilog=_epilog(name))(guard(command))
    return getattr(typer.main.get_command(outer), "commands")[name]  # noqa: B009 - a group's, which the type hides


def _wrap_group(group: typer.Typer, name: str, *, guard: Guard) -> typer.Typer:
    """A copy of a group whose commands tell their faults."""
    # The module's own group stays as it is.
    found = copy.copy(group)
    found.registered_commands = [copy.copy(each) for each in group.registered_commands]
    for each in found.registered_commands:
        each.callback = guard(each.callback) if each.callback else None
        each.epilog = _epilog(f"{name} {each.name}")
        each.cls = CheckedCommand
    return found


def _nothing() -> None:
    """Only a group has commands with names."""


def _epilog(path: str) -> str:
    """Example and exit codes, in lines of their own."""
    return "\n\n".join(
        # A backspace keeps Typer from filling the paragraph: the lines stay lines.
        "\b\n" + "\n".join((f"{heading}:", *(f"  {each}" for each in lines)))
        for heading, lines in _closing(example_of(path))
    )


def _closing(example: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("Example", (example,)), ("Exit codes", exit_code_lines())


def _write_lines(formatter: Any, heading: str, lines: tuple[str, ...]) -> None:  # noqa: ANN401 - as above
    with formatter.section(heading):
        for each in lines:
            formatter.write(f"{'':>{formatter.current_indent}}{each}\n")
