"""MLflow's database moved between two real PostgreSQL servers, its addresses rewritten, every link opened."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import boto3
import psycopg
import pytest
from botocore.config import Config
from control_plane import REPOSITORY
from mlflow_server import HOW, PYTHON
from waiting import wait_until

from operations.relocation.config.endpoints import Places
from operations.relocation.databases import postgres
from operations.relocation.databases.row_checksums import differences, sums_of
from operations.relocation.databases.schema import MLFLOW
from operations.relocation.databases.sql import begin, execute_change
from operations.relocation.databases.uri_rewrite import addresses
from operations.relocation.rehearsal.servers import (
    MOVER,
    REGION,
    RehearsedDatabase,
    RehearsedStore,
    RehearsedTracking,
    database,
    store,
    tracking,
)
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps import databases, preflight, rewrite, smoke

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

SHORTEST: Final = 64  # characters of a column that could hold an address
TRACKER: Final = "mlflow"
LOGS: Final = """
import json, mlflow, pathlib, sys
from mlflow.tracking import MlflowClient
made = {}
for name, place in (("proxied", None), ("direct", "s3://team-here/runs")):
    made[name] = mlflow.create_experiment(name, artifact_location=place)
    mlflow.set_experiment(name)
    with mlflow.start_run() as run:
        mlflow.log_param("data", "s3://team-here/sets/train.csv")
        mlflow.set_tag("checkpoint", "s3://team-here/runs/checkpoint.pt")
        mlflow.log_metric("loss", 0.5)
        pathlib.Path("weights.txt").write_text("the weights of " + name)
        mlflow.log_artifact("weights.txt", "model")
        mlflow.log_input(mlflow.data.dataset_source_registry and mlflow.data.from_numpy(
            __import__("numpy").zeros(3), source="s3://team-here/sets/train.csv"))
        class Model(mlflow.pyfunc.PythonModel):
            def predict(self, context, model_input, params=None):
                return model_input
        logged = mlflow.pyfunc.log_model(name="classifier", python_model=Model(), registered_model_name="m-" + name,
                                         pip_requirements=[])
    with mlflow.start_run():
        pass  # a run without artifacts
    with mlflow.start_span(name="question") as span:
        span.set_inputs({"q": "where is s3://team-here/sets"})
