"""Makes a PostgreSQL database read-only and writable again, and tries with a write whether it is.

`default_transaction_read_only` of the database binds sessions that begin later, so the others are ended. What was set
for the user itself goes before it: the canary, which is a session of the same user, finds that out.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, LiteralString, cast

import psycopg
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction

from operations.relocation.databases.client_programs import read_uri
from operations.relocation.runner.step import Move, StepError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from operations.relocation.config.endpoints import DatabasePlace

SETTING: Final = "default_transaction_read_only"
WRITING: Final = f"-c {SETTING}=off"  # what a session says for itself goes before what its database says
WAITS: Final = "-c lock_timeout=60s"  # for sessions that still read a table
SECONDS: Final = 10
ENDS_WITHIN_MS: Final = 5000
CANARY: Final = "atoll_canary"  # name of the table that a canary would make, in a transaction that is taken back
# A user without pg_read_all_stats sees of sessions of others their names, and NULL for the rest
# (postgresql.org/docs/current/monitoring-stats.html, "Viewing Statistics", 2026-11-23).
OTHERS: Final[LiteralString] = """
SELECT pid, usename, application_name, rolsuper FROM pg_stat_activity JOIN pg_roles ON rolname = usename
WHERE datname = current_database() AND pid <> pg_backend_pid()
AND coalesce(backend_type, 'client backend') = 'client backend'
"""
SET_NOW: Final[LiteralString] = """
SELECT setconfig FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
WHERE datname = current_database() AND setrole = 0
"""


def close(place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
    """Make it read-only for all sessions; the result as JSON.

    Raises:
        StepError: it cannot be, or sessions of others remain.
    """
    key = memory_key_of_database(side, place)
    with connect(place, move.secrets, writing=True) as session:
        # Remembered before it is changed, and only the first time: a second run would remember our own setting.
        before = to_mapping(move.memory.remember(key, {"before": _set_to(session)})).get("before")
        session.execute(_alter(session, "on"))
        # The setting holds for new sessions; those that are open keep the old one.
        ended = _end_others(session, place)
    return {"part": place.part, "engine": place.engine, "before": before, "sessions_ended": ended}


def open_again(place: DatabasePlace, move: Move, *, side: str) -> dict[str, object]:
    """Restore the earlier setting and end sessions; does nothing if it was not closed."""
    kept = move.memory.recall(memory_key_of_database(side, place))
    if kept is None:
        return {}
    before = to_mapping(kept).get("before")
    with connect(place, move.secrets, writing=True) as session:
        session.execute(_alter(session, str(before) if before is not None else None))
        ended = _end_others(session, place)
    return {"part": place.part, "engine": place.engine, "restored": before, "sessions_ended": ended}


def try_to_write(place: DatabasePlace, move: Move) -> str:
    """Create a table and roll back: "written", "read-only", or "refused" without the right."""
    with connect(place, move.secrets) as session:
        try:
            with session.transaction(force_rollback=True):
                session.execute(sql.SQL("CREATE TABLE {} (written integer)").format(sql.Identifier(CANARY)))
                session.execute(sql.SQL("INSERT INTO {} VALUES (1)").format(sql.Identifier(CANARY)))
        except ReadOnlySqlTransaction:
            return "read-only"
        except InsufficientPrivilege:
            return "refused"
    return "written"


def is_closed(place: DatabasePlace, move: Move) -> bool:
    """Whether the setting is on."""
    with connect(place, move.secrets) as session:
        return str(_set_to(session)).lower() in {"on", "true", "yes", "1"}


def memory_key_of_database(side: str, place: DatabasePlace) -> str:
    """Memory key of the earlier setting."""
    # With the URI's variable: a part may have two databases.
    return f"freeze/{side}/database/{place.part}/{place.uri_env}"


def _set_to(session: psycopg.Connection) -> str | None:
    """The database's setting; None if unset."""
    row = session.execute(SET_NOW).fetchone()
    for each in cast("list[str]", row[0] if row else []):
        name, _, value = each.partition("=")
        if name == SETTING:
            return value
    return None


def _alter(session: psycopg.Connection, value: str | None) -> sql.Composed:
    name = sql.Identifier(session.info.dbname)
    if value is None:
        return sql.SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(name)
    said = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}")
    return said.format(name, sql.Literal(value))


def _end_others(session: psycopg.Connection, place: DatabasePlace) -> int:
    """End all other sessions; their count.

    Raises:
        StepError: one belongs to somebody else whom this user may not send away.
    """
    ended = 0
    kept: set[str] = set()
    for pid, user, application, is_super in session.execute(OTHERS).fetchall():
        try:
            session.execute("SELECT pg_terminate_backend(%s, %s)", (pid, ENDS_WITHIN_MS))
            ended += 1
        except InsufficientPrivilege:
            # Only a superuser ends a superuser's session (backups, metrics of the operator); those may stay.
            kept |= set() if is_super else {f"{user} ({application or 'no name'})"}
    if kept:
        raise StepError(
            f"sessions in the database of {place.part} that cannot be ended: {', '.join(sorted(kept))}",
            hint="grant pg_signal_backend to the user that the URI names, or end them; then run again",
        )
    return ended


@contextmanager
def connect(
    place: DatabasePlace, secrets: Mapping[str, str], *, writing: bool = False, autocommit: bool = True
) -> Generator[psycopg.Connection]:
    """A session of the URI's user.

    Args:
        writing: whether it may write even where the database is read-only.

    Raises:
        StepError: no answer, or a statement is refused; the message never holds the password.
    """
    try:
        with psycopg.connect(
            uri_of(place, secrets),
            connect_timeout=SECONDS,
            application_name="atoll",
            options=f"{WRITING} {WAITS}" if writing else None,
            autocommit=autocommit,
        ) as session:
            yield session
    except psycopg.Error as error:
        hint = f"{place.uri_env} holds postgresql://user:password@host:5432/name, whose user must own the database"
        raise StepError(f"the database of {place.part} refuses: {_reason(error)}", hint=hint) from error


def _reason(error: psycopg.Error) -> str:
    """The server's message."""
    # psycopg repeats an invalid URI in its message, with the password in it: only the first line, or the server's own
    # words.
    if isinstance(error, psycopg.OperationalError):
        said = error.diag.message_primary or str(error).partition("\n")[0]
        return said.removeprefix("connection failed: ")
    return error.diag.message_primary or type(error).__name__


def uri_of(place: DatabasePlace, secrets: Mapping[str, str]) -> str:
    """The URI without a driver as in SQLAlchemy's.

    Raises:
        StepError: the environment variable is not set.
    """
    return re.sub(r"^postgres(ql)?(\+[a-z0-9_]+)?://", "postgresql://", read_uri(place, secrets))
