"""Our own components: they cost nothing themselves and declare, as `charges`, what no resource can say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.costs.bill import Group
from planning.costs.charge import CHARGES_INPUT, from_inputs
from planning.costs.resources.findings import Free, Gap
from planning.costs.resources.properties import Properties, UnreadableError
from planning.costs.resources.stack_resources import OWN_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.charge import Charge
    from planning.costs.resources.context import Case
    from planning.costs.resources.findings import Finding
    from planning.costs.resources.resource import Resource

COMPONENT: Final = "a component costs nothing itself, what it contains is counted"
_READINGS: Final = ("min", "expected", "max")


def component(case: Case) -> Iterator[Finding]:
    """What a component of ours declares."""
    declared = case.inputs.at(CHARGES_INPUT).each()
    if not declared:
        yield Free(COMPONENT)
    for charge in declared:
        try:
            yield _charge(charge)
        except UnreadableError as error:
            yield Gap(
                key=case.key(charge.path),
                label=f"{case.resource.name}: {charge.path}",
                group=Group.SERVICES,
                item=case.resource.type,
                reason=str(error),
            )


def declares_share(resource: Resource) -> bool:
    """Whether one of a component's charges is a share of the bill, so that it is counted when all else is."""
    if not resource.type.startswith(OWN_PREFIX):
        return False
    declared = resource.inputs.get(CHARGES_INPUT)
    return isinstance(declared, list) and any(
        isinstance(each, dict) and each.get("ofBill") is True for each in declared
    )


def _charge(declared: Properties) -> Charge:
    """One declared charge, each field of which was known, bounded and plain."""
    for name in ("key", "label", "group", "item", "purchase"):
        declared.at(name).text()
    for name in ("note", "at", "fallback"):
        declared.at(name).text("")
    declared.at("ofBill").flag(default=False)
    declared.at("statedUsd").number(0)
    for reading in _READINGS:
        declared.at("quantity").at(reading).number()
    try:
        return from_inputs(cast("Mapping[str, object]", declared.value))
    except ValueError as error:
        raise UnreadableError(f"{declared.path}: {error}") from error
