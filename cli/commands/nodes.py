"""`atoll nodes`: nodes that fail, from the first sign to the machine in their place."""

import typer

from cli.commands.node_operations import listing, repair, watch

app = typer.Typer(help="Nodes that fail: see them, take them out of use, replace them, and keep the log.")

app.command("list")(listing.nodes)
app.command("watch")(watch.watch)
app.command("mend")(repair.mend)
app.command("hold")(repair.hold)
app.command("incidents")(listing.incidents)
app.command("close")(repair.close)
