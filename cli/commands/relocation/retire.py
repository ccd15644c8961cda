"""`atoll relocate retire`: whether the source may go, what its destroy would delete, and whether it still costs."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.commands.relocation import options
from cli.terminal import options as arguments
from cli.terminal.console import progress
from cli.terminal.options import deliver
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_stack_lock
from operations.project.workspace import require_stack
from planning.values.errors import Fault, InputError, UndeterminedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operations.project.workspace import Project
    from planning.costs.resources.resource import Resource
    from planning.relocation.decommission import Retiring, ToZero
    from planning.spec.lock import Lock

HOW = "pulumi preview --destroy --json --stack {stack} > destroy.json, then --state destroy.json"


def run_retire(
    source: options.Source,
    target: options.Target,
    *,
    state: Annotated[
        str,
        arguments.make_option(
            "--state",
            "FILE",
            "What a destroy would delete: preview of it, or exported state.",
            default="what the program registers",
        ),
    ] = "",
    after: Annotated[bool, typer.Option("--after", help="The source was destroyed: does it still cost?")] = False,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
    today: arguments.Today = "",
) -> int:
    """Say whether the source may be destroyed, and how. Nothing is deleted here.

    Refused before the relocation is committed, before the days for which the source is kept are over, while anything
    of it is open, and where what would be deleted is not what the inventory knows. Exit code of --after: 0 where
    nothing that was forgotten costs, 1 where something does, 11 where a cloud did not answer.
    """
    committed, retain_days = _find_last_commit(source, target)
    project = require_stack(source)
    lock = read_stack_lock(project, source)
    if after:
        return _after(project, lock, prices=prices, own=own, as_json=as_json, output=output)
    found = _find_deletions(
        project, lock, state=state, committed=committed, retain_days=retain_days, today=arguments.day(today)
    )
    _refuse(found, source)
    form = {
        "source": source,
        "may_go_since": found.on.isoformat(),
        "kept": dict(found.kept),
        "next": [f"atoll destroy {source}", f"atoll relocate retire {source} {target} --after"],
    }
    lines = (
        f"{source} may go, since {found.on}: what would be deleted is what the inventory knows",
        *(f"  {key} stays; {reason}" for key, reason in found.kept),
        f"atoll destroy {source}",
        f"then: atoll relocate retire {source} {target} --after",
    )
    deliver(form, as_json=as_json, output=output, parts=lambda: lines)
    return 0


def _find_last_commit(source: str, target: str) -> tuple[date, int]:
    """When the last of the relocations was committed, and for how many days the source is kept.

    Raises:
        InputError: it is not, or something of it is open.
    """
    from operations.relocation import workspace  # noqa: PLC0415 - where it is asked for

    found: list[tuple[date, int]] = []
    faults: list[Fault] = []
    begun = workspace.find_relocation_folders(source, target)
    for folder in begun:
        try:
            found.append(_of_one(folder, source, target))
        except InputError as error:
            faults.append(Fault(message=str(error), file=folder.name, hint=error.hint))
    if len(begun) == 1 and faults:
        raise InputError(faults[0].message, hint=faults[0].hint)
    if faults:
        raise InputError(f"{len(faults)} of {len(begun)} relocations from {source} are open", faults=faults)
    return max(found, key=lambda each: each[0] + timedelta(days=each[1]))


def _of_one(folder: Path, source: str, target: str) -> tuple[date, int]:
    """When one relocation was committed, and for how many days its source is kept.

    Raises:
        InputError: it is not, or something of it is open.
    """
    from operations.project import lease  # noqa: PLC0415 - as above
    from operations.relocation.runner import execution  # noqa: PLC0415 - as above
    from operations.relocation.runner.state import StepState  # noqa: PLC0415 - as above
    from planning.relocation.steps import NAMES, POINT_OF_NO_RETURN  # noqa: PLC0415 - as above

    stands = execution.read_state(folder)
    name = folder.name.removeprefix(f"{source}--{target}").removeprefix("-")
    hint = f"atoll relocate status {source} {target}{f' --name {name}' if name else ''} shows how far it is"
    if not stands.opened:
        raise InputError(f"nothing was relocated from {source} to {target}", hint=hint)
    if running := lease.holder(folder):
        raise InputError(f"the relocation is being run by {running}", hint=hint)
    if not stands.committed:
        raise InputError(f"the relocation is not committed: {source} holds what {target} may not", hint=hint)
    if left := [name for name in NAMES if stands.of(name).state != StepState.DONE]:
        raise InputError(f"the relocation is not finished: {', '.join(left)}", hint=hint)
    evidence = stands.of(POINT_OF_NO_RETURN).evidence
    try:
        at = datetime.fromisoformat(str(evidence["committed_at"])).astimezone(UTC).date()
        return at, int(str(evidence["retain_days"]))
    except (KeyError, ValueError):
        raise InputError("the journal's commit does not say for how long the source is kept", hint=hint) from None


def _find_deletions(
    project: "Project", lock: "Lock", *, state: str, committed: date, retain_days: int, today: date
) -> "Retiring":
    """What would be deleted, held against the inventory of the same resources and the lock.

    Raises:
        InputError: the commit lies ahead: a clock is wrong.
    """
    from operations.relocation.decommission import deletions, list_retained  # noqa: PLC0415 - once the relocation is committed
    from planning.relocation.decommission import judge_decommission  # noqa: PLC0415 - as above
    from planning.relocation.inventory import stack_inventory as known  # noqa: PLC0415 - as above
    from planning.relocation.inventory.expected_assets import from_lock  # noqa: PLC0415 - as above

    if committed > today:
        raise InputError(f"the commit, of {committed}, lies ahead of today, {today}", hint="look at the clock")
    if today < committed + timedelta(days=retain_days):
        _too_early(lock.stack, committed + timedelta(days=retain_days), today)
    registered = _preview_resources(project, lock)
    inventory = known.with_resources(from_lock(lock), registered)
    going = _going(state) if state else registered
    return judge_decommission(
        inventory,
        deletions(going, inventory),
        committed=committed,
        retain_days=retain_days,
        today=today,
        kept=list_retained(going, inventory).items(),
    )


def _preview_resources(project: "Project", lock: "Lock") -> "tuple[Resource, ...]":
    from operations.offline.program import run as run_offline  # noqa: PLC0415 - Pulumi is imported once it is needed

    with progress(f"looking at {lock.stack}"):
        return tuple(run_offline(lock.stack, root=project.root).resources)


def _going(file: str) -> "Sequence[Resource]":
    from operations.relocation.decommission import resources_of  # noqa: PLC0415 - where a file is named
    from planning.costs.resources.formats.file import read_file  # noqa: PLC0415 - as above

    return resources_of(read_file(Path(file)))


def _too_early(source: str, on: date, today: date) -> None:
    days = (on - today).days
    raise InputError(
        f"{source} is kept until {on}: {days} day{'s' * (days != 1)} left",
        hint="retain_days in relocation.yaml, as it was when the relocation was committed",
    )


def _refuse(found: "Retiring", source: str) -> None:
    """Every difference at once.

    Raises:
        InputError: what would be deleted is not what the inventory knows.
    """
    if found.allowed:
        return
    faults = [
        Fault(message=f"{each.name} would be deleted, and the inventory has decided nothing about it", file=source)
        for each in found.unknown
    ]
    faults += [
        Fault(message=f"{key} is in the inventory and would not be deleted: it would go on costing", file=source)
        for key in found.forgotten
    ]
    hint = f"the list is that of the program; the engine's own: {HOW.format(stack=source)}"
    raise InputError(f"{source} may not go: {len(faults)} differences to the inventory", faults=faults, hint=hint)


def _after(
    project: "Project", lock: "Lock", *, prices: str, own: str, as_json: bool, output: "Sequence[str] | None"
) -> int:
    from cli.views.cloud_checks import leftovers_parts  # noqa: PLC0415 - as above
    from operations.clouds.registry import leftovers_of  # noqa: PLC0415 - clouds are asked only here
    from operations.project.stack_config import read_config  # noqa: PLC0415 - as above
    from planning.cloud_checks.orphans import leftovers_form  # noqa: PLC0415 - as above
    from planning.relocation.decommission import judge_remaining_bill  # noqa: PLC0415 - as above

    config = read_config(project.stack_config(lock.stack)).values
    with progress(f"asking the clouds of {lock.stack}"):
        left = leftovers_of(lock, catalog=price_book(prices, own=own, today=arguments.day("")), config=config)
    found = judge_remaining_bill(left)
    deliver(
        {**leftovers_form(left), "verdict": found.verdict},
        as_json=as_json,
        output=output,
        parts=lambda: (*leftovers_parts(left), _WORDS[found.verdict].format(stack=lock.stack)),
    )
    return _exit_code(found)


_WORDS = {
    "nothing": "{stack} costs nothing any more",
    "kept": "of {stack} only what is kept on purpose still costs",
    "costs": "{stack} still costs: delete what is listed",
    "undetermined": "whether {stack} still costs anything is undetermined: not everything answered",
}


def _exit_code(found: "ToZero") -> int:
    if found.verdict == "costs":
        return InputError.exit_code
    return UndeterminedError.exit_code if found.verdict == "undetermined" else 0
