"""`atoll access`: a kubeconfig for one person, for some hours, where the provider has no sign-in of its own."""

import sys
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note
from operations.project.accepted_lock import own_lock
from operations.project.workspace import known_stack
from planning.checklist.model.vocabulary import HOME
from planning.values.errors import InputError

LONGEST_HOURS = 24


def run_access(
    stack: options.Stack,
    *,
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="One of access.users.", show_default=False)],
    hours: Annotated[int, typer.Option("--hours", min=1, max=LONGEST_HOURS, help="How long it works.")] = 8,
    placement: Annotated[str, typer.Option("--placement", metavar="NAME", help="Which cluster of the stack.")] = HOME,
) -> int:
    """Print a kubeconfig that lets one person in for some hours."""
    from operations.clouds.kubernetes.certificates import ClusterSigner  # noqa: PLC0415 - as above
    from operations.handbook.user_kubeconfig import admit, person  # noqa: PLC0415 - imported once needed

    found = {each.placement.name: each for each in own_lock(known_stack(stack), stack).placements}
    if placement not in found:
        raise InputError(f"{stack} has no placement {placement!r}; it has: {', '.join(found)}")
    spec = found[placement]
    who = person(spec, user)
    if spec.existing is None:
        raise InputError(
            f"people sign in to {spec.placement.provider} itself, so that nothing has to be handed out",
            hint=f"atoll outputs {stack} -o DIR writes a kubeconfig for each role",
        )
    sys.stdout.write(admit(who, spec, hours=hours, signer=ClusterSigner(spec.existing)))
    note(f"{who.name} is in for {hours} hours; the key is in this kubeconfig and nowhere else")
    return 0
