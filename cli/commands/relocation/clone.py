"""`atoll clone`: the same checklist at another placement, quoted anew: a stack of its own with no state."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import json_text, note, progress, show
from cli.terminal.options import resolve_files, tell_written
from cli.terminal.prompts import read_typed_line
from cli.views.clone.summary import config_parts, field_parts
from operations.clone.assembly import CloneRequest, build_clone, open_decisions
from operations.clone.report import clone_form, next_steps, remarks
from operations.clone.resource_names import preview_resources, refuse_shared
from operations.clone.source import read_source, refuse_name, refuse_same_place, zones_of
from operations.plans.price_book import price_book
from operations.project.atomic_files import write_all
from operations.project.stack_config import allows_estimates, read_config
from operations.project.workspace import display_path
from planning.checklist.model.units import QuantityError, parse_cidr
from planning.clone.decisions.answers_file import objection_to, open_hint, open_text, read_answers
from planning.clone.decisions.decision import Need
from planning.clone.target import Target, region_of
from planning.inputs.faults import nearest
from planning.inputs.files import read_text
from planning.quoting.candidates.market import Market
from planning.spec.lock import MOST_BYTES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from ipaddress import IPv4Network

    from catalogs.catalog import Catalog
    from operations.clone.assembly import Clone
    from operations.clone.source import SourceStack
    from operations.project.workspace import Project
    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import CloneDecision


def ask_decisions(
    decisions: Sequence[CloneDecision], checklist: Checklist, *, ask: Callable[[str], str], say: Callable[[str], None]
) -> dict[str, str]:
    """The answers of a person to every decision that is needed or assumed.

    Args:
        ask: shows a prompt and returns what was typed.
        say: shows a line.
    """
    answers: dict[str, str] = {}
    for each in decisions:
        if each.need is not Need.OFFERED:
            answers[each.path] = _answer(each, checklist, ask=ask, say=say)
    return answers


def _answer(each: CloneDecision, checklist: Checklist, *, ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    say("")
    say(f"{each.path}: {each.why} (now {each.old})")
    for choice in each.choices:
        say(f"  {choice.word:<18}{choice.meaning}".rstrip())
    while True:
        answer = ask(f"[{each.assumed or 'no default'}] ").strip() or each.assumed
        objection = objection_to(each, answer, checklist) if answer else ("an answer is needed", "")
        if objection is None:
            return answer
        say("  " + "; ".join(part for part in objection if part))


Region = Annotated[str, options.make_option("--region", "R", "Region of the clone.")]
Provider = Annotated[str, options.make_option("--provider", "P", "Provider of the clone.", default="the source's")]
Zones = Annotated[str, options.make_option("--zones", "A,B,C", "Zones of its home.", default="the quote's choice")]
Option = Annotated[str, options.make_option("--option", "ID|VIEW", "Which option.", default="the source's view")]


NO_STATE = (
    "No state was read, exported or imported: the clone is the same program with a configuration of its own and an "
    "empty state."
)


def run_clone(
    stack: options.Stack,
    new: Annotated[str, options.make_argument("NEW", "Name of the clone.")],
    *,
    region: Region,
    provider: Provider = "",
    zones: Zones = "",
    cidr: Annotated[str, options.make_option("--cidr", "RANGE", "Its addresses.", default="a free range")] = "",
    option: Option = "",
    decisions: Annotated[str, options.make_option("--decisions", "FILE", "Answers to what it needs to know.")] = "",
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    today: options.Today = "",
    allow_stale: options.AllowStale = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show everything and write nothing.")] = False,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Make the same checklist a stack of its own at another placement."""
    files = resolve_files(output, forms=("json",))
    first = read_source(stack)
    refuse_name(
        first.project, source=stack, new=new, placements=[each.name for each in first.checklist.where.elsewhere]
    )
    catalog = price_book(prices, own=own, today=options.day(today))
    target = _target(catalog, provider=provider or first.provider, region=region, zones=zones, cidr=cidr)
    refuse_same_place(first.lock, target)
    market = Market(catalog, estimated=allows_estimates(read_config(first.project.stack_config(stack)).values))
    open_ = open_decisions(first, target, market=market)
    answers = _answers(open_, first.checklist, file=decisions, stack=new, target=target)
    asked = CloneRequest(
        stack=new,
        target=target,
        option=option,
        today=options.day(today),
        allow_stale=allow_stale,
        may_be_old=allow_stale or prices != options.CURRENT_BOOK,
        decisions=open_,
        answers=answers,
        heading=f"A clone of {stack} at {target}, made by `atoll clone`; the comments are those of {stack}.",
    )
    with progress(f"quoting {new} at {target}"):
        clone = build_clone(first, asked, market=market)
    names = _names(first, clone)
    written = [] if dry_run else sorted(display_path(each) for each in clone.texts)
    _tell(first, clone, catalog=catalog, names=names, written=written, files=files.values(), as_json=as_json)
    if not dry_run:
        write_all(clone.texts)
    _say_written(written, as_json=as_json)
    return 0


