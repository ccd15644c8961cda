from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from operations.relocation.config.endpoints import DatabasePlace
from operations.relocation.databases import client_programs, mysql, postgres
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECRET = 'p"w\\ä#;%'
URI = "mysql://root:p%22w%5C%C3%A4%23%3B%25@db.example:3307/mlpipeline?ssl-mode=REQUIRED"
PLACE = DatabasePlace(part="pipelines", engine="mysql", uri_env="DB")


class Started:
    """Programs that are not there: what they were started with, and what their file of options said."""

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.commands: list[list[str]] = []
        self.options: list[str] = []
        self.read: list[str] = []
        self.answers = answers or {}

    def __call__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        reads: Path | None = None,
        writes: Path | None = None,
    ) -> str:
        assert environment == {}
        self.commands.append([command[0].rpartition("/")[2], *command[1:]])
        for each in command:
            if each.startswith("--defaults-file="):
                path = Path(each.partition("=")[2])
                assert path.stat().st_mode & 0o777 == 0o600
                self.options.append(path.read_text(encoding="utf-8"))
        text = reads.read_text(encoding="utf-8") if reads else ""
        self.read.append(text)
        if writes:
            writes.write_text("-- a dump", encoding="utf-8")
        return next((answer for word, answer in self.answers.items() if word in text or word in command), "")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mysql, "find_program", lambda name, package: f"/usr/bin/{name}")  # noqa: ARG005
    monkeypatch.setattr(postgres, "find_program", lambda name, package: f"/usr/bin/{name}")  # noqa: ARG005


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("said", "own"), [("mysqldump  Ver 8.4.5", True), ("mysqldump from 11.4.2-MariaDB", False)])
def test_a_dump_of_mysql_is_one_snapshot_and_shows_no_secret(tmp_path: Path, said: str, own: bool) -> None:
    started = Started({"--version": said})
    digest = mysql.dump(PLACE, {"DB": URI}, tmp_path / "pipelines.dump", starts=started)
    command = started.commands[-1]
    assert command[0] == "mysqldump"
    assert command[1].startswith("--defaults-file=")
    assert {"--single-transaction", "--routines", "--triggers", "--events", "--hex-blob"} <= set(command)
    assert ("--set-gtid-purged=OFF" in command) is own
    assert command[-1] == "mlpipeline"
    assert SECRET not in str(started.commands)
    assert 'password="p\\"w\\\\ä#;%"' in started.options[-1]
    assert "port=3307" in started.options[-1]
    assert 'ssl-mode="REQUIRED"' in started.options[-1]
    assert digest == client_programs.digest_of(tmp_path / "pipelines.dump")
    assert [each.name for each in tmp_path.iterdir()] == ["pipelines.dump"]
    assert (tmp_path / "pipelines.dump").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("installed")
def test_a_restore_of_mysql_ends_what_a_killed_one_left_and_reads_the_file(tmp_path: Path) -> None:
    started = Started({"processlist": "17\n23\n"})
    path = tmp_path / "pipelines.dump"
    path.write_text("-- a dump", encoding="utf-8")
    mysql.restore(PLACE, {"DB": URI}, path, starts=started)
    assert [each for each in started.read if each.startswith("KILL")] == ["KILL 17", "KILL 23"]
    assert started.read[-1] == "-- a dump"
    assert [each.name for each in tmp_path.iterdir()] == ["pipelines.dump"]


@pytest.mark.usefixtures("installed")
def test_a_session_that_may_not_be_ended_stops_a_restore(tmp_path: Path) -> None:
    started = Started({"processlist": "17\n"})

    def starts(command: Sequence[str], *, reads: Path | None = None, **more: Any) -> str:
        if reads and reads.read_text(encoding="utf-8") == "KILL 17":
            raise StepError("mysql ended with 1: ERROR 1095 (HY000) at line 1: You are not owner of thread 17")
        return started(command, reads=reads, **more)

    with pytest.raises(StepError, match="not owner of thread 17"):
        mysql.restore(PLACE, {"DB": URI}, tmp_path / "pipelines.dump", starts=starts)


