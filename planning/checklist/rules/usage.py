"""Rules on what is paid by use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.usage import Requests, Volume
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

OF_COLD: Final = ("growth", "writes", "reads")


def usage_rises(checklist: Checklist) -> Iterator[Broken]:
    """A busy month is not below a usual one, nor that below a quiet one."""
    for name in type(checklist.usage).model_fields:
        spread: object = getattr(checklist.usage, name)
        if isinstance(spread, Volume | Requests) and not spread.low <= spread.expected <= spread.high:
            message = f"usage.{name} does not rise from low over expected to high"
            yield Broken(("usage", name), message, "order the three")


def usage_has_its_place(checklist: Checklist) -> Iterator[Broken]:
    """What is used of something needs the thing."""
    usage = checklist.usage
    for name in OF_COLD:
        if getattr(usage, name) is not None and checklist.storage.cold is None:
            message = f"usage.{name} is about the cold tier, and there is none"
            yield Broken(("usage", name), message, "ask for storage.cold, or leave this out")
    if usage.peering is not None and (checklist.main_cloud is None or checklist.main_cloud.vpc_id is None):
        message = "usage.peering is about a peering, and there is none"
        yield Broken(("usage", "peering"), message, "name main_cloud.vpc_id, or leave this out")


def usage_said_once(checklist: Checklist) -> Iterator[Broken]:
    """A busy month's egress stands in one place."""
    if checklist.usage.egress is not None and checklist.traffic.egress_per_month_max is not None:
        message = "the egress of a busy month stands here and in usage.egress"
        yield Broken(("traffic", "egress_per_month_max"), message, "keep usage.egress")
