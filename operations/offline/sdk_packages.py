"""Packages of the provider SDKs whose modules load when one of their names is asked for.

A package such as `pulumi_aws.ec2` is generated as one `from .module import *` after another, so that naming `ec2.Vpc`
loads 180 modules: a seventh of a plan went into resources that no program of ours builds (pulumi_aws 7.51).
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from pulumi.runtime import resource as resource_module
from pulumi.runtime import settings
from pulumi.runtime import stack as stack_module
from pulumi.runtime.proto import source_pb2

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from importlib.machinery import ModuleSpec


SDKS: Final = ("pulumi_aws.", "pulumi_azure.", "pulumi_gcp.", "pulumi_kubernetes.")
MODULE: Final = re.compile(r"^from \.(\w+) import \*\n", re.MULTILINE)
GENERATED: Final = re.compile(
    r"(#.*\n|\n|import (builtins as _builtins|typing)\n|from \.+ import (_utilities|outputs)\n|from \.\w+ import \*\n)*"
)
OUTPUTS: Final = "outputs"
TYPES: Final = ("_enums", "_inputs")
EVERY_NAME: Final = "__all__"
_MODULES: Final = "__modules__"


class GeneratedPackage(ModuleType):
    """A package of which nothing is loaded yet; a module that loads brings its names, as its star import would."""

    def __setattr__(self, name: str, value: object) -> None:
        """Bind a name; the import system binds a submodule in this way once it has loaded."""
        super().__setattr__(name, value)
        if isinstance(value, ModuleType) and name in vars(self)[_MODULES]:
            for each in getattr(value, EVERY_NAME, _public(value)):
                super().__setattr__(each, vars(value)[each])

    def __getattr__(self, name: str) -> object:
        """Load what defines a name: the modules called like it first, and in the end every one.

        Raises:
            AttributeError: the package has no such name.
        """
        if name == OUTPUTS:
            return import_module(f"{self.__name__}.{OUTPUTS}")
        if name == EVERY_NAME:  # what a star import asks for
            for module in vars(self)[_MODULES]:
                import_module(f"{self.__name__}.{module}")
            return _public(self)
        if not name.startswith("__"):
            for module in _likely_first(name, vars(self)[_MODULES]):
                import_module(f"{self.__name__}.{module}")
                if name in vars(self):
                    return vars(self)[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _public(module: ModuleType) -> list[str]:
    return [each for each in vars(module) if not each.startswith("_")]


def _likely_first(name: str, modules: Sequence[str]) -> Iterable[str]:
    """`SecurityGroupArgs`: security_group, then the modules of types, then all others as they are listed."""
    called_so = [module for module in modules if _plain(name).startswith(_plain(module))]
    types = [module for module in TYPES if module in modules]
    return dict.fromkeys([*sorted(called_so, key=len, reverse=True), *types, *modules])


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


class _OnDemand(Loader):
    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_MODULES] = self._modules
        module.__class__ = GeneratedPackage


class _Finder(MetaPathFinder):
    """Finds what the path finder finds; generated packages of the SDKs get another loader."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None or not fullname.startswith(SDKS):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.submodule_search_locations and spec.origin:
            text = Path(spec.origin).read_text(encoding="utf-8")
            if GENERATED.fullmatch(text):
                spec.loader = _OnDemand(MODULE.findall(text))
        return spec


@contextmanager
def on_demand() -> Generator[None]:
    """While it lasts, generated packages that are imported for the first time are filled as they are used."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def reduce_sdk_overhead() -> Generator[None]:
    """While it lasts, the end of a program is awaited in linear time, and no call stack is recorded."""
    # The SDK's own `wait_for_rpcs` looks at every output that is left whenever one is done: quadratic, and a third of
    # the run of a program of 570 resources (pulumi 3.272, runtime/stack.py). The source position of each registration
    # is another tenth, and nobody reads it without an engine.
    waiting, tracing = stack_module.wait_for_rpcs, resource_module._get_stack_trace  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    stack_module.wait_for_rpcs = _wait_for_rpcs
    resource_module._get_stack_trace = source_pb2.StackTrace  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        stack_module.wait_for_rpcs = waiting
        resource_module._get_stack_trace = tracing  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


async def _wait_for_rpcs(await_all_outstanding_tasks: bool = True) -> None:  # noqa: FBT001, FBT002 - the SDK's signature
    """Wait until no registration and no output is left, and raise the first fault of them.

    Raises:
        Exception: a registration, or what a program does with an output, failed.
    """
    import asyncio  # noqa: PLC0415 - only here, so that no one drives the SDK by it

    state: Any = settings.SETTINGS
    manager, lock, outputs = state.rpc_manager, state.lock, state.outputs
    while manager.rpcs or (await_all_outstanding_tasks and outputs):
        while manager.rpcs:
            await asyncio.sleep(0)
            try:
                await manager.rpcs.pop()
            except Exception as fault:
                raise fault from manager.unhandled_exception  # the first one, which the others only follow
        if manager.unhandled_exception is not None:
            raise manager.unhandled_exception.with_traceback(manager.exception_traceback)
        with lock:
            left: list[asyncio.Task[object]] = list(outputs) if await_all_outstanding_tasks else []
            outputs.difference_update(left)
        if left:
            done, _ = await asyncio.wait(left, return_when=asyncio.FIRST_EXCEPTION)
            for each in done:
                await each
