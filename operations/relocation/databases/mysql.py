"""MySQL: its own programs, told where and who by a file that only its owner may read, and a proof like PostgreSQL's.

A restore is not one transaction, as every CREATE of MySQL ends one. It can be repeated: the dump drops each table
before it makes it, and equality is proved after, not taken from the program's exit.

What the columns hold is not looked at one by one as for MLflow: Pipelines' versions are equal on both sides, and a
prefix with its exact boundary means the same in each of them. Prefixes get in as hexadecimal, so nothing is quoted.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit

from operations.relocation.databases.client_programs import (
    FILE_MODE,
    ProgramRunner,
    find_program,
    major_of,
    persist_file,
    read_uri,
    run,
)
from operations.relocation.databases.row_checksums import Sums, TableSum
from operations.relocation.databases.schema import Column
from operations.relocation.databases.sql import join_sql, quote_identifier
from operations.relocation.databases.uri_rules import SqlFragment, UriRules, build_new_value, names_source
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from operations.relocation.config.endpoints import DatabasePlace


PACKAGE: Final = "MySQL's client programs (mysql-client), of the server's major version"
PORT: Final = 3306
# Words of a URI that mean an option of the programs.
# https://dev.mysql.com/doc/refman/8.4/en/connection-options.html (2026-11-22)
OPTIONS: Final[Mapping[str, str]] = {"ssl-mode": "ssl-mode", "ssl-ca": "ssl-ca", "ssl_ca": "ssl-ca"}
NO_URI: Final = "what should be the URI of a MySQL database is none: mysql://user:password@host:3306/name"
NAME: Final = re.compile(r"[A-Za-z0-9_$-]+")
BINARY: Final = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit", "geometry"})
DUMPING: Final = (
    "--single-transaction", "--quick", "--routines", "--triggers", "--events", "--hex-blob", "--no-tablespaces",
    "--skip-dump-date", "--default-character-set=utf8mb4",
)  # fmt: skip
ASKING: Final = ("--batch", "--raw", "--skip-column-names", "--default-character-set=utf8mb4")
TABLES: Final = """
SELECT table_name, column_name, LOWER(data_type), LOWER(column_type) FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name IN (
SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE')
ORDER BY table_name, ordinal_position
"""
SERVER: Final = "SELECT VERSION(), @@character_set_database, @@collation_database"
OTHERS: Final = """
SELECT id FROM information_schema.processlist
WHERE db = DATABASE() AND user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1) AND id <> CONNECTION_ID()
"""
# ER_NO_SUCH_THREAD: a session that has ended by itself, as of a program of ours that just did
# (dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html, 2026-11-23).
GONE: Final = "ERROR 1094 "


@contextmanager
def options(uri: str, folder: Path, *, name: str) -> Generator[tuple[Path, str]]:
    """A temporary options file for the client programs, and the database's name.

    Raises:
        StepError: no URI.
    """
    host, database, lines = _parse_uri(uri)
    path = folder / f".{name}.cnf"
    path.unlink(missing_ok=True)
    path.touch(mode=FILE_MODE)
    try:
        path.write_text("\n".join(["[client]", f"host={_quote_option(host)}", *lines, ""]), encoding="utf-8")
        yield path, database
    finally:
        path.unlink(missing_ok=True)


def dump(place: DatabasePlace, secrets: Mapping[str, str], path: Path, *, starts: ProgramRunner = run) -> str:
    """Dump one snapshot into a file; its SHA-256.

    Raises:
        StepError: a program is missing or of another major version, or it failed.
    """
    program = find_program("mysqldump", package=PACKAGE)
    said = starts([program, "--version"], environment={})
    unfinished = path.with_name(f".{path.name}.new")
    # MySQL's own would write GTIDs that the target may not take; MariaDB's does not know the word.
    own = () if "MariaDB" in said else ("--set-gtid-purged=OFF",)
    with options(read_uri(place, secrets), path.parent, name=f"{place.part}-dump") as (file, database):
        starts([program, f"--defaults-file={file}", *DUMPING, *own, database], environment={}, writes=unfinished)
    return persist_file(unfinished, path)


def restore(place: DatabasePlace, secrets: Mapping[str, str], path: Path, *, starts: ProgramRunner = run) -> None:
    """Restore a dump; other sessions of the user are ended first.

    Raises:
        StepError: the program is missing, or it failed.
    """
    # A killed run may have left a session that holds locks on the tables.
    for (number,) in ask(place, secrets, OTHERS, folder=path.parent, starts=starts):
        try:
            ask(place, secrets, f"KILL {int(number)}", folder=path.parent, starts=starts)
        except StepError as error:
            # It ended by itself between the question and the KILL.
            if GONE not in str(error):
                raise
    program = find_program("mysql", package=PACKAGE)
    with options(read_uri(place, secrets), path.parent, name=f"{place.part}-restore") as (file, database):
        command = [program, f"--defaults-file={file}", "--default-character-set=utf8mb4", f"--database={database}"]
        starts(command, environment={}, reads=path)


def ask(
    place: DatabasePlace, secrets: Mapping[str, str], statement: str, *, folder: Path, starts: ProgramRunner = run
) -> list[list[str]]:
    """Rows of a query.

    Raises:
        StepError: the program is missing, or it failed.
    """
    program = find_program("mysql", package=PACKAGE)
    script = folder / f".{place.part}-ask.sql"
    # From a file: an argument would show the statement in the process list.
    script.write_text(statement, encoding="utf-8")
    try:
        with options(read_uri(place, secrets), folder, name=f"{place.part}-ask") as (file, database):
            command = [program, f"--defaults-file={file}", *ASKING, f"--database={database}"]
            answer = starts(command, environment={}, reads=script)
    finally:
        script.unlink(missing_ok=True)
    return [line.split("\t") for line in answer.splitlines() if line]


def sums(place: DatabasePlace, secrets: Mapping[str, str], *, folder: Path, starts: ProgramRunner = run) -> Sums:
    columns: dict[str, list[tuple[str, str]]] = {}
    shape: list[str] = []
    for table, column, kind, full in ask(place, secrets, TABLES, folder=folder, starts=starts):
        columns.setdefault(table, []).append((column, kind))
        shape.append(f"{table}.{column} {full}")
    (version, encoding, collation), *_ = ask(place, secrets, SERVER, folder=folder, starts=starts)
    tables: dict[str, TableSum] = {}
    for table, found_columns in columns.items():
        ((count, total),) = ask(place, secrets, build_sum_query(table, found_columns), folder=folder, starts=starts)
        tables[table] = TableSum(rows=int(count), sum=int(total))
    return Sums(
        server=major_of(version), encoding=encoding, collation=collation, ctype="", tables=tables, shape=tuple(shape)
    )


def build_sum_query(table: str, columns: Sequence[tuple[str, str]]) -> str:
    """Query for the rows of a table and their sum of SHA-256; NULL differs from an empty text."""
    # NULL has a sign of its own in it, or it would add up to the same as an empty text.
    values = ", ".join(_text_of(column, kind) for column, kind in columns)
    digest = f"SUBSTRING(SHA2(CONCAT_WS('|', {values}), 256), 1, 15)"
    number = f"CAST(CONV({digest}, 16, 10) AS DECIMAL(65, 0))"
    # Times are shown in the session's zone: two servers in two zones would never agree.
    return f"SET time_zone = '+00:00'; SELECT COUNT(*), COALESCE(SUM({number}), 0) FROM {_quote_name(table)}"  # noqa: S608 - names of the catalog, quoted


def version_of(place: DatabasePlace, secrets: Mapping[str, str], *, folder: Path, starts: ProgramRunner = run) -> str:
    return ask(place, secrets, "SELECT VERSION()", folder=folder, starts=starts)[0][0]


def _text_of(column: str, kind: str) -> str:
    name = _quote_name(column)
    text = f"HEX({name})" if kind in BINARY else f"HEX(CAST({name} AS CHAR CHARACTER SET utf8mb4))"
    return f"COALESCE({text}, '-')"


def _quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _quote_option(value: str) -> str:
    """Quote a value of an options file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _parse_uri(uri: str) -> tuple[str, str, list[str]]:
    """Host, database and the other lines of the options file.

    Raises:
        StepError: no URI, or a word in it that means no option.
    """
    try:
        parts = urlsplit(re.sub(r"^mysql(\+[a-z0-9_]+)?://", "mysql://", uri))
        port = parts.port or PORT
    except ValueError as error:
        raise StepError(NO_URI) from error
    database = unquote(parts.path.lstrip("/"))
    if parts.scheme != "mysql" or not parts.hostname or not NAME.fullmatch(database):
        raise StepError(NO_URI)
    words = parse_qs(parts.query)
    unknown = sorted(set(words) - set(OPTIONS))
    if unknown:
        raise StepError(f"the URI of a database says {', '.join(unknown)}, which its programs cannot be told")
    lines = [f"port={port}", "protocol=TCP"]
    lines += [f"user={_quote_option(unquote(parts.username))}"] if parts.username else []
    lines += [f"password={_quote_option(unquote(parts.password))}"] if parts.password else []
    lines += [f"{OPTIONS[word]}={_quote_option(values[-1])}" for word, values in words.items()]
    if any("\n" in line for line in lines):
        raise StepError("the URI of a database has a line break in it")
    return parts.hostname, database, lines


