"""`atoll relocate`: data and cutover from one stack to its clone, planned, proven, and with a way back."""

import typer

from cli.commands.relocation import plan, rehearse, retire, run

app = typer.Typer(help="Move a customer to another place: plan it, rehearse it, run it, prove it, take it back.")

app.command("plan")(plan.run_plan)
app.command("rehearse")(rehearse.run_rehearse)
app.command("run")(run.run_relocation)
app.command("status")(run.run_status)
app.command("verify")(run.run_verify)
app.command("rollback")(run.run_rollback)
app.command("retire")(retire.run_retire)
