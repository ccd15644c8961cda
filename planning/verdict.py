"""Is it under the ceiling: within, over, or cannot tell. The quote, the plan and the policy ask here."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from planning.money import to_cents
from planning.quote import Judgement, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.bill import Bill
    from planning.lock import Ceilings

_NAMED: Final = 3


def judge(bill: Bill, ceiling: Ceilings, *, contract_months: int, usd_per_gpu_hour: Decimal | None) -> Judgement:
    """The verdict over a bill.

    Unpriced lines can only add to a bill, so a priced part over the ceiling is over whatever they cost,
    and one within it cannot tell while any is left.

    Args:
        usd_per_gpu_hour: of the dearest accelerator in the bill; None where there is none.
    """
    month: Decimal = attrgetter(ceiling.binds)(bill.usd_per_month)
    limits = list(_limits(ceiling, month=month, contract_months=contract_months, usd_per_gpu_hour=usd_per_gpu_hour))
    if not limits:
        return Judgement(verdict=Verdict.WITHIN, reason="no ceiling is set")
    over = [f"{what} is {_usd(amount)}, the ceiling {_usd(limit)}" for what, amount, limit in limits if amount > limit]
    if over:
        return Judgement(verdict=Verdict.OVER, reason="; ".join(over))
    if bill.unpriced:
        return Judgement(verdict=Verdict.CANNOT_TELL, reason=_unpriced(bill))
    what, amount, limit = limits[0]
    return Judgement(verdict=Verdict.WITHIN, reason=f"{what} is {_usd(amount)}, the ceiling {_usd(limit)}")


def _limits(
    ceiling: Ceilings, *, month: Decimal, contract_months: int, usd_per_gpu_hour: Decimal | None
) -> Iterator[tuple[str, Decimal, Decimal]]:
    """What is limited, what it comes to, and the limit."""
    if ceiling.usd_per_month is not None:
        yield f"{ceiling.binds} a month", month, ceiling.usd_per_month
    if ceiling.usd_per_contract is not None:
        yield f"{ceiling.binds} over {contract_months} months", month * contract_months, ceiling.usd_per_contract
    if ceiling.usd_per_gpu_hour is not None and usd_per_gpu_hour is not None:
        yield "an accelerator for an hour", usd_per_gpu_hour, ceiling.usd_per_gpu_hour


def _unpriced(bill: Bill) -> str:
    names = [line.label for line in bill.unpriced]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"no price is known for {', '.join(names[:_NAMED])}{rest}"


def _usd(amount: Decimal) -> str:
    return f"{to_cents(amount):,} USD"
