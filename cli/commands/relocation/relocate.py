"""`atoll relocate`: the next steps from where the journal ends, their proof, a rehearsal, and the rollback."""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

import typer

from cli.commands.relocation import options, plan, retire
from cli.terminal import options as arguments
from cli.terminal.console import note, show, show_json
from cli.terminal.options import deliver, resolve_folder
from operations.project.signals import until_stopped
from operations.project.workspace import display_path
from planning.inputs.faults import nearest
from planning.relocation.steps import NAMES, POINT_OF_NO_RETURN

if TYPE_CHECKING:
    from rich.table import Table

    from operations.relocation.copies.verification import BucketProof
    from operations.relocation.rehearsal.report import RehearsalForm
    from operations.relocation.runner.execution import OnFailure
    from operations.relocation.runner.step import RunContext


BEFORE: Final = NAMES[NAMES.index(POINT_OF_NO_RETURN) - 1]


def run_relocation(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    places: options.PlacesFile = "",
    until: Annotated[
        str, arguments.make_option("--until", "STEP", "Stop after this step.", default=POINT_OF_NO_RETURN)
    ] = "",
    on_failure: Annotated[
        Literal["stop", "rollback"],
        typer.Option("--on-failure", help="Where a step fails in the write freeze, or the window is over."),
    ] = "stop",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Commit without asking.")] = False,
    plain: options.Plain = False,
) -> int:
    """Move the next steps on: whatever was killed or failed is run again, what is done is not.

    Everything up to commit can be taken back by `atoll relocate rollback`. Commit opens the target to writers: it is
    asked for at the terminal, by the target's name, or given by --yes; `--until observe` ends before it.
    """
    last = _step(until)
    asks = last == POINT_OF_NO_RETURN and not yes
    if asks and not sys.stdin.isatty():
        raise typer.BadParameter(
            f"{last} is the point of no return and there is no terminal to confirm at: give --yes, or --until {BEFORE}",
            param_hint="--yes",
        )

    def work() -> int:
        from operations.relocation import workspace  # noqa: PLC0415 - the mover, once there is something to move
        from operations.relocation.runner.execution import OnFailure  # noqa: PLC0415 - as above

        parts = workspace.prepare_run(source, target, name=name, places=places, in_clear=plain, say=note)
        _say_what_people_do(parts)
        return _run(parts, last=last, asks=asks, on_failure=OnFailure(on_failure))

    return until_stopped(work, told=lambda: options.say_stopped(source, target, name=name))


def _run(parts: RunContext, *, last: str, asks: bool, on_failure: OnFailure) -> int:
    from operations.relocation.runner import execution  # noqa: PLC0415 - as above
    from operations.relocation.steps.table import every_step  # noqa: PLC0415 - databases and clusters come with it

    steps = every_step()
    stands = execution.read_state(parts.folder)
    if asks and not stands.past_return:
        execution.run(parts, steps, until=BEFORE, on_failure=on_failure)
        if not _is_wanted(parts.places.target.stack):
            note(f"not committed: the write freeze holds, and the target is ready; {BEFORE} was the last step")
            return 0
    stands = execution.run(parts, steps, until=last, on_failure=on_failure)
    note("committed: the target is open" if stands.committed else f"done until {last}; next: {_after(last)}")
    return 0


def _say_what_people_do(parts: RunContext) -> None:
    """What the run will stop for, long before it does.

    Raises:
        InputError: by-hand.yaml has faults, or the plan cannot be believed.
    """
    from operations.relocation.steps import plan  # noqa: PLC0415 - as above

    # Said at the start: a person who hears of it hours later, inside the write freeze, is too late.
    stands = plan.read_manual_work(parts.places, folder=parts.folder, now=parts.now())
    if stands.missing:
        keys = ", ".join(each.key for each in stands.missing)
        note(f"left to you, and to be confirmed in {display_path(stands.path)} before the databases: {keys}")


def _is_wanted(target: str) -> bool:
    said = typer.prompt(f"commit is the point of no return; type the target's name ({target}) to go on", err=True)
    return str(said).strip() == target


def _after(step: str) -> str:
    return NAMES[min(NAMES.index(step) + 1, len(NAMES) - 1)]


def _step(name: str) -> str:
    """The step that `--until` names.

    Raises:
        typer.BadParameter: there is none.
    """
    if not name:
        return POINT_OF_NO_RETURN
    if name not in NAMES:
        near = nearest(name, NAMES)
        hint = f'did you mean "{near}"?' if near else f"one of: {', '.join(NAMES)}"
        raise typer.BadParameter(f'there is no step "{name}"; {hint}', param_hint="--until")
    return name


def run_rollback(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    places: options.PlacesFile = "",
    plain: options.Plain = False,
) -> int:
    """Take a relocation back: names first, then the source's writers; copies stay at the target.

    It uses the places as they were when the plan was held. It is refused once commit was begun. A roll back that was
    stopped is gone on with; after it, `atoll relocate run` begins anew and copies only what changed.
    """

    def work() -> int:
        from operations.relocation import workspace  # noqa: PLC0415 - once there is something to take back
        from operations.relocation.runner import execution  # noqa: PLC0415 - as above
        from operations.relocation.steps.table import every_step  # noqa: PLC0415 - as above

        parts = workspace.prepare_rollback(source, target, name=name, places=places, in_clear=plain, say=note)
        stands = execution.roll_back(parts, every_step())
        note(f"rolled back: the source is as it was; the next run is attempt {stands.attempt}")
        return 0

    return until_stopped(work, told=lambda: options.say_stopped(source, target, name=name))


