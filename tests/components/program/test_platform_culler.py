from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from components.agents.notebook_culler import SEEN, SERVER, STOPPED, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.agents.notebook_culler import Notebook

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def ago(minutes: int) -> str:
    return (NOW - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def notebook(name: str, *, server: str = "jupyter", started: int = 600, **annotations: str) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "work-a", "name": name, "annotations": {SERVER: server, **annotations}},
        "status": {"containerState": {"running": {"startedAt": ago(started)}}},
    }


def code(name: str, *, started: int = 600) -> dict[str, Any]:
    return notebook(name, server="group-one", started=started)


class FakeCluster:
    def __init__(self, *documents: Mapping[str, object]) -> None:
        self.documents = documents
        self.written: dict[str, dict[str, str]] = {}

    def list_notebooks(self) -> Iterator[Mapping[str, object]]:
        yield from self.documents

    def annotate(self, notebook: Notebook, annotations: Mapping[str, str]) -> None:
        self.written[notebook.name] = dict(annotations)

    @property
    def stopped(self) -> set[str]:
        return {name for name, changes in self.written.items() if STOPPED in changes}


class FakeServers:
    """Answers by the part of the address after the host; what is not there is a page that nobody serves."""

    def __init__(self, answers: Mapping[str, object]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, url: str) -> object:
        path = url.partition(".svc.cluster.local")[2].partition("?")[0]
        self.asked.append(path)
        answer = self.answers.get(path)
        if isinstance(answer, Exception):
            raise answer
        return answer


def run(cluster: FakeCluster, answers: Mapping[str, object]) -> list[str]:
    return sweep(cluster, FakeServers(answers), idle=HOUR, now=NOW)


def kernels(name: str) -> str:
    return f"/notebook/work-a/{name}/api/kernels"


def kernel(state: str, minutes: int) -> dict[str, str]:
    return {"execution_state": state, "last_activity": ago(minutes)}


def test_a_jupyter_whose_kernels_were_idle_for_an_hour_is_stopped() -> None:
    cluster = FakeCluster(notebook("old"), notebook("new"))
    lines = run(cluster, {kernels("old"): [kernel("idle", 61)], kernels("new"): [kernel("idle", 59)]})
    assert cluster.stopped == {"old"}
    assert lines == ["work-a/old is stopped, for it was not used since 2026-11-21T10:59:00Z"]
    assert cluster.written["new"] == {SEEN: ago(59)}


def test_a_working_kernel_is_in_use_however_long_ago_it_was_touched() -> None:
    cluster = FakeCluster(notebook("busy"))
    run(cluster, {kernels("busy"): [kernel("idle", 300), kernel("busy", 300)]})
    assert cluster.stopped == set()


def test_a_terminal_counts_as_use() -> None:
    cluster = FakeCluster(notebook("shell"))
    run(cluster, {kernels("shell"): [], "/notebook/work-a/shell/api/terminals": [{"last_activity": ago(5)}]})
    assert cluster.stopped == set()


def test_vs_code_is_judged_by_its_heartbeat_and_asked_for_nothing_that_makes_it_beat() -> None:
    cluster = FakeCluster(code("quiet"), code("young", started=30))
    beat = {"status": "expired", "lastHeartbeat": (NOW - timedelta(minutes=90)).timestamp() * 1000}
    servers = FakeServers({"/healthz": beat})
    sweep(cluster, servers, idle=HOUR, now=NOW)
    assert cluster.stopped == {"quiet"}  # the other one has only just started
    assert set(servers.asked) == {"/healthz"}


def test_vs_code_that_somebody_is_connected_to_goes_on() -> None:
    cluster = FakeCluster(code("used"))
    run(cluster, {"/healthz": {"status": "alive", "lastHeartbeat": NOW.timestamp() * 1000}})
    assert cluster.stopped == set()


@pytest.mark.parametrize("answer", [None, ConnectionError("refused"), {"html": "no kernels"}])
def test_what_does_not_say_when_it_was_used_is_left_alone_and_named(answer: object) -> None:
    cluster = FakeCluster(code("mute"))
    (line,) = run(cluster, {"/healthz": answer})
    assert not cluster.written
    assert line.startswith("work-a/mute is left alone")


def test_a_stopped_notebook_is_not_asked() -> None:
    servers = FakeServers({})
    sweep(FakeCluster(notebook("off", **{STOPPED: ago(10)})), servers, idle=HOUR, now=NOW)
    assert servers.asked == []


def test_one_that_fails_does_not_keep_the_next_from_being_stopped() -> None:
    cluster = FakeCluster(code("mute"), notebook("old"))
    run(cluster, {"/healthz": ConnectionError("refused"), kernels("old"): [kernel("idle", 200)]})
    assert cluster.stopped == {"old"}


def test_nothing_is_written_where_nothing_changed() -> None:
    cluster = FakeCluster(notebook("same", **{SEEN: ago(20)}))
    run(cluster, {kernels("same"): [kernel("idle", 20)]})
    assert not cluster.written
