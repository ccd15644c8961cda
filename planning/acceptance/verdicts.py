"""What an acceptance comes to: one verdict for each thing that was to be measured, and one for each node, by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal


class Outcome(StrEnum):
    """How one check ended. `NOTED` was measured, and there is nothing to hold it to: it decides nothing."""

    PASSED = "passed"
    FAILED = "failed"
    CANNOT_TELL = "cannot tell"
    MISSING = "missing"
    NOTED = "noted"


WORST_FIRST: Final = (Outcome.FAILED, Outcome.MISSING, Outcome.CANNOT_TELL, Outcome.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One check of one subject.

    Args:
        subject: as records name it: "node/ip-10-64-1-7".
        pool: subject of the pool it stands in, "pool/home/gpu"; "" for tiers, networks and services.
        title: what was measured, in words.
        sentence: what was found, with its figures.
        reading: the figure that decided; "" where none did.
        measured: in `unit`; None where nothing was.
        params: what it was run with.
        at: place of the reading in the results, "measured.12.readings.0.value"; "" where there is none.
    """

    check: str
    subject: str
    pool: str = ""
    title: str
    outcome: Outcome
    sentence: str
    reading: str = ""
    unit: str = ""
    measured: Decimal | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    theory: Decimal | None = None
    params: tuple[tuple[str, str], ...] = ()
    why: str = ""
    source: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVerdict:
    """One node: failed as soon as one of its checks has; `reasons` say why it did not pass."""

    name: str
    placement: str
    pool: str
    outcome: Outcome
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Everything of one acceptance.

    Args:
        outcome: failed before missing before cannot tell before passed.
        nodes: every node that wrote a record of a known pool, by name.
        faults: records that were not used, and why.
    """

    stack: str
    option: str
    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    nodes: tuple[NodeVerdict, ...]
    faults: tuple[str, ...]

    @property
    def failed_nodes(self) -> tuple[str, ...]:
        """Names of the nodes that failed."""
        return tuple(node.name for node in self.nodes if node.outcome is Outcome.FAILED)

    def of(self, outcome: Outcome) -> tuple[Verdict, ...]:
        """The verdicts that ended so."""
        return tuple(each for each in self.verdicts if each.outcome is outcome)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of some outcomes, noted ones left out; cannot tell where nothing was judged."""
    found = set(outcomes)
    return next((each for each in WORST_FIRST if each in found), Outcome.CANNOT_TELL)
