"""Every step that can run, in the order of the plan."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from planning.relocation.steps import NAMES

if TYPE_CHECKING:
    from operations.relocation.runner.step import RelocationStep


def every_step() -> tuple[RelocationStep, ...]:
    """The steps; databases and clusters are imported with them, so nobody else pays for that."""
    return tuple(import_module(f"{__package__}.{name}").STEP for name in NAMES)
