"""No name of a resource is both stacks': the programs of both are run offline and their names laid side by side."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planning.spec.lock import LOCK_NAME
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.costs.resources.resource import Resource

PROGRAM: Final = "__main__.py"
# Inputs by which a provider knows a resource in an account, a project or the whole world.
NAMING: Final = ("name", "bucket", "accountId", "roleId", "keyRingId", "clusterIdentifier", "secretId")
INSIDE: Final = "kubernetes:"  # objects of a cluster: two clusters may have the same


def preview_resources(stack: str, *, root: Path, texts: Mapping[str, str]) -> tuple[Resource, ...]:
    """What the program of a stack would build from a lock that no folder of the project holds yet.

    Args:
        texts: of the stack's configuration and lock, by file name.
    """
    from operations.offline.program import run  # noqa: PLC0415 - Pulumi is imported once it is needed

    with tempfile.TemporaryDirectory(prefix="atoll-clone-") as made:
        folder = Path(made)
        stacks = folder / "stacks"
        (stacks / stack).mkdir(parents=True)
        shutil.copy(root / "stacks" / PROGRAM, stacks / PROGRAM)
        (stacks / f"Pulumi.{stack}.yaml").write_text(texts["config"], encoding="utf-8")
        (stacks / stack / LOCK_NAME).write_text(texts["lock"], encoding="utf-8")
        try:
            with redirect_stderr(StringIO()):  # what the program remarks is for `atoll plan`, once for each stack
                return run(stack, root=folder).resources
        except AtollError as error:
            raise AtollError(f"the program of {stack} does not run: {error}", hint=error.hint) from error


def physical_names(resources: Sequence[Resource]) -> frozenset[tuple[str, str, str]]:
    """Type, input and name of everything that the program names itself."""
    return frozenset(
        (each.type, key, value)
        for each in resources
        if each.custom and not each.type.startswith(INSIDE)
        # What the engine names itself ends in letters that it draws, and is in no input.
        for key in NAMING
        if isinstance(value := each.inputs.get(key), str) and value
    )


def refuse_shared(old: Sequence[Resource], new: Sequence[Resource], *, source: str, clone: str) -> int:
    """How many names were compared.

    Raises:
        InputError: some are in both; names them.
    """
    mine, theirs = physical_names(new), physical_names(old)
    shared = sorted(mine & theirs)
    if shared:
        said = ", ".join(f"{name} ({kind})" for kind, _, name in shared[:5])
        raise InputError(
            f"{clone} and {source} would share {len(shared)} physical names: {said}",
            hint="two stacks would own one resource; choose another name for the clone, or what the names come from",
        )
    return len(mine | theirs)
