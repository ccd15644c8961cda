"""`atoll accept`: write down what was decided, so that the Pulumi program builds exactly that."""

from cli.terminal import options
from cli.terminal.amounts import describe_month
from cli.terminal.console import note, show
from cli.views.quote.summary import describe_aging
from operations.plans.price_book import describe_unused_rows
from operations.plans.quote import QuoteResult, option_named, quote_subject, refuse_old_option
from operations.project.atomic_files import write_all
from operations.project.stack_config import with_accepted
from operations.project.workspace import Project, display_path, require_stack, resolve_stack
from planning.clone.carry_over import carry_over_lock
from planning.quoting.option import ceilings
from planning.quoting.quote import Option, Quote, lock
from planning.spec.lock import Lock, read_lock, to_text
from planning.values.errors import InputError, OverCeilingError
from planning.values.verdict import Verdict


def run_accept(
    stack: options.Stack,
    option: options.OptionId,
    *,
    prices: options.Book = options.CURRENT_BOOK,
    price_book: options.OwnBook = "",
    today: options.Today = "",
    allow_stale: options.AllowStale = False,
) -> int:
    """Decide for an option: write the stack's lock."""
    project = require_stack(stack)
    answer = quote_subject(
        resolve_stack(stack), book=prices, own=price_book, today=options.day(today), allow_stale=allow_stale
    )
    chosen = option_named(answer.quote, option)
    _refuse_over(chosen)
    _refuse_missing(chosen, answer.quote)
    if not allow_stale and prices == options.CURRENT_BOOK:
        refuse_old_option(chosen, today=answer.quote.priced_at)
    chosen, remarks = _as_it_stands(project, stack, answer, chosen)
    _refuse_over(chosen)
    remarks = (*remarks, *describe_unused_rows(answer.catalog, (chosen.bill,)))
    _write(project, stack, accepted=_lock(answer, chosen))
    for each in remarks:
        note(each)
    show(f"{chosen.id}: {describe_month(chosen.bill)}")
    if count := len(chosen.bill.estimated):
        what = (
            "1 item is estimated: have its price" if count == 1 else f"{count} items are estimated: have their prices"
        )
        note(f"{what} confirmed before anybody signs")
    if aging := describe_aging(answer.quote.list_aging(chosen)):
        note(aging)
    if chosen.judgement.verdict is Verdict.UNDETERMINED:
        note(f"warning: whether this stays under the ceiling is undetermined: {chosen.judgement.reason}")
    return 0


def _as_it_stands(project: Project, stack: str, answer: QuoteResult, chosen: Option) -> tuple[Option, tuple[str, ...]]:
    """The option with the zones and the VPN's range of the lock that is there; a lock that cannot be read has none."""
    try:
        there = read_lock(project.lock(stack))
    except InputError:
        # What cannot be read fixes no zones and no range, and is about to be written anew.
        return chosen, ()
    return carry_over_lock(chosen, there, checklist=answer.checklist, market=answer.market)


def _refuse_over(chosen: Option) -> None:
    """The ceiling is hard: no flag gets around it.

    Raises:
        OverCeilingError: the option is over it.
    """
    # No flag gets around it, --allow-stale included: the ceiling is what was promised to whoever pays.
    if chosen.judgement.verdict is Verdict.OVER:
        raise OverCeilingError(
            f"{chosen.id} is over the ceiling: {chosen.judgement.reason}",
            hint="accept another option, or change the checklist; the ceiling cannot be waived",
        )


def _refuse_missing(chosen: Option, found: Quote) -> None:
    """A lock promises what the checklist asks for: what misses it is no decision before the checklist is changed.

    Raises:
        OverCeilingError: the option misses something.
    """
    if chosen.misses:
        raise OverCeilingError(
            f"{chosen.id} misses the checklist: {'; '.join(chosen.misses)}",
            hint=next(iter(found.advice), "change the checklist, then ask again"),
        )


def _lock(answer: QuoteResult, chosen: Option) -> Lock:
    checklist = answer.checklist
    return lock(
        answer.quote,
        chosen,
        ceiling=ceilings(checklist),
        contract_months=checklist.contract.months,
        residency=checklist.where.residency,
    )


def _write(project: Project, stack: str, *, accepted: Lock) -> None:
    path, config = project.lock(stack), project.stack_config(stack)
    texts = {config: with_accepted(config, option=accepted.option)}
    if not _holds(project, stack, accepted):
        texts[path] = to_text(accepted)
    changed = {each: text for each, text in texts.items() if not each.exists() or each.read_bytes() != text.encode()}
    if not changed:
        show(f"{display_path(path)} holds this already; nothing was written")
        return
    write_all(changed)
    show(f"written: {', '.join(display_path(each) for each in sorted(changed))}")


def _holds(project: Project, stack: str, accepted: Lock) -> bool:
    """Whether the lock there says the same and is still valid; a lock that cannot be read is written anew."""
    try:
        there = read_lock(project.lock(stack))
    except InputError:
        return False
    # A lock that differs by its days alone stays, or every accept would show as a change under review.
    days = {"priced_at": accepted.priced_at, "valid_until": accepted.valid_until}
    return there.valid_until >= accepted.priced_at and there.model_copy(update=days) == accepted
