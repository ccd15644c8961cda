"""A database of Pipelines moved between two servers by MySQL's programs; MariaDB's stand in for them where they are."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest
from control_plane import free_ports
from waiting import WITHIN

from operations.relocation.cluster import recreation as kubeflow
from operations.relocation.config.endpoints import DatabasePlace
from operations.relocation.databases import client_programs, mysql
from operations.relocation.databases import mysql as mysql_uris
from operations.relocation.databases.row_checksums import differences
from operations.relocation.databases.uri_rules import rules_of
from operations.relocation.rehearsal.processes import Child, home_of, poll_until, start_child
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

PROGRAMS: Final = ("mariadbd", "mariadb-install-db", "mysql", "mysqldump")
HERE: Final = DatabasePlace(part="pipelines", engine="mysql", uri_env="HERE")
THERE: Final = DatabasePlace(part="pipelines", engine="mysql", uri_env="THERE")
OLD: Final = "0f0e0d0c-1111-2222-3333-000000000001"
NEW: Final = "0f0e0d0c-1111-2222-3333-000000000009"
ASKED: Final = r"""CREATE DATABASE mlpipeline CHARACTER SET utf8mb4;
CREATE USER mover@'127.0.0.1' IDENTIFIED BY 'p"w\\é#;%'; GRANT ALL ON *.* TO mover@'127.0.0.1';"""
MADE: Final = """
CREATE TABLE jobs (UUID varchar(191) PRIMARY KEY, DisplayName text, At datetime(6), D double, F float,
  Amount decimal(20, 5), Bytes longblob, Spec json, Enabled bool);
CREATE TABLE run_details (UUID varchar(191), JobUUID varchar(191));
CREATE TABLE resource_references (ResourceUUID varchar(191), ResourceType varchar(191), ReferenceUUID varchar(191),
  ReferenceType varchar(191));
