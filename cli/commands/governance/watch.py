"""`atoll watch`: what runs, looked at again: against today's prices, the accepted cluster and the rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import progress
from cli.terminal.options import publish, resolve_files
from cli.terminal.prompts import ask_passphrase
from operations.plans.price_book import price_book
from operations.project.workspace import STACK_NAME, Project, display_path, find_project, require_stack
from planning.costs.resources.formats.file import LARGEST_BYTES, read
from planning.inputs.files import as_object, parse_json, read_content
from planning.values.errors import InputError
from policies.settings_reader import read_law
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date

    from operations.plans.plan_form import WatchForm
    from planning.costs.resources.formats.values import Preview

STATE_SUFFIX = ".json"
EXPORTED = "deployment"  # what `pulumi stack export` wraps the state in

State = Annotated[
    str, options.make_option("--state", "FILE", "From pulumi stack export; without it, the engine is asked.")
]
States = Annotated[str, options.make_option("--states", "DIR", "A folder with STACK.json of every stack to look at.")]


def run_watch(
    stack: Annotated[str, options.make_argument("[STACK]", "Name of a stack under stacks/.")] = "",
    *,
    state: State = "",
    states: States = "",
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: Annotated[list[str] | None, options.output_of(".md, .json")] = None,
    markdown: Annotated[str, options.make_option("--markdown", "FILE", "Write the body of an issue.")] = "",
    today: options.Today = "",
) -> int:
    """Check running stacks against today's prices, their locks and the rules.

    Exit code: the worst of all stacks: 10 over a ceiling, 1 where another rule is broken, where what runs is not what
    was accepted, or where a state cannot be read, 12 prices too old, 11 undetermined, else 0.
    """
    if bool(stack) == bool(states):
        raise typer.BadParameter("name a stack, or a folder of states", param_hint="STACK or --states")
    files = resolve_files(output, forms=("markdown", "json"), markdown=markdown)
    project = find_project() if states else require_stack(stack)
    wanted = dict(_in_folder(Path(states)) if states else ((stack, _state(project, stack, state)),))
    form = _check_stacks(project, wanted, prices=prices, own=own, today=options.day(today))
    from cli.pages.watch import text  # noqa: PLC0415 - once there is something to say
    from cli.views.watch import parts  # noqa: PLC0415 - as above

    publish(form, files, as_json=as_json, parts=lambda: parts(form), markdown=lambda: text(form))
    return form["exit_code"]


def _check_stacks(
    project: Project, wanted: "Mapping[str, Callable[[], Preview]]", *, prices: str, own: str, today: "date"
) -> "WatchForm":
    """Every stack, by one price book and one law.

    Raises:
        AtollError: no such book, or a faulty law; a fault of one stack is in its form.
    """
    from operations.plans import watch  # noqa: PLC0415 - the rules and the bill, once there is something to do

    catalog, law = price_book(prices, own=own, today=today), read_law(Path(display_path(project.law)), rules=RULES)
    with progress("looking at what runs"):
        found = [
            watch.check_stack(
                stack,
                lock=project.lock(stack),
                state=state,
                catalog=catalog,
                law=law,
                today=today,
                is_whole=_is_whole(settings),
                estimated=_may_estimate(settings),
            )
            for stack, state in wanted.items()
            for settings in (_read_settings(project, stack),)
        ]
    return watch.watch_form(found, catalog=catalog, prices=prices, today=today)


def _in_folder(folder: Path) -> "Iterator[tuple[str, Callable[[], Preview]]]":
    """A state for each stack whose file is in a folder.

    Raises:
        InputError: there is none, which is no proof that nothing runs; or a file that names no stack.
    """
    files = sorted(folder.glob(f"*{STATE_SUFFIX}"))
    if not files:
        raise InputError(f"{folder} holds no state", hint="pulumi stack export -s STACK --file DIR/STACK.json")
    for file in files:
        if not STACK_NAME.fullmatch(file.stem):
            raise InputError(f"{file} is not named after a stack", hint="name it STACK.json")
        yield file.stem, _read(file)


def _state(project: Project, stack: str, file: str) -> "Callable[[], Preview]":
    return _read(Path(file)) if file else lambda: _export_state(project, stack)


def _read(file: Path) -> "Callable[[], Preview]":
    return lambda: _running(file)


def _running(file: Path) -> "Preview":
    """An exported state.

    Raises:
        InputError: it cannot be read, or is a plan or a preview, which say what would be and not what is.
    """
    content = read_content(file, most_bytes=LARGEST_BYTES)
    found = read(content, file=str(file))
    if EXPORTED not in as_object(parse_json(content, file=str(file)), file=str(file)):
        raise InputError(f"{file} is no exported state", hint="pulumi stack export -s STACK --file FILE")
    return found


def _export_state(project: Project, stack: str) -> "Preview":
    """The state as the engine has it."""
    from operations.engine import session  # noqa: PLC0415 - Pulumi is imported once needed

    # Without --show-secrets: a price needs no secret, and what is encrypted is read as one.
    said = session.open_stack(project, stack, ask_passphrase=ask_passphrase).ask("stack", "export")
    return read(said.encode("utf-8"), file=f"the state of {stack}")


def _read_settings(project: Project, stack: str) -> "Mapping[str, str]":
    from operations.project.stack_config import read_config  # noqa: PLC0415 - it reads components

    return read_config(project.stack_config(stack)).values


def _is_whole(settings: "Mapping[str, str]") -> bool:
    """Whether the stack was told to build the cluster with what is inside it."""
    from components.context.settings import EVERYTHING, SECTION  # noqa: PLC0415 - it imports Pulumi

    return settings.get(f"{SECTION}:reach", EVERYTHING) == EVERYTHING


def _may_estimate(settings: "Mapping[str, str]") -> bool:
    from operations.project.stack_config import allows_estimates  # noqa: PLC0415 - it reads components

    return allows_estimates(settings)
