"""The steps of a relocation, in order, with the proof and the rollback of each, up to the point of no return."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from planning.inputs.fact_tables import read_table


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class StepFacts:
    """What a person reads of a step before it runs.

    Args:
        frozen: whether writers of the source are stopped while it runs.
        way_back: what a roll back does to it; "" where there is nothing to take back.
        aborts: what makes it fail, so that nothing later runs.
    """

    name: str
    title: str
    proves: str
    way_back: str = ""
    aborts: str = ""
    frozen: bool = False


STEPS: Final = read_table("relocation_steps.yaml", tuple[StepFacts, ...])
NAMES: Final = tuple(each.name for each in STEPS)
# The first write at the target: from then on the source no longer holds everything.
POINT_OF_NO_RETURN: Final = "commit"