CREATE TABLE Artifact (id int, uri text, `we``ird` varchar(30));
INSERT INTO jobs VALUES ('OLD', 'näh|''', NOW(6), 0.1, 0.3, 1.23456, X'00ff0a', '{"a": 1}', 1),
  ('x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO run_details VALUES ('r', 'OLD');
INSERT INTO resource_references VALUES ('OLD', 'Job', 'ns', 'Namespace'), ('r', 'Run', 'OLD', 'Job');
INSERT INTO Artifact VALUES (1, 'minio://old/v2/x', 's3://old'), (2, 'minio://older/x', 'S3://OLD/x'),
  (3, '{"a": "s3://old/runs/x"}', 's3://kept/a'), (4, NULL, NULL);
""".replace("OLD'", f"{OLD}'")


@contextlib.contextmanager
def server(folder: Path) -> Generator[str]:
    """A server with one database; its URI."""
    folder.mkdir()
    with home_of("mysql" if os.geteuid() == 0 else None, folder=folder) as home:
        yield from served(home)


def served(folder: Path) -> Generator[str]:
    data, socket, (port,) = folder / "data", folder / "socket", free_ports(1)
    user = ["--user=mysql"] if os.geteuid() == 0 else []
    install = ["mariadb-install-db", "--no-defaults", *user, f"--datadir={data}"]
    subprocess.run([*install, "--auth-root-authentication-method=normal"], check=True, capture_output=True)
    program = shutil.which("mariadbd")
    assert program
    command = [program, "--no-defaults", *user, f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1"]
    with start_child([*command, f"--socket={socket}", f"--pid-file={folder}/pid"], log=folder / "log") as started:
        prepare(started, ["mysql", "--no-defaults", "--user=root", f"--socket={socket}", f"--execute={ASKED}"])
        yield f"mysql+pymysql://mover:p%22w%5C%C3%A9%23%3B%25@127.0.0.1:{port}/mlpipeline"


def prepare(started: Child, command: list[str]) -> None:
    poll_until(
        lambda: not subprocess.run(command, check=False, capture_output=True).returncode, started, seconds=WITHIN
    )


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    missing = [each for each in PROGRAMS if shutil.which(each) is None]
    if missing:
        pytest.skip(f"there is no {', '.join(missing)} on PATH (apt-get install mariadb-server)")
    folder = tmp_path_factory.mktemp("relocate-mysql")
    with server(folder / "here") as here, server(folder / "there") as there:
        yield {"HERE": here, "THERE": there}


@pytest.fixture
def restored(secrets: dict[str, str], tmp_path: Path) -> Path:
    mysql.ask(
        HERE,
        secrets,
        "DROP DATABASE mlpipeline; CREATE DATABASE mlpipeline CHARACTER SET utf8mb4; USE mlpipeline;" + MADE,
        folder=tmp_path,
    )
    mysql.dump(HERE, secrets, tmp_path / "pipelines.dump")
    mysql.restore(THERE, secrets, tmp_path / "pipelines.dump")
    mysql.restore(THERE, secrets, tmp_path / "pipelines.dump")  # as after a kill
    return tmp_path


def test_every_row_arrives_and_one_that_differs_is_found(secrets: dict[str, str], restored: Path) -> None:
    here = mysql.sums(HERE, secrets, folder=restored)
    assert here.tables["jobs"].rows == 2
    assert differences(here, mysql.sums(THERE, secrets, folder=restored)) == []
    mysql.ask(THERE, secrets, "UPDATE jobs SET Bytes = X'00ff0b' WHERE Bytes IS NOT NULL", folder=restored)
    (said,) = differences(here, mysql.sums(THERE, secrets, folder=restored))
    assert said.startswith("table jobs: 2 rows, sum ")
    assert [each.name for each in restored.iterdir()] == ["pipelines.dump"], "no file with a password is left"


def test_a_session_that_ends_before_it_is_killed_stops_no_restore(secrets: dict[str, str], restored: Path) -> None:
    def starts(command: Any, *, reads: Path | None = None, **more: Any) -> str:
        said = client_programs.run(command, reads=reads, **more)
        gone = reads is not None and reads.suffix == ".sql" and reads.read_text() == mysql.OTHERS
        return f"{said}4294967295\n" if gone else said

    mysql.restore(THERE, secrets, restored / "pipelines.dump", starts=starts)
    with pytest.raises(StepError, match=mysql.GONE):
        mysql.ask(THERE, secrets, "KILL 4294967295", folder=restored)
    here, there = (mysql.sums(each, secrets, folder=restored) for each in (HERE, THERE))
    assert differences(here, there) == []


def test_schedules_get_their_new_ids_everywhere(secrets: dict[str, str], restored: Path) -> None:
    for _ in range(2):
        assert kubeflow.update_run_ids(THERE, secrets, {OLD: NEW}, folder=restored) == 1
    asked = "SELECT UUID FROM jobs; SELECT JobUUID FROM run_details; SELECT * FROM resource_references"
    assert mysql.ask(THERE, secrets, asked, folder=restored) == [
        [NEW],
        ["x"],
        [NEW],
        [NEW, "Job", "ns", "Namespace"],
        ["r", "Run", NEW, "Job"],
    ]


def test_addresses_are_rewritten_at_their_boundary_and_twice_is_once(secrets: dict[str, str], restored: Path) -> None:
    rules = rules_of([("s3://old/runs", "s3://new"), ("s3://old", "s3://rest"), ("minio://old", "minio://new")])
    done = mysql_uris.rewrite(THERE, secrets, rules, folder=restored)
    assert done == {"Artifact.uri": 2, "Artifact.we`ird": 1}
    assert mysql_uris.rewrite(THERE, secrets, rules, folder=restored) == {}
    assert mysql.ask(THERE, secrets, "SELECT * FROM Artifact ORDER BY id", folder=restored) == [
        ["1", "minio://new/v2/x", "s3://rest"],
        ["2", "minio://older/x", "S3://OLD/x"],
        ["3", '{"a": "s3://new/x"}', "s3://kept/a"],
        ["4", "NULL", "NULL"],
    ]


def test_an_address_that_becomes_too_long_changes_nothing_at_all(secrets: dict[str, str], restored: Path) -> None:
    before = mysql.ask(THERE, secrets, "SELECT * FROM Artifact ORDER BY id", folder=restored)
    with pytest.raises(StepError, match="Data too long"):
        mysql_uris.rewrite(THERE, secrets, rules_of([("s3://old", f"s3://{'n' * 40}")]), folder=restored)
    assert mysql.ask(THERE, secrets, "SELECT * FROM Artifact ORDER BY id", folder=restored) == before
