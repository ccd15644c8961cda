"""`atoll nodes watch`: say what fails, and with --cordon give what certainly failed no more work."""

import time
from typing import Annotated

import typer

from cli.commands.node_operations import options
from cli.terminal import options as arguments
from cli.terminal.console import note
from planning.incidents.findings import Standing
from planning.incidents.replacement_limits import SHARE_PERCENT
from planning.values.errors import CannotTellError, InputError

Once = Annotated[bool, typer.Option("--once", help="Look once; exit 1 where a node failed, 11 where one is unknown.")]
Cordon = Annotated[bool, typer.Option("--cordon", help="Cordon what certainly failed, and open its incident.")]
AtMost = Annotated[int, typer.Option("--at-most", min=1, max=1000, help="Nodes of one pool away at once, at most.")]
Share = Annotated[int, typer.Option("--share", min=1, max=100, help="Percent of a pool away at once, at most.")]
Every = Annotated[int, typer.Option("--every", min=5, max=3600, help="Seconds between two looks.")]


def watch(
    stack: arguments.Stack,
    *,
    once: Once = False,
    cordon: Cordon = False,
    at_most: AtMost = 1,
    share: Share = SHARE_PERCENT,
    every: Every = 60,
    placement: options.Placement = "",
) -> int:
    """Look at the nodes again and again, and say what fails.

    A node whose kubelet is silent is said, never cordoned. Of each pool, no more than --at-most nodes and --share
    percent are away at once, one always: more at a time is a false alarm or an outage, and needs a person.
    """
    from operations.nodes import health  # noqa: PLC0415 - where it is asked for
    from operations.nodes import watch as watching  # noqa: PLC0415 - as above
    from operations.nodes.kubernetes_cluster import opened  # noqa: PLC0415 - an SDK, as above

    scene = health.scene_of(stack, placement=placement)
    limit = watching.Limit(at_most=at_most, share_percent=share)
    cluster = opened(scene.spec)
    while True:
        try:
            looked = health.look(scene, cluster, now=options.now())
            watching.said(looked, note)
            if cordon:
                with options.writing(scene) as log:
                    watching.act(looked, scene=scene, cluster=cluster, log=log, limit=limit, say=note)
        except InputError as error:  # the cluster is away for a moment, or somebody mends a node just now
            if once:
                raise
            note(f"{error}; looking again in {every} s")
        else:
            if once:
                return _exit_code({each.standing for each in looked.verdicts.values()})
        time.sleep(every)


def _exit_code(standings: set[Standing]) -> int:
    if Standing.FAILED in standings:
        return InputError.exit_code
    return CannotTellError.exit_code if Standing.UNKNOWN in standings else 0
