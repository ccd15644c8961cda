"""Modules of ours as pods get them: their own text, at the path where Python looks for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def read_module(module: ModuleType) -> str:
    """Text of a module, the very one that the tests prove."""
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def path_of(module: ModuleType) -> str:
    """Where a module lies below a folder of PYTHONPATH: "components/agents/spend_guard.py"."""
    return f"{module.__name__.replace('.', '/')}.py"
