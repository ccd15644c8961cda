"""A project whose cluster is rented already and gets the small platform, from a mirror's folder beside it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stand_in_charts import mirror
from ways_here import accepted_as, asked

from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from engine_here import Here

    from planning.spec.lock import Lock

STACK = "sample"
FOLDER = "mirror"  # beside stacks/
SECONDS = 1800  # of one command: three hundred resources, most of them definitions; six minutes on two busy cores


def quickly(folder: Path) -> dict[str, str]:
    """Environment in which the engine writes its state once, at the end, and no log of hundreds of MB.

    It has no switch for the log (since 3.249); it goes without one where it cannot make the folder for it.
    """
    home = folder / "engine-home"
    home.mkdir()
    (home / "logs").touch()
    plugins = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi") / "plugins"
    if plugins.is_dir():
        (home / "plugins").symlink_to(plugins)
    return {"PULUMI_HOME": str(home), "PULUMI_SKIP_CHECKPOINTS": "true"}


def with_platform(**changes: Any) -> dict[str, Any]:
    """The checklist of the example with a small platform from the mirror."""
    found = asked()
    return {**found, "platform": {"size": "small", "mirror": FOLDER, **changes}}


def accepted_with(checklist: dict[str, Any], folder: Path) -> tuple[Here, Lock]:
    """A project in which the checklist is accepted, and the mirror of what was decided."""
    here = accepted_as(STACK, checklist, folder=folder)
    lock = read_lock(folder / f"stacks/{STACK}/quote.lock.json")
    assert lock.spec.platform is not None
    mirror(lock.spec.platform, folder / FOLDER)
    return replace(here, seconds=SECONDS), lock
