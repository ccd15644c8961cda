"""The part of DB-API 2.0 (PEP 249) that is used, for PostgreSQL (psycopg 3 and psycopg2) and SQLite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKS: Final = {"sqlite3": "?", "psycopg": "%s", "psycopg2": "%s"}  # of a parameter, by the driver's package
MISSING: Final = "a database reached by {}: rewriting knows PostgreSQL and SQLite"


class MetadataError(Exception):
    """A database that is refused; the message says why."""


class Cursor(Protocol):
    rowcount: int

    def execute(self, statement: str, parameters: Sequence[object] = ..., /) -> object: ...

    def fetchall(self) -> Sequence[Sequence[Any]]: ...

    def close(self) -> None: ...


class DatabaseConnection(Protocol):
    """A connection that begins a transaction by itself."""

    def cursor(self) -> Cursor: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...


def driver_of(connection: DatabaseConnection) -> str:
    """Package of the driver.

    Raises:
        MetadataError: one that is not known.
    """
    package = type(connection).__module__.partition(".")[0]
    if package not in MARKS:
        raise MetadataError(MISSING.format(package))
    return package


def join_sql(*parts: str) -> str:
    """Join parts of a statement: names are ours or the catalog's, values are parameters."""
    return " ".join(part for part in parts if part)


def quote_identifier(*names: str) -> str:
    """A name in quotes, as in "schema"."table"."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def rows(connection: DatabaseConnection, statement: str, parameters: Sequence[object] = ()) -> list[Sequence[Any]]:
    """Rows of a query; `%s` marks a parameter for every driver."""
    cursor = connection.cursor()
    try:
        cursor.execute(_translate_markers(connection, statement), tuple(parameters))
        return list(cursor.fetchall())
    finally:
        cursor.close()


def execute_change(connection: DatabaseConnection, statement: str, parameters: Sequence[object] = ()) -> int:
    """Execute a change without commit; the number of rows."""
    cursor = connection.cursor()
    try:
        cursor.execute(_translate_markers(connection, statement), tuple(parameters))
        return max(cursor.rowcount, 0)
    finally:
        cursor.close()


def begin(connection: DatabaseConnection, *, writing: bool = True) -> None:
    """Start a read-write transaction, even in a read-only database, or a read-only one."""
    if driver_of(connection) != "sqlite3":
        execute_change(connection, f"SET TRANSACTION READ {'WRITE' if writing else 'ONLY'}")
        return
    cast("Any", connection).create_function("regexp_replace", 4, _regexp_replace, deterministic=True)
    if not cast("Any", connection).in_transaction:
        execute_change(connection, "BEGIN IMMEDIATE" if writing else "BEGIN")


def tables_of(connection: DatabaseConnection) -> set[str]:
    """Tables on the search path."""
    if driver_of(connection) == "sqlite3":
        return {str(each[0]) for each in rows(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    asked = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false))"
    return {str(each[0]) for each in rows(connection, asked)}


def _translate_markers(connection: DatabaseConnection, statement: str) -> str:
    return statement.replace("%s", MARKS[driver_of(connection)])


def _regexp_replace(text: str | None, pattern: str, replacement: str, _flags: str) -> str | None:
    """PostgreSQL's regexp_replace with flag `g` for SQLite, without back references."""
    return None if text is None else re.sub(pattern, lambda _: replacement, text)
