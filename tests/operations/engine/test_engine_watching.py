"""Events of the engine, counted."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

from engine_fakes import FakeStack
from pulumi.automation import EngineEvent

from operations.engine import operation
from operations.engine.operation import Progress, ResourceStep, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

URN = "urn:pulumi:demo::atoll::kubernetes:core/v1:Secret::token"
ROOT = "urn:pulumi:demo::atoll::pulumi:pulumi:Stack::atoll-demo"


def step(kind: str, op: str, urn: str = URN, **more: Any) -> EngineEvent:
    type_ = urn.split("::")[2]
    metadata = {"op": op, "urn": urn, "type": type_, "provider": "", **more}
    return EngineEvent.from_json({"sequence": 1, "timestamp": 1, kind: {"metadata": metadata}})


def said(message: str, severity: str) -> EngineEvent:
    return EngineEvent.from_json({"diagnosticEvent": {"message": message, "severity": severity, "urn": URN}})


def test_a_resource_is_running_until_it_is_done() -> None:
    watch = Watch(total=2)
    watch.take(step("resourcePreEvent", "create"))
    assert watch.format_progress() == "0 done, Secret token"
    watch.take(step("resOutputsEvent", "create"))
    assert watch.format_progress() == "1 of 2"
    assert watch.count_changes() == {"create": 1}


def test_the_steps_of_a_replacement_are_one_change() -> None:
    watch = Watch()
    for op in ("create-replacement", "replace", "delete-replaced"):
        watch.take(step("resourcePreEvent", op))
        watch.take(step("resOutputsEvent", op))
    assert watch.list_changes() == (ResourceStep(action="replace", type="kubernetes:core/v1:Secret", name="token"),)


def test_properties_are_named_and_their_values_are_not_kept() -> None:
    watch = Watch()
    new = {"type": "x", "urn": URN, "inputs": {"data": "hidden"}}
    watch.take(
        step("resourcePreEvent", "update", new=new, diffs=["data"], detailedDiff={"data.a": {"diffKind": "update"}})
    )
    assert watch.list_changes()[0].properties == ("data", "data.a")
    assert "hidden" not in repr(watch)


def test_a_refresh_says_at_its_end_what_it_found() -> None:
    watch = Watch()
    watch.take(step("resourcePreEvent", "refresh"))
    watch.take(step("resOutputsEvent", "update", diffs=["spec"]))
    assert [each.action for each in watch.list_changes()] == ["update"]


def test_the_stack_itself_and_what_stays_the_same_are_no_difference() -> None:
    watch = Watch()
    watch.take(step("resourcePreEvent", "same"))
    watch.take(step("resourcePreEvent", "create", ROOT))
    assert watch.list_changes() == ()


def test_the_engines_own_count_wins() -> None:
    watch = Watch()
    watch.take(step("resOutputsEvent", "create"))
    summary = {"maybeCorrupt": False, "durationSeconds": 2, "resourceChanges": {"create": 7, "same": 1}}
    watch.take(EngineEvent.from_json({"summaryEvent": summary}))
    assert watch.count_changes() == {"create": 7, "same": 1}


def test_errors_and_warnings_are_kept_and_debugging_is_not() -> None:
    watch = Watch()
    watch.take(said("refused", "error"))
    watch.take(said("old", "warning"))
    watch.take(said("registering", "debug"))
    assert [str(each) for each in (*watch.errors, *watch.warnings)] == ["token: refused", "token: old"]


def test_a_failed_resource_is_running_no_more() -> None:
    watch = Watch()
    watch.take(step("resourcePreEvent", "create"))
    watch.take(step("resOpFailedEvent", "create"))
    assert watch.format_progress() == "0 done"
    assert watch.count_changes() == {}


def test_an_update_that_waits_in_silence_says_so_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    enough = threading.Event()

    def tell(line: str) -> None:
        told.append(line)
        if len(told) > 2:
            enough.set()

    @contextlib.contextmanager
    def following(_title: str) -> Iterator[Callable[[str], None]]:
        yield tell

    monkeypatch.setattr(operation, "EACH_S", 0.01)
    stack = FakeStack()
    monkeypatch.setattr(stack, "up", lambda **_: enough.wait(10))
    report = operation.up(stack.opened(), total=3, progress=Progress(follow=following, say=told.append))
    assert report.failure is None
    assert enough.is_set()