# Names in double quotes, and a backslash that means nothing, as elsewhere.
MODE: Final = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT')"
TEXTS: Final = """
SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t
ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND COALESCE(c.generation_expression, '') = ''
AND LOWER(c.data_type) IN ('varchar', 'text', 'mediumtext', 'longtext') ORDER BY 1, 2
"""


def survey(
    place: DatabasePlace, secrets: Mapping[str, str], rules: UriRules, *, folder: Path, starts: ProgramRunner = run
) -> dict[str, int]:
    if not rules.moving:
        return {}
    found: dict[str, int] = {}
    for table, name in ask(place, secrets, TEXTS, folder=folder, starts=starts):
        column = Column(table=table, name=name, holds="text")
        where = render_sql(names_source(column, rules))
        asked = join_sql(f"{MODE};", "SELECT count(*) FROM", quote_identifier(table), "WHERE", where)
        ((count,),) = ask(place, secrets, asked, folder=folder, starts=starts)
        if int(count):
            found[column.title] = int(count)
    return found


def rewrite(
    place: DatabasePlace, secrets: Mapping[str, str], rules: UriRules, *, folder: Path, starts: ProgramRunner = run
) -> dict[str, int]:
    """Rewrite everything in one transaction; changed rows by column.

    Raises:
        StepError: the database refuses, as where an address becomes too long, or something still names the source.
    """
    found = survey(place, secrets, rules, folder=folder, starts=starts)
    if not found:
        return {}
    ask(place, secrets, script(list(found), rules), folder=folder, starts=starts)
    # Asked again after the commit: the proof is what the database holds, not what the statements should do.
    left = survey(place, secrets, rules, folder=folder, starts=starts)
    if left:
        raise StepError(f"{place.part}: addresses that still name the source: {left}", evidence={"left": left})
    return found


