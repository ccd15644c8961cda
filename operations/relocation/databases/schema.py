"""Which columns of a database say where something lies, and how its schema's version is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from operations.relocation.databases.sql import MetadataError, joined, named, rows, tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.databases.sql import Connection

Holds = Literal["address", "text", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that holds addresses.

    Args:
        holds: "address" where the whole value is one, that the server opens; "text" where addresses stand in it
            (JSON, a tag) and are rewritten; "record" where a person or a model said it: counted, never changed.
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
    """A database of one part, as its software of one version makes it.

    Args:
        known: versions whose columns were looked at, to what they belong to.
        version_table: where the version stands.
        clean: condition on that table without which a migration was broken off; "" for none.
        names: other columns of text, that hold names, ids and words of the software, by table.
    """

    title: str
    known: Mapping[str, str]
    version_table: str
    version_column: str
    columns: tuple[Column, ...]
    names: Mapping[str, tuple[str, ...]]
    clean: str = ""

    def of(self, *holds: Holds) -> tuple[Column, ...]:
        """Its columns of some kinds."""
        return tuple(each for each in self.columns if each.holds in holds)


def version_of(connection: Connection, schema: Schema) -> str:
    """The version that the database says it has.

    Raises:
        MetadataError: none, more than one, one that is not known, or one that a migration left half done.
    """
    if schema.version_table not in tables_of(connection):
        raise MetadataError(
            f"{schema.title}: there is no table {schema.version_table}, so it is not known what this is"
        )
    asked = joined("SELECT", named(schema.version_column), "FROM", named(schema.version_table))
    found = [str(each[0]) for each in rows(connection, asked)]
    if len(found) != 1:
        raise MetadataError(f"{schema.title}: {schema.version_table} has {len(found)} versions, not one")
    if found[0] not in schema.known:
        known = ", ".join(f"{version} ({title})" for version, title in schema.known.items())
        raise MetadataError(f"{schema.title}: schema version {found[0]} is not known; known: {known}")
    if schema.clean and not rows(connection, joined(asked, "WHERE", schema.clean)):
        raise MetadataError(f"{schema.title}: the migration to version {found[0]} was broken off")
    return found[0]
