"""Addresses that the rewriting would refuse, looked for at the source before anything is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.relocation.databases import postgres
from operations.relocation.databases.uri_rewrite import refusals, survey
from operations.relocation.runner.step import StepError
from operations.relocation.steps.rewrite import DECLARE, SCHEMAS, moved_prefixes, rules_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.config.endpoints import DatabasePlace, Places
    from operations.relocation.databases.uri_rules import Rules


def hold(places: Places, secrets: Mapping[str, str]) -> list[str]:
    """Databases that were looked at, once the rewriting would refuse none of their addresses.

    Each is only read: what is looked for is what stands still later, when a new rule would cost a roll back.

    Raises:
        StepError: with every address that fits no rule or becomes too long, counted; or the rules are not sound.
    """
    rules = rules_for(places)
    known = [each for each in places.source.databases if each.part in SCHEMAS and each.engine == "postgresql"]
    faults = [f"{each.part}: {fault}" for each in known for fault in _refused(each, secrets, rules, places)]
    if faults:
        raise StepError("; ".join(faults), hint=DECLARE, evidence={"faults": faults})
    return [each.part for each in known]


def _refused(place: DatabasePlace, secrets: Mapping[str, str], rules: Rules, places: Places) -> list[str]:
    with postgres.session(place, secrets) as connection:
        found = survey(connection, SCHEMAS[place.part], rules, moved=moved_prefixes(places), counting=False)
    return refusals(found)
