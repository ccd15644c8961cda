"""`atoll diff`: what a change moves in every stack that it touches, in money, resources and rules."""

from typing import TYPE_CHECKING, Final

from driver import arguments
from driver.diff import options
from driver.output_files import chosen_files, tell_written
from driver.project import find_project
from driver.screen import json_text, progress, show
from driver.writing import write_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.diff_shapes import DiffForm


def run_diff(
    *,
    base: options.Base,
    head: options.Head = "",
    from_merge_base: options.FromMergeBase = False,
    stacks: options.Stacks = None,
    fail_on: options.Stopping = options.FailOn.NEW,
    as_json: arguments.AsJson = False,
    output: options.Output = None,
    markdown: options.Markdown = "",
    sarif: options.Sarif = "",
    junit: options.Junit = "",
    deadline: options.Deadline = options.DEADLINE_S,
    today: arguments.Today = "",
) -> int:
    """Compare every stack that a change touches: money, resources and rules, without a cloud or an engine.

    Prices, ceilings, rules and exemptions of the base judge both sides. Exit code: the worst of all stacks that differ:
    10 over a ceiling, 1 another rule broken or a stack that fails, 12 prices too old, 11 where nobody can tell, else 0.
    Breaches that the base has too do not count, but for a ceiling, and for one of which nobody can tell in a stack
    that gets dearer; --fail-on all counts them.
    """
    files = chosen_files(output, forms=tuple(_WRITERS), markdown=markdown, sarif=sarif, junit=junit)
    from driver.diff.whole import Asked, compared  # noqa: PLC0415 - only where something is compared

    asked = Asked(
        base=base,
        head=head,
        from_merge_base=from_merge_base,
        stacks=tuple(stacks or ()),
        today=arguments.day(today).isoformat(),
        only_new=fail_on is options.FailOn.NEW,
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
    from driver.pull_request import terminal  # noqa: PLC0415 - where it is shown

    show(*terminal.parts(form))


def _markdown(form: "DiffForm") -> str:
    from driver.pull_request import markdown  # noqa: PLC0415 - each where it is asked for

    return markdown.text(form)


def _sarif(form: "DiffForm") -> str:
    from driver.pull_request import sarif  # noqa: PLC0415 - as above

    return sarif.text(form)


def _junit(form: "DiffForm") -> str:
    from driver.pull_request import junit  # noqa: PLC0415 - as above

    return junit.text(form)


_WRITERS: "Final[dict[str, Callable[[DiffForm], str]]]" = {
    "json": json_text,
    "markdown": _markdown,
    "sarif": _sarif,
    "junit": _junit,
}
