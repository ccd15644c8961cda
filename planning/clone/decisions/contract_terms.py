"""What was settled with the source's provider: it names and binds that one, and no other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.clone.decisions.decision import (
    DROP,
    KEEP,
    NONE,
    CloneDecision,
    DecisionChoice,
    Need,
    apply_answer,
    replace_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.agreement import Agreement, Contact
    from planning.checklist.model.checklist import Checklist
    from planning.clone.target import Target

# What one provider has promised; the length of the burn-in is what the customer wants anywhere.
PROMISED: Final = (
    "starts",
    "steps",
    "credits",
    "tier_speeds",
    "fix_within_days",
    "exit_after_days",
    "replace_within_hours",
    "provider_spares",
    "responses",
    "upgrade_after_months",
    "migration_by",
    "maintenance_notice_hours",
)
OF_THE_CUSTOMER: Final = frozenset({"customer_lead", "customer_engineer"})


def list_agreement_decisions(checklist: Checklist, *, source: str, target: Target) -> Iterator[CloneDecision]:
    """What becomes of the agreement: at another provider all that is the old one's, else the day of the beginning.

    Args:
        source: provider of the source's home.
    """
    starts, bound = checklist.agreement.starts, _list_provider_terms(checklist.agreement)
    if target.provider != source and bound:
        yield CloneDecision(
            path="agreement",
            why=f"settled with {source}, which binds {target.provider} to nothing: {', '.join(bound)}",
            old=f"settled with {source}",
            choices=(
                DecisionChoice(DROP, f"these lines stay with the source: settle them with {target.provider}"),
                DecisionChoice(KEEP, f"{target.provider} has agreed to all of it, and these people answer there"),
            ),
            settle=_drop_provider_terms,
            need=Need.ASSUMED,
            assumed=DROP,
        )
    elif target.provider == source and starts is not None:
        yield CloneDecision(
            path="agreement.starts",
            why=f"{starts} is the day on which the work on the source's cluster begins",
            old=str(starts),
            choices=(
                DecisionChoice(NONE, "no day yet: settle one"),
                DecisionChoice(KEEP, "the same day"),
                DecisionChoice("DAY", f"another day, written as {starts} is"),
            ),
            settle=partial(apply_answer, path=("agreement", "starts")),
            need=Need.ASSUMED,
            assumed=NONE,
        )


def _list_provider_terms(agreement: Agreement) -> list[str]:
    said_ones = [name for name in PROMISED if getattr(agreement, name) not in (None, ())]
    roles = [each.role for each in agreement.contacts if _is_providers(each)]
    return [*said_ones, *([f"contacts ({', '.join(roles)})"] if roles else [])]


def _drop_provider_terms(checklist: Checklist, answer: str) -> Checklist:
    if answer != DROP:
        return checklist
    left = checklist.agreement.model_dump(mode="python", exclude=set(PROMISED))
    theirs = [each.model_dump(mode="python") for each in checklist.agreement.contacts if not _is_providers(each)]
    return replace_value(checklist, ("agreement",), {**left, "contacts": theirs})


def _is_providers(contact: Contact) -> bool:
    return contact.role not in OF_THE_CUSTOMER
