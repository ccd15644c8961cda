"""A clone from its source to its files' texts; nothing is written and no state is opened on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from operations.clone.quote import chosen, lacking, quoted, refuse
from operations.clone.reserved_networks import taken
from operations.clone.stack_config import PROVIDER, config_text, provider_decision, settings
from planning.clone.checklist_text import rewritten
from planning.clone.decisions.open_decisions import decisions
from planning.clone.field_table import checklist_rows
from planning.clone.placement_table import placed_rows
from planning.clone.target import ground
from planning.clone.transformation import placed
from planning.clone.vpn_ranges import apart
from planning.clone.zones import refuse_zones, zoned
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.spec.lock import to_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from operations.clone.source import Source
    from operations.clone.stack_config import Key, Settings
    from planning.checklist.model.checklist import Checklist
    from planning.clone.addresses import Taken
    from planning.clone.decisions.decision import Decision
    from planning.clone.field_table import Row
    from planning.clone.target import Ground, Target
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option
    from planning.spec.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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
    decisions: tuple[Decision, ...]
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
    fields: tuple[Row, ...]
    placed: tuple[Row, ...]
    decisions: tuple[Decision, ...]
    answers: Mapping[str, str]
    keys: tuple[Key, ...]
    secrets_provider: str
    zones_named: bool


def open_decisions(source: Source, target: Target, *, market: Market) -> tuple[Decision, ...]:
    """What a person may have to decide, before anything is quoted.

    Raises:
        InputError: the zones that were named cannot be, or the source's configuration cannot be read.
    """
    here = ground(market, target)
    if target.zones:
        refuse_zones(target.zones, known=here.region.zones, place=str(target), provider=target.provider)
    return (
        *provider_decision(
            _settings(source, target).provider, lock_region=source.lock.spec.placement.region, target=target
        ),
        *decisions(source.checklist, source=source.provider, target=target, ground=here),
    )


def _settings(source: Source, target: Target) -> Settings:
    return settings(source.project.stack_config(source.stack), same_provider=source.provider == target.provider)


def cloned(source: Source, asked: Asked, *, market: Market) -> Clone:
    """The clone of a source.

    Raises:
        AtollError: a decision is open, the target cannot hold it, or it costs more than its ceiling.
    """
    target, project = asked.target, source.project
    here, config = ground(market, target), _settings(source, target)
    open_, answers, networks = asked.decisions, asked.answers, taken(project)
    checklist = placed(source.checklist, target=target, decisions=open_, answers=answers, taken=networks)
    option, why, accepted = _accepted(source, asked, checklist, market=market, here=here, networks=networks)
    text, kept = rewritten(
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
        placed=placed_rows(source.lock, accepted),
        decisions=open_,
        answers=answers,
        keys=config.keys,
        secrets_provider=provider,
        zones_named=bool(target.zones),
    )


def _accepted(
    source: Source,
    asked: Asked,
    checklist: Checklist,
    *,
    market: Market,
    here: Ground,
    networks: Sequence[Taken],
) -> tuple[Option, str, Lock]:
    """The option, why it is the one, and the lock that holds it."""
    missing = partial(lacking, source.lock, target=asked.target, ground=here)
    found = quoted(
        checklist,
        stack=asked.stack,
        market=market,
        today=asked.today,
        allow_stale=asked.allow_stale,
        missing=missing,
    )
    option, why = chosen(found, lock=source.lock, named=asked.option)
    if asked.target.zones:
        option = zoned(option, asked.target.zones, checklist=checklist, market=market)
    option = apart(option, checklist=checklist, taken=networks)
    refuse(option, found, may_be_old=asked.may_be_old, missing=missing)
    accepted = lock(
        found,
        option,
        ceiling=ceilings(checklist),
        contract_months=checklist.contract.months,
        residency=checklist.where.residency,
    )
    return option, why, accepted
