"""What AWS says about one placement: before it is built, and after it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.clouds.aws import capacity
from operations.clouds.aws.client import REFUSED, clients, refusal
from operations.clouds.aws.orphans import SEARCHES
from operations.clouds.aws.tags import Tagged
from operations.clouds.registry import Search
from planning.cloud_checks.cloud_reports import Told
from planning.cloud_checks.orphans import Found, Unanswered

if TYPE_CHECKING:
    from operations.clouds.registry import Asked


def told(asked: Asked) -> Told:
    """Quotas, offers and reservations of the placement's region."""
    aws = clients(asked.spec.placement.region)
    return Told(silence=aws) if isinstance(aws, str) else capacity.told_by(aws, asked)


def search(asked: Asked) -> Search:
    """Everything of the stack that the placement's region still has, one service after the other."""
    place = asked.spec.placement
    aws = clients(place.region)
    if isinstance(aws, str):
        return Search((), (Unanswered(placement=place.name, what="AWS", reason=aws),))
    return search_by(Tagged(aws, asked))


def search_by(tagged: Tagged) -> Search:
    """The same, with given clients."""
    found: list[Found] = []
    unanswered: list[Unanswered] = []
    for what, look in SEARCHES.items():
        try:
            found += look(tagged)
        except REFUSED as error:
            name = tagged.asked.spec.placement.name
            unanswered.append(Unanswered(placement=name, what=what, reason=refusal(error)))
    return Search(tuple(found), tuple(unanswered))
