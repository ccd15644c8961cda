"""A clone's quote and the option of it that stands where the source's stands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from operations.plans.quote import dated, option_named, refuse_old_option
from planning.checklist.model.checklist import checklist_digest
from planning.quoting.quote_builder import quote
from planning.values.errors import InputError, NothingFitsError, OverCeilingError
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from planning.checklist.model.checklist import Checklist
    from planning.clone.target import Ground, Target
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option, Quote
    from planning.spec.lock import Lock

SHOWN = 6
# Keys of the ceilings, and the words by which `planning.ceilings.verdict.judge` says that one is broken.
CEILINGS = (
    ("ceiling.usd_per_month", " a month is "),
    ("ceiling.usd_per_contract", " months is "),
    ("ceiling.usd_per_gpu_hour", "an accelerator for an hour is "),
)
PLACE_VIEW = "same_cloud"  # says where an option is, which the clone's region says itself


def quoted(
    checklist: Checklist, *, stack: str, market: Market, today: date, allow_stale: bool, missing: Callable[[], str]
) -> Quote:
    """The quote of a checklist that no file holds yet; as `operations.plans.quote.quoted`.

    Args:
        missing: what the place lacks, in words, where nothing fits.

    Raises:
        StalePricesError: only prices that are too old satisfy it.
        NothingFitsError: nothing on sale there does.
    """
    ask = partial(quote, checklist, checklist_digest=checklist_digest(checklist), stack=stack, market=market)
    try:
        return dated(ask, market=market, today=today, allow_stale=allow_stale)
    except NothingFitsError as error:
        lacking = missing()
        raise NothingFitsError(f"{error}{f': {lacking}' if lacking else ''}", hint=error.hint) from error


def lacking(lock: Lock, *, target: Target, ground: Ground) -> str:
    """Accelerators of the source that the target does not sell, and who of its regions does."""
    wanted = dict.fromkeys(pool.accelerator for pool in lock.spec.pools if pool.accelerator)
    said = [
        f"{name} is not sold in {target}" + (f"; {target.provider} sells it in {where}" if where else "")
        for name in wanted
        if not ground.sells(name)
        for where in [", ".join(ground.elsewhere.get(name, ())[:SHOWN])]
    ]
    if said:
        return "; ".join(said)
    return f"{target} sells no machine with an accelerator" if wanted and not ground.kinds else ""


def chosen(found: Quote, *, lock: Lock, named: str) -> tuple[Option, str]:
    """The option that was named, else the one with the source's view; and how it came to be.

    Raises:
        InputError: there is none of that name, or none with a view of the source's.
    """
    return (option_named(found, named), f"named: {named}") if named else _same_view(found, lock)


def refuse(option: Option, found: Quote, *, may_be_old: bool, missing: Callable[[], str]) -> None:
    """Refuse what `atoll accept` would refuse.

    Args:
        missing: what the place lacks, in words.

    Raises:
        OverCeilingError: it is over the ceiling.
        StalePricesError: it rests on prices that may have moved.
    """
    if option.judgement.verdict is Verdict.OVER:
        raise OverCeilingError(
            f"{option.id} is over the ceiling: {option.judgement.reason}", hint=_over_hint(found, option, missing())
        )
    if not may_be_old:
        refuse_old_option(option, today=found.priced_at)


def _same_view(found: Quote, lock: Lock) -> tuple[Option, str]:
    """The option with a view of the source's; one within the ceiling before one over it."""
    same = [(view, option) for view in lock.views for option in found.options if view in option.views]
    same.sort(key=lambda each: each[1].judgement.verdict is Verdict.OVER)
    if same:
        view, option = same[0]
        return option, f"{view.replace('_', ' ')}, as {lock.option} is"
    if PLACE_VIEW in lock.views:
        cheapest = next((each for each in found.options if "cheapest" in each.views), found.options[0])
        return cheapest, f"cheapest: {lock.option} is the one at home, and the clone has a home of its own"
    raise InputError(
        f"no option there is what {lock.option} is: {', '.join(lock.views)}",
        hint=f"name one with --option: {', '.join(each.id for each in found.options)}",
    )


def _over_hint(found: Quote, option: Option, lacks: str) -> str:
    others = (each for each in found.options if each.id != option.id)
    within = [each.id for each in others if each.judgement.verdict is not Verdict.OVER]
    if within:
        return f"not over it: --option {within[0]}"
    advice = next((f"; or at the source: {each}" for each in found.advice if "where." not in each), "")
    why = f"{lacks}; " if lacks else ""
    broken = " and ".join(f'"{key}: ..."' for key, words in CEILINGS if words in option.judgement.reason)
    return f"{why}no option there is within it: decide {broken} in a decisions file{advice}"
