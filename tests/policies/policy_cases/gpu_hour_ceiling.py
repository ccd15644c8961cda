from __future__ import annotations

from decimal import Decimal

from policy_kit import Breaking, ceiling, sound

CASES: tuple[Breaking, ...] = (
    Breaking(what="the dearest pool", stack=lambda: ceiling(sound(), usd_per_gpu_hour=Decimal(5))),
)
