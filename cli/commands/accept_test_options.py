"""Options of `atoll accept-test`."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.terminal import options


def _file(name: str, words: str, *, metavar: str = "FILE") -> object:
    return typer.Option(name, metavar=metavar, help=words, show_default=False)


Only = Annotated[
    str, typer.Option("--only", metavar="KINDS", help="Of node,fabric,storage,network,smoke.", show_default="all")
]
Node = Annotated[list[str] | None, _file("--node", "Only this node; repeatable.", metavar="NAME")]
Placement = Annotated[
    str, typer.Option("--placement", metavar="NAME", help="Which cluster of the stack.", show_default="home")
]
Peer = Annotated[
    list[str] | None,
    _file("--peer", "What has to answer in the main network; repeatable.", metavar="HOST:PORT"),
]
Recorded = Annotated[
    list[str] | None, _file("--from", "Judge recorded results, without a cluster; repeatable.", metavar="FILE|DIR")
]
RunName = Annotated[
    str, typer.Option("--run", metavar="NAME", help="Go on with this run.", show_default="the last unfinished")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be made, and make nothing.")]
WhileWorking = Annotated[bool, typer.Option("--while-working", help="Queue behind pods that hold accelerators now.")]
Keep = Annotated[bool, typer.Option("--keep", help="Leave the objects of failed jobs, to be looked at.")]
Timeout = Annotated[
    int, typer.Option("--timeout", metavar="SECONDS", min=0, help="Give each job up then.", show_default="its own")
]
Html = Annotated[str, _file("--html", "Write the page.")]
Output = Annotated[list[str] | None, options.output_of(".html, .md, .json")]
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
Verify = Annotated[str, _file("--verify", "Check a signed report.", metavar="REPORT")]
PublicKey = Annotated[str, _file("--public-key", "Of whoever signed it.")]
