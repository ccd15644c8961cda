from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from policy_kit import Breaking, sound

from policies.rules.money.ceilings import ComponentCeilings
from policies.settings import PolicySettings
from policies.stack_context import StackContext


def with_ceilings(**settings: dict[str, object]) -> StackContext:
    found = ComponentCeilings.model_validate(settings)
    return replace(sound(), law=PolicySettings(settings={ComponentCeilings: found}))


CASES: tuple[Breaking, ...] = (
    Breaking(what="a pool", stack=lambda: with_ceilings(usd_per_month={"pool/finetune-7b": Decimal(5000)})),
    Breaking(what="a tier", stack=lambda: with_ceilings(usd_per_month={"storage/warm": Decimal(500)})),
    Breaking(
        what="a chapter of one stack",
        stack=lambda: with_ceilings(usd_per_month={"pool": Decimal(20000)}, stacks={"demo": {"pool": Decimal(8000)}}),
    ),
)
