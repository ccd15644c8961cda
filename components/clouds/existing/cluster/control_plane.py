"""An existing cluster, reached by the kubeconfig that an environment variable names."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import urlsplit

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.providers import OLDEST_KUBERNETES
from components.clouds.existing.cluster.kubeconfig import find_expired_credential, read
from planning.inputs.files import read_text
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from components.clouds.existing.cluster.kubeconfig import Kubeconfig
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ExistingCluster as ExistingSpec


WAIT_SECONDS: Final = (5, 10)  # connect, response
CONTEXT: Final = "where.existing.context"
ENVIRONMENT: Final = "where.existing.kubeconfig_env"
PROVIDER: Final = "where.existing"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A checked precondition; `field` is the field of the checklist that it concerns."""

    state: Literal["right", "wrong"]
    message: str
    field: str = PROVIDER
    hint: str = ""


class ApiServerUnreachableError(Exception):
    """The API server cannot be used; the message has the reason, without credentials."""


def require_preconditions(facts: Sequence[Fact], *, variable: str) -> None:
    """Raises InputError with every fault, if there is one."""
    wrong = [fact for fact in facts if fact.state == "wrong"]
    if wrong:
        faults = [Fault(message=each.message, file=variable, hint=each.hint, path=each.field) for each in wrong]
        said = f"{wrong[0].field} in the checklist: the existing cluster cannot be used"
        raise InputError(said, faults=faults, hint=wrong[0].hint)


def check_preconditions(
    text: str,
    *,
    context: str | None,
    variable: str,
    path: Path,
    oldest: str = OLDEST_KUBERNETES,
    now: datetime | None = None,
    ask: Callable[[Kubeconfig], str] | None = None,
) -> tuple[Fact, ...]:
    """Preconditions of a kubeconfig's cluster: credentials, response, version; each only where the earlier ones hold.

    Args:
        text: the kubeconfig.
        variable: environment variable that names its file, which is `path`.
        oldest: oldest supported minor version, "" for our own limit.
        now: time at which credentials must be valid; None for now.
        ask: returns the server's version; None asks the server.

    Raises:
        InputError: not a kubeconfig, or without the context.
    """
    kubeconfig = read(text, context=context, variable=variable, path=path)
    fact = _server(kubeconfig) or _program(kubeconfig) or _credentials(kubeconfig, now=now or datetime.now(tz=UTC))
    if fact is not None:
        return (fact,)
    try:
        version = (ask or ask_version)(kubeconfig)
    except ApiServerUnreachableError as error:
        return (_build_unreachable_fact(kubeconfig, str(error)),)
    return (_version(version, oldest=oldest or OLDEST_KUBERNETES),)


def _server(kubeconfig: Kubeconfig) -> Fact | None:
    with suppress(ValueError):  # brackets that do not hold an IPv6 address
        if urlsplit(kubeconfig.server).hostname:
            return None
    message = f"the kubeconfig's context {kubeconfig.context!r} names no API server"
    return Fact(state="wrong", message=message, field=CONTEXT, hint="download the file again from the provider")


def _program(kubeconfig: Kubeconfig) -> Fact | None:
    program = kubeconfig.program
    if not program or which(program) or (kubeconfig.path.parent / program).is_file():
        return None
    message = f"the kubeconfig's context {kubeconfig.context!r} signs in with {program!r}, which is not installed here"
    return Fact(state="wrong", message=message, field=ENVIRONMENT, hint="install it, and check that it is on PATH")


def _credentials(kubeconfig: Kubeconfig, *, now: datetime) -> Fact | None:
    found = find_expired_credential(kubeconfig, now=now)
    if found is None:
        return None
    what, end = found
    message = f"the {what} of the kubeconfig's context {kubeconfig.context!r} expired on {end:%Y-%m-%d at %H:%M} UTC"
    return Fact(state="wrong", message=message, field=ENVIRONMENT, hint="download the file again from the provider")


def _build_unreachable_fact(kubeconfig: Kubeconfig, reason: str) -> Fact:
    message = f"the API server of the kubeconfig's context {kubeconfig.context!r} cannot be used: {reason}"
    hint = "check the VPN or firewall between here and the cluster, and that kubectl works with the same file"
    return Fact(state="wrong", message=message, field=ENVIRONMENT, hint=hint)


def _version(version: str, *, oldest: str) -> Fact:
    number = parse_minor_version(version)
    if number is None:
        return Fact(state="wrong", message=f"the API server reports the version {version!r}, which is not a version")
    if number < (parse_minor_version(oldest) or (0, 0)):
        message = f"the cluster runs Kubernetes {number[0]}.{number[1]}, and {oldest} is the oldest supported version"
        return Fact(state="wrong", message=message, hint=f"have the provider upgrade it to {oldest} or later")
    return Fact(state="right", message=f"Kubernetes {number[0]}.{number[1]}")