mlflow.flush_trace_async_logging()
mlflow.genai.register_prompt(name="greeting", template="Hello {{name}}")
print(json.dumps(made))
"""


@dataclass
class Remembered:
    """A memory that is gone with the test."""

    kept: dict[str, object] = field(default_factory=dict)

    def remember(self, key: str, value: object) -> object:
        return self.kept.setdefault(key, json.loads(json.dumps(value)))

    def recall(self, key: str) -> object | None:
        return self.kept.get(key)


@dataclass(frozen=True)
class Stage:
    here: RehearsedStore
    there: RehearsedStore
    source: RehearsedDatabase
    target: RehearsedDatabase
    tracked: RehearsedTracking
    moved: RehearsedTracking
    folder: Path

    def move(self, memory: Remembered | None = None, *, uris: list[dict[str, str]] | None = None) -> Move:
        rules = [{"source": "s3://team-here", "target": "s3://team-there/from-here"}] if uris is None else uris
        places = Places.model_validate(
            {
                "source": self._side("here", "team-here"),
                "target": self._side("there", "team-there"),
                "buckets": [{"source": "team-here", "target": "team-there"}, {"source": "mlflow", "target": "mlflow"}],
                "uris": rules,
            }
        )
        return Move(
            places=places,
            folder=self.folder,
            secrets=self._secrets(),
            memory=memory or Remembered(),
            say=lambda _: None,
            now=lambda: datetime.now(UTC),
        )

    def _side(self, stack: str, _bucket: str) -> dict[str, object]:
        word = stack.upper()
        served = {"here": (self.here, self.tracked), "there": (self.there, self.moved)}[stack]
        return {
            "stack": stack,
            "store": {
                "kind": "minio",
                "endpoint": served[0].endpoint,
                "mover": {"access_key_env": f"{word}_KEY", "secret_key_env": f"{word}_SECRET"},
                "canary": {"access_key_env": f"{word}_USER", "secret_key_env": f"{word}_USER_SECRET"},
            },
            "databases": [{"part": "mlflow", "uri_env": f"{word}_DB"}],
            "mlflow_url": served[1].url,
        }

    def _secrets(self) -> dict[str, str]:
        found = {"HERE_DB": self.source.uri, "THERE_DB": self.target.uri}
        for word, each in (("HERE", self.here), ("THERE", self.there)):
            found |= {f"{word}_KEY": MOVER, f"{word}_SECRET": each.keys[MOVER]}
            found |= {f"{word}_USER": TRACKER, f"{word}_USER_SECRET": each.keys[TRACKER]}
        return found

    def client(self, side: RehearsedStore) -> Any:
        return cast("Any", boto3).client(
            "s3",
            endpoint_url=side.endpoint,
            region_name=REGION,
            aws_access_key_id=MOVER,
            aws_secret_access_key=side.keys[MOVER],
            config=Config(s3={"addressing_style": "path"}),
        )

    def copy(self) -> int:
        count = 0
        for source, target, prefix in (("team-here", "team-there", "from-here/"), ("mlflow", "mlflow", "")):
            here, there = self.client(self.here), self.client(self.there)
            for page in here.get_paginator("list_objects_v2").paginate(Bucket=source):
                for each in page.get("Contents", []):
                    body = here.get_object(Bucket=source, Key=each["Key"])["Body"].read()
                    there.put_object(Bucket=target, Key=f"{prefix}{each['Key']}", Body=body)
                    count += 1
        return count

    @contextlib.contextmanager
    def at_target(self) -> Generator[psycopg.Connection]:
        with psycopg.connect(self.target.uri) as connection:
            yield connection

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        with self.at_target() as connection:
            return connection.execute(statement.encode()).fetchall()

    def change(self, statement: str) -> None:
        with self.at_target() as connection:
            connection.execute(statement.encode())


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if not PYTHON.exists():
        if os.environ.get("CI", "").lower() in {"true", "1"}:
            pytest.fail(f"MLflow is not installed: {HOW}")
        pytest.skip(f"MLflow is not installed: {HOW}")
    folder = tmp_path_factory.mktemp("relocate-metadata")
    with contextlib.ExitStack() as stack:
        stores = [
            stack.enter_context(store(folder / f"store-{at}", buckets=names, writers={TRACKER: names}))
            for at, names in (("here", ["team-here", "mlflow"]), ("there", ["team-there", "mlflow"]))
        ]
        served = [stack.enter_context(database(folder / f"runs-{at}", name=TRACKER)) for at in ("here", "there")]
        tracked = [
            stack.enter_context(
                tracking(folder / f"mlflow-{at}", runs=runs, store=objects, bucket="mlflow", user=TRACKER)
            )
            for at, runs, objects in zip(("here", "there"), served, stores, strict=True)
        ]
        found = Stage(stores[0], stores[1], served[0], served[1], tracked[0], tracked[1], folder / "relocation")
        tracked[0].run(LOGS)
        found.folder.mkdir()
        yield found


@pytest.fixture(scope="module")
def restored(stage: Stage) -> dict[str, object]:
    """The databases step, done once."""
    return databases.do(stage.move())


@pytest.fixture
def fresh(stage: Stage, restored: dict[str, object]) -> Stage:
    """The target as the databases step leaves it."""
    assert restored
    postgres.restore(
        stage.move().places.target.databases[0], stage.move().secrets, stage.folder / "dumps" / "mlflow.dump"
    )
    return stage


def test_every_column_of_text_is_in_the_table_or_declared_to_hold_no_address(stage: Stage) -> None:
    asked = """SELECT table_name, column_name, character_maximum_length FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'jsonb')"""
    found = {
        (table, column): length
        for table, column, length in stage.ask(asked)
        if (length is None or length >= SHORTEST) and table != "alembic_version"
    }
    held = {(each.table, each.name) for each in MLFLOW.of("address", "text", "record")}
    named = {(each.table, each.name) for each in MLFLOW.of("name")}
    assert held & named == set()
    assert set(found) - held - named == set(), "columns of MLflow's schema that nobody looked at"
    every = {(table, column) for table, column, _ in stage.ask(asked)}
    assert (held | named) - every == set(), "columns of the table that MLflow's schema does not have"
    limits = {(each.table, each.name): each.limit for each in MLFLOW.columns if each.limit}
    assert {key: found[key] for key in limits} == limits
    unlimited = {(each.table, each.name) for each in MLFLOW.of("address", "text") if not each.limit}
    assert {key for key in unlimited if found[key] is not None} == set()


def test_every_row_arrives_and_the_proof_is_kept(stage: Stage, restored: dict[str, object]) -> None:
    found = cast("dict[str, dict[str, object]]", restored["databases"])["mlflow"]
    assert cast("int", found["rows"]) > 50
    assert found["remarks"] == []
    dump = stage.folder / "dumps" / "mlflow.dump"
    assert dump.stat().st_mode & 0o777 == 0o600
    assert found["bytes"] == dump.stat().st_size
    assert found["before"] is not None, "what the target's own installation wrote was kept"
    report = json.loads((stage.folder / "reports" / "databases.json").read_text())
    assert report["mlflow"]["source"] == report["mlflow"]["target"]
    assert stage.source.password not in json.dumps([restored, report])


def test_a_second_run_of_the_step_ends_the_same(stage: Stage, restored: dict[str, object]) -> None:
    again = databases.do(stage.move())  # with a memory that knows nothing, as after a roll back
    first, second = (cast("dict[str, dict[str, object]]", each["databases"])["mlflow"] for each in (restored, again))
    assert (first["rows"], first["tables"]) == (second["rows"], second["tables"])


def test_a_database_that_was_worked_in_is_refused(fresh: Stage) -> None:
    databases.unmark_databases(fresh.move())
    with pytest.raises(StepError, match=r"the target's database was worked in: .*public\.runs"):
        databases.do(fresh.move())
    with postgres.session(fresh.move().places.target.databases[0], fresh.move().secrets, writing=True) as connection:
        postgres.mark(connection, "atoll relocation here--there")


def test_a_database_with_tables_of_somebody_else_is_refused(fresh: Stage) -> None:
    databases.unmark_databases(fresh.move())
    fresh.change("CREATE TABLE somebody (word text)")
    try:
        with pytest.raises(StepError, match=r"tables that the source's has not: public\.somebody"):
            databases.do(fresh.move())
    finally:
        fresh.change("DROP TABLE somebody")
        fresh.change("COMMENT ON DATABASE mlflow IS 'atoll relocation here--there'")


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE metrics SET value = value + 1e-12 WHERE ctid = (SELECT min(ctid) FROM metrics)",
        "DELETE FROM tags WHERE ctid = (SELECT min(ctid) FROM tags)",
        "INSERT INTO params SELECT key || 'x', value, run_uuid FROM params LIMIT 1",
        "ALTER SEQUENCE experiments_experiment_id_seq RESTART WITH 9000",
    ],
)
def test_a_row_that_differs_is_found(fresh: Stage, harm: str) -> None:
    place, secrets = fresh.move().places, fresh.move().secrets
    fresh.change(harm)
    with (
        postgres.session(place.source.databases[0], secrets) as here,
        postgres.session(place.target.databases[0], secrets) as there,
    ):
        found = differences(sums_of(here), sums_of(there))
    assert len(found) == 1, found


KILLED_RESTORE: Final = """
import os, sys, pathlib
from operations.relocation.databases import postgres
from operations.relocation.config.endpoints import DatabasePlace
postgres.restore(DatabasePlace(part="mlflow", uri_env="URI"), dict(os.environ), pathlib.Path(sys.argv[1]))
"""


def test_a_restore_that_was_killed_leaves_all_as_it_was_and_runs_again(fresh: Stage) -> None:
    dump = fresh.folder / "dumps" / "mlflow.dump"
    before = fresh.ask("SELECT count(*) FROM runs")
    with fresh.at_target() as looking:  # who still reads holds the restore up, so that it is killed halfway
        looking.execute("SELECT count(*) FROM runs")
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED_RESTORE, str(dump)],
            cwd=REPOSITORY,
            env={"PATH": os.environ["PATH"], "URI": fresh.target.uri},
        )
        wait_until(
            lambda: fresh.ask("SELECT application_name FROM pg_stat_activity"),
            lambda rows: (postgres.WRITES,) in rows,
            what="the restore has begun",
        )
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert looking.execute("SELECT count(*) FROM runs").fetchall() == before
    postgres.restore(fresh.move().places.target.databases[0], fresh.move().secrets, dump)
    assert fresh.ask("SELECT count(*) FROM runs") == before


def test_addresses_are_rewritten_and_every_link_opens(fresh: Stage) -> None:
    assert fresh.copy() > 10
    move = fresh.move()
    evidence = rewrite.do(move)
    told = cast("dict[str, Any]", evidence["databases"])["mlflow"]
    by_column = told["by_column"]
    assert {
        "experiments.artifact_location",
        "runs.artifact_uri",
        "logged_models.artifact_location",
        "model_versions.storage_location",
        "trace_tags.value[mlflow.artifactLocation, mlflow.trace.archiveLocation]",
        "tags.value",
        "params.value",
        "datasets.dataset_source",
    } <= set(by_column)
    assert told["said_by_people_and_kept"]["spans.content"] == 2
    with postgres.session(move.places.target.databases[0], move.secrets) as connection:
        found = addresses(connection, MLFLOW)
    assert not [each for each in found if each.startswith("s3://team-here")]
    assert [each for each in found if each.startswith("s3://team-there/from-here/runs/")]
    assert [each for each in found if each.startswith("mlflow-artifacts:/")]
    again = cast("dict[str, Any]", rewrite.do(move)["databases"])["mlflow"]
    assert again["rewritten"] == 0
    checks = cast("dict[str, dict[str, Any]]", smoke.do(move)["checks"])
    assert checks["links"]["addresses"] == len(found)
    assert checks["links"]["objects_opened"] > 10
    assert checks["links"]["without_artifacts"] > 0
    assert checks["MLflow's server"]["runs_seen"] == 4
    assert checks["reads by a plain user"]["read"] == ["team-there", "mlflow"]
    assert "weights of direct" in fresh.moved.run(READS, "direct")
    assert "weights of proxied" in fresh.moved.run(READS, "proxied")


READS: Final = """
import mlflow, pathlib, sys
from mlflow.tracking import MlflowClient
client = MlflowClient()
(version,) = client.search_model_versions(f"name='m-{sys.argv[1]}'")
print(mlflow.pyfunc.load_model(f"models:/m-{sys.argv[1]}/1").predict([1]))
run = client.get_run(version.run_id)
kept = mlflow.artifacts.download_artifacts(run_id=version.run_id, artifact_path="model/weights.txt")
print(pathlib.Path(kept).read_text())
for trace in mlflow.search_traces(locations=[run.info.experiment_id], return_type="list"):
    assert trace.data.spans, trace
