"""Times the rewriting of addresses in 100,000 rows of MLflow's schema, in PostgreSQL and in SQLite.

python benchmarks/relocation_rewrite.py
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import psycopg

from operations.relocation.databases.schema import MLFLOW
from operations.relocation.databases.sql import driver_of, execute_change, join_sql, quote_identifier
from operations.relocation.databases.uri_rewrite import rewrite, survey
from operations.relocation.databases.uri_rules import rules_of
from operations.relocation.rehearsal.servers import database

if TYPE_CHECKING:
    from operations.relocation.databases.sql import DatabaseConnection

ROWS = 100_000
LIMIT_S = 10.0  # of the issue
RULES = rules_of([("s3://old-bucket/mlflow", "s3://new-bucket"), ("s3://old-bucket", "s3://new-bucket/rest")])
WHERE = "s3://old-bucket/mlflow/{0}/artifacts"
HISTORY = json.dumps([{"artifact_path": WHERE, "flavors": {"python_function": {"env": "conda.yaml" * 20}}}])
# Half of the rows are whole addresses, half are JSON of 300 characters in which one stands.
FILLED = {("runs", "artifact_uri"): WHERE, ("tags", "value"): HISTORY.replace("{", "{{").replace("}", "}}")}


def main() -> None:
    """Both figures, against the limit."""
    with tempfile.TemporaryDirectory(prefix="atoll-bench-") as folder, ExitStack() as stack:
        Path(folder).chmod(0o755)
        served = stack.enter_context(database(Path(folder) / "postgres", name="mlflow"))
        found = [
            cast("DatabaseConnection", stack.enter_context(psycopg.connect(served.uri))),
            cast("DatabaseConnection", stack.enter_context(sqlite3.connect(Path(folder) / "mlflow.db"))),
        ]
        verdicts = [timed(each) for each in found]
    if not all(verdicts):
        sys.exit(1)


def timed(connection: DatabaseConnection) -> bool:
    """Fill, look, rewrite; whether the rewriting was within the limit."""
    filled(connection)
    started = time.perf_counter()
    seen = survey(connection, MLFLOW, RULES)
    looked = time.perf_counter()
    done = rewrite(connection, MLFLOW, RULES)
    ended = time.perf_counter()
    rows = sum(done.changes.values())
    if rows != ROWS or seen != done:
        raise SystemExit(f"{rows} rows were rewritten, {sum(seen.changes.values())} were announced, of {ROWS}")
    verdict = ended - looked <= LIMIT_S
    print(
        f"{driver_of(connection):8} {rows:,} rows rewritten in {ended - looked:6.2f} s (limit {LIMIT_S:.0f}), "
        f"dry run {looked - started:6.2f} s  {'ok' if verdict else 'OVER'}"
    )
    return verdict


def filled(connection: DatabaseConnection) -> None:
    """Every table with its columns of text; 100,000 rows that name the source."""
    for table, names in tables().items():
        columns = ", ".join(f"{quote_identifier(name)} TEXT" for name in sorted(names))
        execute_change(connection, join_sql("CREATE TABLE", quote_identifier(table), f"({columns})"))
    version = next(iter(MLFLOW.known))
    execute_change(connection, "CREATE TABLE alembic_version (version_num TEXT)")
    execute_change(connection, "INSERT INTO alembic_version VALUES (%s)", (version,))
    cursor = connection.cursor()
    mark = "?" if driver_of(connection) == "sqlite3" else "%s"
    for (table, column), text in FILLED.items():
        statement = join_sql("INSERT INTO", quote_identifier(table), f"({quote_identifier(column)}) VALUES ({mark})")
        values = [(text.replace("{{", "{").replace("}}", "}").replace("{0}", str(at)),) for at in range(ROWS // 2)]
        cast("Any", cursor).executemany(statement, values)
    connection.commit()


def tables() -> dict[str, set[str]]:
    """Columns of text, by table."""
    found: dict[str, set[str]] = {}
    for each in MLFLOW.columns:
        found.setdefault(each.table, set()).add(each.name)
    return found


if __name__ == "__main__":
    main()
