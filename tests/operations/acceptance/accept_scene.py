"""Records, jobs and a cluster of the mind, for tests of an acceptance."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from components.acceptance.model import JOB_DONE, JOB_FAILED, Log, PlannedJob, Reference, list_deletion_order, reference
from operations.acceptance.kubernetes_cluster import NodeSnapshot, PodSnapshot
from operations.acceptance.result_store import Meta, ResultStore
from operations.acceptance.run_lock import Clock
from operations.acceptance.runner import AcceptanceRun

START = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
SPACE = "atoll-acceptance"


def record(check: str = "matmul", subject: str = "node/gpu-0", **more: Any) -> dict[str, Any]:
    found = {
        "check": check,
        "subject": subject,
        "at": "2026-11-22T09:10:00+00:00",
        "tool": "torch 2.9.0",
        "readings": [{"name": "tflops", "value": "712.4", "unit": "TFLOPS"}],
        "failed": [],
        "params": {"placement": "home", "pool": "gpu", "precision": "bf16"},
    }
    return {**found, **more}


def meta(run: str = "first", **more: Any) -> Meta:
    found = Meta(
        run=run,
        stack="demo",
        option="cheapest",
        placement="home",
        lock_digest="sha256:" + "0" * 64,
        started="2026-11-22T09:00:00+00:00",
        nodes=("gpu-0", "gpu-1"),
    )
    return replace(found, **more)


def job(
    name: str, *, subject: str = "", checks: tuple[str, ...] = ("matmul",), log: bool = True, **more: Any
) -> PlannedJob:
    labels = {"atoll/acceptance": "first", "atoll/acceptance-job": name}
    manifest: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": SPACE, "labels": labels},
    }
    found = PlannedJob(
        name=name,
        checks=checks,
        subject=subject or f"node/{name}",
        objects=(manifest,),
        awaited=reference(manifest),
        done=JOB_DONE,
        failed=JOB_FAILED,
        log=Log(namespace=SPACE, selector=f"atoll/acceptance-job={name}", container="measure") if log else None,
        seconds=600,
        stage=0,
        removed=list_deletion_order([manifest]),
    )
    return replace(found, **more)


@dataclass
class MindCluster:
    """A cluster whose jobs end at the second look, with what is told for them.

    `logs`: name of a job to its log. `fails`: name of a job to the message of its failure. `hangs`: those without end.
    """

    logs: Mapping[str, str] = field(default_factory=dict)
    fails: Mapping[str, str] = field(default_factory=dict)
    hangs: frozenset[str] = frozenset()
    seen: Sequence[NodeSnapshot] = ()
    on_get: Callable[[str], None] = lambda _: None
    there: dict[Reference, dict[str, Any]] = field(default_factory=dict)
    looks: dict[Reference, int] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    def list_nodes(self) -> Sequence[NodeSnapshot]:
        return self.seen

    def apply(self, manifest: dict[str, object]) -> None:
        found = reference(manifest)
        self.there[found] = json.loads(json.dumps(manifest))
        self.made.append(found.name)

    def get(self, wanted: Reference) -> dict[str, object] | None:
        self.on_get(wanted.name)
        found = self.there.get(wanted)
        if found is None or found["kind"] != "Job":
            return found
        self.looks[wanted] = self.looks.get(wanted, 0) + 1
        if self.looks[wanted] < 2 or wanted.name in self.hangs:
            return found
        message = self.fails.get(wanted.name, "")
        kind = "Failed" if message else "Complete"
        condition = {"type": kind, "status": "True", "reason": "Ended", "message": message}
        return {**found, "status": {"conditions": [condition]}}

    def delete(self, wanted: Reference) -> None:
        self.there.pop(wanted, None)
        self.looks.pop(wanted, None)

    def list_references(self, *, api_version: str, kind: str, namespace: str, selector: str) -> Sequence[Reference]:
        return [
            each
            for each, manifest in self.there.items()
            if (each.api_version, each.kind, each.namespace) == (api_version, kind, namespace)
            and selector in manifest["metadata"].get("labels", {})
        ]

    def list_pods(self, *, namespace: str, selector: str) -> Sequence[PodSnapshot]:
        name = selector.split("=")[1]
        there = [each for each in self.there if each.name == name]
        waiting = "Unschedulable: 0/2 nodes are available" if name in self.hangs else ""
        return [
            PodSnapshot(namespace=namespace, name=f"{name}-x", phase="Running", node="", waiting=waiting) for _ in there
        ]

    def read_log(self, pod: PodSnapshot, *, container: str) -> str:
        assert container == "measure"
        return self.logs.get(pod.name.removesuffix("-x"), "")


@dataclass
class Hands:
    """A clock that only sleeping moves on."""

    passed: float = 0.0

    def clock(self) -> Clock:
        return Clock(
            now=lambda: START + timedelta(seconds=self.passed), monotonic=lambda: self.passed, sleep=self._sleep
        )

    def _sleep(self, seconds: float) -> None:
        self.passed += seconds


def run_of(
    cluster: Any, store: ResultStore, *, said: list[str] | None = None, found: Meta | None = None, **more: Any
) -> AcceptanceRun:
    words = [] if said is None else said
    return AcceptanceRun(
        cluster=cluster, store=store, meta=found or meta(), clock=Hands().clock(), say=words.append, **more
    )


__all__ = ["Hands", "MindCluster", "job", "meta", "record", "run_of"]
