"""JSON of a comparison; shapes and builders side by side, they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.diff.form import AmountForm, ComponentDiffForm, DeltaForm  # noqa: TC001 - pydantic reads it at run time
from planning.values.json_format import SCHEMA_VERSION

if TYPE_CHECKING:
    from planning.clone.comparison.difference import Difference
    from planning.clone.comparison.parity import Parity
    from planning.clone.comparison.price_lines import OneSided, PriceLines
    from planning.clone.comparison.residency import Abode, Latency, Residence
    from planning.clone.comparison.stack_comparison import CloneComparison

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class OneSidedForm(TypedDict):
    """A line that has a price on one side only."""

    key: str
    label: str
    priced_on: str
    """"old" or "new"."""


@with_config(_CLOSED)
class PriceLinesForm(TypedDict):
    """Both bills."""

    old: AmountForm
    new: AmountForm
    delta: DeltaForm
    comparable: DeltaForm
    """Without the lines that have a price on one side only."""
    components: list[ComponentDiffForm]
    """Every component of which a line moves, the largest move first."""
    one_sided: list[OneSidedForm]
    notes: list[str]


@with_config(_CLOSED)
class DifferenceForm(TypedDict):
    """Something that one side has or does otherwise."""

    placement: str
    topic: str
    what: str
    old: str
    new: str
    source: str
    note: str


@with_config(_CLOSED)
class ParityForm(TypedDict):
    """One security control on both sides."""

    placement: str
    name: str
    title: str
    standing: Literal["equal", "weaker", "none", "stronger", "differs", "yours", "cannot tell"]
    """The target held against the source. "none": nothing takes its place; "differs": both have a part, not the same
    one; "yours": whoever runs the cluster decides."""
    old: str
    new: str
    source: str


@with_config(_CLOSED)
class AbodeForm(TypedDict):
    """Where a cluster lies."""

    provider: str
    region: str
    country: str
    residency: str
    source: str


@with_config(_CLOSED)
class ResidenceForm(TypedDict):
    """Where data lies before and after."""

    placement: str
    old: AbodeForm
    new: AbodeForm
    demanded: str
    """By the checklist."""
    verdict: Literal["kept", "moves", "refused", "cannot tell"]
    words: str


@with_config(_CLOSED)
class LatencyForm(TypedDict):
    """What is known of the time between the places."""

    words: str
    commands: list[str]
    """What measures it."""
    notes: list[str]


@with_config(_CLOSED)
class ComparisonForm(TypedDict):
    """A source and its clone."""

    schema_version: int
    old: str
    new: str
    money: PriceLinesForm
    capabilities: list[DifferenceForm]
    security: list[ParityForm]
    residency: list[ResidenceForm]
    latency: LatencyForm
    notes: list[str]


def comparison_form(c: CloneComparison) -> ComparisonForm:
    return {
        "schema_version": SCHEMA_VERSION,
        "old": c.old,
        "new": c.new,
        "money": _money(c.money),
        "capabilities": [_difference(each) for each in c.capabilities],
        "security": [_parity(each) for each in c.security],
        "residency": [_residence(each) for each in c.residency],
        "latency": _latency(c.latency),
        "notes": list(c.notes),
    }


def _money(money: PriceLines) -> PriceLinesForm:
    return {
        "old": money.old,
        "new": money.new,
        "delta": money.delta,
        "comparable": money.comparable,
        "components": list(money.components),
        "one_sided": [_one_sided(each) for each in money.one_sided],
        "notes": list(money.notes),
    }


def _one_sided(each: OneSided) -> OneSidedForm:
    return {"key": each.key, "label": each.label, "priced_on": each.priced_on}


def _difference(each: Difference) -> DifferenceForm:
    return {
        "placement": each.placement,
        "topic": each.topic,
        "what": each.what,
        "old": each.old,
        "new": each.new,
        "source": each.source,
        "note": each.note,
    }


def _parity(each: Parity) -> ParityForm:
    return {
        "placement": each.placement,
        "name": each.name,
        "title": each.title,
        "standing": each.standing,
        "old": each.old,
        "new": each.new,
        "source": each.source,
    }


def _residence(each: Residence) -> ResidenceForm:
    return {
        "placement": each.placement,
        "old": _abode(each.old),
        "new": _abode(each.new),
        "demanded": each.demanded,
        "verdict": each.verdict,
        "words": each.words,
    }


def _abode(each: Abode) -> AbodeForm:
    return {
        "provider": each.provider,
        "region": each.region,
        "country": each.country,
        "residency": each.residency,
        "source": each.source,
    }


def _latency(each: Latency) -> LatencyForm:
    return {"words": each.words, "commands": list(each.commands), "notes": list(each.notes)}
