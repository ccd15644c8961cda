from __future__ import annotations

from dataclasses import replace
from datetime import date

from policy_kit import Breaking, sound

from policies.rules.money.prices import PriceAge
from policies.settings import PolicySettings

CASES: tuple[Breaking, ...] = (
    Breaking(what="a year later", stack=lambda: replace(sound(), today=date(2027, 11, 21))),
    Breaking(
        what="a stricter project",
        stack=lambda: replace(sound(), law=PolicySettings(settings={PriceAge: PriceAge(machine_days=1)})),
    ),
)
