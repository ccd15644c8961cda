"""PostgreSQL: connections, a dump of one snapshot, and its restore in one transaction.

The restore drops and makes again what the dump holds, inside the database that is there (`--clean --if-exists
--single-transaction`). A new database beside it that is renamed would need the right to make databases, which the
owner of CloudNativePG's database does not have, and no open connection. If the program is killed, the server rolls
the whole transaction back.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from operations.relocation.databases.client_programs import ProgramRunner, find_program, major_of, persist_file, run
from operations.relocation.databases.postgres_read_only import WAITS, WRITING, connect, uri_of
from operations.relocation.databases.sql import DatabaseConnection, MetadataError, execute_change, rows
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from operations.relocation.config.endpoints import DatabasePlace


PACKAGE: Final = "PostgreSQL's client programs (postgresql-client), of the server's major version or a later one"
READS: Final = "atoll-dump"  # names by which our sessions are known at a server
WRITES: Final = "atoll-restore"
# Variables of libpq, by the word of a URI.
# https://www.postgresql.org/docs/current/libpq-envars.html (2026-11-22)
VARIABLES: Final[Mapping[str, str]] = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "channel_binding": "PGCHANNELBINDING",
    "gssencmode": "PGGSSENCMODE",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
}
# What only a superuser may make or drop, and what every database has.
NOT_OURS: Final = re.compile(
    r"^\d+; \d+ \d+ (EXTENSION |COMMENT - EXTENSION |(SCHEMA|COMMENT - SCHEMA|ACL - SCHEMA) ?-? ?public\b)"
)
LINGERING: Final = """
SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = %s AND pid <> pg_backend_pid()
"""


@contextmanager
def session(
    place: DatabasePlace, secrets: Mapping[str, str], *, writing: bool = False
) -> Generator[DatabaseConnection]:
    """A connection; an open transaction is rolled back at the end.

    Args:
        writing: whether it may write where the database is closed to writers.

    Raises:
        StepError: no answer, or a statement is refused; the message never holds the password.
    """
    try:
        with connect(place, secrets, writing=writing, autocommit=False) as opened:
            yield cast("DatabaseConnection", opened)
            opened.rollback()
    except MetadataError as error:
        raise StepError(str(error)) from error


def environment(uri: str) -> dict[str, str]:
    """Environment variables of libpq for a URI.

    Raises:
        StepError: no URI, or a word in it that has no variable.
    """
    try:
        # By variables: arguments would show the password in the process list.
        words = conninfo_to_dict(uri)
    except psycopg.Error as error:
        raise StepError("what should be the URI of a database is none") from error
    unknown = sorted(set(words) - {*VARIABLES, "options", "application_name"})
    if unknown:
        raise StepError(f"the URI of a database says {', '.join(unknown)}, which its programs cannot be told")
    return {variable: str(words[word]) for word, variable in VARIABLES.items() if words.get(word) is not None}


def server_major(connection: DatabaseConnection) -> int:
    return int(rows(connection, "SELECT current_setting('server_version_num')::int / 10000")[0][0])


def dump(place: DatabasePlace, secrets: Mapping[str, str], path: Path, *, starts: ProgramRunner = run) -> str:
    """Dump one snapshot into a file; its SHA-256.

    Raises:
        StepError: the program is missing or older than the server, or it failed.
    """
    with session(place, secrets) as connection:
        server = server_major(connection)
    program = new_enough("pg_dump", server, starts=starts)
    unfinished = path.with_name(f".{path.name}.new")
    settings = {**environment(uri_of(place, secrets)), "PGAPPNAME": READS}
    # The file is made by us, so that nobody else can read it while it grows.
    starts([program, "--format=custom", "--no-password"], environment=settings, writes=unfinished)
    return persist_file(unfinished, path)


def restore(place: DatabasePlace, secrets: Mapping[str, str], path: Path, *, starts: ProgramRunner = run) -> None:
    """Restore a dump, all of it or nothing.

    Raises:
        StepError: the program is missing or older than the server, or it failed.
    """
    with session(place, secrets) as connection:
        server = server_major(connection)
        database = str(rows(connection, "SELECT current_database()")[0][0])  # a URI may leave it out
        rows(connection, LINGERING, (WRITES,))  # of a run that was killed, and whose child was not
    program = new_enough("pg_restore", server, starts=starts)
    listing = path.with_name(f"{path.name}.list")
    listing.write_text(filter_listing(starts([program, "--list", str(path)], environment={})), encoding="utf-8")
    uri = uri_of(place, secrets)
    settings = {**environment(uri), "PGAPPNAME": WRITES, "PGOPTIONS": f"{WRITING} {WAITS}"}
    starts([*restore_command(program, listing), f"--dbname={database}", str(path)], environment=settings)


def restore_command(program: str, listing: Path) -> list[str]:
    """Command of a restore, without database and file."""
    return [
        program, "--clean", "--if-exists", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
        "--no-publications", "--no-subscriptions", "--no-password", f"--use-list={listing}",
    ]  # fmt: skip


def filter_listing(listing: str) -> str:
    """Table of contents of a dump, without what the target's administrator makes."""
    return "".join(f"{line}\n" for line in listing.splitlines() if not NOT_OURS.match(line))