def script(titles: Sequence[str], rules: UriRules) -> str:
    """The rewrite as one transaction."""
    # The client stops at the first error, and the server rolls back what was not committed.
    lines = [MODE, "START TRANSACTION"]
    for table, _, name in (each.partition(".") for each in titles):
        column = Column(table=table, name=name, holds="text")
        new, where = render_sql(build_new_value(column, rules)), render_sql(names_source(column, rules))
        lines.append(
            join_sql("UPDATE", quote_identifier(table), "SET", quote_identifier(name), "=", new, "WHERE", where)
        )
    return ";\n".join([*lines, "COMMIT"]) + ";\n"


def render_sql(part: SqlFragment) -> str:
    """SQL in MySQL's dialect, with the parameters in place."""
    # MySQL's function replaces all by itself, and its sets of characters want a bracket escaped (ICU).
    pieces = part.sql.replace(", 'g')", ")").split("%s")
    values = [_hexadecimal(str(each).replace("[]/", r"[\]/")) for each in part.values]
    return "".join(piece + value for piece, value in zip(pieces, [*values, ""], strict=True))


def _hexadecimal(text: str) -> str:
    """A literal that compares byte by byte, whatever the column's collation."""
    # Byte by byte: most collations of MySQL hold upper and lower case to be the same.
    return f"CONVERT(X'{text.encode().hex()}' USING utf8mb4) COLLATE utf8mb4_bin"
