"""What the commands about nodes share."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from operations.nodes.health import Scene
    from operations.nodes.incident_log import IncidentLog

NodeName = Annotated[str, typer.Argument(metavar="NODE", help="Name of a node.", show_default=False)]
Placement = Annotated[
    str, typer.Option("--placement", metavar="NAME", help="One of several clusters of the stack.", show_default="first")
]
Because = Annotated[str, typer.Option("--because", metavar="TEXT", help="Why; it is written down.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
HINT: Final = "one at a time: wait for it, or stop it; `atoll nodes incidents` shows how far it is"


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(tz=UTC)


@contextmanager
def writing(scene: "Scene") -> Generator["IncidentLog"]:
    """The log of a stack, held by this process alone.

    Raises:
        InputError: another process mends nodes of this stack, or the log was edited.
    """
    from operations.nodes.incident_log import FOLDER, IncidentLog  # noqa: PLC0415 - where it is asked for
    from operations.project.lease import only_writer  # noqa: PLC0415 - as above

    folder = scene.folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, at=now(), what=f"a command about the nodes of {scene.stack}", hint=HINT):
        log = IncidentLog(scene.folder, now=now)
        try:
            yield log
        finally:
            log.close()
