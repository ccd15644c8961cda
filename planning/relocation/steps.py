"""The steps of a relocation, in order: what each proves, what takes it back, and where the way back ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
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


STEPS: Final[tuple[StepFacts, ...]] = (
    StepFacts(
        name="plan",
        title="hold the plan",
        proves="the plan that was reviewed is the plan that runs",
        aborts="locks or places changed since the plan was made",
    ),
    StepFacts(
        name="preflight",
        title="ask both sides",
        proves="both sides answer, versions are equal, the target has room, clocks agree",
        aborts="any question without a good answer",
    ),
    StepFacts(
        name="provision",
        title="find the target built",
        proves="the target's cluster, buckets and databases are there and hold nothing of somebody else's",
        way_back="the target stays; `atoll destroy` removes it",
        aborts="a target that is not built, or holds foreign data",
    ),
    StepFacts(
        name="seed",
        title="first copy",
        proves="every object of the source was read and written once",
        way_back="copies stay at the target; nothing of the source was touched; movers in a cluster are stopped",
        aborts="a target that is full, keys that expired, a bucket that refuses",
    ),
    StepFacts(
        name="deltas",
        title="copies of what changed",
        proves="the last round took less than the window",
        way_back="as the first copy",
        aborts="rounds that do not get shorter: the source is written faster than it is copied",
    ),
    StepFacts(
        name="freeze",
        title="stop writers",
        proves="every writer found is stopped, and a canary write is refused",
        way_back="each writer goes on as it was recorded before",
        aborts="a canary write that succeeds",
        frozen=True,
    ),
    StepFacts(
        name="final_delta",
        title="last copy",
        proves="two rounds in a row found nothing to copy",
        way_back="as the first copy",
        aborts="an object that was written during the freeze",
        frozen=True,
    ),
    StepFacts(
        name="databases",
        title="databases",
        proves="people confirmed what Atoll does not move; rows of every table counted and summed, equal on both sides",
        way_back="the target's databases stay; the source's were only read",
        aborts="something that people move is not confirmed; versions that differ, counts that differ",
        frozen=True,
    ),
    StepFacts(
        name="verify",
        title="verify",
        proves="manifests of both sides: 0 missing, 0 extra, 0 different",
        aborts="anything missing, extra or different",
        frozen=True,
    ),
    StepFacts(
        name="rewrite",
        title="rewrite addresses",
        proves="no URI in the target's metadata names the source",
        way_back="only the target was written",
        aborts="a schema version that is not known, URIs that fit no rule",
        frozen=True,
    ),
    StepFacts(
        name="smoke",
        title="smoke",
        proves="every artifact link opens at the target, its services answer",
        aborts="one link that does not open",
        frozen=True,
    ),
    StepFacts(
        name="dns",
        title="switch names",
        proves="the names of the services answer with the target's addresses",
        way_back="the names get their old addresses back",
        aborts="names that do not change within their time to live",
        frozen=True,
    ),
    StepFacts(
        name="observe",
        title="observe",
        proves="the target answered for as long as was asked, nothing was written at the source",
        aborts="one failed check at the target, one write at the source",
        frozen=True,
    ),
    StepFacts(
        name="commit",
        title="commit",
        proves="the target's writers run; the source stays frozen and is kept for the days that were asked",
    ),
)
NAMES: Final = tuple(each.name for each in STEPS)
# The first write at the target: from then on the source no longer holds everything.
POINT_OF_NO_RETURN: Final = "commit"
