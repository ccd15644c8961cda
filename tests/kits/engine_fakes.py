"""A stack of the Automation API that answers from a table and writes down what it was asked to do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from pulumi import automation
from pulumi.automation import CommandError, EngineEvent

from operations.engine.environment import Backend
from operations.engine.session import StackSession

PREFIX = "urn:pulumi:demo::atoll::"


def row(type_: str, name: str, *, id_: str = "i-1", **more: object) -> dict[str, object]:
    """One resource of an exported state."""
    return {"urn": f"{PREFIX}{type_}::{name}", "type": type_, "id": id_, **more}


STACK_ROW = row("pulumi:pulumi:Stack", "atoll-demo", id_="")


@dataclass
class FakeStack:
    """Stands in for `automation.Stack`.

    Args:
        states: rows of the state, one list for each time it is exported; the last one stays.
        answers: what other commands print, by their words.
        fails: operations that fail, and what they say.
    """

    states: list[Sequence[Mapping[str, object]]] = field(default_factory=lambda: [[STACK_ROW]])
    answers: dict[str, object] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=lambda: {"same": 1})
    fails: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, Any]] = field(default_factory=list)
    name: str = "demo"
    workspace: Any = None

    def __post_init__(self) -> None:
        self.workspace = SimpleNamespace(pulumi_command=self, work_dir="/project", env_vars={})

    def opened(self) -> StackSession:
        return StackSession(cast("automation.Stack", self), Backend("file:///s", "because", Path("/s")))

    def run(self, arguments: list[str], _folder: str, _variables: object) -> SimpleNamespace:
        words = " ".join(arguments[: arguments.index("--stack")])
        if words == "stack export":
            rows = self.states.pop(0) if len(self.states) > 1 else self.states[0]
            return SimpleNamespace(stdout=json.dumps({"deployment": {"resources": rows}}))
        return SimpleNamespace(stdout=json.dumps(self.answers.get(words, {})))

    def _operate(self, name: str, on_event: Any, asked: object = None) -> None:
        self.calls.append((name, asked))
        summary = {"maybeCorrupt": False, "durationSeconds": 1, "resourceChanges": self.changes}
        on_event(EngineEvent.from_json({"summaryEvent": summary}))
        if name in self.fails:
            diagnostic = {"message": self.fails[name], "severity": "error"}
            on_event(EngineEvent.from_json({"diagnosticEvent": diagnostic}))
            raise CommandError(cast("Any", "\n code: 1\n stdout: \n stderr: error: update failed"))

    def preview(self, *, on_event: Any, **_more: object) -> None:
        self._operate("preview", on_event)

    def preview_refresh(self, *, on_event: Any, **_more: object) -> None:
        self._operate("preview_refresh", on_event)

    def up(self, *, on_event: Any, target: object, **_more: object) -> None:
        self._operate("up", on_event, target)

    def refresh(self, *, on_event: Any, **_more: object) -> None:
        self._operate("refresh", on_event)

    def destroy(self, *, on_event: Any, exclude_protected: bool, **_more: object) -> None:
        self._operate("destroy", on_event, exclude_protected)

    def set_config(self, key: str, value: Any) -> None:
        self.calls.append(("set", (key, value.value)))
        self.answers["config --json"] = {key: {"value": value.value}}

    def remove_config(self, key: str) -> None:
        self.calls.append(("remove", key))
