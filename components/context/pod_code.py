"""Modules of ours as pods get them: their own text, the very one that the tests prove, where Python looks for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


def read_modules(modules: Sequence[ModuleType]) -> dict[str, str]:
    """Key of each module in a ConfigMap, "components.agents.spend_guard.py", to its text."""
    return {f"{each.__name__}.py": Path(str(each.__file__)).read_text(encoding="utf-8") for each in modules}


def path_of(key: str) -> str:
    """Where a key of a ConfigMap lies below a folder of PYTHONPATH: "components/agents/spend_guard.py"."""
    return f"{key.removesuffix('.py').replace('.', '/')}.py" if key.endswith(".py") else key
