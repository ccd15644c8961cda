"""Arguments that every command of `atoll relocate` shares, and what each says when it is stopped."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note
from operations.relocation.runner.state import format_duration
from planning.values.errors import AtollError

Source = Annotated[str, options.make_argument("SOURCE", "The stack that is left.")]
Target = Annotated[str, options.make_argument("TARGET", "The stack that is moved to.")]
PlacesFile = Annotated[
    str,
    options.make_option(
        "--places",
        "FILE",
        "Both sides and what is moved.",
        default="relocations/SOURCE--TARGET/relocation.yaml, else relocation.yaml",
    ),
]
Plain = Annotated[
    bool, typer.Option("--plain", help="Let keys and objects cross the network without TLS, to endpoints of http://.")
]


Name = Annotated[
    str,
    options.make_option(
        "--name", "NAME", "Of one of several relocations between the two, as for buckets in another store."
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
        note(f"write freeze{f' for {format_duration(still)}' if still else ''}")
    note(f"go on: {back if stands.rolling_back else go_on}")
    if stands.begun and not stands.past_return and not stands.rolling_back:
        note(f"or go back: {back}")


class Through(StrEnum):
    """How bytes leave the source's network."""

    ENDPOINT = "endpoint"
    NAT = "nat"
    DIRECT = "direct"


Places = Annotated[str, options.make_option("--places", "FILE", "relocation.yaml of the two.")]
Volumes = Annotated[str, options.make_option("--volumes", "FILE", "What was counted: sizes, rates, terms.")]
Bandwidth = Annotated[str, options.make_option("--bandwidth", "RATE", "Of all transfers, as in 1Gbps.")]
ObjectsPerS = Annotated[str, options.make_option("--objects-per-s", "N", "Small objects copied in a second.")]
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
HtmlFile = Annotated[str, options.make_option("--html", "FILE", "Write a page.")]
MarkdownFile = Annotated[str, options.make_option("--markdown", "FILE", "Write Markdown.")]
Draft = Annotated[
    str,
    options.make_option(
        "--draft", "FILE", "Write a first relocation.yaml, and by-hand.yaml beside it; never over one."
    ),
]
