"""From a subject on the command line to its quote: what several commands start from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Final

from operations.plans.price_book import price_book
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.reading.checklist_file import read_file
from planning.checklist.rules.table import find_broken_rules
from planning.costs.price_ages import describe_start, list_refused_lines, name_refresh
from planning.inputs.faults import SourceText, locate, nearest
from planning.inputs.files import read_text
from planning.inputs.yaml_nodes import Fields, Node, compose
from planning.quoting.candidates.market import Market
from planning.quoting.quote_builder import quote
from planning.spec.lock import CHECKLIST_NAME
from planning.values.errors import (
    InputError,
    NothingFitsError,
    OverCeilingError,
    StalePricesError,
    UndeterminedError,
    format_fault_count,
)
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date
    from pathlib import Path

    from catalogs.catalog import Catalog
    from operations.project.workspace import StackRef
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.quote import Option, Quote
    from planning.values.errors import Fault


STEP: Final = re.compile(r"[^.\[\]]+")


def in_checklist(error: InputError, file: Path) -> InputError:
    """The same error; faults that name a path and no line get the checklist's line, and the error's hint."""
    if not any(_has_no_line(fault) for fault in error.faults):
        return error
    text = read_text(file)
    root, _ = compose(text)
    if not isinstance(root, Fields):
        return error
    source = SourceText(file=str(file), lines=text.splitlines())
    faults = [_locate_fault(fault, source, root, hint=error.hint) for fault in error.faults]
    return InputError(f"{file}: {format_fault_count(faults)}", faults=faults)


def _has_no_line(fault: Fault) -> bool:
    return bool(fault.path) and not fault.line


def _locate_fault(fault: Fault, source: SourceText, root: Node, *, hint: str) -> Fault:
    if not _has_no_line(fault):
        return fault
    path = [int(step) if step.isdigit() else step for step in STEP.findall(fault.path)]
    return source.build_fault(fault.message, place=locate(root, path), hint=fault.hint or hint, path=fault.path)


STALE_NOTE: Final = "stale prices: they may have moved, so the option is not valid for signing"
OLD_VIEWS: Final = {"dependable": "no_spot", "at_home": "same_cloud"}  # names of before, taken for one release


@dataclass(frozen=True, slots=True)
class QuoteResult:
    """A checklist, its quote, and the market that it was made from."""

    checklist: Checklist
    quote: Quote
    market: Market

    @property
    def catalog(self) -> Catalog:
        return self.market.catalog


@dataclass(frozen=True, slots=True)
class Wanted:
    """Providers and regions that a command line asks for beyond the checklist; empty for what the checklist says."""

    providers: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """The same as options of a command line."""
        return (
            *(f"--provider {name}" for name in self.providers),
            *(f"--region {name}" for name in self.regions),
        )


def narrow_checklist(checklist: Checklist, wanted: Wanted) -> Checklist:
    """The checklist with its `where.wanted` and `where.regions` replaced by those that are asked for.

    Raises:
        InputError: no such provider or region, or one that contradicts the rest of the checklist.
    """
    if not wanted.flags:
        return checklist
    known = tuple(each.value for each in CloudName)
    for name in wanted.providers:
        if name not in known:
            near = nearest(name, known)
            hint = f'did you mean "{near}"? ' if near else ""
            raise InputError(f"--provider: there is no provider {name!r}", hint=f"{hint}one of: {', '.join(known)}")
    update: dict[str, object] = {}
    if wanted.providers:
        update["wanted"] = tuple(CloudName(name) for name in dict.fromkeys(wanted.providers))
    if wanted.regions:
        update["regions"] = tuple(dict.fromkeys(wanted.regions))
    narrowed = checklist.model_copy(update={"where": checklist.where.model_copy(update=update)})
    broken = next(find_broken_rules(narrowed), None)
    if broken is not None:
        raise InputError(f"{' '.join(wanted.flags)}: {broken.message}", hint=broken.hint)
    return narrowed


def quote_subject(
    asked: StackRef, *, book: str, own: str, today: date, allow_stale: bool, wanted: Wanted | None = None
) -> QuoteResult:
    """The quote of a subject at a price book, as of today; stale prices are taken only where they are allowed.

    Args:
        wanted: of the command line, in place of what the checklist says.

    Raises:
        InputError: the checklist has faults, or asks for what no option can give.
        CatalogError: no such price book, or faults in it.
        StalePricesError: only prices that are too old satisfy the checklist.
        NothingFitsError: nothing on sale satisfies it.
    """
    checklist = narrow_checklist(read_file(asked.checklist), wanted or Wanted())
    market = Market(price_book(book, own=own, today=today), estimated=_may_estimate(asked))
    ask = partial(quote, checklist, checklist_digest=checklist_digest(checklist), stack=asked.stack, market=market)
    try:
        return QuoteResult(checklist, quote_as_of(ask, market=market, today=today, allow_stale=allow_stale), market)
    except InputError as error:
        raise in_checklist(error, asked.checklist) from error


def _may_estimate(asked: StackRef) -> bool:
    """Whether the configuration of the checklist's stack lets what has no price be estimated; without one it does."""
    path = asked.checklist.resolve().parent.parent / f"Pulumi.{asked.stack}.yaml"
    if asked.checklist.name != CHECKLIST_NAME or not path.exists():
        return True
    from operations.project.stack_config import allows_estimates, read_config  # noqa: PLC0415 - once it is accepted

    return allows_estimates(read_config(path).values)


