"""What a PostgreSQL server says of a database, before anything is moved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import psycopg
from psycopg import sql

from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.config.endpoints import DatabasePlace

SECONDS: Final = 10
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
    """What is known of a database.

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
    """What the server says; None where it is not PostgreSQL, which nobody here can ask.

    Raises:
        StepError: it does not answer or refuses, without the password in it.
    """
    if place.engine != "postgresql":
        return None
    uri = re.sub(r"^postgres(ql)?(\+[a-z0-9_]+)?://", "postgresql://", secrets.get(place.uri_env, ""))
    try:
        with psycopg.connect(uri, connect_timeout=SECONDS, application_name="atoll", autocommit=True) as session:
            return _asked(session, place)
    except psycopg.Error as error:
        words = f"the database of {place.part} ({place.uri_env}) does not answer: {_reason(error)}"
        raise StepError(words, hint=f"{place.uri_env} holds postgresql://user:password@host:5432/name") from error


def _reason(error: psycopg.Error) -> str:
    """The server's own words; an address that cannot be read is not repeated, for it may hold the password."""
    if isinstance(error, psycopg.OperationalError):
        said = error.diag.message_primary or str(error).partition("\n")[0]
        return said.removeprefix("connection failed: ")
    return error.diag.message_primary or type(error).__name__


def _asked(session: psycopg.Connection, place: DatabasePlace) -> DatabaseFacts:
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
