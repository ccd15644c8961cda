"""Builds a clone: from the source stack to the texts of the clone's files. Nothing is written, no state is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from operations.clone.source import list_reserved_networks
from operations.clone.stack_config import PROVIDER, config_text, provider_decision, read_portable_config
from operations.plans.quote import option_named, quote_as_of, refuse_old_option
from planning.checklist.model.checklist import checklist_digest
from planning.clone.addresses import separate_vpn_ranges
from planning.clone.carry_over import refuse_zones, with_zones
from planning.clone.checklist_text import rewrite_text
from planning.clone.decisions.open_decisions import decisions
from planning.clone.field_table import build_placement_rows, checklist_rows
from planning.clone.target import read_target_market
from planning.clone.transformation import transform_checklist
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import to_text
from planning.values.errors import InputError, NothingFitsError, OverCeilingError
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from operations.clone.source import SourceStack
    from operations.clone.stack_config import ConfigKey, PortableConfig
    from planning.checklist.model.checklist import Checklist
    from planning.clone.addresses import ReservedNetwork
    from planning.clone.decisions.decision import CloneDecision
    from planning.clone.field_table import FieldRow
    from planning.clone.target import Target, TargetMarket
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


def quote_clone(
    checklist: Checklist, *, stack: str, market: Market, today: date, allow_stale: bool, missing: Callable[[], str]
) -> Quote:
    """The quote of a checklist that no file holds yet; as `operations.plans.quote.quote_subject`.

    Args:
        missing: what the place lacks, in words, where nothing fits.

    Raises:
        StalePricesError: only prices that are too old satisfy it.
        NothingFitsError: nothing on sale there does.
    """
    ask = partial(quote, checklist, checklist_digest=checklist_digest(checklist), stack=stack, market=market)
    try:
        return quote_as_of(ask, market=market, today=today, allow_stale=allow_stale)
    except NothingFitsError as error:
        lacking = missing()
        raise NothingFitsError(f"{error}{f': {lacking}' if lacking else ''}", hint=error.hint) from error


def describe_missing_accelerators(lock: Lock, *, target: Target, ground: TargetMarket) -> str:
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


def choose_option(found: Quote, *, lock: Lock, named: str) -> tuple[Option, str]:
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
    # A sort is stable: within the ceiling first, and the order of the source's views otherwise.
    same.sort(key=lambda each: each[1].judgement.verdict is Verdict.OVER)
    if same:
        view, option = same[0]
        return option, f"{view.replace('_', ' ')}, as {lock.option} is"
    if PLACE_VIEW in lock.views:
        cheapest = next((each for each in found.options if "cheapest" in each.views), found.options[0])
        return cheapest, f"cheapest: {lock.option} is the option of the same cloud, which the target sets anew"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneRequest:
    """What the command line says.

    Args:
        option: id or view; "" for the source's view.
        may_be_old: whether an option may rest on old prices.
        decisions: every one that can be taken (`open_decisions`), and `answers` to them by path.
        heading: of the new checklist.
    """

    stack: str
    target: Target
    option: str
    today: date
    allow_stale: bool
    may_be_old: bool
    decisions: tuple[CloneDecision, ...]
    answers: Mapping[str, str]
    heading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """A clone that is ready to be written.

    Args:
        texts: by path: checklist, lock and stack configuration.
        option_why: how the option was chosen.
        layout_kept: whether the source's comments could be kept.
    """

    stack: str
    checklist: Checklist
    lock: Lock
    option: Option
    option_why: str
    texts: Mapping[Path, str]
    layout_kept: bool
    fields: tuple[FieldRow, ...]
    placed: tuple[FieldRow, ...]
    decisions: tuple[CloneDecision, ...]
    answers: Mapping[str, str]
    keys: tuple[ConfigKey, ...]
    secrets_provider: str
    zones_named: bool


def open_decisions(source: SourceStack, target: Target, *, market: Market) -> tuple[CloneDecision, ...]:
    """What a person may have to decide, before anything is quoted.

    Raises:
        InputError: the zones that were named cannot be, or the source's configuration cannot be read.
    """
    here = read_target_market(market, target)
    if target.zones:
        refuse_zones(target.zones, known=here.region.zones, place=str(target), provider=target.provider)
    return (
        *provider_decision(
            _settings(source, target).provider, lock_region=source.lock.spec.placement.region, target=target
        ),
        *decisions(source.checklist, source=source.provider, target=target, ground=here),
    )


def _settings(source: SourceStack, target: Target) -> PortableConfig:
    return read_portable_config(
        source.project.stack_config(source.stack), same_provider=source.provider == target.provider
    )


def build_clone(source: SourceStack, asked: CloneRequest, *, market: Market) -> Clone:
    """The clone of a source.

    Raises:
        AtollError: a decision is open, the target cannot hold it, or it costs more than its ceiling.
    """
    target, project = asked.target, source.project
    here, config = read_target_market(market, target), _settings(source, target)
    open_, answers, networks = asked.decisions, asked.answers, list_reserved_networks(project)
    checklist = transform_checklist(source.checklist, target=target, decisions=open_, answers=answers, taken=networks)
    option, why, accepted = _accept_option(source, asked, checklist, market=market, here=here, networks=networks)
    text, kept = rewrite_text(
        source.text, old=source.checklist, new=checklist, file=f"{asked.stack}/checklist.yaml", heading=asked.heading
    )
    provider = answers.get(PROVIDER, "")
    texts = {
        project.checklist(asked.stack): text,
        project.lock(asked.stack): to_text(accepted),
        project.stack_config(asked.stack): config_text(
            asked.stack, option=accepted.option, keys=config.keys, provider=provider
        ),
    }
    return Clone(
        stack=asked.stack,
        checklist=checklist,
        lock=accepted,
        option=option,
        option_why=why,
        texts=texts,
        layout_kept=kept,
        fields=checklist_rows(source.checklist, checklist, decisions=open_, answers=answers),
        placed=build_placement_rows(source.lock, accepted),
        decisions=open_,
        answers=answers,
        keys=config.keys,
        secrets_provider=provider,
        zones_named=bool(target.zones),
    )


def _accept_option(
    source: SourceStack,
    asked: CloneRequest,
    checklist: Checklist,
    *,
    market: Market,
    here: TargetMarket,
    networks: Sequence[ReservedNetwork],
) -> tuple[Option, str, Lock]:
    """The option, why it is the one, and the lock that holds it."""
    missing = partial(describe_missing_accelerators, source.lock, target=asked.target, ground=here)
    found = quote_clone(
        checklist,
        stack=asked.stack,
        market=market,
        today=asked.today,
        allow_stale=asked.allow_stale,
        missing=missing,
    )
    option, why = choose_option(found, lock=source.lock, named=asked.option)
    if asked.target.zones:
        option = with_zones(option, asked.target.zones, checklist=checklist, market=market)
    option = separate_vpn_ranges(option, checklist=checklist, taken=networks)
    refuse(option, found, may_be_old=asked.may_be_old, missing=missing)
    accepted = lock(
        found,
        option,
        ceiling=ceilings(checklist),
        contract_months=checklist.contract.months,
        residency=checklist.where.residency,
    )
    return option, why, accepted
