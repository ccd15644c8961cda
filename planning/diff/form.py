"""Shapes of `atoll diff --json`, and of what rules say in plans and watches; `atoll schema` publishes them.

Money is decimals in strings, never floats. An unknown amount is null, never 0.
"""

from __future__ import annotations

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from planning.costs.json_shapes import CLOSED, RangeForm

VerdictWord = Literal["within", "over", "undetermined"]


@with_config(CLOSED)
class RefForm(TypedDict):
    """One side of the comparison."""

    ref: str
    """As it was named; "" for the working tree."""
    commit: str
    """Full hash; "" for the working tree."""
    prices: str
    """Name of its price book."""
    prices_digest: str
    prices_as_of: str | None


@with_config(CLOSED)
class AmountForm(TypedDict):
    """What something costs a month on one side."""

    usd_per_month: RangeForm
    """In cents; a floor while `unpriced` is not 0."""
    unpriced: int
    """How many lines have no price."""
    estimated: int
    """How many lines have an estimate, which the amounts count."""


@with_config(CLOSED)
class DeltaForm(TypedDict):
    """By how much an amount moves."""

    usd_per_month: RangeForm
    """New less old, reading by reading, in cents; may be negative, and need not rise."""
    percent: str | None
    """Of the expected reading, one decimal; null where there was nothing before."""


@with_config(CLOSED)
class LineDiffForm(TypedDict):
    """One line of the bill that moves."""

    key: str
    label: str
    change: Literal["added", "removed", "quantity", "price", "both", "unpriced"]
    old: AmountForm | None
    new: AmountForm | None
    delta: DeltaForm
    quantity: list[str]
    """Expected units a month: before, after; "" where the line is missing."""
    unit: str
    usd_per_unit: list[str]
    """Before, after; "" where unknown."""
    source: str


@with_config(CLOSED)
class ComponentDiffForm(TypedDict):
    """One chapter of the cluster: a node pool, a storage tier, the network, a platform part."""

    name: str
    """First words of the lines' keys: "pool/train", "storage/warm", "network"."""
    old: AmountForm | None
    new: AmountForm | None
    delta: DeltaForm
    lines: list[LineDiffForm]


@with_config(CLOSED)
class CalledOutForm(TypedDict):
    """A resource whose change may lose something."""

    action: Literal["delete", "replace", "unprotect"]
    urn: str
    type: str
    name: str
    protected: bool
    """Whether it was protected before: the engine will refuse."""
    holds_data: bool
    because: list[str]
    """Paths of the inputs that force the replacement."""


@with_config(CLOSED)
class CountsForm(TypedDict):
    """Resources by what happens to them."""

    created: int
    updated: int
    replaced: int
    deleted: int
    unchanged: int


@with_config(CLOSED)
class FoundForm(TypedDict):
    """A rule that a stack breaks, or that is undetermined."""

    rule: str
    title: str
    verdict: Literal["over", "undetermined"]
    level: Literal["mandatory", "advisory"]
    stops: bool
    """Mandatory and not exempt."""
    sentence: str
    urn: str
    path: str
    exemption: str
    """Owner and last day of its exemption; "" for none."""


@with_config(CLOSED)
class ExemptionForm(TypedDict):
    """An exemption of the stack, needed or not."""

    rule: str
    resource: str
    owner: str
    reason: str
    expires: str
    max_usd_per_month: str | None
    standing: Literal["used", "unused", "expired", "exceeded"]


@with_config(CLOSED)
class BreachForm(FoundForm):
    """A rule that the stack breaks, or that is undetermined, and whether the change brings it."""

    new: bool
    """Not there on the base."""


@with_config(CLOSED)
class JudgedForm(TypedDict):
    """The rules over one side of a stack."""

    verdict: VerdictWord
    reason: str
    """What decides it, in a sentence."""
    exit_code: int


@with_config(CLOSED)
class CeilingChangeForm(TypedDict):
    """A limit that the change moves: a row of its own."""

    what: str
    """"usd_per_month", "usd_per_contract", "usd_per_gpu_hour", "binds"."""
    where: str
    """File in which it stands."""
    old: str
    """"none" where there was none."""
    new: str
    raised: bool
    """Whether the change lets more through."""


@with_config(CLOSED)
class JudgeChangeForm(TypedDict):
    """A file that judges the change and is changed by it."""

    what: Literal["exemptions", "rules", "prices", "program", "workflow", "settings"]
    path: str
    words: str
    """What of it, in a sentence; the base's own was used."""


@with_config(CLOSED)
class StackDiffForm(TypedDict):
    """One stack, before and after."""

    stack: str
    state: Literal["changed", "added", "removed", "renamed", "unchanged", "failed"]
    """"unchanged": looked at, and nothing differs."""
    was: str
    """Earlier name of a renamed stack; else ""."""
    failure: str
    """Why there is no figure; "" where there is."""
    old: AmountForm | None
    new: AmountForm | None
    """At the base's prices, which judge."""
    delta: DeltaForm | None
    by_change: DeltaForm | None
    """What the code and the lock move, at the base's prices."""
    by_prices: DeltaForm | None
    """What the head's price book moves on top, for the same resources."""
    components: list[ComponentDiffForm]
    counts: CountsForm | None
    called_out: list[CalledOutForm]
    before: JudgedForm | None
    after: JudgedForm | None
    """By the ceilings, exemptions and prices of the base."""
    breaches: list[BreachForm]
    """After the change, new ones first."""
    mended: list[BreachForm]
    """Breaches of the base that are gone."""
    exemptions: list[ExemptionForm]
    ceilings: list[CeilingChangeForm]
    notes: list[str]


@with_config(CLOSED)
class DiffForm(TypedDict):
    """`atoll diff --json`."""

    schema_version: int
    base: RefForm
    head: RefForm
    stacks: list[StackDiffForm]
    """Only those that may differ, the largest change in cost first; failed ones before all others."""
    untouched: int
    """Stacks whose digests are equal on both sides: neither run nor priced."""
    old: AmountForm | None
    """Sum over `stacks`."""
    new: AmountForm | None
    delta: DeltaForm | None
    judge_changes: list[JudgeChangeForm]
    verdict: Literal["within", "over", "undetermined", "failed"]
    """The worst of all stacks."""
    exit_code: int
    notes: list[str]
