"""`atoll relocate status`: how far a relocation is, how long writers stand still, and whether one can go back."""

from datetime import UTC, datetime
from typing import cast

from cli.commands.relocation import options
from cli.terminal import options as arguments
from cli.terminal.output import deliver


def run_status(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """Show every step with its state and its evidence. Nothing is asked of either side, and nothing is written."""
    from operations.project import lease  # noqa: PLC0415 - where it is asked for
    from operations.relocation import workspace  # noqa: PLC0415 - as above
    from operations.relocation.runner import execution  # noqa: PLC0415 - as above
    from operations.relocation.runner.status import status_form  # noqa: PLC0415 - as above

    folder = workspace.folder_of(source, target, name=name)
    running = lease.holder(folder)
    stands = execution.read_state(folder)
    form = status_form(stands, source=source, target=target, running=running, now=datetime.now(tz=UTC), name=name)
    from cli.views.relocation.plan import status_parts  # noqa: PLC0415 - as above

    deliver(cast("dict[str, object]", form), as_json=as_json, output=output, parts=lambda: status_parts(form))
    return 0
