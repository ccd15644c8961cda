"""Every step that can run, in the order of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.relocation.steps import NAMES

if TYPE_CHECKING:
    from operations.relocation.runner.step import RelocationStep


def every_step() -> tuple[RelocationStep, ...]:
    """The steps, imported here because they load the clients of databases and clusters."""
    from operations.relocation.steps import (  # noqa: PLC0415 - see above
        copy_rounds,
        databases,
        freeze,
        observe,
        plan,
        preflight,
        rewrite,
        smoke,
        verify,
    )

    every = [plan.STEP, preflight.STEP, preflight.PROVISION, copy_rounds.SEED, copy_rounds.DELTAS]
    every += [freeze.FREEZE, copy_rounds.FINAL_DELTA, databases.STEP, rewrite.STEP, verify.STEP, smoke.STEP]
    every += [freeze.DNS, observe.STEP, freeze.COMMIT]
    by_name = {each.name: each for each in every}
    return tuple(by_name[name] for name in NAMES)
