from __future__ import annotations

from decimal import Decimal

from policy_kit import Breaking, ceiling, sound

CASES: tuple[Breaking, ...] = (
    Breaking(what="twelve months", stack=lambda: ceiling(sound(), usd_per_contract=Decimal(100000))),
)