"""


def test_one_object_that_is_missing_is_named(fresh: Stage) -> None:
    fresh.copy()
    move = fresh.move()
    rewrite.do(move)
    client = fresh.client(fresh.there)
    lost = next(
        each["Key"]
        for each in client.list_objects_v2(Bucket="team-there", Prefix="from-here/runs/")["Contents"]
        if each["Key"].endswith("weights.txt")
    )
    client.delete_object(Bucket="team-there", Key=lost)
    with pytest.raises(StepError, match=r"links: s3://team-there/from-here/runs.* has \d+ objects of \d+ bytes"):
        smoke.do(move)


def test_an_address_without_a_rule_stops_the_rewriting_and_is_shown(fresh: Stage) -> None:
    before = fresh.ask("SELECT artifact_uri FROM runs ORDER BY 1")
    with pytest.raises(StepError, match=r"addresses that fit no rule: .* in experiments\.artifact_location") as caught:
        rewrite.do(fresh.move(uris=[]))
    assert "relocation.yaml" in caught.value.hint
    assert "s3://team-here/runs" in str(caught.value)
    assert fresh.ask("SELECT artifact_uri FROM runs ORDER BY 1") == before


def test_an_address_without_a_rule_is_found_at_the_source_before_anything_is_moved(stage: Stage) -> None:
    bare, declared = stage.move(uris=[]), stage.move()
    with psycopg.connect(stage.source.uri) as connection:
        before = connection.execute("SELECT artifact_uri FROM runs ORDER BY 1").fetchall()
    with pytest.raises(
        StepError, match=r"mlflow: addresses that fit no rule: .* in runs\.artifact_uri \(as s3"
    ) as caught:
        preflight.check_addresses(bare.places, bare.secrets)
    assert caught.value.hint.endswith("then roll back and run again")
    assert preflight.check_addresses(declared.places, declared.secrets) == ["mlflow"]
    with psycopg.connect(stage.source.uri) as connection:
        assert connection.execute("SELECT artifact_uri FROM runs ORDER BY 1").fetchall() == before


def test_a_survey_cannot_write(fresh: Stage) -> None:
    move = fresh.move()
    with postgres.session(move.places.target.databases[0], move.secrets, writing=True) as connection:
        begin(connection, writing=False)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            execute_change(connection, "UPDATE runs SET artifact_uri = 'x'")


def test_a_schema_of_another_version_is_refused(fresh: Stage) -> None:
    fresh.change("UPDATE alembic_version SET version_num = 'c3d9e7f1a2b4'")
    with pytest.raises(StepError, match=r"schema version c3d9e7f1a2b4 is not known; known: 6f8d9c3b2a1e"):
        rewrite.do(fresh.move())


KILLED_REWRITE: Final = """
import os, sys, time
from operations.relocation.databases import postgres
from operations.relocation.databases import uri_rewrite as rewriting
from operations.relocation.databases.schema import MLFLOW
from operations.relocation.databases.uri_rules import rules_of
from operations.relocation.config.endpoints import DatabasePlace
whole = rewriting._update
done = []
def halfway(connection, column, rules):
    count = whole(connection, column, rules)
    done.append(count)
    if sum(done) > 3:
        print("halfway", flush=True)
        time.sleep(600)
    return count
