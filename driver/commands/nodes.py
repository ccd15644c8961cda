"""`atoll nodes`: nodes that fail, from the first sign to the machine in their place."""

import typer

from driver.commands.tending import listing, mending, watching

app = typer.Typer(help="Nodes that fail: see them, take them out of use, replace them, and keep the log.")

app.command("list")(listing.nodes)
app.command("watch")(watching.watch)
app.command("mend")(mending.mend)
app.command("hold")(mending.hold)
app.command("incidents")(listing.incidents)
app.command("close")(mending.close)
