"""`atoll relocate`: data and cutover from one stack to its clone, planned, proven, and with a way back."""

import typer

from driver.commands.relocating import plan, rehearse, retire, rollback, run, status, verify

app = typer.Typer(help="Move a customer to another place: plan it, rehearse it, run it, prove it, take it back.")

app.command("plan")(plan.run)
app.command("rehearse")(rehearse.run)
app.command("run")(run.run)
app.command("status")(status.run)
app.command("verify")(verify.run)
app.command("rollback")(rollback.run)
app.command("retire")(retire.run)