def quote_as_of(ask: Callable[..., Quote], *, market: Market, today: date, allow_stale: bool) -> Quote:
    """The quote as of today; as of the newest price, and marked so, where stale prices are allowed and it needs them.

    Raises:
        StalePricesError: only prices that are too old satisfy the checklist, and they are not allowed.
        NothingFitsError: nothing on sale satisfies it.
    """
    # A price may be dated after `today`, which --today sets.
    newest = min(market.catalog.prices.newest or today, today)
    if allow_stale and newest != today:
        found = ask(today=newest)
        if any(list_refused_lines(option.bill, today=today) for option in found.options):
            return _stale(found, today=today)
    try:
        return ask(today=today)
    except NothingFitsError as error:
        old = None if allow_stale or newest == today else _find(ask, newest)
        if old is None:
            raise
        raise StalePricesError(
            f"nothing with a price recent enough satisfies this checklist: the newest is of {newest}",
            hint=hint_newer(*old.options),
        ) from error


def _stale(found: Quote, *, today: date) -> Quote:
    options = tuple(replace(each, notes=(STALE_NOTE, *each.notes)) for each in found.options)
    return replace(found, options=options, stale=True, asked_on=today)


def _find(ask: Callable[..., Quote], day: date) -> Quote | None:
    try:
        return ask(today=day)
    except NothingFitsError:
        return None


def hint_newer(*options: Option) -> str:
    """How to get on where the prices of these options are too old."""
    providers = (each.placement.provider for option in options for each in option.placements)
    return f"{name_refresh(providers)} brings newer ones; --allow-stale goes on with these"


def option_named(found: Quote, name: str) -> Option:
    """The option with this id, or the one that answers this view.

    Raises:
        InputError: neither; names those there are.
    """
    wanted = name.replace("-", "_")
    views = {wanted, OLD_VIEWS.get(wanted, wanted)}
    for option in found.options:
        if option.id == name or not views.isdisjoint(option.views):
            return option
    if why := next((found.missing_views[each] for each in views if each in found.missing_views), ""):
        raise InputError(f"there is no {name} option: {why}")
    names = [word for option in found.options for word in (*option.views, option.id)]
    near = get_close_matches(name, names, n=1)
    raise InputError(
        f"there is no option {name!r}; there are: {', '.join(option.id for option in found.options)}",
        hint=f'did you mean "{near[0]}"?' if near else "a view names one too: recommended, cheapest, no_spot, fastest",
    )


def refuse_old_option(option: Option, *, today: date) -> None:
    """Refuse an option that rests on prices which may have moved since.

    Raises:
        StalePricesError: names the oldest price and its day.
    """
    old = list_refused_lines(option.bill, today=today)
    if not old:
        return
    line = old[0]
    raise StalePricesError(
        f"{option.id} rests on {len(old)} price{'s' if len(old) > 1 else ''} that may have moved: "
        f"{line.label} is {describe_start(line)}",
        hint=hint_newer(option),
    )


def exit_code(found: Quote, *, allow_stale: bool) -> int:
    """0 where an option is within the ceiling; 11 where none is but some may be; 10 where all are over it.

    An option that misses something of the checklist counts as one over the ceiling.

    Raises:
        StalePricesError: every option rests on prices that are too old.
    """
    fresh = [
        option for option in found.options if allow_stale or not list_refused_lines(option.bill, today=found.priced_at)
    ]
    if not fresh:
        refuse_old_option(found.options[0], today=found.priced_at)
    verdicts = {option.judgement.verdict for option in fresh if not option.misses}
    if Verdict.WITHIN in verdicts:
        return 0
    return UndeterminedError.exit_code if Verdict.UNDETERMINED in verdicts else OverCeilingError.exit_code
