"""What the Pulumi SDK counts and records while a program runs, in less time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pulumi.runtime import resource as resource_module
from pulumi.runtime import settings
from pulumi.runtime import stack as stack_module
from pulumi.runtime.proto import source_pb2

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def quick() -> Generator[None]:
    """While it lasts, the end of a program is awaited in linear time, and no call stack is recorded.

    The SDK's own `wait_for_rpcs` looks at every output that is left whenever one is done: quadratic, and a third of the
    run of a program of 570 resources (pulumi 3.272, runtime/stack.py). A preview without an engine has no use for the
    source position of each registration, another tenth.
    """
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