def parse_minor_version(version: str) -> tuple[int, int] | None:
    """Major and minor of "v1.33.4+rke2r1" or "1.33"; None for anything else."""
    found = re.match(r"v?(\d{1,3})\.(\d{1,4})", version)
    return None if found is None else (int(found[1]), int(found[2]))


def ask_version(kubeconfig: Kubeconfig) -> str:
    """The API server's version; sign-in programs are run, as by kubectl.

    Raises:
        ApiServerUnreachableError: no answer, or a refusal.
    """
    from kubernetes import client, config  # noqa: PLC0415 - a second to import, for a real run only
    from kubernetes.client.exceptions import ApiException  # noqa: PLC0415 - as above
    from kubernetes.config import ConfigException  # noqa: PLC0415 - as above
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - as above

    settings = client.Configuration()
    # A server that does not answer at once is said to be silent; urllib3 would try for minutes.
    settings.retries = False
    load = cast("Callable[..., client.ApiClient]", config.new_client_from_config)  # pyright: ignore[reportUnknownMemberType]
    try:
        api = load(str(kubeconfig.path), kubeconfig.context, persist_config=False, client_configuration=settings)
        return str(client.VersionApi(api).get_code(_request_timeout=WAIT_SECONDS).git_version)
    except ApiException as error:
        status, reason = cast("tuple[int | None, object]", (error.status, error.reason))  # pyright: ignore[reportUnknownMemberType]
        raise ApiServerUnreachableError(_refusal(status) if status else _silence(str(reason))) from error
    except HTTPError as error:
        raise ApiServerUnreachableError(_silence(str(error))) from error
    except (ConfigException, OSError, ValueError) as error:
        raise ApiServerUnreachableError(
            "its credentials cannot be loaded, or the program that signs in failed"
        ) from error


def _refusal(status: int) -> str:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return f"it refuses the credentials ({status}), which may have expired or been revoked"
    return f"it answers with status {status}"


def _silence(told: str) -> str:
    """The kind of failure in words."""
    # Without the address, which a caller may not want to show.
    return next((reason for mark, reason in SILENCES if mark in told.lower()), "it does not answer")


SILENCES: Final = (
    ("certificate", "its certificate is not signed by the authority that the kubeconfig names"),
    ("ssl", "it does not speak TLS"),
    ("name or service not known", "its name cannot be resolved"),
    ("resolve", "its name cannot be resolved"),
    ("refused", "the connection is refused"),
    ("timed out", f"it does not answer within {WAIT_SECONDS[1]} seconds"),
)


OFFLINE_PLACEHOLDER: Final = "not read offline"


@final
class AttachedCluster(pulumi.ComponentResource):
    """A cluster that somebody else operates; nothing of it is created or deleted here."""

    provider: kubernetes.Provider
    kubeconfig: pulumi.Output[str]

    def __init__(
        self, name: str, existing: ExistingSpec, *, site: PlacementContext, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("atoll:cluster:ExistingCluster", name, site.describe(), opts)
        self.kubeconfig = (
            pulumi.Output.secret(OFFLINE_PLACEHOLDER)
            if site.settings.offline
            else read_checked_kubeconfig(existing, oldest=site.spec.profile.oldest_kubernetes)
        )
        inside = pulumi.ResourceOptions(parent=self)
        self.provider = kubernetes.Provider(
            "cluster", kubeconfig=self.kubeconfig, context=existing.context, opts=inside
        )
        self.register_outputs({})


def read_checked_kubeconfig(existing: ExistingSpec, *, oldest: str) -> pulumi.Output[str]:
    """The content of the file, as a secret; `oldest` as in `check_preconditions`.

    Raises:
        InputError: the cluster cannot be reached or used.
    """
    variable = existing.kubeconfig_env
    path = kubeconfig_path(variable)
    text = kubeconfig_text(path, variable=variable)
    facts = check_preconditions(text, context=existing.context, variable=variable, path=path, oldest=oldest)
    require_preconditions(facts, variable=variable)
    # It holds credentials, and would stand in the state in plain text.
    return pulumi.Output.secret(text)


def kubeconfig_path(variable: str) -> Path:
    """The file that an environment variable names; the first where it names several.

    Raises:
        InputError: it names none.
    """
    named = os.environ.get(variable, "")
    if not named:
        raise InputError(
            f"{variable} is not set; it must name the kubeconfig of the existing cluster",
            hint=f"export {variable}=<path of the kubeconfig>",
        )
    return Path(named.split(os.pathsep)[0]).expanduser()


def kubeconfig_text(path: Path, *, variable: str) -> str:
    try:
        return read_text(path)
    except InputError as error:
        message = f"the kubeconfig that {variable} names cannot be read: {error}"
        raise InputError(message, faults=error.faults) from error
