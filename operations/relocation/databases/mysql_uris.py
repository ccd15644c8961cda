"""Addresses rewritten in a MySQL database: in every column of text, as Pipelines keeps specs and manifests in many.

What the columns hold is not looked at one by one as for MLflow: Pipelines' versions are equal on both sides, and a
prefix with its exact boundary means the same in each of them. Prefixes get in as hexadecimal, so nothing is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.relocation.databases import mysql
from operations.relocation.databases.schema import Column
from operations.relocation.databases.sql import joined, named
from operations.relocation.databases.uri_conditions import Part, becomes, names_source
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from operations.relocation.config.endpoints import DatabasePlace
    from operations.relocation.databases.client_programs import Runs
    from operations.relocation.databases.uri_rules import Rules

# Names in double quotes, and a backslash that means nothing, as elsewhere.
MODE: Final = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT')"
TEXTS: Final = """
SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t
ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND COALESCE(c.generation_expression, '') = ''
AND LOWER(c.data_type) IN ('varchar', 'text', 'mediumtext', 'longtext') ORDER BY 1, 2
"""


def survey(
    place: DatabasePlace, secrets: Mapping[str, str], rules: Rules, *, folder: Path, starts: Runs = mysql.run
) -> dict[str, int]:
    """Rows that name the source, by column."""
    if not rules.moving:
        return {}
    found: dict[str, int] = {}
    for table, name in mysql.ask(place, secrets, TEXTS, folder=folder, starts=starts):
        column = Column(table=table, name=name, holds="text")
        where = written(names_source(column, rules))
        asked = joined(f"{MODE};", "SELECT count(*) FROM", named(table), "WHERE", where)
        ((count,),) = mysql.ask(place, secrets, asked, folder=folder, starts=starts)
        if int(count):
            found[column.title] = int(count)
    return found


def rewrite(
    place: DatabasePlace, secrets: Mapping[str, str], rules: Rules, *, folder: Path, starts: Runs = mysql.run
) -> dict[str, int]:
    """Rewrite everything in one transaction, or nothing; rows that were changed, by column.

    Raises:
        StepError: the database refuses, as where an address becomes too long, or something still names the source.
    """
    found = survey(place, secrets, rules, folder=folder, starts=starts)
    if not found:
        return {}
    mysql.ask(place, secrets, script(list(found), rules), folder=folder, starts=starts)
    left = survey(place, secrets, rules, folder=folder, starts=starts)
    if left:
        raise StepError(f"{place.part}: addresses that still name the source: {left}", evidence={"left": left})
    return found


def script(titles: Sequence[str], rules: Rules) -> str:
    """The change of some columns, as one transaction; the client ends at the first fault, and the server undoes all."""
    lines = [MODE, "START TRANSACTION"]
    for table, _, name in (each.partition(".") for each in titles):
        column = Column(table=table, name=name, holds="text")
        new, where = written(becomes(column, rules)), written(names_source(column, rules))
        lines.append(joined("UPDATE", named(table), "SET", named(name), "=", new, "WHERE", where))
    return ";\n".join([*lines, "COMMIT"]) + ";\n"


def written(part: Part) -> str:
    """A piece of SQL in MySQL's words, its parameters in place."""
    # MySQL's function replaces all by itself, and its sets of characters want a bracket escaped (ICU).
    pieces = part.sql.replace(", 'g')", ")").split("%s")
    values = [_hexadecimal(str(each).replace("[]/", r"[\]/")) for each in part.values]
    return "".join(piece + value for piece, value in zip(pieces, [*values, ""], strict=True))


def _hexadecimal(text: str) -> str:
    """A text that is compared byte by byte, whatever the column's collation."""
    return f"CONVERT(X'{text.encode().hex()}' USING utf8mb4) COLLATE utf8mb4_bin"
