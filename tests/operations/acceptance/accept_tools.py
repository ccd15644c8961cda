"""Stand-ins for the tools that pods of an acceptance call, and a cluster whose pods run their command lines here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from accept_scene import MindCluster

from components.acceptance.model import PlannedJob, Reference
from components.agents.measure import fabric, matmul, network, services, storage
from components.agents.measure import node as accelerators
from components.agents.measure.child_process import Ran
from components.agents.measure.storage import SmallFileTimes
from operations.acceptance.kubernetes_cluster import PodSnapshot
from planning.acceptance.expectations import Expectations
from planning.acceptance.limits import AcceptanceLimit
from planning.acceptance.node_limits import ExpectedPool

RECORDED = Path(__file__).parents[2] / "components" / "measure" / "recorded"
SCRIPTS = "/scripts/"
ROW = "{size:12d} {count:12d}  float  sum  -1  100.0  {bus:.2f}  {bus:.2f}  0  100.0  {bus:.2f}  {bus:.2f}  0"
COLUMNS = "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong"
RANK = "#  Rank {rank:2d} Group  0 Pid   1887 on   {host} device  {device} [0x8d] NVIDIA H100 80GB HBM3"


def good(limit: AcceptanceLimit) -> Decimal:
    """A figure that passes, or any where nobody knows what passes."""
    if limit.least is None:
        return Decimal(100)
    return (limit.least + (limit.theory or limit.least * 2)) / 2


def reduced(command: Sequence[str], *, hosts: int, each: int, bus: Decimal) -> str:
    """What `all_reduce_perf` prints for the payloads that it is told of."""
    size, most = (int(command[list(command).index(word) + 1]) for word in ("-b", "-e"))
    ranks = [RANK.format(rank=rank, host=f"worker-{rank // each}", device=rank % each) for rank in range(hosts * each)]
    rows: list[str] = []
    while size <= most:
        rows.append(ROW.format(size=size, count=size // 4, bus=bus))
        size *= 2
    ends = ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {bus} "]
    return "\n".join(["# Using devices", *ranks, COLUMNS, *rows, *ends, ""])


@dataclass
class Tools:
    """What the tools of one pod find. `slow`: name of the node whose accelerators are at half speed."""

    expected: Expectations
    slow: str = ""
    pool: ExpectedPool | None = None
    node: str = ""
    nodes: int = 1
    tier: str = ""

    def run(self, command: Sequence[str], *, seconds: float, env: Mapping[str, str] | None = None) -> Ran:
        assert seconds > 0
        assert env is None
        return Ran(status=0, out=self.said(command), err="")

    def said(self, command: Sequence[str]) -> str:
        tool = command[0].rpartition("/")[2]
        if tool == "dcgmi":
            return (RECORDED / "dcgm_4_pass.json").read_text(encoding="utf-8")
        if tool == "fio":
            return self.fio(command)
        pool = self.pool
        assert pool is not None
        if tool == "nvidia-smi":
            free = int(good(pool.memory))
            rows = [f"{at}, H100, GPU-{at}, {free + 500} MiB, {free} MiB, 590.48.01" for at in range(pool.accelerators)]
            return "\n".join(["index, name, uuid, memory.total [MiB], memory.free [MiB], driver_version", *rows, ""])
        if tool == "all_reduce_perf":
            assert command[list(command).index("-g") + 1] == str(pool.accelerators)
            return reduced(command, hosts=1, each=pool.accelerators, bus=good(pool.nvlink))
        assert tool == "mpirun"
        hosts = int(command[list(command).index("-np") + 1]) // int(command[list(command).index("-N") + 1])
        limit = next((each.limit for each in pool.all_reduce if each.nodes == hosts), None)
        assert limit is not None, f"nobody asks for an all-reduce over {hosts} nodes of {pool.subject}"
        return reduced(command, hosts=hosts, each=pool.accelerators, bus=good(limit))

    def fio(self, command: Sequence[str]) -> str:
        tier = next(each for each in self.expected.tiers if each.subject == self.tier)
        way = next(word for word in command if word.startswith("--rw=")).removeprefix("--rw=")
        read, write = (float(good(limit)) / self.nodes * 10**6 for limit in (tier.loader, tier.checkpoint))
        sides = {
            "read": {"bw_bytes": read if "read" in way or way == "randrw" else 0, "iops": 1000.5},
            "write": {"bw_bytes": write if way in {"write", "randrw"} else 0, "iops": 400.25},
        }
        return json.dumps({"fio version": "fio-3.33", "jobs": [{"jobname": "atoll", "error": 0, **sides}]})

    def speed(self, shapes: Sequence[object], *, precision: str, torch: object) -> matmul.MatmulThroughput:
        assert self.pool is not None
        assert shapes
        assert torch is None
        assert precision == self.pool.precision
        part = Decimal("0.5") if self.node == self.slow else Decimal(1)
        rate = float(good(self.pool.matmul) * part)
        return matmul.MatmulThroughput(
            version="PyTorch 2.10.0",
            shape=(8192, 8192, 8192),
            tflops=(rate,) * self.pool.accelerators,
            names=("H100",),
        )

    def put_in(self, patch: pytest.MonkeyPatch) -> None:
        for module in (accelerators, fabric, storage):
            patch.setattr(module, "run", self.run)
        patch.setattr(accelerators.matmul, "measure", self.speed)
        patch.setattr(accelerators.matmul, "torch_of_image", lambda: None)
        patch.setattr(storage, "measure_small_files", lambda *_, **__: SmallFileTimes(create=9.0, read=3.0, remove=2.0))
        patch.setattr(network, "find_resolution_error", lambda *_, **__: "")
        patch.setattr(network, "find_connection_error", lambda *_, **__: "")
        patch.setattr(services, "TRIES", dict.fromkeys(services.TRIES, lambda *_, **__: None))
        patch.setenv("TERMINATION_NOTE", "/nowhere/note")


def commands(job: PlannedJob) -> Iterator[list[str]]:
    """Command lines of the measuring code in a job's objects; scripts of ours that only start others are left out."""
    for manifest in job.objects:
        spec: Any = manifest.get("spec") or {}
        found: list[str] = []
        if manifest["kind"] == "Job":
            found = spec["template"]["spec"]["containers"][0]["command"]
        elif manifest["kind"] == "TrainJob":
            found = spec["trainer"].get("command", [])
        while found and found[0] == "sh" and found[1].startswith(SCRIPTS):
            found = found[2:]
        if found[1:2] == ["-m"]:
            yield found