def new_enough(name: str, server: int, *, starts: ProgramRunner = run) -> str:
    """Path of a program that supports the server.

    Raises:
        StepError: it is missing or too old.
    """
    program = find_program(name, package=PACKAGE)
    major = major_of(starts([program, "--version"], environment={}))
    if major < server:
        raise StepError(f"{name} is of version {major}, the server of version {server}", hint=f"install {PACKAGE}")
    return program


def read_mark(connection: DatabaseConnection) -> str:
    """Comment of the relocation that restored the database last; "" for none."""
    asked = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"
    return str(rows(connection, asked)[0][0] or "")


def mark(connection: DatabaseConnection, words: str) -> None:
    """Set that comment; "" removes it."""
    said = words.replace("'", "''")
    name = str(rows(connection, "SELECT quote_ident(current_database())")[0][0])
    execute_change(connection, f"COMMENT ON DATABASE {name} IS '{said}'")
    connection.commit()


ALEMBIC: Final = "alembic_version"  # table in which MLflow and Airflow keep their schema's version
MAJOR: Final = 10_000  # server_version_num is 150004 for 15.4
# Tables that hold rows only where somebody has used it; a part that was only started has none in them.
# Names: mlflow/store/db_migrations, airflow/models, grafana pkg/services/sqlstore/migrations, ML Metadata's schema.
USED: Final[Mapping[str, tuple[str, ...]]] = {
    "mlflow": ("runs", "registered_models", "trace_info"),
    "airflow": ("dag_run",),
    "grafana": ("dashboard",),
    "model_registry": ("Artifact", "Context"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """Facts of a database.

    Args:
        schema: version of its schema; "" where it has none.
        used: tables that hold rows of somebody.
        name: host, port and database, by which it is known again.
        mark: what was written on it by who restored it last.
    """

    name: str
    major: int
    size: int
    tables: int
    schema: str
    used: tuple[str, ...]
    mark: str


def facts(place: DatabasePlace, secrets: Mapping[str, str]) -> DatabaseFacts | None:
    """Facts of a PostgreSQL database; None for another engine.

    Raises:
        StepError: it does not answer or refuses, without the password in it.
    """
    if place.engine != "postgresql":
        return None
    with connect(place, secrets) as session:
        return _query_facts(session, place)


def _query_facts(session: psycopg.Connection, place: DatabasePlace) -> DatabaseFacts:
    row = session.execute(
        "SELECT current_setting('server_version_num')::int, pg_database_size(current_database()),"
        " (SELECT count(*) FROM pg_tables WHERE schemaname = 'public'),"
        " (SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database())"
    ).fetchone()
    major, size, tables, mark = cast("tuple[int, int, int, str | None]", row)
    there = {str(each[0]) for each in session.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    wanted = (each for each in USED.get(place.part, ()) if each in there)
    return DatabaseFacts(
        name=f"{session.info.host}:{session.info.port}/{session.info.dbname}",
        major=major // MAJOR,
        size=size,
        tables=tables,
        schema=_schema(session) if ALEMBIC in there else "",
        mark=mark or "",
        used=tuple(each for each in wanted if _has_rows(session, each)),
    )


def _schema(session: psycopg.Connection) -> str:
    found = session.execute("SELECT version_num FROM alembic_version ORDER BY version_num").fetchall()
    return ",".join(str(each[0]) for each in found)


def _has_rows(session: psycopg.Connection, table: str) -> bool:
    asked = sql.SQL("SELECT EXISTS (SELECT 1 FROM public.{})").format(sql.Identifier(table))
    return session.execute(asked).fetchone() == (True,)
