"""Every private part of the Pulumi SDK that an offline run touches, behind one door.

What is used: `MockMonitor` and `MockSettings` (the SDK's own test doubles), the sentinels of the wire format,
`serialize_property` (wrapped, so that an unknown names the output it came from), what `sdk_packages` replaces, and
`_sync_await` (so that the SDK drives its event loop itself: from a loop of ours it waits for ever). Contract tests hold
each of them to what is assumed here.
"""

from __future__ import annotations

import importlib.metadata
import json
import warnings
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

import pulumi
from google.protobuf import empty_pb2, struct_pb2
from pulumi import _types  # pyright: ignore[reportPrivateUsage]
from pulumi.runtime import config as pulumi_config
from pulumi.runtime import rpc, settings
from pulumi.runtime.mocks import MockEngine, MockMonitor, MockResourceArgs, Mocks, MockSettings
from pulumi.runtime.proto import callback_pb2, resource_pb2
from pulumi.runtime.stack import run_in_stack
from pulumi.runtime.sync_await import _sync_await  # pyright: ignore[reportPrivateUsage]

from operations.offline import sdk_packages
from planning.costs.resources.resource import UNKNOWN, Secret, UnknownValue
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from planning.costs.resources.resource import Value

OLDEST: Final = (3, 220)
NEWEST_MAJOR: Final = 3
AS_SENT: Final = "kubernetes:"
ROOT_TYPE: Final = "pulumi:pulumi:Stack"
SENTINEL: Final = rpc.UNKNOWN
SIGNATURE: Final = rpc._special_sig_key  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
SECRET_SIGNATURE: Final = rpc._special_secret_sig  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
RESOURCE_SIGNATURE: Final = rpc._special_resource_sig  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
# An unknown travels as this mark and its origin, a JSON list of URN and output.
TOKEN_MARK: Final = "atoll-unknown:"  # noqa: S105 - marks an unknown, guards nothing


class NoMocks(Mocks):
    """The SDK asks for a mocks object; this monitor answers by itself."""

    def call(self, args: object) -> Any:  # noqa: ANN401 - the SDK's signature
        """Never called.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(args)

    def new_resource(self, args: MockResourceArgs) -> Any:  # noqa: ANN401 - the SDK's signature
        """Never called.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(args)


