"""A database in SQLite with the columns of MLflow's that hold addresses, and nothing else of it."""

from __future__ import annotations

import sqlite3

from operations.relocation.databases.schema import MLFLOW, Schema
from operations.relocation.databases.sql import join_sql, quote_identifier

HEAD = next(iter(MLFLOW.known))


def made(schema: Schema = MLFLOW, version: str = HEAD) -> sqlite3.Connection:
    """Every table with its columns of text, and the version."""
    connection = sqlite3.connect(":memory:")
    tables: dict[str, set[str]] = {}
    for each in schema.columns:
        tables.setdefault(each.table, set()).add(each.name)
    for table, names in tables.items():
        columns = ", ".join(f'"{name}" TEXT' for name in sorted(names))
        connection.execute(f'CREATE TABLE "{table}" ({columns})')
    dirty = ", dirty INTEGER DEFAULT 0" if schema.clean else ""
    connection.execute(f'CREATE TABLE "{schema.version_table}" ("{schema.version_column}" TEXT{dirty})')
    put(connection, schema.version_table, **{schema.version_column: version})
    connection.commit()
    return connection


def put(connection: sqlite3.Connection, table: str, **values: str | None) -> None:
    columns, marks = ", ".join(map(quote_identifier, values)), ", ".join("?" for _ in values)
    statement = join_sql("INSERT INTO", quote_identifier(table), f"({columns}) VALUES ({marks})")
    connection.execute(statement, tuple(values.values()))
    connection.commit()


def every(connection: sqlite3.Connection, table: str, column: str) -> list[str | None]:
    return [
        row[0]
        for row in connection.execute(
            join_sql("SELECT", quote_identifier(column), "FROM", quote_identifier(table), "ORDER BY rowid")
        )
    ]
