"""`atoll accept-test`: what was delivered, measured, held against what was promised, and signed."""

import time
from argparse import ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from driver import arguments
from driver.accepting import options
from driver.accepting.port import Clock
from driver.output_files import chosen_files, tell_written
from driver.screen import json_text, note, show, show_json
from driver.writing import write_all
from planning.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driver.accepting.asked import Asked
    from driver.accepting.live_run import RunPlan
    from planning.acceptance_report.form import AcceptanceForm

CLOCK: Final = Clock(now=lambda: datetime.now(tz=UTC), monotonic=time.monotonic, sleep=time.sleep)
EXIT: Final = {"passed": 0, "failed": 1, "missing": 11, "cannot tell": 11}


def run_accept_test(
    stack: arguments.Stack,
    *,
    only: options.Only = "",
    node: options.Node = None,
    placement: options.Placement = "",
    peer: options.Peer = None,
    recorded: options.Recorded = None,
    run_name: options.RunName = "",
    dry_run: options.DryRun = False,
    while_working: options.WhileWorking = False,
    keep: options.Keep = False,
    timeout: options.Timeout = 0,
    html: options.Html = "",
    as_json: arguments.AsJson = False,
    output: options.Output = None,
    markdown: options.Markdown = "",
    key: options.Key = "",
    verify: options.Verify = "",
    public_key: options.PublicKey = "",
) -> int:
    """Measure a cluster against what was promised, and say which nodes failed.

    Every record is kept in stacks/STACK/acceptance/RUN as it comes; what was stopped goes on where it was.
    Exit code: 0 passed, 1 something failed, 11 something is missing or cannot be told.
    """
    if verify or public_key:
        return _verify(stack, verify=verify, public_key=public_key)
    files = chosen_files(output, forms=("html", "markdown", "json"), html=html, markdown=markdown)
    from driver.accepting import asked, live_run, signing  # noqa: PLC0415 - what is slow is imported once it is needed

    asks = live_run.Options(
        only=_kinds(only, node or ()), nodes=tuple(node or ()), placement=placement, run=run_name,
        while_working=while_working, keep=keep, timeout=timeout or None, peers=_peers(peer or ()),
    )  # fmt: skip
    it, private = asked.asked(stack), signing.private_key(Path(key).expanduser()) if key else None
    if dry_run:
        return _show_plan(live_run.planned_jobs(it, asks, now=CLOCK.now()))
    given = [*map(Path, recorded or ())]
    stopped, results, unfinished = (
        (0, *asked.recorded(given, it, to_sign=private is not None))
        if given
        else live_run.measure(it, asks, say=note, clock=CLOCK)
    )
    if stopped:
        return stopped
    form = it.form(results, unfinished=unfinished, only=asks.only, nodes=asks.nodes)
    form = signing.signed_report(form, private) if private else form
    _tell(form, it, files, as_json=as_json)
    return EXIT[form["outcome"]]


def _show_plan(plan: "RunPlan") -> int:
    from driver.accepting.planning_run import longest  # noqa: PLC0415 - as in run_accept_test
    from driver.accepting.telling import jobs_table  # noqa: PLC0415 - as above

    for each in plan.remarks:
        note(each)
    show(jobs_table(plan.jobs), longest(plan.jobs))
    if plan.unset:
        note(f"{plan.unset} is not set: nodes are named by the lock, no cluster was asked")
    note("nothing was made")
    return 0


def _kinds(only: str, nodes: "Sequence[str]") -> tuple[str, ...]:
    """What is measured; for single nodes, only what is theirs.

    Raises:
        typer.BadParameter: a word that is no kind.
    """
    from planning.acceptance_report.forming import GROUPS  # noqa: PLC0415 - as in run_accept_test

    found = tuple(each.strip() for each in only.split(",")) if only else ()
    if unknown := [each for each in found if each not in GROUPS]:
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(GROUPS)}", param_hint="--only")
    if len(set(found)) < len(found):
        raise typer.BadParameter(f"{only}: one is named twice", param_hint="--only")
    return found or (("node",) if nodes else ())


def _peers(given: "Sequence[str]") -> tuple[str, ...]:
    """What has to answer in the main network, looked at before any pod asks for it.

    Raises:
        typer.BadParameter: a word that is no HOST:PORT.
    """
    from components.acceptance.measure.network import address  # noqa: PLC0415 - as in run_accept_test

    for each in given:
        try:
            address(each)
        except ArgumentTypeError as error:
            raise typer.BadParameter(str(error), param_hint="--peer") from error
    return tuple(given)


def _tell(form: "AcceptanceForm", it: "Asked", files: "Mapping[str, Path]", *, as_json: bool) -> None:
    """Write every file that was asked for, and say the verdict."""
    from driver.accepting.telling import verdict_lines, verdict_table  # noqa: PLC0415 - as in run_accept_test
    from driver.html.acceptance import page  # noqa: PLC0415 - as above
    from driver.render.document import markdown as as_markdown  # noqa: PLC0415 - as above
    from planning.acceptance_report.document import document  # noqa: PLC0415 - as above

    whole = document(form, sources=it.sources)
    texts = {
        "html": lambda: page(whole, form),
        "markdown": lambda: as_markdown(whole),
        "json": lambda: json_text(form),
    }
    write_all({path: texts[kind]() for kind, path in files.items()})
    if as_json:
        show_json(form)
    else:
        show(*verdict_lines(form), verdict_table(form))
    tell_written(files.values())


def _verify(stack: str, *, verify: str, public_key: str) -> int:
    from driver.accepting import asked, verifying  # noqa: PLC0415 - as in run_accept_test
    from planning.errors import Fault  # noqa: PLC0415 - as above

    if not (verify and public_key):
        raise typer.BadParameter("--verify REPORT and --public-key FILE go together", param_hint="--verify")
    it = asked.asked(stack)
    path = Path(verify)
    form, raw = verifying.read_report(path)
    found = verifying.faults(path, form, raw, key_file=Path(public_key), stack=stack, lock_digest=it.digest)
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
