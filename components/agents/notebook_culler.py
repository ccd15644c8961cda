"""Stops idle notebooks. It runs in a pod of the cluster: standard library of Python 3.12 only."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError
from urllib.request import Request

from components.agents.cluster_api import ClusterApi, build_bounded_opener, read_answer, to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    # Reads JSON from an address; None for a 404, OSError without an answer.
    Ask = Callable[[str], object]

KUBEFLOW: Final = "/apis/kubeflow.org/v1"
STOPPED: Final = "kubeflow-resource-stopped"  # the notebook controller scales to 0 where it finds this
SEEN: Final = "notebooks.kubeflow.org/last-activity"  # what the web page of notebooks shows
SERVER: Final = "notebooks.kubeflow.org/server-type"
CODE: Final = "group-one"  # VS Code in the words of that page; everything else is asked as Jupyter is
MOST_BYTES: Final = 4_000_000  # of what a notebook's server answers, which is its user's to choose


@dataclass(frozen=True, kw_only=True)
class Notebook:
    """A running notebook.

    Args:
        server: kind of the server, in the words of the web page.
        started: when its container started.
        seen: annotation with the last use that was seen; "" for none.
    """

    namespace: str
    name: str
    server: str
    started: datetime
    seen: str

    @property
    def address(self) -> str:
        """URL of its service."""
        return f"http://{self.name}.{self.namespace}.svc.cluster.local"


def read_running_notebook(document: Mapping[str, object]) -> Notebook | None:
    """The notebook of a document of the API; None where it is stopped, or has not started."""
    metadata = to_mapping(document.get("metadata"))
    annotations = to_mapping(metadata.get("annotations"))
    state = to_mapping(to_mapping(document.get("status")).get("containerState"))
    started = to_mapping(state.get("running")).get("startedAt")
    if STOPPED in annotations or not started:
        return None
    return Notebook(
        namespace=str(metadata.get("namespace")),
        name=str(metadata.get("name")),
        server=str(annotations.get(SERVER, "")),
        started=datetime.fromisoformat(str(started)),
        seen=str(annotations.get(SEEN, "")),
    )


def last_used(notebook: Notebook, ask: Ask, *, now: datetime) -> datetime:
    """When the notebook was last in use, or when it started.

    Raises:
        OSError: its server does not say.
    """
    asked = _code if notebook.server == CODE else _jupyter
    return max([notebook.started, *asked(notebook, ask, now)])


def sweep(cluster: CullerClusterClient, ask: Ask, *, idle: timedelta, now: datetime) -> list[str]:
    """Stop every notebook that is idle for so long; log lines."""
    found = [each for each in map(read_running_notebook, cluster.list_notebooks()) if each]
    return [line for each in found if (line := _judge(each, cluster, ask, idle=idle, now=now))]


def _judge(notebook: Notebook, cluster: CullerClusterClient, ask: Ask, *, idle: timedelta, now: datetime) -> str:
    name = f"{notebook.namespace}/{notebook.name}"
    try:
        used = last_used(notebook, ask, now=now)
        changes = {SEEN: _text(used)} if _text(used) != notebook.seen else {}
        if now - used >= idle:
            changes = {SEEN: _text(used), STOPPED: _text(now)}
        if changes:
            cluster.annotate(notebook, changes)
    except (OSError, ValueError) as error:
        return f"{name} is left alone, for it does not say when it was used: {error}"
    return f"{name} is stopped, for it was not used since {_text(used)}" if STOPPED in changes else ""


def _jupyter(notebook: Notebook, ask: Ask, now: datetime) -> Iterator[datetime]:
    """Last activity of kernels and terminals; a busy kernel is in use now."""
    root = f"{notebook.address}/notebook/{notebook.namespace}/{notebook.name}/api"
    # These requests do not count as use.
    kernels = ask(f"{root}/kernels?no_track_activity=1")
    if kernels is None:
        raise OSError("it has no API of Jupyter")
    for each in to_mappings(kernels):
        idle = each.get("execution_state") == "idle"
        yield datetime.fromisoformat(str(each.get("last_activity"))) if idle else now
    for each in to_mappings(ask(f"{root}/terminals?no_track_activity=1") or []):
        yield datetime.fromisoformat(str(each.get("last_activity")))


def _code(notebook: Notebook, ask: Ask, now: datetime) -> Iterator[datetime]:
    """Last heartbeat of code-server."""
    del now
    # code-server beats while a browser is connected; this page does not cause a beat.
    health = to_mapping(ask(f"{notebook.address}/healthz"))
    if "lastHeartbeat" not in health:
        raise OSError("it has no heartbeat of code-server")
    yield datetime.fromtimestamp(float(str(health["lastHeartbeat"])) / 1000, tz=UTC)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class CullerClusterClient(ClusterApi):
    """Notebooks of the cluster that the pod runs in."""

    def list_notebooks(self) -> Iterator[Mapping[str, object]]:
        return self.list_objects(f"{KUBEFLOW}/notebooks")

    def annotate(self, notebook: Notebook, annotations: Mapping[str, str]) -> None:
        path = f"{KUBEFLOW}/namespaces/{notebook.namespace}/notebooks/{notebook.name}"
        self.merge(path, {"metadata": {"annotations": dict(annotations)}})


def ask_over_http(url: str) -> object:
    """JSON that a notebook's server answers; None for a 404. Redirects are refused."""
    request = Request(url)  # noqa: S310 - a service of the cluster, by http
    try:
        return json.loads(read_answer(build_bounded_opener(), request, most_bytes=MOST_BYTES))
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            return None
        raise


def main() -> None:
    """Check every notebook, pause, and repeat for ever."""
    cluster = CullerClusterClient()
    idle = timedelta(minutes=int(os.environ["IDLE_MINUTES"]))
    pause = int(os.environ["SECONDS_BETWEEN"])
    while True:
        try:
            lines = sweep(cluster, ask_over_http, idle=idle, now=datetime.now(UTC))
        except (OSError, ValueError) as error:
            lines = [f"the cluster does not answer: {error}"]
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()
        time.sleep(pause)


if __name__ == "__main__":
    main()
