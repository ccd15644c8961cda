"""`atoll diff`: what a change moves in every stack that it touches, in money, resources and rules."""

from typing import TYPE_CHECKING, Final

from cli.commands import diff_options
from cli.terminal import options as arguments
from cli.terminal.console import json_text, progress, show
from cli.terminal.output import chosen_files, tell_written
from operations.project.atomic_files import write_all
from operations.project.workspace import find_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.diff.form import DiffForm


def run_diff(
    *,
    base: diff_options.Base,
    head: diff_options.Head = "",
    from_merge_base: diff_options.FromMergeBase = False,
    stacks: diff_options.Stacks = None,
    fail_on: diff_options.Stopping = diff_options.FailOn.NEW,
    as_json: arguments.AsJson = False,
    output: diff_options.Output = None,
    markdown: diff_options.Markdown = "",
    sarif: diff_options.Sarif = "",
    junit: diff_options.Junit = "",
    deadline: diff_options.Deadline = diff_options.DEADLINE_S,
    today: arguments.Today = "",
) -> int:
    """Compare every stack that a change touches: money, resources and rules, without a cloud or an engine.

    Prices, ceilings, rules and exemptions of the base judge both sides. Exit code: the worst of all stacks that differ:
    10 over a ceiling, 1 another rule broken or a stack that fails, 12 prices too old, 11 where nobody can tell, else 0.
    Breaches that the base has too do not count, but for a ceiling, and for one of which nobody can tell in a stack
    that gets dearer; --fail-on all counts them.
    """
    files = chosen_files(output, forms=tuple(_WRITERS), markdown=markdown, sarif=sarif, junit=junit)
    from operations.diff.comparison import Asked, compared  # noqa: PLC0415 - only where something is compared

    asked = Asked(
        base=base,
        head=head,
        from_merge_base=from_merge_base,
        stacks=tuple(stacks or ()),
        today=arguments.day(today).isoformat(),
        only_new=fail_on is diff_options.FailOn.NEW,
        deadline_s=deadline,
    )
    form = compared(find_project().root, asked, progress=progress)
    write_all({path: _WRITERS[kind](form) for kind, path in files.items()})
    tell_written(files.values())
    _print(form, as_json=as_json)
    return form["exit_code"]


def _print(form: "DiffForm", *, as_json: bool) -> None:
    """The comparison to stdout."""
    if as_json:
        print(json_text(form), end="")
        return
    from cli.views.diff import tables  # noqa: PLC0415 - where it is shown

    show(*tables.parts(form))


def _markdown(form: "DiffForm") -> str:
    from cli.pages.diff import markdown  # noqa: PLC0415 - each where it is asked for

    return markdown.text(form)


def _sarif(form: "DiffForm") -> str:
    from cli.pages.diff import sarif  # noqa: PLC0415 - as above

    return sarif.text(form)


def _junit(form: "DiffForm") -> str:
    from cli.pages.diff import junit  # noqa: PLC0415 - as above

    return junit.text(form)


_WRITERS: "Final[dict[str, Callable[[DiffForm], str]]]" = {
    "json": json_text,
    "markdown": _markdown,
    "sarif": _sarif,
    "junit": _junit,
}
