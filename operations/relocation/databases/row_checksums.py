"""What a PostgreSQL database holds, in a form that two servers can be compared by: every row counted and summed.

The sum of a table is that of the first 64 bits of SHA-256 of each row's text in UTF-8: whatever the order of rows, the
server's version, its encoding or the processor. How values become text is set before, not taken from the server.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from operations.relocation.databases.sql import DatabaseConnection, execute_change, join_sql, quote_identifier, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


STILL: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
FORMS: Final = (
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL intervalstyle = 'postgres'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL lc_monetary = 'C'",
    "SET LOCAL xmloption = 'content'",
)
OURS: Final = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
MADE_BY_NONE: Final = "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
TABLES: Final = f"""
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND {OURS} AND {MADE_BY_NONE} ORDER BY 1, 2
"""  # noqa: S608 - constants of this file
COLUMNS: Final = f"""
SELECT n.nspname || '.' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND {OURS} AND {MADE_BY_NONE} ORDER BY 1
"""  # noqa: S608 - constants of this file
# Constraints that say NOT NULL have names only from PostgreSQL 18 on.
MADE: Final = f"""
SELECT 'constraint ' || n.nspname || '.' || k.conname FROM pg_constraint k
JOIN pg_namespace n ON n.oid = k.connamespace WHERE k.contype IN ('p', 'u', 'f', 'c', 'x') AND {OURS}
UNION SELECT CASE c.relkind WHEN 'i' THEN 'index ' WHEN 'v' THEN 'view ' ELSE 'materialized view ' END
|| n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('i', 'v', 'm') AND {OURS} AND {MADE_BY_NONE} ORDER BY 1
"""  # noqa: S608 - constants of this file
SEQUENCES: Final = "SELECT schemaname || '.' || sequencename, last_value FROM pg_sequences ORDER BY 1"
EXTENSIONS: Final = "SELECT extname, extversion FROM pg_extension ORDER BY 1"
LARGE: Final = "SELECT count(*) FROM pg_largeobject_metadata"
SERVER: Final = """
SELECT current_setting('server_version_num')::int / 10000, pg_encoding_to_char(encoding), datcollate, datctype
FROM pg_database WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSum:
    rows: int
    sum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """One database.

    Args:
        server: major version.
        shape: columns with their types, constraints, indexes and views, by name.
        large: large objects.
    """

    server: int
    encoding: str
    collation: str
    ctype: str
    tables: Mapping[str, TableSum] = field(default_factory=dict[str, TableSum])
    sequences: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])
    extensions: Mapping[str, str] = field(default_factory=dict[str, str])
    shape: tuple[str, ...] = ()
    large: int = 0

    @property
    def rows(self) -> int:
        return sum(each.rows for each in self.tables.values())


def sums_of(connection: DatabaseConnection) -> Sums:
    """Sums of one snapshot; the transaction is ended."""
    # One snapshot for all tables: rows that are written meanwhile are in none of the sums.
    execute_change(connection, STILL)
    try:
        # Settings decide how values read as text: both servers must write the same one.
        for each in FORMS:
            execute_change(connection, each)
        tables = [(str(schema), str(table)) for schema, table in rows(connection, TABLES)]
        server, encoding, collation, ctype = rows(connection, SERVER)[0]
        shape = [str(each[0]) for each in (*rows(connection, COLUMNS), *rows(connection, MADE))]
        return Sums(
            server=int(server),
            encoding=str(encoding),
            collation=str(collation),
            ctype=str(ctype),
            tables={f"{schema}.{table}": _table(connection, schema, table) for schema, table in tables},
            sequences={str(name): value for name, value in rows(connection, SEQUENCES)},
            extensions={str(name): str(version) for name, version in rows(connection, EXTENSIONS)},
            shape=tuple(shape),
            large=int(rows(connection, LARGE)[0][0]),
        )
    finally:
        # Nothing was changed; an open transaction would keep the server from vacuuming.
        connection.rollback()


def tables_in(connection: DatabaseConnection) -> dict[str, int]:
    """Rows per table; the transaction is ended."""
    try:
        found = [(str(schema), str(table)) for schema, table in rows(connection, TABLES)]
        return {
            f"{schema}.{table}": int(
                rows(connection, join_sql("SELECT count(*) FROM", quote_identifier(schema, table)))[0][0]
            )
            for schema, table in found
        }
    finally:
        connection.rollback()


def differences(source: Sums, target: Sums) -> list[str]:
    """Differences that fail the proof."""
    found = [
        f"table {name}: {_of(source.tables.get(name))} at the source, {_of(target.tables.get(name))} at the target"
        for name in sorted({*source.tables, *target.tables})
        if source.tables.get(name) != target.tables.get(name)
    ]
    found += _unequal("sequence", source.sequences, target.sequences)
    found += [f"at the source only: {each}" for each in sorted({*source.shape} - {*target.shape})]
    found += [f"at the target only: {each}" for each in sorted({*target.shape} - {*source.shape})]
    found += [f"extension {each} is not at the target" for each in source.extensions if each not in target.extensions]
    if source.large != target.large:
        found.append(f"large objects: {source.large} at the source, {target.large} at the target")
    return found


def remarks(source: Sums, target: Sums) -> list[str]:
    """Allowed differences: encoding, sort order, and versions of the server."""
    pairs: Sequence[tuple[str, str, str]] = (
        ("server's major version", str(source.server), str(target.server)),
        ("encoding", source.encoding, target.encoding),
        ("collation", source.collation, target.collation),
        ("character classes", source.ctype, target.ctype),
        *(
            (f"version of extension {name}", version, target.extensions[name])
            for name, version in source.extensions.items()
            if name in target.extensions
        ),
    )
    return [f"{what}: {here} at the source, {there} at the target" for what, here, there in pairs if here != there]


def _table(connection: DatabaseConnection, schema: str, table: str) -> TableSum:
    asked = join_sql(
        "SELECT count(*), coalesce(sum(('x' || encode(substr(",
        "sha256(convert_to(ROW(atoll_row.*)::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint::numeric), 0) FROM",
        quote_identifier(schema, table),
        "AS atoll_row",
    )
    count, total = rows(connection, asked)[0]
    return TableSum(rows=int(count), sum=int(total))


def _of(table: TableSum | None) -> str:
    return "not there" if table is None else f"{table.rows} rows, sum {table.sum}"


def _unequal(what: str, source: Mapping[str, object], target: Mapping[str, object]) -> list[str]:
    return [
        f"{what} {name}: {source.get(name, 'not there')} at the source, {target.get(name, 'not there')} at the target"
        for name in sorted({*source, *target})
        if source.get(name, "") != target.get(name, "")
    ]
