"""The policy pack over 1,000 resources, as an engine asks it: the demo's own resources, repeated, as messages.

python benchmarks/pack_1000.py prints what each step takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import TYPE_CHECKING

from pulumi.runtime.proto import analyzer_pb2 as wire
from pulumi_policy import EnforcementLevel

from operations.offline.program import run
from policies.evaluation import evaluate_rules
from policies.pack import engine_evaluation
from policies.pack.engine_adapter import PACK, Desk, _read_resource, policies, servicer
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.costs.resources.resource import Resource

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests/policies"))
ATOLL = str(Path(sys.executable).parent / "atoll")
STACK = "demo"
TODAY = "2026-11-21"
COUNT = 1000

Question = tuple[list[bytes], bytes]  # a message for each resource, one for the stack


def accept(folder: Path) -> None:
    """A project in `folder` whose demo is accepted."""
    (folder / "Pulumi.yaml").write_bytes((ROOT / "Pulumi.yaml").read_bytes())
    ignored = ignore_patterns("__pycache__", "quote.lock.json")
    copytree(ROOT / "stacks", folder / "stacks", ignore=ignored, dirs_exist_ok=True)
    os.environ[engine_evaluation.TODAY] = TODAY
    subprocess.run([ATOLL, "accept", STACK, "same_cloud"], cwd=folder, check=True, capture_output=True)


def question(resources: tuple[Resource, ...], *, count: int = COUNT) -> Question:
    """What an engine sends about so many resources: one message for each, then one for the stack."""
    from servicer import root_of, struct, told  # noqa: PLC0415 - the tests' own, on the path by now

    many = [_copy(each, number) for number in range(count // len(resources) + 1) for each in resources][:count]
    single = [wire.AnalyzeRequest(urn=each.urn, type=each.type, properties=struct(each.inputs)) for each in many]
    whole = wire.AnalyzeStackRequest(resources=[root_of(many), *map(told, many)])
    for there, asked in zip(whole.resources[1:], single, strict=True):
        there.properties.MergeFrom(asked.properties)  # outputs are no smaller than inputs
    return [each.SerializeToString() for each in single], whole.SerializeToString()


def asking(folder: Path, asked: Question) -> Callable[[], object]:
    """One whole run of the pack in the project in `folder`."""

    def ask() -> object:
        talk = servicer(Desk(folder))(PACK, "0.0.1", policies(), EnforcementLevel.MANDATORY)
        for each in asked[0]:
            talk.Analyze(wire.AnalyzeRequest.FromString(each), None)
        return talk.AnalyzeStack(wire.AnalyzeStackRequest.FromString(asked[1]), None)

    return ask


def prepared(folder: Path) -> Callable[[], object]:
    """One whole run of the pack over 1,000 resources of the demo, in a project that is made in `folder`."""
    accept(folder)
    return asking(folder, question(run(STACK, root=folder).resources))


def _copy(resource: Resource, number: int) -> Resource:
    """The resource in another project of the same stack, so that every URN is its own."""

    def renamed(urn: str) -> str:
        return urn.replace("::atoll::", f"::atoll{number}::", 1)

    return replace(
        resource,
        urn=renamed(resource.urn),
        parent=renamed(resource.parent) if resource.parent else None,
        provider=renamed(resource.provider) if resource.provider else None,
        dependencies=tuple(map(renamed, resource.dependencies)),
        property_dependencies={
            name: tuple(map(renamed, urns)) for name, urns in resource.property_dependencies.items()
        },
    )


def steps(folder: Path, asked: Question) -> None:
    """Print what each step of one run takes."""
    clock = [time.perf_counter()]

    def lap(name: str) -> None:
        clock.append(time.perf_counter())
        print(f"{name:44} {(clock[-1] - clock[-2]) * 1000:8.1f} ms")

    desk = Desk(folder)
    for each in asked[0]:
        message = wire.AnalyzeRequest.FromString(each)
        desk.captured.take(message.urn, message.properties)
    lap("inputs of every resource taken")
    request = wire.AnalyzeStackRequest.FromString(asked[1])
    told = [_read_resource(each) for each in request.resources]
    lap("the stack's message taken")
    resources = desk.captured.build_resources(told)
    lap("resources read")
    asking = engine_evaluation.PackRequest(root=folder, stack=STACK, resources=resources)
    subject, _ = engine_evaluation._subject(asking, RULES)  # noqa: SLF001 - a step of it
    lap("lock, law and prices read")
    _ = subject.taken, subject.bill
    lap("counted and priced")
    evaluate_rules(subject, RULES)
    lap(f"{len(RULES)} rules")
    size = (sum(map(len, asked[0])) + len(asked[1])) // 2**10
    print(f"{len(resources)} resources in {size:,} KiB of messages")


def main() -> None:
    """Print the steps, and the least of several whole runs."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        accept(folder)
        asked = question(run(STACK, root=folder).resources)
        steps(folder, asked)
        work = asking(folder, asked)
        seconds: list[float] = []
        for _ in range(5):
            started = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - started)
        print(f"{'whole run, least of 5':44} {min(seconds) * 1000:8.1f} ms (limit 2000)")


if __name__ == "__main__":
    main()
