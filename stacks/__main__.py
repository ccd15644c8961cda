"""The program of every stack: reads the accepted lock, builds what it decides, exports how to reach it.

The engine runs this file alone, with only this folder on the path; everything else is installed with the project.
"""

from __future__ import annotations

from pathlib import Path

import pulumi

from components.stack.targets import build
from planning.ceilings.spend_bounds import build_home_prices
from planning.spec.lock import ACCEPTED_KEY, LOCK_NAME, read_lock, refuse_other_option
from planning.values.errors import AtollError, in_one_line


def main() -> None:
    """The stack that is selected."""
    try:
        stack = pulumi.get_stack()
        lock = read_lock(Path(__file__).parent / stack / LOCK_NAME, stack=stack)
        section, _, key = ACCEPTED_KEY.partition(":")
        refuse_other_option(lock, accepted=pulumi.Config(section).get(key), file=f"Pulumi.{stack}.yaml")
        ceiling = lock.ceiling.usd_per_month
        outputs = build(lock.placements, joined=lock.joined, ceiling=ceiling, prices=build_home_prices(lock))
    except AtollError as error:
        raise pulumi.RunError(in_one_line(error)) from error  # the engine prints it without a traceback
    for name, value in outputs.items():
        pulumi.export(name, value)
    pulumi.export("stack", pulumi.get_stack())  # by which a reader knows whose outputs these are


main()
