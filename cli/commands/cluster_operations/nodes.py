"""`atoll nodes`: nodes that fail, from the first sign to the machine in their place."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from cli.terminal import options
from cli.terminal.console import json_text, note, progress, show
from cli.terminal.options import deliver
from cli.views.cluster_operations.nodes import incidents_markdown, incidents_parts, nodes_parts
from operations.nodes import health, repair
from operations.nodes import watch as watching
from operations.nodes.incident_log import FOLDER, IncidentLog, read_incidents
from operations.nodes.repair import choose_spare, no_spare
from operations.nodes.repair_steps import Waiting, remedy_for
from operations.project.lease import only_writer
from operations.project.workspace import display_path, require_stack
from planning.incidents import node as node_labels
from planning.incidents.findings import NodeHealth
from planning.incidents.form import incidents_form, nodes_form
from planning.incidents.pods import blocking, find_unowned, list_pods_to_drain
from planning.incidents.spares import SHARE_PERCENT
from planning.values.errors import AtollError, InputError, UndeterminedError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from operations.nodes.health import HealthSnapshot, MaintenanceContext
    from operations.nodes.kubernetes_cluster import NodeApi
    from operations.nodes.repair import RepairRequest
    from planning.incidents.node import Node


NodeName = Annotated[str, options.make_argument("NODE", "Name of a node.")]
Placement = Annotated[
    str, options.make_option("--placement", "NAME", "One of several clusters of the stack.", default="first")
]
HINT: Final = "one at a time: wait for it, or stop it; `atoll nodes incidents` shows how far it is"


def utc_now() -> datetime:
    return datetime.now(tz=UTC)


@contextmanager
def open_incident_log(scene: MaintenanceContext) -> Generator[IncidentLog]:
    """The log of a stack, held by this process alone.

    Raises:
        InputError: another process changes nodes of this stack, or the log was edited.
    """
    folder = scene.folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, at=utc_now(), what=f"a command about the nodes of {scene.stack}", hint=HINT):
        log = IncidentLog(scene.folder, now=utc_now)
        try:
            yield log
        finally:
            log.close()


Markdown = Annotated[str, options.make_option("--markdown", "FILE", 'Write a Markdown table; "-": print it.')]
Output = Annotated[list[str] | None, options.output_of(".json, .md")]


def nodes(
    stack: options.Stack,
    *,
    placement: Placement = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Show each node of the stack: its pool, how it is doing, whether it is a spare, and what is wrong with it.

    Nothing is changed. The kubeconfig is the one that ATOLL_KUBECONFIG, or the checklist's own variable, names.
    """
    from operations.nodes.kubernetes_cluster import open_node_api  # noqa: PLC0415 - an SDK, as above

    scene = health.read_context(stack, placement=placement)
    at = utc_now()
    with progress(f"asking the cluster of {stack}"):
        looked = health.inspect_nodes(scene, open_node_api(scene.spec), now=at)
    form = nodes_form(
        stack,
        looked.nodes,
        verdicts=looked.verdicts,
        pools=scene.pools,
        strangers=looked.strangers,
        silence=looked.silence,
        at=at,
    )
    deliver(cast("dict[str, object]", form), as_json=as_json, output=output, parts=lambda: nodes_parts(form))
    return 0


def incidents(
    stack: options.Stack, *, as_json: options.AsJson = False, output: Output = None, markdown: Markdown = ""
) -> int:
    """Show every node that failed, when what was done about it, and how it ended; from the log, in UTC."""
    folder = Path(display_path(require_stack(stack).stacks / stack))
    form = incidents_form(stack, read_incidents(folder))
    printed = markdown == "-"
    if printed and as_json:
        raise typer.BadParameter("only one of --json and --markdown - prints", param_hint="--markdown")
    files = options.resolve_files(output, forms=("json", "markdown"), markdown="" if printed else markdown)
    text = partial(incidents_markdown, form)
    if printed:
        options.write_documents(files, json=lambda: json_text(form), markdown=text)
        sys.stdout.write(text())
        options.tell_written(files.values())
    else:
        options.publish(form, files, as_json=as_json, parts=lambda: incidents_parts(form), markdown=text)
    return 0


