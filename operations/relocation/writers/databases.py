"""Makes the databases of a side read-only, opens them again, and proves both with a write that is taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.relocation.config.rules import name_databases
from operations.relocation.runner.step import Move, StepError
from operations.relocation.writers.stores import SOURCE, side_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operations.relocation.config.endpoints import DatabasePlace
    from operations.relocation.writers.ports import Done, QuiescePorts

POSTGRES: Final = "postgresql"
WRITTEN: Final = "written"
READ_ONLY: Final = "read-only"
# MySQL's read_only binds no user with SUPER, whom Pipelines are, and needs a right of the server's administrator: what
# writes there is scaled to 0 instead (dev.mysql.com/doc/refman/8.4, read_only and super_read_only).
SCALED: Final = "what writes it is scaled to 0 in its cluster"


def see_that_databases_write(move: Move, hands: QuiescePorts) -> None:
    """Check before the freeze that the canaries can write.

    Raises:
        StepError: a database takes no write, or its writers cannot be stopped.
    """
    side = move.places.source
    for each in side.databases:
        if each.engine != POSTGRES and side.kubeconfig_env is None:
            raise StepError(
                f"writers of the MySQL database of {each.part} cannot be stopped",
                hint="it is scaled to 0 in the source's cluster: name `kubeconfig_env` of the source",
            )
    for name, each in _postgres(side.databases):
        key = f"freeze/{SOURCE}/canary/database/{name}"
        if move.memory.recall(key) is not None:
            continue
        # A canary that never could write would prove nothing by a refusal.
        closed = hands.databases.is_closed(each, move)
        if not closed and (answer := hands.databases.try_to_write(each, move)) != WRITTEN:
            raise StepError(
                f"a write into the database of {name} is {answer} even before the freeze: that proves nothing",
                hint=f"{each.uri_env} must name the user who writes it, and who owns the database",
            )
        move.memory.remember(key, "read-only before" if closed else WRITTEN)


def close(move: Move, hands: QuiescePorts, *, side: str) -> list[Done]:
    every = side_of(move, side).databases
    closed = [hands.databases.close(each, move, side=side) for _, each in _postgres(every)]
    mysql: list[Done] = [
        {"part": each.part, "engine": each.engine, "how": SCALED} for each in every if each.engine != POSTGRES
    ]
    return [*closed, *mysql]


def prove_closed(move: Move, hands: QuiescePorts, *, side: str) -> dict[str, str]:
    """Try a write in every database of a side: each must be refused as read-only.

    Raises:
        StepError: one is not.
    """
    proofs: dict[str, str] = {}
    for name, each in _postgres(side_of(move, side).databases):
        proofs[name] = hands.databases.try_to_write(each, move)
        if proofs[name] != READ_ONLY:
            raise StepError(
                f"a canary write that succeeds: the database of {name} at the {side} is not read-only",
                hint="its user may have a default_transaction_read_only of its own: ALTER ROLE ... RESET it",
                evidence={"database": name, "canary": proofs[name]},
            )
    return proofs


def open_again(move: Move, hands: QuiescePorts, *, side: str) -> list[Done]:
    """Restore the setting of every database that was closed."""
    every = _postgres(side_of(move, side).databases)
    return [done for _, each in every if (done := hands.databases.open_again(each, move, side=side))]


def write_again(move: Move, hands: QuiescePorts, *, side: str) -> dict[str, str]:
    every = _postgres(side_of(move, side).databases)
    return {name: hands.databases.try_to_write(each, move) for name, each in every}


def _postgres(every: Sequence[DatabasePlace]) -> list[tuple[str, DatabasePlace]]:
    """PostgreSQL databases by part, numbered from the second of a part."""
    return [(name, each) for name, each in name_databases(every).items() if each.engine == POSTGRES]
