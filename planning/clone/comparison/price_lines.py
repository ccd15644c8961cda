"""The bill of the source beside the bill of its clone, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic.dataclasses import dataclass

from planning.costs.json_shapes import LineForm, publish_as, range_form
from planning.diff.bill_lines import amount_of, components, delta_of
from planning.diff.form import AmountForm, ComponentDiffForm, DeltaForm
from planning.values.json_format import fill_form
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.spec.lock import Lock, LockedLine


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("OneSidedForm"))
class OneSided:
    """A line that has a price on one side only."""

    key: str
    label: str
    priced_on: str
    """"old" or "new"."""


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("PriceLinesForm"))
class PriceLines:
    """Both bills."""

    old: AmountForm
    new: AmountForm
    delta: DeltaForm
    comparable: DeltaForm  # a price that is lost is no saving
    """Without the lines that have a price on one side only."""
    components: tuple[ComponentDiffForm, ...]
    """Every component of which a line moves, the largest move first."""
    one_sided: tuple[OneSided, ...]
    notes: tuple[str, ...]


def price_lines(old: Lock, new: Lock) -> PriceLines:
    """Both accepted bills, side by side."""
    before, after = (tuple(map(_form, each.bill)) for each in (old, new))
    one_sided = tuple(_one_sided(before, after))
    left_out = {each.key for each in one_sided}
    known = [[line for line in lines if _strip_tier(line["key"]) not in left_out] for lines in (before, after)]
    return PriceLines(
        old=amount_of(before),
        new=amount_of(after),
        delta=delta_of(amount_of(before), amount_of(after)),
        comparable=delta_of(*map(amount_of, known)),
        components=tuple(components(before, after)),
        one_sided=one_sided,
        notes=tuple(_notes(old, new)),
    )


def _one_sided(old: Sequence[LineForm], new: Sequence[LineForm]) -> Iterator[OneSided]:
    """Things that both bills have, and only one of them has a price of."""
    for side, priced, unpriced in (("old", old, new), ("new", new, old)):
        known = _things(priced, priced=True)
        for key, label in _things(unpriced, priced=False).items():
            if key in known:
                yield OneSided(key=key, label=label, priced_on=side)


def _things(lines: Iterable[LineForm], *, priced: bool) -> dict[str, str]:
    found = (line for line in lines if (line["usd_per_month"] is not None) is priced)
    return {_strip_tier(line["key"]): line["label"] for line in found}


def _strip_tier(key: str) -> str:
    return key.partition("#")[0]


def _notes(old: Lock, new: Lock) -> Iterator[str]:
    """What else differs between the two bills than the place."""
    if old.prices_digest != new.prices_digest:
        yield (
            f"the bills are of two price lists ({old.prices} of {old.prices_as_of or 'no date'} and {new.prices} of "
            f"{new.prices_as_of or 'no date'}): part of the difference is time, not place"
        )
    if old.contract_months != new.contract_months:
        yield f"the contracts differ: {old.contract_months} and {new.contract_months} months"


def _form(line: LockedLine) -> LineForm:
    """A locked line as the comparison of bills reads lines; a lock keeps no group, and a note of an estimate only."""
    return fill_form(
        LineForm,
        line,
        group="",
        state=line.state,
        quantity=range_form(Range(*line.quantity)),
        usd_per_month=line.usd_per_month and range_form(Range(*line.usd_per_month)),
        usd_per_unit_range=None,
        note=line.basis,
    )
