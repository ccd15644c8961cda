"""Addresses rewritten by whole columns in one transaction: first what would change, then the change and the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.relocation.databases.schema import Column, Schema, version_of
from operations.relocation.databases.sql import (
    DatabaseConnection,
    MetadataError,
    begin,
    execute_change,
    join_sql,
    quote_identifier,
    rows,
)
from operations.relocation.databases.uri_rules import (
    SqlFragment,
    UriRules,
    address_like,
    both,
    build_new_value,
    exceeds_length,
    mention,
    names_source,
    orphan,
    rows_of,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """Addresses of a column that fit no rule."""

    column: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Effects of a rewrite.

    Args:
        changes: rows that it would change, by column.
        orphans: addresses that would be left behind without a word.
        too_long: addresses that become longer than the column takes.
        records: rows in which somebody mentions the source; they stay as they were said.
    """

    version: str
    changes: dict[str, int]
    orphans: tuple[Stray, ...]
    too_long: tuple[Stray, ...]
    records: dict[str, int]


def survey(
    connection: DatabaseConnection, schema: Schema, rules: UriRules, *, moved: Sequence[str] = (), counting: bool = True
) -> Survey:
    """Survey in a read-only transaction.

    Args:
        counting: whether it is counted too what would change; without it only what would be refused is looked for.
        moved: prefixes of what is moved under another name: a text that mentions one and fits no rule is an orphan.

    Raises:
        MetadataError: a database that is not known.
    """
    begin(connection, writing=False)
    try:
        return _survey(connection, schema, rules, moved, counting=counting)
    finally:
        connection.rollback()


def rewrite(connection: DatabaseConnection, schema: Schema, rules: UriRules, *, moved: Sequence[str] = ()) -> Survey:
    """Rewrite everything, or nothing; running it again changes nothing.

    Raises:
        MetadataError: a database that is not known, orphans, addresses too long, or one that still names the source.
    """
    begin(connection)
    try:
        found = _rewrite_and_check(connection, schema, rules, moved)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    return found


def refusals(found: Survey) -> list[str]:
    """Reasons against a rewrite."""
    every = {
        "addresses that fit no rule": found.orphans,
        "addresses that become too long for their column": found.too_long,
    }
    return [f"{what}: {', '.join(map(_describe_stray, strays))}" for what, strays in every.items() if strays]


def _describe_stray(stray: Stray) -> str:
    return f"{stray.count} in {stray.column} (as {', '.join(stray.examples)})"


def _rewrite_and_check(connection: DatabaseConnection, schema: Schema, rules: UriRules, moved: Sequence[str]) -> Survey:
    found = _survey(connection, schema, rules, moved)
    faults = refusals(found)
    if faults:
        raise MetadataError(f"{schema.title}: {'; '.join(faults)}")
    columns = schema.of("address", "text")
    done = {each.title: _update(connection, each, rules) for each in columns}
    left = _count_remaining(connection, columns, rules)
    if left or done != {**dict.fromkeys(done, 0), **found.changes}:
        raise MetadataError(f"{schema.title}: changed {done}, expected {found.changes}, left {left}")
    return found


def addresses(connection: DatabaseConnection, schema: Schema) -> dict[str, set[str]]:
    """Every address that the server opens, with its columns."""
    found: dict[str, set[str]] = {}
    for each in schema.of("address"):
        name = quote_identifier(each.name)
        only = both(rows_of(each), SqlFragment(sql=f"{name} IS NOT NULL"), address_like(name))
        for (value,) in rows(
            connection, join_sql("SELECT DISTINCT", name, source_of(each), "WHERE", only.sql), only.values
        ):
            found.setdefault(str(value), set()).add(each.title)
    return found


def _survey(
    connection: DatabaseConnection, schema: Schema, rules: UriRules, moved: Sequence[str], *, counting: bool = True
) -> Survey:
    version = version_of(connection, schema)
    columns = schema.of("address", "text")
    too_long = [_stray(connection, each, exceeds_length(each, rules)) for each in columns if each.limit]
    strays = [_stray(connection, each, orphan(each, rules)) for each in schema.of("address")]
    if moved:
        strays += [_stray(connection, each, mention(each, rules, moved)) for each in schema.of("text")]
    return Survey(
        version=version,
        changes=_count_remaining(connection, columns, rules) if counting else {},
        orphans=tuple(each for each in strays if each.count),
        too_long=tuple(each for each in too_long if each.count),
        records=_count_remaining(connection, schema.of("record"), rules) if counting else {},
    )


def _count_remaining(connection: DatabaseConnection, columns: Sequence[Column], rules: UriRules) -> dict[str, int]:
    counts = {each.title: _count(connection, each, names_source(each, rules)) for each in columns}
    return {title: count for title, count in counts.items() if count}


def _count(connection: DatabaseConnection, column: Column, where: SqlFragment) -> int:
    only = both(rows_of(column), where)
    found = rows(connection, join_sql("SELECT count(*)", source_of(column), "WHERE", only.sql), only.values)
    return int(found[0][0])


def _update(connection: DatabaseConnection, column: Column, rules: UriRules) -> int:
    if not rules.moving:
        return 0
    new, only = build_new_value(column, rules), both(rows_of(column), names_source(column, rules))
    statement = join_sql(
        "UPDATE", quote_identifier(column.table), "SET", quote_identifier(column.name), "=", new.sql, "WHERE", only.sql
    )
    return execute_change(connection, statement, (*new.values, *only.values))


def _stray(connection: DatabaseConnection, column: Column, where: SqlFragment) -> Stray:
    only = both(rows_of(column), where)
    count = _count(connection, column, where)
    if not count:
        return Stray(column=column.title, count=0, examples=())
    name = quote_identifier(column.name)
    asked = join_sql(
        "SELECT DISTINCT", name, source_of(column), "WHERE", only.sql, "ORDER BY", name, f"LIMIT {EXAMPLES}"
    )
    return Stray(
        column=column.title,
        count=count,
        examples=tuple(str(row[0])[:200] for row in rows(connection, asked, only.values)),
    )
