"""Arguments that every command of `atoll relocate` shares, and what each says when it is stopped."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note
from operations.relocation.runner.freeze_window import format_duration
from planning.values.errors import AtollError

Source = Annotated[str, typer.Argument(metavar="SOURCE", help="The stack that is left.", show_default=False)]
Target = Annotated[str, typer.Argument(metavar="TARGET", help="The stack that is moved to.", show_default=False)]
PlacesFile = Annotated[
    str,
    typer.Option(
        "--places",
        metavar="FILE",
        help="Both sides and what is moved.",
        show_default="relocations/SOURCE--TARGET/relocation.yaml, else relocation.yaml",
    ),
]
Plain = Annotated[
    bool, typer.Option("--plain", help="Let keys and objects cross the network without TLS, to endpoints of http://.")
]


Name = Annotated[
    str,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Of one of several relocations between the two, as for buckets in another store.",
        show_default=False,
    ),
]


def say_stopped(source: str, target: str, *, name: str = "") -> None:
    """What is so after a signal, and what to run next."""
    from operations.relocation import workspace  # noqa: PLC0415 - only after a stop
    from operations.relocation.runner import execution  # noqa: PLC0415 - as above
    from operations.relocation.runner.context import ROLL_BACK, RUN  # noqa: PLC0415 - as above

    named = f" --name {name}" if name else ""
    go_on, back = (form.format(source=source, target=target) + named for form in (RUN, ROLL_BACK))
    note("stopped; the journal is whole, what was begun will be run again")
    try:
        stands = execution.read_state(workspace.folder_of(source, target, name=name))
    except AtollError as error:
        note(str(error))
        return
    if stands.frozen_since is not None and not stands.committed:
        from datetime import UTC, datetime  # noqa: PLC0415 - as above

        still = stands.still_for(datetime.now(tz=UTC))
        note(f"writers stand still{f' for {format_duration(still)}' if still else ''}")
    note(f"go on: {back if stands.rolling_back else go_on}")
    if stands.begun and not stands.past_return and not stands.rolling_back:
        note(f"or go back: {back}")


class Through(StrEnum):
    """How bytes leave the source's network."""

    ENDPOINT = "endpoint"
    NAT = "nat"
    DIRECT = "direct"


Places = Annotated[
    str, typer.Option("--places", metavar="FILE", help="relocation.yaml of the two.", show_default=False)
]
Volumes = Annotated[
    str, typer.Option("--volumes", metavar="FILE", help="What was counted: sizes, rates, terms.", show_default=False)
]
Bandwidth = Annotated[
    str, typer.Option("--bandwidth", metavar="RATE", help="Of all transfers, as in 1Gbps.", show_default=False)
]
ObjectsPerS = Annotated[
    str, typer.Option("--objects-per-s", metavar="N", help="Small objects copied in a second.", show_default=False)
]
Way = Annotated[
    Through | None,
    typer.Option(
        "--through",
        help="How bytes leave the source.",
        show_default="nat where AWS or another cloud is left, else endpoint",
    ),
]
Look = Annotated[
    bool, typer.Option("--look", help="Ask the source's stores what their objects have, before anything is copied.")
]
Output = Annotated[list[str] | None, options.output_of(".html, .md, .json")]
HtmlFile = Annotated[str, typer.Option("--html", metavar="FILE", help="Write a page.", show_default=False)]
MarkdownFile = Annotated[str, typer.Option("--markdown", metavar="FILE", help="Write Markdown.", show_default=False)]
Draft = Annotated[
    str,
    typer.Option(
        "--draft",
        metavar="FILE",
        help="Write a first relocation.yaml, and by-hand.yaml beside it; never over one.",
        show_default=False,
    ),
]
