"""Options of `atoll relocate plan`."""

from enum import StrEnum
from typing import Annotated

import typer

from cli.terminal import options


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
