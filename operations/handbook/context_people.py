"""The people of a handbook: who has access, and whom they call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.handbook.facts import ContactFacts, PersonFacts, ResponseFacts
from operations.handbook.user_kubeconfig import places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.checklist.model.agreement import Agreement, Role, Sort
    from planning.spec.cluster import ClusterSpec

ROLES: Final[Mapping[Role, str]] = {
    "customer_lead": "Decides on your side",
    "customer_engineer": "Answers technical questions on your side",
    "account": "Contract, capacity and money",
    "engineer_on_call": "Something is broken now",
    "support": "Questions and tickets",
    "security": "Keys, access, something suspicious",
}
SORTS: Final[Mapping[Sort, str]] = {
    "urgent": "nobody can work",
    "high": "some cannot work",
    "normal": "a question",
}


def people(spec: ClusterSpec) -> tuple[PersonFacts, ...]:
    """Everybody with access."""
    return tuple(
        PersonFacts(name=user.name, group=user.group, workloads=places(user, spec), has_key=bool(user.ssh_key))
        for user in spec.access.users
    )


def contacts(agreement: Agreement) -> tuple[ContactFacts, ...]:
    """Whom to call, as the agreement names them."""
    return tuple(
        ContactFacts(role=ROLES[each.role], name=each.name, email=each.email, phone=each.phone or "")
        for each in agreement.contacts
    )


def responses(agreement: Agreement) -> tuple[ResponseFacts, ...]:
    """How soon somebody answers, as it was settled."""
    return tuple(
        ResponseFacts(sort=SORTS[each.sort], within_minutes=each.within_minutes, weekends=each.weekends)
        for each in agreement.responses
    )
