"""What provider and customer settled beyond the option: terms of the contract's annex. No price follows from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planning.checklist.model.people import Email
from planning.checklist.model.units import Day, Flag, Number, Whole
from planning.checklist.model.workload import ChecklistModel, Name

Phone = Annotated[str, Field(pattern=r"^\+[0-9 ]{6,20}$")]
Sort = Literal["urgent", "high", "normal"]
HandoverStep = Literal[
    "sign", "prepare", "preflight", "build", "burn_in", "accept", "deliver", "teach", "load", "first_job", "review"
]
Role = Literal["customer_lead", "customer_engineer", "account", "engineer_on_call", "support", "security"]


class Credit(ChecklistModel):
    """What is paid back where a month falls short."""

    below_percent: Number = Field(gt=0, lt=100)
    """Availability of the month below which it is due."""
    credit_percent: Number = Field(gt=0, le=100)
    """Of what the part costs in that month."""


class Response(ChecklistModel):
    """How soon somebody answers."""

    sort: Sort
    """How bad it is: no work is possible, some is not, a question."""
    within_minutes: Whole = Field(ge=1)
    """From the report to the first answer of an engineer."""
    weekends: Flag = False
    """Whether that holds at night, at weekends and on holidays too."""


class Contact(ChecklistModel):
    """Support contacts."""

    role: Role
    """What for."""
    name: str = Field(min_length=1, max_length=80)
    """Who."""
    email: Email
    """Where they read."""
    phone: Phone | None = None
    """Where they can be called, with the country's code."""


class StepTime(ChecklistModel):
    """How long a step of the handover takes."""

    step: HandoverStep
    """Which one."""
    working_days: Whole = Field(ge=0, le=260)
    """Monday to Friday; holidays are not known here."""


class AgreedSpeed(ChecklistModel):
    """What a storage tier reads and writes at least; MB/s of 10^6 bytes."""

    tier: Literal["hot", "warm"]
    """Which one; only file systems are measured."""
    placement: Name = "home"
    """Where it is: a name of where.elsewhere for a tier of an additional placement."""
    read_mb_per_s: Number | None = Field(default=None, gt=0)
    """MB/s that all nodes together read."""
    write_mb_per_s: Number | None = Field(default=None, gt=0)
    """MB/s that all nodes together write."""


class Agreement(ChecklistModel):
    """Terms that were settled; what is left out stays a blank line in the annex."""

    starts: Day | None = None
    """Day on which the work on the accepted cluster begins."""
    steps: tuple[StepTime, ...] = ()
    """Time of each step of the handover; those left out take what catalogs/handover_steps.csv says."""
    credits: tuple[Credit, ...] = ()
    """Credits; empty for those of catalogs/promises.csv."""
    tier_speeds: tuple[AgreedSpeed, ...] = ()
    """Throughput of storage tiers, held to in full; what is left out is held to what the provider publishes, if any."""
    fix_within_days: Number | None = Field(default=None, gt=0)
    """Time to bring a deliverable that was measured too low to what was promised."""
    exit_after_days: Number | None = Field(default=None, gt=0)
    """Days of such a fault after which the customer may leave without a charge."""
    replace_within_hours: Number | None = Field(default=None, gt=0)
    """Time to replace a node that failed."""
    provider_spares: Whole | None = Field(default=None, ge=0)
    """Nodes that the provider keeps ready for this customer beyond those of the lock, on the same spine."""
    burn_in_hours: Number | None = Field(default=None, ge=1, le=336)
    """Length of the burn-in; none for that of catalogs/promises.csv."""
    responses: tuple[Response, ...] = ()
    """How soon somebody answers."""
    upgrade_after_months: Whole | None = Field(default=None, ge=1)
    """Months after which the customer may move to the next generation before the term ends."""
    migration_by: Literal["provider", "customer"] | None = None
    """Who moves the data when the cluster has to move."""
    maintenance_notice_hours: Number | None = Field(default=None, gt=0)
    """Notice of work that takes nodes away; such hours are not counted as failures."""
    contacts: tuple[Contact, ...] = ()
    """Support contacts, and who answers for the steps of the handover."""