@pytest.mark.usefixtures("installed")
def test_rows_of_mysql_are_summed_by_column(tmp_path: Path) -> None:
    columns = "jobs\tUUID\tvarchar\tvarchar(191)\njobs\tblob`x\tlongblob\tlongblob\n"
    started = Started({"information_schema.columns": columns, "@@character": "8.4.10\tutf8mb4\tutf8mb4_bin\n"})
    started.answers = {**started.answers, "SHA2": "3\t12345\n"}
    found = mysql.sums(PLACE, {"DB": URI}, folder=tmp_path, starts=started)
    assert (found.server, found.encoding, found.rows) == (8, "utf8mb4", 3)
    assert found.tables["jobs"].sum == 12345
    question = started.read[-1]
    assert "COALESCE(HEX(CAST(`UUID` AS CHAR CHARACTER SET utf8mb4)), '-')" in question
    assert "COALESCE(HEX(`blob``x`), '-')" in question
    assert "FROM `jobs`" in question


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("postgresql://a@b/c", "is none"),
        ("mysql://a@b/", "is none"),
        ("mysql:///c", "is none"),
        ("mysql://a@b/c%3Bd", "is none"),
        ("mysql://a@b/c?read_timeout=1", "says read_timeout, which its programs cannot be told"),
        ("mysql://a:x%0Ahost=evil@b/c", "has a line break in it"),
    ],
)
def test_a_uri_that_is_none_is_refused_without_repeating_it(tmp_path: Path, uri: str, said: str) -> None:
    with pytest.raises(StepError, match=said), mysql.options(uri, tmp_path, name="x"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_a_uri_that_is_not_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="DB is not set"):
        mysql.dump(PLACE, {}, tmp_path / "x", starts=Started())


def test_programs_of_postgresql_are_told_everything_by_environment() -> None:
    found = postgres.environment("postgresql://me:s3cret%40@db:5433/mlflow?sslmode=verify-full&sslrootcert=/ca.crt")
    assert found == {
        "PGHOST": "db",
        "PGPORT": "5433",
        "PGDATABASE": "mlflow",
        "PGUSER": "me",
        "PGPASSWORD": "s3cret@",
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "/ca.crt",
    }
    with pytest.raises(StepError, match="says keepalives, which its programs cannot be told"):
        postgres.environment("postgresql://db/mlflow?keepalives=1")
    with pytest.raises(StepError, match="is none") as caught:
        postgres.environment("postgresql://me:s3cret@db:notaport/mlflow?x")
    assert "s3cret" not in str(caught.value)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("said", "server", "fits"),
    [
        ("pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", 15, True),
        ("pg_dump (PostgreSQL) 17.2", 16, True),
        ("pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", 17, False),
    ],
)
def test_a_program_older_than_the_server_is_refused(said: str, server: int, fits: bool) -> None:
    started = Started({"--version": said})
    if fits:
        assert postgres.new_enough("pg_dump", server, starts=started) == "/usr/bin/pg_dump"
        return
    with pytest.raises(StepError, match="pg_dump is of version 15, the server of version 17"):
        postgres.new_enough("pg_dump", server, starts=started)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(StepError, match="no-such-program is not on PATH") as caught:
        client_programs.find_program("no-such-program", package="something")
    assert caught.value.hint == "install something"


LISTING = """;
;     TOC Entries: 5
2; 3079 16384 EXTENSION - pgcrypto
3456; 0 0 COMMENT - EXTENSION pgcrypto
5; 2615 2200 SCHEMA - public pg_database_owner
3457; 0 0 COMMENT - SCHEMA public pg_database_owner
7; 2615 16390 SCHEMA - public_extra mlflow
215; 1259 16391 TABLE public runs mlflow
"""


def test_what_only_an_administrator_makes_is_not_restored() -> None:
    kept = postgres.filter_listing(LISTING).splitlines()
    assert [line for line in kept if not line.startswith(";")] == [
        "7; 2615 16390 SCHEMA - public_extra mlflow",
        "215; 1259 16391 TABLE public runs mlflow",
    ]


def test_a_restore_is_one_transaction_that_stops_at_the_first_fault(tmp_path: Path) -> None:
    command = postgres.restore_command("pg_restore", tmp_path / "list")
    assert {"--clean", "--if-exists", "--single-transaction", "--exit-on-error", "--no-owner"} <= set(command)
    assert "--jobs" not in " ".join(command)


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    script = "import sys; print('out'); sys.stderr.write('it is full'); sys.exit(int(sys.argv[1]))"
    assert client_programs.run([sys.executable, "-c", script, "0"], environment={}).strip() == "out"
    with pytest.raises(StepError, match="ended with 3: it is full"):
        client_programs.run([sys.executable, "-c", script, "3"], environment={})
    kept = tmp_path / "kept"
    client_programs.run([sys.executable, "-c", script, "0"], environment={}, writes=kept)
    assert kept.read_text(encoding="utf-8").strip() == "out"
    assert kept.stat().st_mode & 0o777 == 0o600
