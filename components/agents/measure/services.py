"""Smoke test of a service: each does once what people use it for. It runs in a pod. Python 3.10 or later.

s3        an object is put, got and deleted, in the bucket and with the keys of the environment (needs boto3)
mlflow    a run is logged and read back by MLflow's own interface, and deleted
pipeline  a pipeline of one step is sent and seen through to its end
serving   a model is asked for a prediction

python3 -m components.agents.measure.services --placement P --service NAME --url URL [--seconds S]
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from components.agents.measure import records
from components.agents.measure.child_process import text
from components.agents.measure.records import build_record, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SECONDS: Final = 900.0
SECONDS_TO_ANSWER: Final = 30.0
PAUSE: Final = 5.0
WORDS: Final = b"What is written is read."
NAME: Final = "atoll-acceptance"
RAN: Final = "SUCCEEDED"
ENDED: Final = frozenset({RAN, "FAILED", "CANCELED", "SKIPPED"})


def s3(url: str, *, until: float) -> None:
    """Put, get and delete.

    Raises:
        ValueError: what is read is not what was written.
    """
    del until
    boto3: Any = importlib.import_module("boto3")
    place = urlsplit(os.environ["S3_URI"])
    key = "/".join(part for part in (place.path.strip("/"), f"{NAME}-{time.time_ns()}") if part)
    client = boto3.client("s3", endpoint_url=url)
    client.put_object(Bucket=place.netloc, Key=key, Body=WORDS)
    try:
        found = client.get_object(Bucket=place.netloc, Key=key)["Body"].read()
    finally:
        client.delete_object(Bucket=place.netloc, Key=key)
    if found != WORDS:
        raise ValueError("the object that is read is not the one that was written")


def mlflow(url: str, *, until: float) -> None:
    """A metric logged and read back.

    Raises:
        ValueError: it is not the one that was logged.
    """
    del until
    api = f"{url}/api/2.0/mlflow"
    made = call(f"{api}/experiments/create", {"name": f"{NAME}-{time.time_ns()}"})
    experiment = str(made["experiment_id"])
    try:
        now = int(time.time() * 1000)
        run = str(
            at(call(f"{api}/runs/create", {"experiment_id": experiment, "start_time": now}), "run", "info")["run_id"]
        )
        call(f"{api}/runs/log-metric", {"run_id": run, "key": "loss", "value": 0.5, "timestamp": now})
        metrics = cast("list[dict[str, object]]", at(call(f"{api}/runs/get?run_id={run}"), "run", "data")["metrics"])
    finally:
        call(f"{api}/experiments/delete", {"experiment_id": experiment})
    if [(each["key"], each["value"]) for each in metrics] != [("loss", 0.5)]:
        raise ValueError(f"the metrics that are read are not those that were logged: {metrics}")


def pipeline(url: str, *, until: float) -> None:
    """One step, in the namespace of the environment, as the account of this pod.

    Raises:
        ValueError: it did not end well.
        TimeoutError: it did not end.
    """
    token = Path(os.environ["KF_PIPELINES_SA_TOKEN_PATH"]).read_text(encoding="utf-8").strip()
    api, held = f"{url}/apis/v2beta1", {"Authorization": f"Bearer {token}"}
    wanted = {"display_name": NAME, "namespace": os.environ["NAMESPACE"]}
    experiment = str(call(f"{api}/experiments", wanted, held)["experiment_id"])
    asked = {"display_name": NAME, "experiment_id": experiment, "pipeline_spec": one_step(os.environ["STEP_IMAGE"])}
    run = str(call(f"{api}/runs", asked, held)["run_id"])
    while (state := str(call(f"{api}/runs/{run}", headers=held).get("state", ""))) not in ENDED:
        if time.monotonic() > until:
            raise TimeoutError(f"the run is still {state or 'not begun'}")
        time.sleep(PAUSE)
    if state != RAN:
        raise ValueError(f"the run ended as {state}")


def one_step(image: str) -> dict[str, object]:
    """The smallest pipeline, as the compiler of kfp 2 writes one (schema 2.1.0)."""
    container = {"image": image, "command": ["python3", "-c", "print('done')"]}
    return {
        "schemaVersion": "2.1.0",
        "sdkVersion": "kfp-2.16.1",
        "pipelineInfo": {"name": NAME},
        "components": {"comp-step": {"executorLabel": "exec-step"}},
        "deploymentSpec": {"executors": {"exec-step": {"container": container}}},
        "root": {
            "dag": {
                "tasks": {
                    "step": {"cachingOptions": {}, "componentRef": {"name": "comp-step"}, "taskInfo": {"name": "step"}}
                }
            }
        },
    }


def serving(url: str, *, until: float) -> None:
    """A prediction, once the model is there.

    Raises:
        ValueError: it is a wrong one.
        OSError: nothing answers in time.
    """
    while True:
        try:
            found = call(url, {"instances": [[1, 2, 3]]})["predictions"]
            break
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
    if found != [6]:
        raise ValueError(f"the model answers {found}")


TRIES: Final[Mapping[str, Callable[..., None]]] = {"s3": s3, "mlflow": mlflow, "pipeline": pipeline, "serving": serving}


def call(url: str, body: object = None, headers: Mapping[str, str] | None = None) -> Mapping[str, object]:
    """One request of JSON.

    Raises:
        OSError: no answer, or a bad one.
        ValueError: what is answered is no JSON object.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is no address of HTTP")
    sent = None if body is None else json.dumps(body).encode()
    all_headers = {"Content-Type": "application/json", **(headers or {})}
    with urlopen(Request(url, data=sent, headers=all_headers), timeout=SECONDS_TO_ANSWER) as answer:  # noqa: S310 - HTTP only
        found = json.load(answer)
    if not isinstance(found, dict):
        raise ValueError(f"{url} answers with no JSON object")  # noqa: TRY004 - what came over the wire
    return cast("dict[str, object]", found)


def at(document: Mapping[str, object], *path: str) -> Mapping[str, object]:
    """The object at a path.

    Raises:
        KeyError: there is none.
    """
    for name in path:
        document = cast("Mapping[str, object]", document[name])
    return document


def main(words: Sequence[str]) -> int:
    """Run the test of a service, and write its record."""
    reader = records.parser(__doc__ or "")
    reader.add_argument("--service", required=True, choices=sorted(TRIES))
    reader.add_argument("--url", required=True)
    reader.add_argument("--seconds", type=records.above_zero, default=SECONDS)
    options = reader.parse_args(words)
    began, fault = time.monotonic(), ""
    try:
        TRIES[options.service](options.url, until=began + options.seconds)
    except Exception as error:  # noqa: BLE001 - whatever a client of a service raises is why it does not work
        fault = f"{type(error).__name__}: {error}"[:500]
    record = build_record(
        "smoke",
        f"service/{options.placement}/{options.service}",
        tool="Python",
        readings=[] if fault else [("seconds", text(time.monotonic() - began), "s")],
        failed=[fault] if fault else [],
    )
    write([record])
    return records.MEASURED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