def run_status(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """Show every step with its state and its evidence. Nothing is asked of either side, and nothing is written."""
    from operations.project import lease  # noqa: PLC0415 - where it is asked for
    from operations.relocation import workspace  # noqa: PLC0415 - as above
    from operations.relocation.runner import execution  # noqa: PLC0415 - as above
    from operations.relocation.runner.status import status_form  # noqa: PLC0415 - as above

    folder = workspace.folder_of(source, target, name=name)
    running = lease.holder(folder)
    stands = execution.read_state(folder)
    form = status_form(stands, source=source, target=target, running=running, now=datetime.now(tz=UTC), name=name)
    from cli.views.relocation import status_parts  # noqa: PLC0415 - as above

    deliver(cast("dict[str, object]", form), as_json=as_json, output=output, parts=lambda: status_parts(form))
    return 0


NOT_PROVEN = 1


def run_verify(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    places: options.PlacesFile = "",
    plain: options.Plain = False,
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """Prove what is copied, by manifests of our own; exit code 1 where something is missing, extra or different.

    Both sides are only read, the source again from its first byte, and no step is counted as done. A report of each
    bucket is written into the relocation's folder. While the source is written, it differs from its copy by that.
    """

    def work() -> int:
        from operations.relocation import workspace  # noqa: PLC0415 - the mover, once there is something to prove
        from operations.relocation.copies import verification  # noqa: PLC0415 - as above

        parts = workspace.prepare_verification(source, target, name=name, places=places, in_clear=plain, say=note)
        found = verification.prove(verification.Proving(move=parts, again=True, prefix="proof"))
        form = {"buckets": [_form(each) for each in found]}
        deliver(form, as_json=as_json, output=output, parts=lambda: map(_lines, found))
        return 0 if all(each.proven for each in found) else NOT_PROVEN

    return until_stopped(work, told=lambda: note("stopped; nothing was proven"))


def _form(found: BucketProof) -> dict[str, object]:
    return {
        "bucket": found.bucket,
        "proven": found.proven,
        "sentence": found.sentence,
        "changed_meanwhile": found.changes,
        "left_out_at_the_source": found.left_out,
        "report": str(found.path),
        "first": list(found.first),
    }


def _lines(found: BucketProof) -> str:
    lines = "".join(f"  {each}\n" for each in found.text.splitlines())
    return f"{found.bucket}: {'proven' if found.proven else 'not proven'}\n{lines}  report: {found.path}"


OBJECTS = 10_000
FEWEST = 1_000


def run_rehearse(
    *,
    objects: Annotated[int, typer.Option("--objects", min=FEWEST, help="How many objects the source holds.")] = OBJECTS,
    output: Annotated[str, arguments.folder_option("Keep everything in a new folder: journals, reports, logs.")] = "",
    folder: Annotated[str, arguments.old_option("--folder", metavar="DIR")] = "",
    as_json: arguments.AsJson = False,
) -> int:
    """Rehearse a relocation between two sides on this computer.

    Two object stores, databases, tracking servers and API servers are built, started and filled. The relocation goes
    there and back once; then it goes again, every step killed once, one bit changed on the way. Nothing outside of
    this computer is asked, and nothing of yours is read.
    """
    from operations.relocation.rehearsal.processes import programs  # noqa: PLC0415 - servers are started only here
    from operations.relocation.rehearsal.scenario import rehearse  # noqa: PLC0415 - as above

    folder = resolve_folder(output, old=folder, option="--folder")
    programs()
    place = Path(folder).resolve() if folder else Path(tempfile.mkdtemp(prefix="atoll-rehearsal-")) / "rehearsal"
    try:
        form = rehearse(place, objects=objects, say=note)
    except BaseException:
        note(f"what there was is in {place}")
        raise
    if not folder:
        shutil.rmtree(place.parent)
    show_json(form) if as_json else show(_table(form), _closing(form))
    return 0


def _table(form: RehearsalForm) -> Table:
    from cli.terminal.tables import make_table  # noqa: PLC0415 - where it is shown

    rows = ((stage["name"], f"{stage['seconds']:.1f}", stage["found"]) for stage in form["stages"])
    return make_table(("stage", "seconds", "found"), rows, right={"seconds"})


def _closing(form: RehearsalForm) -> str:
    inside = sum(kill["inside"] for kill in form["kills"])
    return (
        f"Killed {len(form['kills'])} times, {inside} of them inside a step; rolled back once and moved once.\n"
        f"{form['opened']} tracked artifacts opened at the target.\n" + "\n".join(form["proof"])
    )


app = typer.Typer(help="Move a customer to another place: plan it, rehearse it, run it, prove it, take it back.")

app.command("plan")(plan.run_plan)
app.command("rehearse")(run_rehearse)
app.command("run")(run_relocation)
app.command("status")(run_status)
app.command("verify")(run_verify)
app.command("rollback")(run_rollback)
app.command("retire")(retire.run_retire)
