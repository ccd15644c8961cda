"""What the source of a rehearsal holds: objects of every awkward kind, and what a team has tracked."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from components.agents.mover.store.model import BucketEndpoint, Head, Pairs
from components.agents.mover.store.s3_client import connect
from operations.relocation.rehearsal.environment import SETS_BUCKET, TEAM_BUCKET, WRITER, RehearsalEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


SEED: Final = 20261122
AT_ONCE: Final = 4
SMALL: Final = 4096  # bytes at most of an ordinary object: the rehearsal proves steps, it times nothing
LARGE: Final = 40 * 2**20 + 7  # three blocks, so an upload in parts
SETS_SHARE: Final = 0.3
LONGEST_KEY: Final = 1024  # bytes; docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
VERSIONED_EVERY: Final = 100
ODD: Final = (
    "with spaces/and a tab\there",
    "unicode/für-Übung-学習-🪸",
    "folder/",
    "folder/inside",
    "plus+and%25percent&amp;",
    "quotes/'single'\"double\"",
    "long/" + "k" * 200 + "/" + "e" * 200 + "/" + "y" * 200 + "/" + "s" * 200 + "/" + "x" * (LONGEST_KEY - 809),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An object to write."""

    key: str
    content: bytes
    headers: Pairs = ()
    metadata: Pairs = ()
    tags: Pairs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Counts of the test data.

    Args:
        runs: ids of MLflow's runs.
    """

    objects: int
    runs: tuple[str, ...]
    traces: int


def fill(scene: RehearsalEnvironment, *, objects: int, say: Callable[[str], None]) -> Filled:
    """Write at least that many objects, and tracked runs, models and traces."""
    sets = int(objects * SETS_SHARE)
    say(f"writing {objects:,} objects to the source")
    _write(scene.source.store.place(TEAM_BUCKET["source"], user=WRITER), [*_odd(), *_ordinary(objects - sets)])
    _write(scene.source.store.place(SETS_BUCKET, user=WRITER), list(_plain(sets)))
    _overwrite(scene.source.store.place(TEAM_BUCKET["source"], user=WRITER), count=objects - sets)
    say("tracking runs, models and traces at the source")
    said = scene.source.tracking.run(TRACKED, f"s3://{TEAM_BUCKET['source']}/tracked")
    made = json.loads(said.splitlines()[-1])
    return Filled(objects=objects + len(ODD), runs=tuple(made["runs"]), traces=made["traces"])


def _write(place: BucketEndpoint, made: Sequence[Made]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for each in [pool.submit(_write_all, place, made[at::AT_ONCE]) for at in range(AT_ONCE)]:
            each.result()


def _write_all(place: BucketEndpoint, made: Sequence[Made]) -> None:
    with closing(connect(place)) as store:
        for each in made:
            like = Head(size=len(each.content), etag="", headers=each.headers, metadata=each.metadata)
            body = memoryview(each.content)
            store.put(each.key, body, sha256=sha256(each.content).hexdigest(), like=like, tags=each.tags)


def _ordinary(count: int) -> Iterator[Made]:
    """Small objects, most with metadata, some with tags; one large, one empty."""
    chance = random.Random(SEED)  # noqa: S311 - the same objects every time, nothing secret
    yield Made(key="checkpoints/large.bin", content=chance.randbytes(LARGE), tags=(("keep", "yes"),))
    yield Made(key="empty", content=b"")
    for number in range(count - 2):
        yield Made(
            key=f"checkpoints/{number // 500:04d}/{number:06d}.pt",
            content=chance.randbytes(chance.randrange(1, SMALL)),
            headers=(("content-type", "application/x-pytorch" if number % 2 else "application/octet-stream"),),
            metadata=(("epoch", str(number % 40)), ("loss", f"{chance.random():.4f}")) if number % 3 else (),
            tags=(("run", f"r{number % 7}"), ("team", "models")) if number % 4 == 0 else (),
        )


def _odd() -> Iterator[Made]:
    for number, key in enumerate(ODD):
        yield Made(
            key=key,
            content=f"odd {number}".encode(),
            headers=(("cache-control", "no-store"), ("content-type", "text/plain; charset=utf-8")),
            metadata=(("note", "über"),) if number % 2 else (),
        )


def _plain(count: int) -> Iterator[Made]:
    """Data sets: bytes and a content type."""
    # Another seed than above: the same bytes in both buckets would hide objects that are mixed up.
    chance = random.Random(SEED + 1)  # noqa: S311 - as above
    for number in range(count):
        yield Made(
            key=f"daily/{number:06d}.json",
            content=chance.randbytes(chance.randrange(1, SMALL)),
            headers=(("content-type", "application/json"),),
        )


def _overwrite(place: BucketEndpoint, *, count: int) -> None:
    """Write a second version of some objects, and one delete marker."""
    again = [
        Made(key=f"checkpoints/{number // 500:04d}/{number:06d}.pt", content=f"again {number}".encode())
        for number in range(0, count - 2, VERSIONED_EVERY)
    ]
    _write(place, again)
    with closing(connect(place)) as store:
        store.delete(again[-1].key)


# Runs where MLflow's own client is: one experiment whose artifacts lie directly in the team's bucket, which is what
# has to be rewritten, and one that goes through the server's proxy, which is our default and names no bucket.
TRACKED: Final = """
import json, mlflow, pathlib, sys, tempfile
from mlflow.tracking import MlflowClient