def _target(catalog: Catalog, *, provider: str, region: str, zones: str, cidr: str) -> Target:
    """The placement that the command line names.

    Raises:
        InputError: no such provider or region; says which was meant.
        typer.BadParameter: --cidr is no range.
    """
    if provider not in catalog.providers:
        near = nearest(provider, catalog.providers)
        known = ", ".join(sorted(catalog.providers))
        raise InputError(f'there is no provider "{provider}"', hint=f'did you mean "{near}"?' if near else known)
    found = region_of(catalog.regions.values(), provider=provider, name=region)
    return Target(provider=provider, region=found.name, zones=zones_of(zones), cidr=_cidr(cidr))


def _cidr(text: str) -> IPv4Network | None:
    if not text:
        return None
    try:
        return parse_cidr(text)
    except QuantityError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint="--cidr") from error


def _answers(
    open_: Sequence[CloneDecision], checklist: Checklist, *, file: str, stack: str, target: Target
) -> Mapping[str, str]:
    """Answers from the file, or from a person; every decision that is still open at once.

    Raises:
        InputError: faults in the file, or no terminal to ask at.
    """
    if file:
        text = read_text(Path(file), hint="a decisions file is a few lines of YAML")
        return read_answers(text, file=file, decisions=open_, checklist=checklist)
    if sys.stdin.isatty():
        return ask_decisions(open_, checklist, ask=read_typed_line, say=note)
    needed = [each for each in open_ if each.need is Need.NEEDED]
    if not needed:
        return {}
    raise InputError(open_text(needed, stack=stack, target=str(target)), hint=open_hint(needed))


def _names(first: SourceStack, clone: Clone) -> int:
    project = first.project
    with progress("running the programs of both stacks"):
        old = preview_resources(first.stack, root=project.root, texts=_texts_of(project, first.stack))
        new = preview_resources(clone.stack, root=project.root, texts=_new_texts(project, clone))
    return refuse_shared(old, new, source=first.stack, clone=clone.stack)


def _texts_of(project: Project, stack: str) -> Mapping[str, str]:
    config = project.stack_config(stack)
    text = read_text(config) if config.exists() else ""
    return {"config": text, "lock": read_text(project.lock(stack), most_bytes=MOST_BYTES)}


def _new_texts(project: Project, clone: Clone) -> Mapping[str, str]:
    return {"config": clone.texts[project.stack_config(clone.stack)], "lock": clone.texts[project.lock(clone.stack)]}


def _tell(
    first: SourceStack,
    clone: Clone,
    *,
    catalog: Catalog,
    names: int,
    written: Sequence[str],
    files: Iterable[Path],
    as_json: bool,
) -> None:
    from planning.clone.comparison.stack_comparison import compare  # noqa: PLC0415 - not before the clone is one

    compared = compare(first.lock, clone.lock, catalog=catalog)
    form = clone_form(first, clone, written=written, names=names, comparison=compared)
    write_all({path: json_text(form) for path in files})
    tell_written(files)
    if as_json:
        sys.stdout.write(json_text(form))
        return
    from cli.views.clone.differences import parts  # noqa: PLC0415 - as above
    from cli.views.clone.summary import summary  # noqa: PLC0415 - as above

    show(*summary(first, clone, compared), "")
    show(*field_parts(clone.fields, clone.placed))
    show(*config_parts(clone.keys, stack=clone.stack, provider=clone.secrets_provider), "")
    show(*parts(compared), "")
    show(*(f"note: {each}" for each in remarks(clone)), "")
    show(f"{names} names of resources were compared, none is shared. {NO_STATE}")
    show("next:", *(f"  {each}" for each in next_steps(first.stack, clone.stack)))


def _say_written(written: Sequence[str], *, as_json: bool) -> None:
    said = f"written: {', '.join(written)}" if written else "dry run: nothing was written"
    note(said) if as_json else show(said)
