"""The guard's plan and ledger as text, in a pod's volume and in the cluster: standard library only."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, cast

from planning.agents.spend_guard import ZERO, MeteredPool, SpendGuardPlan, SpendLedger, unreadable

MONTH: Final = re.compile(r"\d{4}-\d{2}")


def plan_to_text(plan: SpendGuardPlan) -> str:
    """JSON of a plan."""
    pools = [{name: _plain(getattr(pool, name)) for name in MeteredPool.__slots__} for pool in plan.pools]
    rest = {name: _plain(getattr(plan, name)) for name in SpendGuardPlan.__slots__ if name != "pools"}
    return json.dumps({**rest, "pools": pools}, indent=1, sort_keys=True) + "\n"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Decimal) else value


def plan_of_text(text: str) -> SpendGuardPlan:
    """The plan that `plan_to_text` wrote.

    Raises:
        ValueError: it is not one.
    """
    fields = _LedgerFields(text)
    return SpendGuardPlan(
        ceiling_usd_per_month=fields.usd("ceiling_usd_per_month"),
        other_usd_per_month=fields.usd("other_usd_per_month"),
        stranger_usd_per_hour=fields.usd("stranger_usd_per_hour"),
        label=str(fields.said["label"]),
        pools=tuple(_pool(each) for each in cast("list[dict[str, object]]", fields.said["pools"])),
        queues=tuple(map(str, cast("list[object]", fields.said["queues"]))),
    )


def _pool(said: dict[str, object]) -> MeteredPool:
    return MeteredPool(
        key=str(said["key"]),
        usd_per_hour=Decimal(str(said["usd_per_hour"])),
        usd_as_spot=Decimal(str(said["usd_as_spot"])),
        least=int(str(said["least"])),
        most=int(str(said["most"])),
        held=said["held"] is True,
    )


def ledger_to_text(ledger: SpendLedger) -> str:
    """JSON of a ledger."""
    said = {
        "month": ledger.month,
        "usd": str(ledger.usd),
        "until": ledger.until.isoformat(),
        "usd_per_hour": str(ledger.usd_per_hour),
    }
    return json.dumps(said, sort_keys=True)


def ledger_of_text(text: str, plan: SpendGuardPlan, *, now: datetime) -> SpendLedger | None:
    """The ledger that was written; None for none. An unreadable one counts the whole month at its full size."""
    if not text.strip():
        return None
    try:
        fields = _LedgerFields(text)
        until = datetime.fromisoformat(str(fields.said["until"])).astimezone(UTC)
        month, usd, rate = str(fields.said["month"]), fields.usd("usd"), fields.usd("usd_per_hour")
        if MONTH.fullmatch(month) and usd >= ZERO and rate >= ZERO:
            return SpendLedger(month=month, usd=usd, until=until, usd_per_hour=rate)
    # What nobody can read must not count as nothing spent.
    except (ValueError, KeyError, TypeError, ArithmeticError):
        pass
    return unreadable(plan, now=now)


@dataclass(slots=True)
class _LedgerFields:
    """A JSON object."""

    text: str
    said: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        found: object = json.loads(self.text)
        if not isinstance(found, dict):
            raise ValueError("not an object")  # noqa: TRY004 - text that does not fit, like any other
        self.said = cast("dict[str, object]", found)

    def usd(self, name: str) -> Decimal:
        found = Decimal(str(self.said[name]))
        if not found.is_finite():
            raise ValueError(f"{name} is no amount")
        return found
