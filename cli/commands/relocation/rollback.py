"""`atoll relocate rollback`: everything back as it was, as long as commit was not begun."""

from cli.commands.relocation import options
from cli.terminal.console import note
from operations.project.signals import until_stopped


def run_rollback(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    places: options.PlacesFile = "",
    plain: options.Plain = False,
) -> int:
    """Take a relocation back: names first, then the source's writers; copies stay at the target.

    It uses the places as they were when the plan was held. It is refused once commit was begun. A roll back that was
    stopped is gone on with; after it, `atoll relocate run` begins anew and copies only what changed.
    """

    def work() -> int:
        from operations.relocation import workspace  # noqa: PLC0415 - once there is something to take back
        from operations.relocation.runner import execution  # noqa: PLC0415 - as above
        from operations.relocation.steps.table import every_step  # noqa: PLC0415 - as above

        parts = workspace.prepare_rollback(source, target, name=name, places=places, in_clear=plain, say=note)
        stands = execution.roll_back(parts, every_step())
        note(f"rolled back: the source is as it was; the next run is attempt {stands.attempt}")
        return 0

    return until_stopped(work, told=lambda: options.say_stopped(source, target, name=name))
