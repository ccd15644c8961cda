"""Opens a kubeconfig and asks the API server that it leads to; who asks judges what comes back, in words of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException
from urllib3.exceptions import HTTPError

from catalogs.files import UnreadableFileError, read_text
from planning.inputs.yaml_document import YamlText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubernetes.client.rest import RESTResponse

WAIT_SECONDS: Final = (5, 30)  # for a connection, and for each read
JSON: Final = "application/json"
MERGE: Final = "application/merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
SILENT: Final = (HTTPError, ApiException, OSError)  # what `answer` raises where nobody answers
UNUSABLE: Final = (OSError, yaml.YAMLError, ConfigException)  # what a kubeconfig that cannot be used raises
# What the client stumbles over in one: base64 that is none, a date, a number for a text, a proxy without a scheme.
MISSHAPEN: Final = (ValueError, TypeError, AttributeError, HTTPError)


class NoKubeconfigError(Exception):
    """A file is YAML, and no kubeconfig."""


def open_api(named: str, *, context: str | None) -> client.ApiClient:
    """The API that a kubeconfig leads to.

    Args:
        named: its path; the first of several.
        context: in it; None for its current one.

    Raises:
        NoKubeconfigError: it is none.
        OSError, YAMLError, ConfigException: it cannot be used, as in `UNUSABLE`.
    """
    path = Path(named.split(os.pathsep, maxsplit=1)[0]).expanduser()
    text = _text_of(path)
    if notes := YamlText(text, file=str(path)).notes:  # which may repeat what stands there: only the place is said
        line = notes[0].place.line
        raise yaml.YAMLError(f"{path}, line {line}: not YAML as it is read here: names once, no anchors, no tags")
    if not isinstance(yaml.safe_load(text), dict):
        raise NoKubeconfigError(f"{path} is no kubeconfig")
    load = cast("Callable[..., client.ApiClient]", config.new_client_from_config)  # pyright: ignore[reportUnknownMemberType]
    try:
        return load(config_file=str(path), context=context)
    except MISSHAPEN as error:
        raise ConfigException(f"{path}: something in it is not of a kubeconfig: {reason_of(error)}") from error


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except UnreadableFileError as error:
        place = f"{path}, line {error.line}" if error.line else str(path)
        raise ConfigException(f"{place}: {error.reason}") from error


def reason_of(error: Exception) -> str:
    """The first line of what an error says, else its kind; never what stands in a kubeconfig, as a client would."""
    said = str(error).partition("/{")[0] if isinstance(error, ConfigException) else str(error)
    return said.splitlines()[0] if said else type(error).__name__


def answer(
    api: client.ApiClient,
    method: str,
    path: str,
    *,
    query: Sequence[tuple[str, str]] = (),
    body: Mapping[str, object] | str | None = None,
    sent_as: str = "",
    accept: str = JSON,
) -> tuple[int, bytes]:
    """Status and content of what the server answers, whatever the status.

    Args:
        path: quoted, as the server serves it.
        body: an object, or a text that is sent as it stands.
        sent_as: media type of the body.

    Raises:
        HTTPError, ApiException, OSError: nobody answers, as in `SILENT`.
    """
    headers = {"Accept": accept} | ({"Content-Type": sent_as} if sent_as else {})
    given = body if body is None or isinstance(body, str) else dict(body)
    serialize = cast("Callable[..., tuple[str, str, object, object, object]]", api.param_serialize)  # pyright: ignore[reportUnknownMemberType]
    call = cast("Callable[..., RESTResponse]", api.call_api)  # pyright: ignore[reportUnknownMemberType]
    _, url, headed, sent, _ = serialize(
        method, path, query_params=list(query), header_params=headers, body=given, auth_settings=["BearerToken"]
    )
    found = call(method, url, headed, sent, _request_timeout=WAIT_SECONDS)
    content = cast("bytes", found.read())  # pyright: ignore[reportUnknownMemberType]
    return cast("int", found.status), content  # pyright: ignore[reportUnknownMemberType]


def parse_object(content: bytes) -> dict[str, object]:
    """A JSON object; an empty one where a proxy has answered something else."""
    try:
        found = cast("object", json.loads(content))
    except ValueError:
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}
