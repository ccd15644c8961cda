"""`atoll nodes mend`, `hold` and `close`: one node out of use, a spare in its place, and the end of an incident."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.commands.node_operations import options
from cli.terminal import options as arguments
from cli.terminal.console import note, show

if TYPE_CHECKING:
    from operations.nodes.health import Look, Scene
    from operations.nodes.ports import Cluster
    from operations.nodes.repair import Asked
    from planning.incidents.node import Node

EVERY_SECONDS: Final = 3.0
LOST: Final = "; what they keep on the node (emptyDir) is lost"
PLATFORM: Final = "it carries the platform: the VPN, gateways and Prometheus may be away for minutes; the drain waits"
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Force = Annotated[bool, typer.Option("--force", help="End pods, too, that nothing starts again.")]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the machine: it only needs a reset or a reboot.")]
ByTicket = Annotated[bool, typer.Option("--ticket", help="Write a ticket even where an API replaces the machine.")]
Timeout = Annotated[int, typer.Option("--timeout", min=1, max=86_400, help="Seconds until the node has to be empty.")]
Grace = Annotated[
    int, typer.Option("--grace", min=0, max=7200, help="Least seconds for each pod to write a checkpoint.")
]


def mend(
    stack: arguments.Stack,
    node: options.NodeName,
    *,
    because: options.Because = "",
    dry_run: DryRun = False,
    yes: options.Yes = False,
    force: Force = False,
    keep: Keep = False,
    ticket: ByTicket = False,
    timeout: Timeout = 900,
    grace: Grace = 0,
    placement: options.Placement = "",
) -> int:
    """Take a node out of use and replace it: cordon, a spare in its place, drain, then the API or a ticket.

    Disruption budgets are kept; a pod that may not go is named and stays. Each step is written to the stack's log of
    incidents and is not done twice: run the command again after whatever stopped it.
    """
    from operations.nodes import health, incident_closure, repair  # noqa: PLC0415 - where it is asked for
    from operations.nodes.drain import Waiting  # noqa: PLC0415 - as above
    from operations.nodes.incident_log import logged  # noqa: PLC0415 - as above
    from operations.nodes.kubernetes_cluster import opened  # noqa: PLC0415 - an SDK, as above

    scene = health.scene_of(stack, placement=placement)
    cluster = opened(scene.spec)
    asked = repair.Asked(node=node, because=because, force=force, keep=keep, ticket=ticket)
    looked = health.look(scene, cluster, now=options.now())
    if dry_run or not yes:
        gone = any(each.open and each.node == node for each in logged(scene.folder))
        if not gone or any(each.name == node for each in looked.nodes):
            subject = health.found(looked, node)
            repair.may_be_mended(subject, looked, because=because, known=logged(scene.folder))
            show(*_foreseen(subject, looked, scene, cluster, asked))
        if dry_run:
            return 0
        _ask(f"Mend {node}?")
    wait = Waiting(timeout_s=timeout, every_s=EVERY_SECONDS, grace_s=grace, clock=time.monotonic, sleep=time.sleep)
    with options.writing(scene) as log:
        closed = incident_closure.settle(looked, scene=scene, cluster=cluster, log=log, say=note)
        if any(each.node == node for each in closed):
            return 0
        work = repair.Work(scene=scene, cluster=cluster, log=log, waiting=wait, say=note)
        incident = repair.mend(asked, work)
    note(f"incident {incident.id} stays open until {node} works again or another machine has come")
    return 0


def hold(stack: arguments.Stack, node: options.NodeName, *, placement: options.Placement = "") -> int:
    """Hold an idle node back as a spare of its pool: it passed its burn-in, and works once another one fails."""
    from operations.nodes import health, incident_closure  # noqa: PLC0415 - where it is asked for
    from operations.nodes.kubernetes_cluster import opened  # noqa: PLC0415 - an SDK, as above

    scene = health.scene_of(stack, placement=placement)
    with options.writing(scene) as log:
        note(incident_closure.hold(node, scene=scene, cluster=opened(scene.spec), log=log))
    return 0


def close(
    stack: arguments.Stack,
    incident: Annotated[str, typer.Argument(metavar="INCIDENT", help="Its id.", show_default=False)],
    *,
    because: Annotated[str, typer.Option("--because", metavar="TEXT", help="How it ended.", show_default=False)],
) -> int:
    """Close an incident by hand, where the machine was given back for good. Nothing in the cluster is changed."""
    from operations.nodes import health, incident_closure  # noqa: PLC0415 - where it is asked for

    scene = health.scene_of(stack)
    with options.writing(scene) as log:
        incident_closure.close(incident, because=because, log=log)
    note(f"incident {incident} is closed")
    return 0


def _foreseen(node: "Node", looked: "Look", scene: "Scene", cluster: "Cluster", asked: "Asked") -> Iterator[str]:
    """What would be done, step by step."""
    from operations.nodes.repair import choice, no_spare  # noqa: PLC0415 - where it is asked for
    from operations.nodes.replacement import remedy_for  # noqa: PLC0415 - as above
    from planning.incidents import node_labels  # noqa: PLC0415 - as above
    from planning.incidents.pods import blocking, leaving, unowned  # noqa: PLC0415 - as above

    verdict = looked.verdicts[node.name]
    yield f"{node.name} of {node.pool} is {verdict.standing}: {verdict.words or 'nothing is known to be wrong with it'}"
    pods, budgets = cluster.pods_on(node.name), cluster.budgets()
    yield f"1. cordon{' (it is already)' if node.cordoned else ''}"
    chosen = choice(node, looked, scene)
    sold = scene.pools[node.pool].spares
    yield f"2. spare: {chosen.node.name} takes over" if chosen.node else f"2. {no_spare(chosen, sold)}"
    yield f"3. drain: {len(leaving(pods))} pods{LOST if any(each.files for each in leaving(pods)) else ''}"
    if node.labels.get(node_labels.ROLE) == node_labels.SYSTEM:
        yield f"   {PLATFORM}"
    for each in leaving(pods):
        if held := blocking(each, budgets):
            budget = ", ".join(f"{one.namespace}/{one.name}" for one in held)
            yield f"   {each.words} has to wait: disruption budget {budget} allows none to go now"
    for each in unowned(pods):
        yield f"   {each.words} is started again by nothing{' and is ended' if asked.force else ': --force ends it'}"
    words = "the machine is kept" if asked.keep else remedy_for(node, scene, by_ticket=asked.ticket).words
    yield f"4. replace: {words}"


def _ask(question: str) -> None:
    """Go on only with a yes.

    Raises:
        InputError: nobody is there to ask.
        typer.Abort: no.
    """
    import sys  # noqa: PLC0415 - where it is asked for

    from planning.values.errors import InputError  # noqa: PLC0415 - as above

    if not sys.stdin.isatty():
        raise InputError("nobody is at the terminal to say yes; nothing was touched", hint="--yes does not ask")
    typer.confirm(question, abort=True, err=True)
