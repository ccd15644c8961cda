"""What else a move asks of a real PostgreSQL: sessions of others, a URI without a name, ids of schedules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import psycopg
import pytest
from psycopg.errors import OperationalError
from relocate_moves import Remembered

from operations.relocation.cluster import recreation as kubeflow
from operations.relocation.config.endpoints import DatabasePlace
from operations.relocation.databases import postgres, postgres_read_only
from operations.relocation.rehearsal.processes import postgres_program
from operations.relocation.rehearsal.servers import RehearsedDatabase, database
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from operations.relocation.runner.step import Move

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

ADMIN, OWNER, OTHER = "administrator", "runs", "analyst"
PASSWORD = "its-own-password"
OLD, NEW = (f"0f0e0d0c-1111-2222-3333-00000000000{number}" for number in (1, 9))
PLACE = DatabasePlace(part="mlflow", uri_env="URI")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RehearsedDatabase]:
    """A database whose owner, of the same name, is no superuser; and somebody else who writes in it."""
    if not postgres_program("initdb"):
        pytest.skip("PostgreSQL is not on this machine")
    with database(tmp_path_factory.mktemp("sessions") / "server", name=ADMIN) as found:
        with psycopg.connect(found.uri, autocommit=True) as session:
            session.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
            session.execute(f"CREATE ROLE {OTHER} LOGIN PASSWORD '{PASSWORD}'")
            session.execute(f"CREATE DATABASE {OWNER} OWNER {OWNER}")
        with psycopg.connect(uri(found, OWNER), autocommit=True) as session:
            session.execute("CREATE TABLE runs (id integer)")
        yield found


def uri(server: RehearsedDatabase, user: str, name: str = OWNER) -> str:
    return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{server.port}/{name}"


@pytest.fixture
def move(server: RehearsedDatabase) -> Move:
    """All that a freeze of a database asks of one."""
    return cast("Move", SimpleNamespace(secrets={"URI": uri(server, OWNER)}, memory=Remembered()))


def test_a_session_of_somebody_else_is_named_or_ended_and_never_overlooked(
    server: RehearsedDatabase, move: Move
) -> None:
    with (
        psycopg.connect(server.uri, dbname=OWNER, autocommit=True) as admin,
        psycopg.connect(uri(server, OTHER), autocommit=True, application_name="report") as other,
    ):
        admin.execute(f"GRANT INSERT ON runs TO {OTHER}")  # which a restore of another test takes away
        with pytest.raises(StepError, match=rf"cannot be ended: {OTHER} \(report\)$") as caught:
            postgres_read_only.close(PLACE, move, side="source")
        assert caught.value.hint.startswith("grant pg_signal_backend")
        other.execute("INSERT INTO runs VALUES (1)")  # why the freeze must not go on beside it
        admin.execute(f"GRANT pg_signal_backend TO {OWNER}")
        assert postgres_read_only.close(PLACE, move, side="source")["sessions_ended"] == 1
        with pytest.raises(OperationalError):
            other.execute("INSERT INTO runs VALUES (2)")
        assert admin.execute("SELECT id FROM runs").fetchall() == [(1,)], "an administrator's session stays"
        admin.execute(f"REVOKE pg_signal_backend FROM {OWNER}")
    assert postgres_read_only.open_again(PLACE, move, side="source")["restored"] is None


def test_a_database_that_its_uri_leaves_out_is_the_users_own(server: RehearsedDatabase, tmp_path: Path) -> None:
    secrets = {"URI": uri(server, OWNER, name="")}
    with psycopg.connect(uri(server, OWNER), autocommit=True) as session:
        before = session.execute("SELECT count(*) FROM runs").fetchall()
        postgres.dump(PLACE, secrets, tmp_path / "runs.dump")
        session.execute("INSERT INTO runs VALUES (3)")
        postgres.restore(PLACE, secrets, tmp_path / "runs.dump")
        assert session.execute("SELECT count(*) FROM runs").fetchall() == before


def test_schedules_get_their_new_ids_everywhere(server: RehearsedDatabase, tmp_path: Path) -> None:
    secrets = {"URI": uri(server, OWNER)}
    with psycopg.connect(uri(server, OWNER), autocommit=True) as session:
        assert kubeflow.update_run_ids(PLACE, secrets, {OLD: NEW}, folder=tmp_path) == 1, "there are no such tables yet"
        session.execute("""
            CREATE TABLE jobs ("UUID" text); CREATE TABLE run_details ("UUID" text, "JobUUID" text);
            CREATE TABLE resource_references ("ResourceUUID" text, "ResourceType" text, "ReferenceUUID" text,
            "ReferenceType" text)""")
        session.execute("INSERT INTO jobs VALUES (%s), ('x')", (OLD,))
        session.execute("INSERT INTO run_details VALUES ('r', %s)", (OLD,))
        session.execute("INSERT INTO resource_references VALUES (%s, 'Job', 'ns', 'Namespace')", (OLD,))
        session.execute("INSERT INTO resource_references VALUES (%s, 'Run', %s, 'Job')", (OLD, OLD))
        for _ in range(2):
            assert kubeflow.update_run_ids(PLACE, secrets, {OLD: NEW}, folder=tmp_path) == 1
        assert set(session.execute("SELECT * FROM jobs").fetchall()) == {(NEW,), ("x",)}
        assert session.execute("SELECT * FROM run_details").fetchall() == [("r", NEW)]
        references = session.execute("SELECT * FROM resource_references").fetchall()
        assert set(references) == {(NEW, "Job", "ns", "Namespace"), (OLD, "Run", NEW, "Job")}
