"""The programs as pods run them: true tools where they are, stand-ins of ours where an accelerator would be needed."""

from __future__ import annotations

import ast
import json
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from components.agents.measure import FILES, MODULES, PACKAGE, burn_in, matmul, network, storage
from components.agents.measure import node as accelerators
from components.agents.measure import records as arguments
from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, run
from components.agents.measure.node import NodeCheckContext
from planning.acceptance.records import fault_of, figure, results_of
from planning.agents.measurement_records import SCHEMA_VERSION, MeasurementRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[3]
RECORDED = Path(__file__).parent / "recorded"
FOLDER = Path(arguments.__file__).parent
NODE = ("--placement", "home", "--pool", "gpu", "--node", "ip-1")


def stand_in(folder: Path, name: str, file: str, *, status: int = 0) -> None:
    """A program of that name that prints a recorded output."""
    program = folder / name
    program.write_text(f"#!/bin/sh\ncat {RECORDED / file}\nexit {status}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def pod(tmp_path: Path) -> Path:
    """A folder like the one that the ConfigMap is mounted at: these files and nothing else of ours."""
    for name, path in FILES.items():
        target = tmp_path / "code" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FOLDER / name, target)
    return tmp_path / "code"


def measure(tmp_path: Path, program: str, *words: str) -> tuple[int, list[MeasurementRecord], str]:
    note = tmp_path / "note"
    note.touch()
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(pod(tmp_path)), "TERMINATION_NOTE": str(note)}
    ran = subprocess.run(
        [sys.executable, "-S", "-m", f"{PACKAGE}.{program}", *words],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.lstrip().startswith("{")]
    about = {"schema_version": SCHEMA_VERSION, "stack": "x", "option": "x", "started": "x", "ended": "x"}
    records = results_of(json.dumps({**about, "measured": lines}), file="stdout")["measured"]
    assert [fault_of(each) for each in records] == [""] * len(records)
    assert note.read_text() == "".join(line + "\n" for line in ran.stdout.splitlines())[:4096] or len(ran.stdout) > 4096
    return ran.returncode, records, ran.stderr


