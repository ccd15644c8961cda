"""Arguments and options of `atoll clone`."""

from typing import Annotated

import typer

New = Annotated[str, typer.Argument(metavar="NEW", help="Name of the clone.", show_default=False)]
Region = Annotated[str, typer.Option("--region", metavar="R", help="Region of the clone.", show_default=False)]
Provider = Annotated[
    str, typer.Option("--provider", metavar="P", help="Provider of the clone.", show_default="the source's")
]
Zones = Annotated[
    str, typer.Option("--zones", metavar="A,B,C", help="Zones of its home.", show_default="the quote's choice")
]
Cidr = Annotated[str, typer.Option("--cidr", metavar="RANGE", help="Its addresses.", show_default="a free range")]
Option = Annotated[
    str, typer.Option("--option", metavar="ID|VIEW", help="Which option.", show_default="the source's view")
]
Decisions = Annotated[
    str, typer.Option("--decisions", metavar="FILE", help="Answers to what it needs to know.", show_default=False)
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show everything and write nothing.")]
