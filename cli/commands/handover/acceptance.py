"""`atoll accept-test`: what was delivered, measured, held against what was promised, and signed."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from cli.terminal import options
from cli.terminal.console import note, show
from cli.terminal.options import publish, resolve_files
from operations.acceptance.run_lock import Clock
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.acceptance.request import AcceptanceRequest
    from operations.acceptance.run import RunPlan
    from planning.acceptance.report.form import AcceptanceForm


def _file(name: str, words: str, *, metavar: str = "FILE") -> object:
    return typer.Option(name, metavar=metavar, help=words, show_default=False)


Only = Annotated[str, options.make_option("--only", "KINDS", "Of node,fabric,storage,network,smoke.", default="all")]
Placement = Annotated[str, options.make_option("--placement", "NAME", "Which cluster of the stack.", default="home")]
Peer = Annotated[
    list[str] | None,
    _file("--peer", "What has to answer in the main network; repeatable.", metavar="HOST:PORT"),
]
Recorded = Annotated[
    list[str] | None, _file("--from", "Judge recorded results, without a cluster; repeatable.", metavar="FILE|DIR")
]
RunName = Annotated[str, options.make_option("--run", "NAME", "Go on with this run.", default="the last unfinished")]
WhileWorking = Annotated[bool, typer.Option("--while-working", help="Queue behind pods that hold accelerators now.")]
Timeout = Annotated[
    int, typer.Option("--timeout", metavar="SECONDS", min=0, help="Give each job up then.", show_default="its own")
]
Markdown = Annotated[str, _file("--markdown", "Write it as Markdown.")]
Key = Annotated[
    str,
    typer.Option(
        "--key",
        metavar="FILE",
        envvar="ATOLL_SIGNING_KEY",
        help="Sign the JSON with this Ed25519 key.",
        show_default=False,
    ),
]


CLOCK: Final = Clock(now=lambda: datetime.now(tz=UTC), monotonic=time.monotonic, sleep=time.sleep)
EXIT: Final = {"passed": 0, "failed": 1, "missing": 11, "undetermined": 11}


def run_accept_test(
    stack: options.Stack,
    *,
    only: Only = "",
    node: Annotated[list[str] | None, _file("--node", "Only this node; repeatable.", metavar="NAME")] = None,
    placement: Placement = "",
    peer: Peer = None,
    recorded: Recorded = None,
    run_name: RunName = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be made, and make nothing.")] = False,
    while_working: WhileWorking = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the objects of failed jobs, to be looked at.")] = False,
    timeout: Timeout = 0,
    html: Annotated[str, _file("--html", "Write the page.")] = "",
    as_json: options.AsJson = False,
    output: Annotated[list[str] | None, options.output_of(".html, .md, .json")] = None,
    markdown: Markdown = "",
    key: Key = "",
    verify: Annotated[str, _file("--verify", "Check a signed report.", metavar="REPORT")] = "",
    public_key: Annotated[str, _file("--public-key", "Of whoever signed it.")] = "",
) -> int:
    """Measure a cluster against what was promised, and say which nodes failed.

    Every record is kept in stacks/STACK/acceptance/RUN as it comes; what was stopped goes on where it was.
    Exit code: 0 passed, 1 something failed, 11 something is missing or cannot be told.
    """
    if verify or public_key:
        return _verify(stack, verify=verify, public_key=public_key)
    files = resolve_files(output, forms=("html", "markdown", "json"), html=html, markdown=markdown)
    from operations.acceptance import request, run, signatures  # noqa: PLC0415 - what is slow is imported once it is needed

    asks = run.Options(
        only=_kinds(only, node or ()), nodes=tuple(node or ()), placement=placement, run=run_name,
        while_working=while_working, keep=keep, timeout=timeout or None, peers=_peers(peer or ()),
    )  # fmt: skip
    it, private = request.read_request(stack), signatures.private_key(Path(key).expanduser()) if key else None
    if dry_run:
        return _show_plan(run.list_planned_jobs(it, asks, now=CLOCK.now()))
    given = [*map(Path, recorded or ())]
    stopped, results, unfinished = (
        (0, *request.load_results(given, it, to_sign=private is not None))
        if given
        else run.measure(it, asks, say=note, clock=CLOCK)
    )
    if stopped:
        return stopped
    form = it.build_form(results, unfinished=unfinished, only=asks.only, nodes=asks.nodes)
    form = signatures.sign_report(form, private) if private else form
    _tell(form, it, files, as_json=as_json)
    return EXIT[form["outcome"]]


def _show_plan(plan: RunPlan) -> int:
    from cli.views.handover import jobs_table  # noqa: PLC0415 - as above
    from operations.acceptance.run_plan import longest  # noqa: PLC0415 - as in run_accept_test

    for each in plan.remarks:
        note(each)
    show(jobs_table(plan.jobs), longest(plan.jobs))
    if plan.unset:
        note(f"{plan.unset} is not set: nodes are named by the lock, no cluster was asked")
    note("nothing was made")
    return 0


def _kinds(only: str, nodes: Sequence[str]) -> tuple[str, ...]:
    """What is measured; for single nodes, only what is theirs.

    Raises:
        typer.BadParameter: a word that is no kind.
    """
    from planning.acceptance.report.builder import GROUPS  # noqa: PLC0415 - as in run_accept_test

    found = tuple(each.strip() for each in only.split(",")) if only else ()
    if unknown := [each for each in found if each not in GROUPS]:
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(GROUPS)}", param_hint="--only")
    if len(set(found)) < len(found):
        raise typer.BadParameter(f"{only}: one is named twice", param_hint="--only")
    return found or (("node",) if nodes else ())


def _peers(given: Sequence[str]) -> tuple[str, ...]:
    """What has to answer in the main network, looked at before any pod asks for it.

    Raises:
        typer.BadParameter: a word that is no HOST:PORT.
    """
    from components.agents.measure.network import address  # noqa: PLC0415 - as in run_accept_test

    # A mistake is better said here than by a pod that tries to reach it.
    for each in given:
        try:
            address(each)
        except ArgumentTypeError as error:
            raise typer.BadParameter(str(error), param_hint="--peer") from error
    return tuple(given)


def _tell(form: AcceptanceForm, it: AcceptanceRequest, files: Mapping[str, Path], *, as_json: bool) -> None:
    from cli.pages.documents.rendering import render_markdown  # noqa: PLC0415 - as above
    from cli.pages.reports import acceptance_page as page  # noqa: PLC0415 - as above
    from cli.views.handover import verdict_lines, verdict_table  # noqa: PLC0415 - as in run_accept_test
    from planning.acceptance.report.document import document  # noqa: PLC0415 - as above

    whole = document(form, sources=it.sources)
    publish(
        cast("Mapping[str, object]", form),
        files,
        as_json=as_json,
        parts=lambda: (*verdict_lines(form), verdict_table(form)),
        html=lambda: page(whole, form),
        markdown=lambda: render_markdown(whole),
    )


def _verify(stack: str, *, verify: str, public_key: str) -> int:
    from operations.acceptance import request  # noqa: PLC0415 - as in run_accept_test
    from operations.acceptance import signatures as verification  # noqa: PLC0415 - as above
    from planning.values.errors import Fault  # noqa: PLC0415 - as above

    if not (verify and public_key):
        raise typer.BadParameter("--verify REPORT and --public-key FILE go together", param_hint="--verify")
    it = request.read_request(stack)
    path = Path(verify)
    form, raw = verification.read_report(path)
    found = verification.faults(path, form, raw, key_file=Path(public_key), stack=stack, lock_digest=it.digest)
    if found:
        raise InputError(
            f"{verify} is not to be believed",
            faults=[Fault(message=each, file=verify) for each in found],
            hint="ask whoever sent it for the file as it was signed",
        )
    signature = form["signature"]
    key = signature["key"] if signature else ""
    when = f"measured from {form['results']['started']} to {form['results']['ended']}"
    show(f"{verify}: signed by {key}, about this lock of {stack}, {when}: {form['outcome']}")
    if form["only"]:
        show(f"only {', '.join(form['only'])}: this is not the acceptance of the cluster")
    return 0