def test_every_module_is_in_the_pod_and_is_old_enough_for_its_python() -> None:
    assert {"node", "burn_in", "fabric", "storage", "network"} <= set(MODULES)
    assert all((ROOT / path).samefile(FOLDER / name) for name, path in FILES.items())
    for path in FOLDER.glob("*.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 10))
        imported = {
            (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else node.names[0].name.split(".")[0]
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        assert imported <= {*sys.stdlib_module_names, "components"}, path


def test_a_whole_node_with_stand_ins_for_its_tools(tmp_path: Path) -> None:
    stand_in(tmp_path, "nvidia-smi", "nvidia_smi_h100.csv")
    stand_in(tmp_path, "dcgmi", "dcgm_4_pass.json")
    stand_in(tmp_path, "all_reduce_perf", "nccl_per_iteration.txt")
    status, records, said = measure(
        tmp_path, "node", *NODE, "--accelerators", "2", "--checks", "inventory,usable_memory,dcgm,nvlink"
    )
    assert (status, said) == (0, "")
    assert {each["check"]: each["readings"][0]["value"] for each in records} == {
        "inventory": "2",
        "usable_memory": "80990",
        "dcgm": "4",
        "nvlink": "358.21",
    }
    assert {each["subject"] for each in records} == {"node/ip-1"}


def test_what_cannot_be_measured_is_said_and_the_rest_is_written(tmp_path: Path) -> None:
    stand_in(tmp_path, "nvidia-smi", "nvidia_smi_h100.csv")
    status, records, said = measure(tmp_path, "node", *NODE, "--accelerators", "1", "--checks", "inventory,dcgm,matmul")
    assert status == arguments.COULD_NOT
    assert [each["check"] for each in records] == ["inventory"]
    assert "could not measure dcgm: dcgmi cannot be run" in said
    assert "could not measure matmul: PyTorch cannot be loaded" in said


def test_what_dcgm_finds_wrong_is_a_result_whatever_its_status(tmp_path: Path) -> None:
    stand_in(tmp_path, "dcgmi", "dcgm_3_fail.json", status=226)
    status, records, _ = measure(tmp_path, "node", *NODE, "--accelerators", "1", "--checks", "dcgm")
    assert status == 0
    assert "double-bit ECC" in records[0]["failed"][0]


def test_all_reduce_over_two_nodes(tmp_path: Path) -> None:
    stand_in(tmp_path, "mpirun", "nccl_two_nodes.txt")
    asked = ("--placement", "home", "--pool", "gpu", "--nodes", "2", "--accelerators", "2")
    status, records, _ = measure(tmp_path, "fabric", *asked, "--on", "ip-1,ip-2", "--", "mpirun", "all_reduce_perf")
    assert status == 0
    assert [(each["params"]["payload_bytes"], str(figure(each, "bus"))) for each in records][1] == (
        "4294967296",
        "337.11",
    )
    assert records[0]["subject"] == "pool/home/gpu"
    assert records[0]["params"]["on"] == "ip-1, ip-2"


def test_fewer_nodes_than_asked_is_found_wrong(tmp_path: Path) -> None:
    stand_in(tmp_path, "mpirun", "nccl_two_nodes.txt")
    asked = ("--placement", "home", "--pool", "gpu", "--nodes", "4", "--accelerators", "2")
    status, records, _ = measure(tmp_path, "fabric", *asked, "--", "mpirun")
    assert status == 0
    assert records[0]["failed"] == ["all-reduce: 4 accelerators of 2 nodes took part, not 8 of 4"]


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_a_file_system_with_the_true_fio(tmp_path: Path) -> None:
    (tmp_path / "tier").mkdir()
    words = (
        "--placement",
        "home",
        "--tier",
        "warm",
        "--node",
        "ip-1",
        "--nodes",
        "1",
        "--folder",
        str(tmp_path / "tier"),
    )
    status, records, said = measure(
        tmp_path,
        "storage",
        *words,
        "--checks",
        "checkpoint,small_files",
        "--seconds",
        "0.2",
        "--size-mb",
        "4",
        "--jobs",
        "1",
        "--files",
        "20",
    )
    assert (status, said) == (0, "")
    assert [each["check"] for each in records] == ["checkpoint", "small_files"]
    assert all(float(reading["value"]) >= 0 for each in records for reading in each["readings"])
    assert list((tmp_path / "tier").iterdir()) == []


def test_a_tier_that_is_not_mounted_cannot_be_measured(tmp_path: Path) -> None:
    words = (
        "--placement",
        "home",
        "--tier",
        "warm",
        "--node",
        "ip-1",
        "--nodes",
        "1",
        "--folder",
        str(tmp_path / "no"),
    )
    status, records, said = measure(tmp_path, "storage", *words)
    assert (status, records) == (arguments.COULD_NOT, [])
    assert "is no folder" in said


def test_a_file_system_that_refuses_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage, "measure_small_files", refuse)
    tier = storage.StorageCheckContext(
        placement="home", name="warm", node="ip-1", nodes=1, folder=tmp_path, seconds=1, size_mb=1, jobs=1, files=1
    )
    records, faults = storage.run_storage_checks(tier, ["small_files"])
    assert faults == []
    assert "No space left on device" in records[0]["failed"][0]
    assert fault_of(records[0]) == ""


def test_a_tool_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    child = tmp_path / "child"
    with pytest.raises(FoundWrongError, match=r"did not end within 0\.5 s"):
        run(["sh", "-c", f"sleep 30 & echo $! > {child}; wait"], seconds=0.5)
    left = Path(f"/proc/{int(child.read_text())}/stat")
    assert not left.exists() or left.read_text().rpartition(")")[2].split()[0] == "Z", "ended, whoever reaps it"


def test_a_name_that_nobody_has_and_an_address_that_is_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr(network.socket, "getaddrinfo", unknown)
    assert "Name or service not known" in network.find_resolution_error("nobody.invalid", seconds=2)
    monkeypatch.setattr(network.socket, "getaddrinfo", lambda *_: threading.Event().wait(1))
    assert network.find_resolution_error("slow.invalid", seconds=0.05) == "no answer within 0.05 s"
    with pytest.raises(SystemExit) as ended:
        network.main(["--placement", "home", "--check", "egress", "--to", "example.org"])
    assert ended.value.code == 2
    assert "is no HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--shapes", "8192x8192"], ["--level", "9"], ["--checks", "speed"], ["--seconds", "0"]]
)
def test_wrong_arguments_are_refused_before_anything_runs(words: list[str]) -> None:
    from components.agents.measure import node

    with pytest.raises(SystemExit) as ended:
        node.main([*NODE, "--accelerators", "8", *words])
    assert ended.value.code == 2


class Event:
    def __init__(self, torch: Torch) -> None:
        self.torch = torch

    def record(self) -> None:
        self.at = self.torch.milliseconds

    def elapsed_time(self, end: Event) -> float:
        return end.at - self.at


