"""Runs a stack's program offline, captures its registrations, and ends it at a deadline."""

from __future__ import annotations

import gc
import re
import runpy
import sys
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread, stack_size
from typing import TYPE_CHECKING, Final

from operations.offline import adapter
from operations.project.stack_config import read_config
from planning.costs.resources.resource import Resource
from planning.values.errors import AtollError
from planning.values.extras import find_missing_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from google.protobuf import struct_pb2
    from pulumi.runtime.proto import resource_pb2

    from planning.costs.resources.resource import Value

PROJECT: Final = "atoll"
ROOT: Final = Path(__file__).resolve().parents[2]
DEADLINE_S: Final = 120.0
STACK_BYTES: Final = 256 * 1024**2  # address space: a fault unwinds through all that waited for it, and 8 MiB overflow
OFFLINE_KEY: Final = "atoll:offline"  # tells components that nothing outside may be asked
TYPE_TOKEN: Final = re.compile(r"(?P<package>[a-z][\w-]*):[\w./-]+:\w+")
PACKAGES: Final = frozenset({"aws", "azure", "gcp", "coreweave", "kubernetes", "random", "pulumi", "atoll"})
ROOMS: Final = frozenset({"network", "cluster", "nodepool", "storage", "access", "platform", "contract", "placement"})
_ONE_AT_A_TIME: Final = Lock()  # the adapter wraps a function of the SDK while a program runs


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRun:
    """What one run registered, ordered by URN.

    Args:
        outputs: URN of a component to what it registered as outputs; the stack's own URN holds the exports.
    """

    resources: tuple[Resource, ...]
    outputs: Mapping[str, Mapping[str, Value]]

    @property
    def exports(self) -> Mapping[str, Value]:
        for urn, outputs in self.outputs.items():
            if urn.split("::")[2] == adapter.ROOT_TYPE:
                return outputs
        return {}


@dataclass(slots=True)
class _Captured:
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    outputs: dict[str, dict[str, Value]] = field(default_factory=dict[str, "dict[str, Value]"])

    def add_resource(self, urn: str, request: resource_pb2.RegisterResourceRequest) -> None:
        if request.type == adapter.ROOT_TYPE:
            return
        _check_type(request.type, name=request.name)
        if urn in self.resources:
            raise AtollError(f"two resources share one URN: {urn}", hint="give one of them another logical name")
        self.resources[urn] = _resource(urn, request)

    def add_outputs(self, urn: str, outputs: struct_pb2.Struct) -> None:
        self.outputs[urn] = adapter.read_fields(outputs)


def run(
    stack: str,
    *,
    program: Callable[[], None] | None = None,
    root: Path = ROOT,
    deadline_s: float = DEADLINE_S,
    monitor: type[adapter.CapturingMonitor] = adapter.CapturingMonitor,
) -> OfflineRun:
    """Run the program of `stack`, or `program` in its place, as a first preview would.

    `monitor` answers the program; a subclass may know more than a preview does.

    Each run has a thread of its own, and with it its own event loop and SDK settings: what one run leaves behind never
    reaches the next. Runs wait for each other; after one that did not end, start no other in this process.

    Raises:
        AtollError: the program failed, or did not end within `deadline_s`.
    """
    adapter.check_version()
    config = read_config(root / "stacks" / f"Pulumi.{stack}.yaml")
    captured = _Captured()
    faults: list[BaseException] = []

    def work() -> None:
        answering = monitor(on_resource=captured.add_resource, on_outputs=captured.add_outputs)
        try:
            adapter.drive(
                program or (lambda: _stacks_main(root)),
                answering,
                project=PROJECT,
                stack=stack,
                config={**config.values, OFFLINE_KEY: "true"},
                secret_keys=config.secret_keys,
            )
        except BaseException as fault:  # noqa: BLE001 - carried to the calling thread, whatever it is
            faults.append(fault)

    with _ONE_AT_A_TIME, _without_garbage_collection():
        _within(work, deadline_s=deadline_s, stack=stack)
    if faults:
        raise _in_words(faults[0], stack=stack, root=root) from faults[0]
    resources = tuple(captured.resources[urn] for urn in sorted(captured.resources))
    return OfflineRun(resources=resources, outputs=dict(sorted(captured.outputs.items())))


@contextmanager
def _without_garbage_collection() -> Generator[None]:
    """Without garbage collection while it lasts."""
    collecting = gc.isenabled()
    # Provider SDKs are imported meanwhile, a quarter of whose time goes into looking for garbage that there is not.
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # all that was made counts as old: looking through it at once takes an eighth of a plan
        if collecting:
            gc.enable()


def _within(work: Callable[[], None], *, deadline_s: float, stack: str) -> None:
    thread = Thread(target=work, name=f"offline-{stack}", daemon=True)
    usual = stack_size(STACK_BYTES)
    try:
        thread.start()
    finally:
        stack_size(usual)
    thread.join(deadline_s)
    if thread.is_alive():
        raise AtollError(
            f"the program of stack {stack} did not end within {deadline_s:g} s",
            hint="a value it waits for never comes; no further program can be trusted in this process",
        )


def _stacks_main(root: Path) -> None:
    """The program: the folder's __main__, alone on the path."""
    # As the engine's language host starts it, so that imports find what they find there.
    runpy.run_path(str(root / "stacks"), run_name="__main__")


def _check_type(token: str, *, name: str) -> None:
    match = TYPE_TOKEN.fullmatch(token)
    package = match["package"] if match else ""
    if package not in PACKAGES:
        raise AtollError(f"{name} has a type that no provider of ours knows: {token}")
    if package == "atoll" and token.split(":")[1] not in ROOMS:
        raise AtollError(f"{name} has a type outside the rooms: {token}", hint=f"rooms: {', '.join(sorted(ROOMS))}")


def _resource(urn: str, request: resource_pb2.RegisterResourceRequest) -> Resource:
    parent = request.parent or None
    is_child_of_stack = parent is not None and parent.split("::")[2] == adapter.ROOT_TYPE
    return Resource(
        urn=urn,
        type=request.type,
        name=request.name,
        parent=None if is_child_of_stack else parent,
        custom=request.custom,
        inputs=adapter.read_fields(request.object),
        dependencies=tuple(sorted(request.dependencies)),
        property_dependencies={
            name: tuple(sorted(origins.urns))
            for name, origins in sorted(request.propertyDependencies.items())
            if origins.urns
        },
        provider=request.provider.rpartition("::")[0] or None,
        protect=request.protect,
        retain_on_delete=request.retainOnDelete,
    )


def _in_words(fault: BaseException, *, stack: str, root: Path) -> AtollError:
    """The same fault without a traceback: our own errors as they are, others with the line of ours that raised them."""
    for each in (fault, fault.__cause__):
        if isinstance(each, AtollError):
            return each
        if each is not None and (missing := find_missing_extra(each)):
            return missing
    # The last line of ours: where the SDK failed on it says nothing to whoever wrote the program.
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if _is_ours(frame.filename, root=root)]
    place = f"{Path(frames[-1].filename).relative_to(root)}:{frames[-1].lineno}" if frames else "the Pulumi SDK"
    return AtollError(
        f"the program of stack {stack} failed: {type(fault).__name__}: {fault}", hint=f"raised at {place}"
    )


def _is_ours(filename: str, *, root: Path) -> bool:
    path = Path(filename)
    outside = (root / ".venv", Path(sys.prefix), Path(__file__).parent)
    return path.is_relative_to(root) and not any(path.is_relative_to(folder) for folder in outside)
