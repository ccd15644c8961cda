"""Which columns of a database say where something lies, and how its schema's version is told.

Looked at in the package mlflow 3.15.1 (store/tracking/dbmodels/models.py, store/model_registry/dbmodels/models.py,
utils/mlflow_tags.py, tracing/constant.py), on 2026-11-22; a test holds the table against a database that it made.

Looked at in kubeflow/model-registry, internal/platform/db/postgres/migrations, at v0.3.8 and commit fc46cea3 (migration
26), on 2026-11-22.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from operations.relocation.databases.sql import (
    DatabaseConnection,
    MetadataError,
    join_sql,
    quote_identifier,
    rows,
    tables_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


Holds = Literal["address", "text", "record", "name"]
COLUMNS: Final = Path(__file__).with_name("columns.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that holds addresses.

    Args:
        holds: "address" where the whole value is one, that the server opens; "text" where addresses stand in it
            (JSON, a tag) and are rewritten; "record" where a person, a model or a service outside said it, which is
            evidence and partly hashed: counted, never changed; "name" for words of the software without an address.
        limit: longest value in characters; 0 for none.
        keys: only rows with one of these in the column `key`.
        other_keys: only rows with none of these in it.
    """

    table: str
    name: str
    holds: Holds
    limit: int = 0
    keys: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """As in trace_tags.value[mlflow.artifactLocation]."""
        return f"{self.table}.{self.name}" + (f"[{', '.join(self.keys)}]" if self.keys else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Database of one component, as one version of its software makes it.

    Args:
        known: versions whose columns were looked at, to what they belong to.
        version_table: where the version stands.
        clean: condition on that table without which a migration was broken off; "" for none.
    """

    title: str
    known: Mapping[str, str]
    version_table: str
    version_column: str
    columns: tuple[Column, ...]
    clean: str = ""

    def of(self, *holds: Holds) -> tuple[Column, ...]:
        return tuple(each for each in self.columns if each.holds in holds)


def version_of(connection: DatabaseConnection, schema: Schema) -> str:
    """Schema version of the database.

    Raises:
        MetadataError: none, more than one, one that is not known, or one that a migration left half done.
    """
    if schema.version_table not in tables_of(connection):
        raise MetadataError(
            f"{schema.title}: there is no table {schema.version_table}, so it is not known what this is"
        )
    asked = join_sql("SELECT", quote_identifier(schema.version_column), "FROM", quote_identifier(schema.version_table))
    found = [str(each[0]) for each in rows(connection, asked)]
    if len(found) != 1:
        raise MetadataError(f"{schema.title}: {schema.version_table} has {len(found)} versions, not one")
    if found[0] not in schema.known:
        known = ", ".join(f"{version} ({title})" for version, title in schema.known.items())
        raise MetadataError(f"{schema.title}: schema version {found[0]} is not known; known: {known}")
    if schema.clean and not rows(connection, join_sql(asked, "WHERE", schema.clean)):
        raise MetadataError(f"{schema.title}: the migration to version {found[0]} was broken off")
    return found[0]


def _read_columns(database: str) -> tuple[Column, ...]:
    with COLUMNS.open(encoding="utf-8", newline="") as file:
        return tuple(
            Column(
                table=row["table"],
                name=row["column"],
                holds=cast("Holds", row["holds"]),
                limit=int(row["limit"] or 0),
                keys=tuple(row["keys"].split()),
                other_keys=tuple(row["other_keys"].split()),
            )
            for row in csv.DictReader(file)
            if row["database"] == database
        )


MLFLOW: Final = Schema(
    title="MLflow's database",
    known={"6f8d9c3b2a1e": "MLflow 3.15"},
    version_table="alembic_version",
    version_column="version_num",
    columns=_read_columns("mlflow"),
)
# Rows here are somebody's work: a server that was only installed has none.
MLFLOW_WORK: Final = ("runs", "logged_models", "registered_models", "trace_info", "evaluation_datasets")
HUB: Final = Schema(
    title="Kubeflow Hub's database",
    known={"25": "Kubeflow Hub 0.3", "26": "Kubeflow Hub 0.3 with names of catalogs"},
    version_table="schema_migrations",
    version_column="version",
    columns=_read_columns("model_registry"),
    clean="NOT dirty",
)
HUB_WORK: Final = ("Artifact", "Context", "Execution")