class CapturingMonitor(MockMonitor):
    """Answers as a preview does and hands every message on.

    A resource comes back with its own plain inputs as outputs; all else, its id first, is unknown. A compound input
    (a list, an object) may gain parts when it is created, so it is unknown too, but for Kubernetes, whose objects come
    back as they were sent. Functions of providers (`aws.get_caller_identity_output`) answer "unknown": nothing is
    asked of a cloud, nothing is made up.
    """

    def __init__(
        self,
        *,
        on_resource: Callable[[str, resource_pb2.RegisterResourceRequest], None],
        on_outputs: Callable[[str, struct_pb2.Struct], None],
    ) -> None:
        super().__init__(NoMocks())
        self._on_resource = on_resource
        self._on_outputs = on_outputs
        self._lock = Lock()

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """The URN that the engine gives: the whole chain of parent types, without the stack's own."""
        chain = parent.split("::")[2] if parent else ""
        qualified = type_ if chain in {"", ROOT_TYPE} else f"{chain}${type_}"
        return "::".join((f"urn:pulumi:{settings.get_stack()}", settings.get_project(), qualified, name))

    def RegisterResource(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        urn = self.make_urn(request.parent, request.type, request.name)
        with self._lock:
            self._on_resource(urn, request)
        return resource_pb2.RegisterResourceResponse(
            urn=urn, id="", object=_predict_outputs(request.type, request.object)
        )

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        """Take the outputs of a component or of the stack."""
        with self._lock:
            self._on_outputs(request.urn, request.outputs)
        return empty_pb2.Empty()

    def ReadResource(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        """A resource that is only read is known by name, its state is not."""
        urn = self.make_urn(request.parent, request.type, request.name)
        return resource_pb2.ReadResourceResponse(urn=urn, properties=_predict_outputs(request.type, request.properties))

    def Invoke(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        """Every function of a provider is unknown."""
        del request
        return resource_pb2.ResourceInvokeResponse(unknown=True)


class UncalledTransforms:
    """In place of the SDK's server of callbacks: it would open a port for an engine that is not there.

    Its servers, one for each resource that asks while the first is starting, have crashed the process (grpc.aio).
    """

    def register_transform(self, transform: object) -> callback_pb2.Callback:
        """A name for a transform."""
        # Never called: remote components have no children here.
        return callback_pb2.Callback(token=str(id(transform)), target="offline")


def check_version() -> None:
    """Refuse an SDK whose private parts were never looked at.

    Raises:
        AtollError: the installed SDK is outside the tested range.
    """
    version = importlib.metadata.version("pulumi")
    # Private parts of the SDK are used here, which a release may change without a word.
    major, minor = (int(part) for part in version.split(".")[:2])
    if major == NEWEST_MAJOR and (major, minor) >= OLDEST:
        return
    oldest = ".".join(str(part) for part in OLDEST)
    raise AtollError(
        f"pulumi {version} is installed; offline runs are tested with {oldest} up to the last {NEWEST_MAJOR}.x",
        hint="install the locked versions: make setup",
    )


def drive(
    program: Callable[[], None],
    monitor: CapturingMonitor,
    *,
    project: str,
    stack: str,
    config: Mapping[str, str],
    secret_keys: frozenset[str],
) -> None:
    """Run `program` inside a stack of its own until every registration is done.

    The caller gives a thread that has no event loop: the SDK makes one, and it is closed here.
    """
    settings.configure(
        MockSettings(
            monitor=monitor,
            monitor_features=set[int](),
            engine=MockEngine(None),
            project=project,
            stack=stack,
            dry_run=True,
            legacy_apply_enabled=False,
            organization="organization",
            root_directory=None,
            callbacks=UncalledTransforms(),  # pyright: ignore[reportArgumentType] - all that is asked of it
            # What is not set here is shared by every thread, and a failed run would leave its tasks to the next.
            outputs=set[object](),
            lock=Lock(),
            package_refs=dict[str, object](),
            base_providers_by_ref=dict[str, object](),
        )
    )
    pulumi_config.set_all_config(dict(config), sorted(secret_keys))
    with warnings.catch_warnings(), _name_unknowns(), sdk_packages.reduce_sdk_overhead(), sdk_packages.on_demand():
        # Provider SDKs warn of their own deprecated classes while they are imported, used or not.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"pulumi_\w+\.")
        try:
            _sync_await(run_in_stack(program))
        finally:
            _close_loop()


def _close_loop() -> None:
    import asyncio  # noqa: PLC0415 - only here, so that no one drives the SDK by it

    loop = asyncio.get_event_loop()
    loop.set_exception_handler(_ignore)  # the fault is raised already; every value behind it would repeat it
    left = asyncio.all_tasks(loop)  # a failed program leaves registrations that wait for it
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def _ignore(*_args: object) -> None:
    return


@contextmanager
def _name_unknowns() -> Generator[None]:
    """While it lasts, an unknown input is sent as a token that names its origin instead of the bare sentinel."""
    original = rpc.serialize_property

    async def serialize_with_origin(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - wraps the SDK's function whole
        result = await original(*args, **kwargs)
        value = args[0]
        of_resource = len(args) > 3 and args[3] is not None  # noqa: PLR2004 - fourth argument: resource_obj
        if not of_resource or not isinstance(value, pulumi.Output) or not _is_sentinel(result):
            return result
        return await _origin(cast("pulumi.Output[object]", value))

    rpc.serialize_property = serialize_with_origin
    try:
        yield
    finally:
        rpc.serialize_property = original


def _is_sentinel(result: object) -> bool:
    return isinstance(result, str) and result == SENTINEL


async def _origin(value: pulumi.Output[object]) -> str:
    """The token of an unknown: resource and output where it is an output itself, else the only resource behind it."""
    resources = tuple(await value.resources())
    for resource in resources:
        for name, output in vars(resource).items():
            if output is value:
                return _token(await _urn(resource), _wire_name(resource, name))
    if len(resources) == 1:
        return _token(await _urn(resources[0]), "")
    return SENTINEL


def _token(urn: str, output: str) -> str:
    return TOKEN_MARK + json.dumps([urn, output])


async def _urn(resource: pulumi.Resource) -> str:
    return str(await resource.urn.future())


def _wire_name(resource: pulumi.Resource, name: str) -> str:
    return _types.resource_py_to_pulumi_names(type(resource)).get(name, name)


def _predict_outputs(type_: str, fields: struct_pb2.Struct) -> struct_pb2.Struct:
    """Outputs that are known from the inputs."""
    kept = struct_pb2.Struct()
    whole = type_.startswith(AS_SENT)
    for name, value in fields.fields.items():
        # The SDK reads the plain sentinel alone as unknown: our tokens are taken out again.
        if whole or value.WhichOneof("kind") not in {"struct_value", "list_value"}:
            kept.fields[name].CopyFrom(value)
            _strip(kept.fields[name])
    return kept


def _strip(value: struct_pb2.Value) -> None:
    kind = value.WhichOneof("kind")
    if kind == "string_value" and value.string_value.startswith(TOKEN_MARK):
        value.string_value = SENTINEL
    elif kind == "struct_value":
        for part in value.struct_value.fields.values():
            _strip(part)
    elif kind == "list_value":
        for part in value.list_value.values:
            _strip(part)


def read_fields(fields: struct_pb2.Struct) -> dict[str, Value]:
    """The inputs or outputs of one registration, by their wire names; absent values are left out."""
    read = {name: _read(value) for name, value in fields.fields.items()}
    return {name: value for name, value in read.items() if value is not None}


def _read(value: struct_pb2.Value) -> Value:
    match value.WhichOneof("kind"):
        case "string_value":
            return _read_text(value.string_value)
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_read(part) for part in value.list_value.values]
        case "struct_value":
            return _read_struct(value.struct_value)
        case _:
            return None


def _read_text(text: str) -> Value:
    if text == SENTINEL:
        return UNKNOWN
    if not text.startswith(TOKEN_MARK):
        return text
    urn, output = json.loads(text.removeprefix(TOKEN_MARK))
    return UnknownValue(urn=str(urn), output=str(output))


def _read_struct(fields: struct_pb2.Struct) -> Value:
    signature = fields.fields[SIGNATURE].string_value if SIGNATURE in fields.fields else ""
    if signature == SECRET_SIGNATURE:
        return Secret()
    if signature == RESOURCE_SIGNATURE:
        return UnknownValue(urn=fields.fields["urn"].string_value, output="id")
    plain = read_fields(fields)
    plain.pop(SIGNATURE, None)
    return plain
