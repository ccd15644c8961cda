"""The questions of `atoll init`, in order; those that decide most of the price come first."""

from __future__ import annotations

from typing import Final

from planning.checklist.model.vocabulary import CloudName
from planning.checklist.reference.platform_questions import DETAILS
from planning.checklist.reference.question import Choice, Question, words
from planning.checklist.reference.workload_questions import WORK

MORE: Final = "more"  # whether the questions after it are asked, or keep their defaults
_HAS_CLOUD: Final = ("main_cloud", frozenset({"aws", "gcp", "azure"}))
_COMMITS: Final = ("contract", frozenset({"12", "24", "36"}))

_PLACE: Final = (
    Question(
        id="main_cloud",
        text="Our main cloud is",
        kind="choice",
        path="main_cloud.provider",
        default="aws",
        choices=(Choice("aws"), Choice("gcp", "Google Cloud"), Choice("azure"), Choice("none", "none of these")),
        nothing="none",
    ),
    Question(
        id="region",
        text="Its region",
        kind="text",
        path="main_cloud.region",
        default_by=("main_cloud", (("aws", "us-east-1"), ("gcp", "us-central1"), ("azure", "eastus"))),
        when=(_HAS_CLOUD,),
    ),
    Question(
        id="wanted",
        text="Providers that the cluster may be at",
        kind="choice",
        path="where.wanted",
        default="any",
        choices=(*words(*CloudName), Choice("any", "all of them")),
        nothing="any",
        several=True,
    ),
    Question(
        id="regions",
        text='Regions that the cluster may be in, as the providers write them ("any": all of theirs)',
        kind="text",
        path="where.regions",
        default="any",
        nothing="any",
        several=True,
    ),
    Question(
        id="residency",
        text="Where may data lie?",
        kind="choice",
        path="where.residency",
        default="any",
        choices=words("any", "US", "EU", "UK", "CA", "APAC"),
        when=(("regions", frozenset({"any"})),),
    ),
)

_MONEY: Final = (
    Question(
        id="contract",
        text="Length of the contract, in months",
        kind="choice",
        path="contract.months",
        default="none",
        choices=(Choice("none", "no contract"), *words("12", "24", "36")),
        nothing="none",
    ),
    Question(
        id="incentives",
        text="Include incentives?",
        kind="bool",
        path="contract.incentives",
        default="true",
        when=(_COMMITS,),
    ),
    Question(
        id="support",
        text="We want platform support",
        kind="choice",
        path="support",
        default="as_needed",
        choices=(
            Choice("none", "no support"),
            Choice("as_needed", "as needed"),
            Choice("business_hours", "business hours"),
            Choice("24x7", "day and night"),
        ),
    ),
    Question(
        id="ceiling",
        text='Budget: the most that a month may cost, in USD ("none": no limit)',
        kind="number",
        path="ceiling.usd_per_month",
        default="30000",
        nothing="none",
    ),
    Question(
        id="binds",
        text="The budget applies to",
        kind="choice",
        path="ceiling.binds",
        default="expected",
        choices=(Choice("expected", "an expected month"), Choice("max", "the busiest month, too")),
        unless=(("ceiling", frozenset({"none"})),),
    ),
)

_REST: Final = Question(
    id=MORE,
    text="This decides most of the price. Answer the rest, too (platform, network, access)? No keeps its defaults",
    kind="bool",
    path="",
    default="false",
)

QUESTIONS: Final[tuple[Question, ...]] = (*WORK, *_PLACE, *_MONEY, _REST, *DETAILS)
