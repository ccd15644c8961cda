"""`atoll relocate rehearse`: a whole relocation on this computer, with real servers and faults on purpose."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, show, show_json
from cli.terminal.output import resolve_folder

if TYPE_CHECKING:
    from rich.table import Table

    from operations.relocation.rehearsal.report import RehearsalForm

OBJECTS = 10_000
FEWEST = 1000


def run_rehearse(
    *,
    objects: Annotated[int, typer.Option("--objects", min=FEWEST, help="How many objects the source holds.")] = OBJECTS,
    output: Annotated[str, options.folder_option("Keep everything in a new folder: journals, reports, logs.")] = "",
    folder: Annotated[str, options.old_option("--folder", metavar="DIR")] = "",
    as_json: options.AsJson = False,
) -> int:
    """Rehearse a relocation between two sides on this computer.

    Two object stores, databases, tracking servers and API servers are built, started and filled. The relocation goes
    there and back once; then it goes again, every step killed once, one bit changed on the way. Nothing outside of
    this computer is asked, and nothing of yours is read.
    """
    from operations.relocation.rehearsal.programs import programs  # noqa: PLC0415 - servers are started only here
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


def _table(form: "RehearsalForm") -> "Table":
    from cli.terminal.tables import make_table  # noqa: PLC0415 - where it is shown

    rows = ((stage["name"], f"{stage['seconds']:.1f}", stage["found"]) for stage in form["stages"])
    return make_table(("stage", "seconds", "found"), rows, right={"seconds"})


def _closing(form: "RehearsalForm") -> str:
    inside = sum(kill["inside"] for kill in form["kills"])
    return (
        f"Killed {len(form['kills'])} times, {inside} of them inside a step; rolled back once and moved once.\n"
        f"{form['opened']} tracked artifacts opened at the target.\n" + "\n".join(form["proof"])
    )
