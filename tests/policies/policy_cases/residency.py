from __future__ import annotations

from lock_kit import with_law
from policy_kit import Breaking, sound

from planning.checklist.model.vocabulary import Residency
from policies.rules.placement.places import ResidencySettings

CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a stack in the United States under a law for the EU",
        stack=lambda: with_law(sound(), ResidencySettings(everywhere=Residency.EU)),
    ),
    Breaking(
        what="a stack that has a demand of its own",
        stack=lambda: with_law(sound("gcp"), ResidencySettings(stacks={"gcp-train": Residency.UK})),
    ),
    Breaking(
        what="a provider that does not tell where its region lies",
        stack=lambda: with_law(sound("coreweave"), ResidencySettings(everywhere=Residency.US)),
        unclear=True,
    ),
)