EVERY_SECONDS: Final = 3.0
LOST: Final = "; what they keep on the node (emptyDir) is lost"
PLATFORM: Final = "it carries the platform: the VPN, gateways and Prometheus may be away for minutes; the drain waits"
Keep = Annotated[bool, typer.Option("--keep", help="Keep the machine: it only needs a reset or a reboot.")]
ByTicket = Annotated[bool, typer.Option("--ticket", help="Write a ticket even where an API replaces the machine.")]
Timeout = Annotated[int, typer.Option("--timeout", min=1, max=86_400, help="Seconds until the node has to be empty.")]
Grace = Annotated[
    int, typer.Option("--grace", min=0, max=7200, help="Least seconds for each pod to write a checkpoint.")
]


def replace(
    stack: options.Stack,
    node: NodeName,
    *,
    because: Annotated[str, options.make_option("--because", "TEXT", "Why; it is written down.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="End pods, too, that nothing starts again.")] = False,
    keep: Keep = False,
    ticket: ByTicket = False,
    timeout: Timeout = 900,
    grace: Grace = 0,
    placement: Placement = "",
) -> int:
    """Take a node out of use and replace it: cordon, a spare in its place, drain, then the API or a ticket.

    Disruption budgets are kept; a pod that may not go is named and stays. Each step is written to the stack's log of
    incidents and is not done twice: run the command again after whatever stopped it.
    """
    from operations.nodes.kubernetes_cluster import open_node_api  # noqa: PLC0415 - an SDK, as above

    scene = health.read_context(stack, placement=placement)
    cluster = open_node_api(scene.spec)
    asked = repair.RepairRequest(node=node, because=because, force=force, keep=keep, ticket=ticket)
    looked = health.inspect_nodes(scene, cluster, now=utc_now())
    if dry_run or not yes:
        gone = any(each.open and each.node == node for each in read_incidents(scene.folder))
        if not gone or any(each.name == node for each in looked.nodes):
            subject = health.find_node(looked, node)
            repair.refuse_repair(subject, looked, because=because, known=read_incidents(scene.folder))
            show(*_describe_steps(subject, looked, scene, cluster, asked))
        if dry_run:
            return 0
        _ask(f"Replace {node}?")
    wait = Waiting(timeout_s=timeout, every_s=EVERY_SECONDS, grace_s=grace, clock=time.monotonic, sleep=time.sleep)
    with open_incident_log(scene) as log:
        closed = watching.close_finished_incidents(looked, scene=scene, cluster=cluster, log=log, say=note)
        if any(each.node == node for each in closed):
            return 0
        work = repair.RepairContext(scene=scene, cluster=cluster, log=log, waiting=wait, say=note)
        incident = repair.repair_node(asked, work)
    note(f"incident {incident.id} stays open until {node} works again or another machine has come")
    return 0


def stand_by(stack: options.Stack, node: NodeName, *, placement: Placement = "") -> int:
    """Hold an idle node back as a spare of its pool: it passed its burn-in, and works once another one fails."""
    from operations.nodes.kubernetes_cluster import open_node_api  # noqa: PLC0415 - an SDK, as above

    scene = health.read_context(stack, placement=placement)
    with open_incident_log(scene) as log:
        note(watching.hold_spare(node, scene=scene, cluster=open_node_api(scene.spec), log=log))
    return 0


def close(
    stack: options.Stack,
    incident: Annotated[str, options.make_argument("INCIDENT", "Its id.")],
    *,
    because: Annotated[str, options.make_option("--because", "TEXT", "How it ended.")],
) -> int:
    """Close an incident by hand, where the machine was given back for good. Nothing in the cluster is changed."""
    scene = health.read_context(stack)
    with open_incident_log(scene) as log:
        watching.close(incident, because=because, log=log)
    note(f"incident {incident} is closed")
    return 0


def _describe_steps(
    node: Node, looked: HealthSnapshot, scene: MaintenanceContext, cluster: NodeApi, asked: RepairRequest
) -> Iterator[str]:

    verdict = looked.verdicts[node.name]
    yield f"{node.name} of {node.pool} is {verdict.standing}: {verdict.words or 'nothing is known to be wrong with it'}"
    pods, budgets = cluster.list_pods_on(node.name), cluster.list_budgets()
    yield f"1. cordon{' (it is already)' if node.cordoned else ''}"
    chosen = choose_spare(node, looked, scene)
    sold = scene.pools[node.pool].spares
    yield f"2. spare: {chosen.node.name} takes over" if chosen.node else f"2. {no_spare(chosen, sold)}"
    drained = list_pods_to_drain(pods)
    yield f"3. drain: {len(drained)} pods{LOST if any(each.files for each in drained) else ''}"
    if node.labels.get(node_labels.ROLE) == node_labels.SYSTEM:
        yield f"   {PLATFORM}"
    for each in list_pods_to_drain(pods):
        if held := blocking(each, budgets):
            budget = ", ".join(f"{one.namespace}/{one.name}" for one in held)
            yield f"   {each.words} has to wait: disruption budget {budget} allows none to go now"
    for each in find_unowned(pods):
        yield f"   {each.words} is started again by nothing{' and is ended' if asked.force else ': --force ends it'}"
    words = "the machine is kept" if asked.keep else remedy_for(node, scene, by_ticket=asked.ticket).words
    yield f"4. replace: {words}"


def _ask(question: str) -> None:
    """Go on only with a yes.

    Raises:
        InputError: there is no terminal to ask at.
        typer.Abort: no.
    """
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to confirm at; nothing was touched", hint="--yes does not ask")
    typer.confirm(question, abort=True, err=True)


Once = Annotated[bool, typer.Option("--once", help="Look once; exit 1 where a node failed, 11 where one is unknown.")]
Cordon = Annotated[bool, typer.Option("--cordon", help="Cordon what certainly failed, and open its incident.")]
AtMost = Annotated[int, typer.Option("--at-most", min=1, max=1000, help="Nodes of one pool away at once, at most.")]
Share = Annotated[int, typer.Option("--share", min=1, max=100, help="Percent of a pool away at once, at most.")]


def watch(
    stack: options.Stack,
    *,
    once: Once = False,
    cordon: Cordon = False,
    at_most: AtMost = 1,
    share: Share = SHARE_PERCENT,
    every: Annotated[int, typer.Option("--every", min=5, max=3600, help="Seconds between two looks.")] = 60,
    placement: Placement = "",
) -> int:
    """Look at the nodes again and again, and say what fails.

    A node whose kubelet is silent is said, never cordoned. Of each pool, no more than --at-most nodes and --share
    percent are away at once, one always: more at a time is a false alarm or an outage, and needs a person.
    """
    from operations.nodes.kubernetes_cluster import open_node_api  # noqa: PLC0415 - an SDK, as above

    scene = health.read_context(stack, placement=placement)
    limit = watching.CordonLimit(at_most=at_most, share_percent=share)
    cluster = open_node_api(scene.spec)
    while True:
        try:
            looked = health.inspect_nodes(scene, cluster, now=utc_now())
            watching.report_unhealthy(looked, note)
            if cordon:
                with open_incident_log(scene) as log:
                    watching.cordon_failed_nodes(looked, scene=scene, cluster=cluster, log=log, limit=limit, say=note)
        except AtollError as error:  # the cluster is away for a moment, or another command changes a node just now
            if once:
                raise
            note(f"{error}; looking again in {every} s")
        else:
            if once:
                return _exit_code({each.standing for each in looked.verdicts.values()})
        time.sleep(every)


def _exit_code(standings: set[NodeHealth]) -> int:
    if NodeHealth.FAILED in standings:
        return InputError.exit_code
    return UndeterminedError.exit_code if NodeHealth.UNKNOWN in standings else 0


app = typer.Typer(help="Nodes that fail: see them, take them out of use, replace them, and keep the log.")

app.command("list")(nodes)
app.command("watch")(watch)
app.command("replace")(replace)
app.command("standby")(stand_by)
app.command("incidents")(incidents)
app.command("close")(close)