class Torch:
    """As much of PyTorch as is asked for; device 1 takes twice as long."""

    __version__ = "2.10.0"
    bfloat16 = "bf16"

    def __init__(self, *, devices: int = 2) -> None:
        self.milliseconds = 0.0
        self.devices = devices
        self.cuda: Any = self
        self.current = 0

    def is_available(self) -> bool:
        return self.devices > 0

    def device_count(self) -> int:
        return self.devices

    def get_device_name(self, device: int) -> str:
        return f"accelerator {device}"

    def device(self, device: int) -> Any:
        from contextlib import nullcontext

        self.current = device
        return nullcontext()

    def Event(self, *, enable_timing: bool) -> Event:  # noqa: N802 - PyTorch's name
        assert enable_timing
        return Event(self)

    def synchronize(self, device: int) -> None:
        assert device < self.devices

    def randn(self, size: tuple[int, int], *, dtype: str, device: str) -> str:
        assert size
        assert dtype == "bf16"
        return device

    def matmul(self, first: str, second: str) -> None:
        assert first == second
        self.milliseconds += 1.0 if first == "cuda:0" else 2.0


def test_the_slowest_accelerator_counts() -> None:
    speed = matmul.measure([(1000, 1000, 1000), (2000, 1000, 1000)], precision="bf16", torch=Torch(), steady=0.1)
    assert speed.tflops == (pytest.approx(4.0), pytest.approx(2.0))
    assert speed.slowest == pytest.approx(2.0)
    assert speed.shape == (2000, 1000, 1000)


def test_a_burst_at_the_start_does_not_count() -> None:
    class Bursting(Torch):
        def matmul(self, first: str, second: str) -> None:
            fresh = self.milliseconds < 1_000
            super().matmul(first, second)
            self.milliseconds += 0.0 if fresh else 1.0

    shape = (1000, 1000, 1000)
    burst = matmul.measure([shape], precision="bf16", torch=Bursting(devices=1), steady=0.0)
    kept_up = matmul.measure([shape], precision="bf16", torch=Bursting(devices=1), steady=20.0)
    assert (burst.slowest, kept_up.slowest) == (pytest.approx(2.0), pytest.approx(1.0))


def test_an_accelerator_whose_clock_stands_still_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Torch):
        def matmul(self, first: str, second: str) -> None:
            assert first == second

    monkeypatch.setattr(matmul, "MOST_PASSES", 3)
    assert matmul.measure([(1, 1, 1)], precision="bf16", torch=Stopped()).slowest == 0.0


def test_no_accelerator_and_no_precision_cannot_be_measured() -> None:
    with pytest.raises(CannotMeasureError, match="sees no accelerator"):
        matmul.measure([(1, 1, 1)], precision="bf16", torch=Torch(devices=0))
    with pytest.raises(CannotMeasureError, match="fp4"):
        matmul.measure([(1, 1, 1)], precision="fp4", torch=Torch())


def test_a_burn_in_keeps_the_worst_of_its_rounds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = NodeCheckContext("home", "gpu", "ip-1", 8, 3, "bf16", ((1, 1, 1),), 1, 1, 60.0)
    speeds = iter(["700", "500", "690"])
    hours = iter([0, 0, 0, 3600, 3600, 2 * 3600, 2 * 3600, 3 * 3600, 3 * 3600])

    def multiplied(of: NodeCheckContext) -> list[MeasurementRecord]:
        reading = [("tflops", next(speeds), "TFLOPS")]
        return [
            accelerators.build_record(
                "matmul", of.subject, tool="", readings=reading, params=of.list_params(precision="bf16")
            )
        ]

    monkeypatch.setitem(accelerators.CHECKS, "matmul", multiplied)  # pyright: ignore[reportArgumentType]
    records, faults = burn_in.burn(node, ["matmul"], hours=3, clock=lambda: float(next(hours)))
    assert faults == []
    assert [(each["check"], each["readings"][0]["value"]) for each in records] == [("matmul", "500"), ("burn_in", "3")]
    assert records[0]["params"]["round"] == "2"
    assert json.dumps(records)
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "round 2, 1.00 h: matmul 500 TFLOPS, 0 complaints"


def test_free_memory_is_asked_for_before_a_burn_in_takes_some(monkeypatch: pytest.MonkeyPatch) -> None:
    node = NodeCheckContext("home", "gpu", "ip-1", 1, 3, "bf16", ((1, 1, 1),), 1, 1, 60.0)
    asked: list[str] = []

    def checked(_: NodeCheckContext, names: Sequence[str]) -> tuple[list[MeasurementRecord], list[str]]:
        asked.append(" ".join(names))
        return [], []

    hours = iter([0, 0, 0, 3600, 3600, 2 * 3600, 2 * 3600])
    monkeypatch.setattr(burn_in, "run_node_checks", checked)
    burn_in.burn(node, ["usable_memory", "dcgm", "matmul"], hours=2, clock=lambda: float(next(hours)))
    assert asked == ["usable_memory dcgm matmul", "matmul"]