@dataclass
class WorkingCluster(MindCluster):
    """A cluster of the mind whose pods run the command lines of their jobs, with stand-ins for the tools."""

    tools: Tools | None = None
    jobs: Mapping[str, PlannedJob] = field(default_factory=dict[str, PlannedJob])
    folder: Path = Path()

    def list_pods(self, *, namespace: str, selector: str) -> Sequence[PodSnapshot]:
        labels = dict(part.split("=") for part in selector.split(","))
        name = labels["atoll/acceptance-job"]
        job = self.jobs[name]
        assert job.log is not None
        assert (namespace, selector) == (job.log.namespace, job.log.selector)
        many = any("$(NODE)" in word for command in commands(job) for word in command)
        nodes = self.where(job) if many else ("",)
        return [PodSnapshot(namespace=namespace, name=f"{name}/{node}", phase="Succeeded", node=node) for node in nodes]

    def where(self, job: PlannedJob) -> Sequence[str]:
        spec: Any = next(each for each in job.objects if each["kind"] == "Job")["spec"]
        affinity = spec["template"]["spec"]["affinity"]["nodeAffinity"]
        terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        names = [term["matchFields"][0]["values"][0] for term in terms]
        assert spec["completions"] == len(names)
        return names

    def read_log(self, pod: PodSnapshot, *, container: str) -> str:
        job = self.jobs[pod.name.partition("/")[0]]
        assert job.log is not None
        assert container == job.log.container
        command = next(commands(job))
        words = [word.replace("$(NODE)", pod.node).replace("/tier", str(self.folder)) for word in command[3:]]
        return self.printed(command[2], words)

    def printed(self, module: str, words: Sequence[str]) -> str:
        """What a program prints, once its tools were told where they stand."""
        assert self.tools is not None
        told = {name: words[at + 1] for at, name in enumerate(words[:-1]) if name.startswith("--")}
        place = told["--placement"]
        self.tools.pool = self.tools.expected.find_pool(placement=place, name=told.get("--pool", ""))
        self.tools.node, self.tools.nodes = told.get("--node", ""), int(told.get("--nodes", "1"))
        self.tools.tier = f"tier/{place}/{told.get('--tier', '')}"
        main: Callable[[Sequence[str]], int] = import_module(module).main
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main(words)
        assert (status, err.getvalue()) == (0, ""), (module, words)
        return out.getvalue()

    def get(self, wanted: Reference) -> dict[str, object] | None:
        found = super().get(wanted)
        if found is None or wanted.kind == "Job":
            return found
        job = next((each for each in self.jobs.values() if each.awaited == wanted), None)
        if job is None:
            return found
        status: dict[str, Any] = {"conditions": [{"type": sign.condition, "status": "True"} for sign in job.done]}
        for sign in job.done:
            if not sign.condition:
                status[sign.path[-1]] = sign.value
        return {**found, "status": status}