client = MlflowClient()
place = pathlib.Path(tempfile.mkdtemp())
(place / "weights.txt").write_text("the weights")
client.create_experiment("direct", artifact_location=sys.argv[1])
made = {"runs": [], "traces": 0}
for name in ("direct", "proxied"):
    mlflow.set_experiment(name)
    for number in range(3):
        with mlflow.start_run() as run:
            mlflow.log_params({"number": number})
            mlflow.log_metric("loss", 1 / (number + 1))
            mlflow.log_artifact(str(place / "weights.txt"), "model")
            made["runs"].append(run.info.run_id)
    with mlflow.start_run() as run:
        logged = mlflow.pyfunc.log_model(name="answer", python_model=lambda asked: asked, pip_requirements=[])
        made["runs"].append(run.info.run_id)
    mlflow.register_model(logged.model_uri, f"answer-{name}")
    for number in range(2):
        with mlflow.start_span(f"{name}-{number}") as span:
            span.set_inputs({"question": number})
            span.set_outputs({"answer": number})
        made["traces"] += 1
mlflow.flush_trace_async_logging()
print(json.dumps(made))
"""


def count_readable_artifacts(scene: RehearsalEnvironment, filled: Filled) -> int:
    """Number of tracked artifacts that MLflow's own client reads at the target, of every run and model.

    Raises:
        RuntimeError: one of them cannot be read.
    """
    said = scene.target.tracking.run(READ, json.dumps(filled.runs))
    return int(said.splitlines()[-1])


READ: Final = """
import json, mlflow, pathlib, sys
from mlflow.tracking import MlflowClient

client = MlflowClient()
count = 0
def files(folder):
    return [each for each in pathlib.Path(folder).rglob("*") if each.is_file()]
for run in json.loads(sys.argv[1]):
    if client.list_artifacts(run):
        found = files(mlflow.artifacts.download_artifacts(run_id=run))
        assert any(each.read_text() == "the weights" for each in found if each.name == "weights.txt"), run
        count += len(found)
for name in ("direct", "proxied"):
    for version in client.search_model_versions(f"name='answer-{name}'"):
        assert mlflow.pyfunc.load_model(f"models:/{version.name}/{version.version}").predict([1]) == [1]
        count += 1
    experiment = client.get_experiment_by_name(name)
    traces = mlflow.search_traces(locations=[experiment.experiment_id], return_type="list")
    assert len(traces) == 2, traces
    for trace in traces:
        assert trace.data.spans, trace
        count += 1
print(count)
"""
