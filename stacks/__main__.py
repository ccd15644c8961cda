"""The program of every stack: reads the accepted lock, builds what it decides, exports how to reach it.

The engine runs this file alone, with only this folder on the path; everything else is installed with the project.
"""

from __future__ import annotations

from pathlib import Path

import pulumi

from components.targets import build
from planning.errors import AtollError, in_one_line
from planning.lock import LOCK_NAME, read_lock
from planning.platform.prices import node_prices


def main() -> None:
    """The stack that is selected."""
    try:
        lock = read_lock(Path(__file__).parent / pulumi.get_stack() / LOCK_NAME)
        beside = [spec.placement.name for spec in lock.placements[1:]]
        prices = node_prices(lock.bill, beside=beside, binds=lock.ceiling.binds)
        outputs = build(lock.placements, joined=lock.joined, ceiling=lock.ceiling.usd_per_month, prices=prices)
    except AtollError as error:
        raise pulumi.RunError(in_one_line(error)) from error  # the engine prints it without a traceback
    for name, value in outputs.items():
        pulumi.export(name, value)
    pulumi.export("stack", pulumi.get_stack())  # by which a reader knows whose outputs these are


main()