rewriting._update = halfway
with postgres.session(DatabasePlace(part="mlflow", uri_env="URI"), dict(os.environ), writing=True) as connection:
    rewriting.rewrite(connection, MLFLOW, rules_of([("s3://team-here", "s3://team-there/from-here")]))
"""


def test_a_rewriting_that_is_killed_changes_nothing_and_runs_again(fresh: Stage) -> None:
    asked = "SELECT artifact_uri FROM runs UNION SELECT artifact_location FROM experiments ORDER BY 1"
    before = fresh.ask(asked)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED_REWRITE],
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], "URI": fresh.target.uri},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"halfway\n"
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert fresh.ask(asked) == before
    rewrite.do(fresh.move())
    assert not [row for row in fresh.ask(asked) if "team-here" in row[0]]


def test_the_database_may_be_closed_to_writers_all_the_while(fresh: Stage) -> None:
    fresh.change("ALTER DATABASE mlflow SET default_transaction_read_only = on")
    try:
        databases.do(fresh.move())
        rewrite.do(fresh.move())
    finally:
        with psycopg.connect(fresh.target.uri, options="-c default_transaction_read_only=off") as connection:
            connection.execute("ALTER DATABASE mlflow RESET default_transaction_read_only")


WITH_PSYCOPG2: Final = """
import json, sys, psycopg2
from operations.relocation.databases.schema import MLFLOW
from operations.relocation.databases.uri_rewrite import rewrite, survey
from operations.relocation.databases.uri_rules import rules_of
connection = psycopg2.connect(sys.argv[1])
rules = rules_of([("s3://team-here", "s3://team-there/from-here")])
assert survey(connection, MLFLOW, rules).changes
print(json.dumps([rewrite(connection, MLFLOW, rules).changes, rewrite(connection, MLFLOW, rules).changes]))
"""


def test_the_same_is_done_with_what_mlflows_own_image_has(fresh: Stage) -> None:
    said = subprocess.run(
        [str(PYTHON), "-c", WITH_PSYCOPG2, fresh.target.uri],
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = json.loads(said.stdout)
    assert first["runs.artifact_uri"] > 0
    assert second == {}


def test_secrets_are_in_no_file_and_in_no_argument(stage: Stage, restored: Mapping[str, object]) -> None:
    assert restored
    for path in stage.folder.rglob("*"):
        if path.is_file():
            assert stage.source.password.encode() not in path.read_bytes(), path
    assert stage.source.password not in str(postgres.restore_command("pg_restore", Path("list")))
