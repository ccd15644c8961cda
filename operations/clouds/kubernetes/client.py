"""The API server that a kubeconfig leads to: typed calls, and its errors in words."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException
from urllib3.exceptions import HTTPError

from catalogs.files import UnreadableFileError, read_text
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError, ClusterSilentError
from planning.inputs.yaml_document import YamlText
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kubernetes.client.rest import RESTResponse

    from operations.clouds.kubernetes.objects import KubeconfigSource

WAIT_SECONDS: Final = (5, 30)  # for a connection, and for each read
JSON: Final = "application/json"
MERGE: Final = "application/merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
PAGE: Final = 500  # objects of one answer
MOST_WORDS: Final = 300  # characters of what a server says about a refusal
SILENT: Final = (HTTPError, ApiException, OSError)  # what `answer` raises where the server does not answer
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
    """The first line of what an error says, else its kind."""
    # A ConfigException may repeat a piece of the kubeconfig behind "/{", a token perhaps.
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
        HTTPError, ApiException, OSError: the server does not answer, as in `SILENT`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWords:
    """What messages about a cluster say.

    Args:
        kubeconfig_hint, refused_hint, silent_hint: what to do about a kubeconfig that cannot be used, a refusal, and a
            server that does not answer.
    """

    name: str = "the cluster"
    kubeconfig_hint: str = ""
    refused_hint: str = ""
    silent_hint: str = "look at its address in the kubeconfig"


@final
class KubernetesClient:
    """Calls of one API server.

    Every call raises ClusterSilentError without an answer, ChangedMeanwhileError for a conflict, and ClusterError
    where it is refused.
    """

    def __init__(self, api: client.ApiClient, words: ClusterWords | None = None) -> None:
        self._api = api
        self._words = words or ClusterWords()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        body: Mapping[str, object] | str | None = None,
        sent_as: str = JSON,
        accept: str = JSON,
        expected: Collection[int] = (),
    ) -> tuple[int, bytes]:
        """Status and content of an answer.

        Args:
            expected: statuses that are no error to the caller.
        """
        media_type = "" if body is None else sent_as
        try:
            status, content = answer(self._api, method, path, query=query, body=body, sent_as=media_type, accept=accept)
        except SILENT as error:
            raise ClusterSilentError(
                f"{self._words.name} does not answer: {type(error).__name__}", hint=self._words.silent_hint
            ) from error
        if status >= HTTPStatus.MULTIPLE_CHOICES and status not in expected:
            kind = ChangedMeanwhileError if status == HTTPStatus.CONFLICT else ClusterError
            reason = explain_refusal(content)
            raise kind(f"{self._words.name} refused {method} {path}: {status} {reason}", hint=self._words.refused_hint)
        return status, content

    def list_objects(
        self, path: str, *, optional: bool = False, accept: str = JSON, **selectors: str
    ) -> list[Mapping[str, object]]:
        """Every object under a path, page after page.

        Args:
            optional: whether a path that is not served has none, instead of being an error.
            selectors: labelSelector, fieldSelector.
        """
        found: list[Mapping[str, object]] = []
        expected = {HTTPStatus.NOT_FOUND} if optional else ()
        parameters = {"limit": str(PAGE), **{key: value for key, value in selectors.items() if value}}
        while True:
            query = list(parameters.items())
            status, content = self.request("GET", path, query=query, accept=accept, expected=expected)
            if status == HTTPStatus.NOT_FOUND:
                return []
            page = parse_object(content)
            if not isinstance(page.get("items"), list):  # taken for an empty list, it would mean that nothing is there
                raise ClusterError(
                    "what answers is no cluster, a page to sign in perhaps:"
                    " look at the server that the kubeconfig names"
                )
            found += to_mappings(page["items"])
            parameters["continue"] = str(to_mapping(page.get("metadata")).get("continue") or "")
            if not parameters["continue"]:
                return found

    def get(self, path: str) -> Mapping[str, object] | None:
        """An object; None where it, or its kind, is not there."""
        status, content = self.request("GET", path, expected={HTTPStatus.NOT_FOUND})
        return None if status == HTTPStatus.NOT_FOUND else parse_object(content)

    def patch(self, path: str, change: Mapping[str, object]) -> bool:
        """Apply a merge patch; False where the object is not there."""
        status, _ = self.request("PATCH", path, body=change, sent_as=MERGE, expected={HTTPStatus.NOT_FOUND})
        return status != HTTPStatus.NOT_FOUND

    def apply(self, path: str, manifest: Mapping[str, object], *, owner: str) -> None:
        """Make an object, or bring it to what is given."""
        query = [("fieldManager", owner), ("force", "true"), ("fieldValidation", "Strict")]
        self.request("PATCH", path, query=query, body=json.dumps(manifest), sent_as=APPLY)

    def create(self, path: str, document: Mapping[str, object]) -> bool:
        """Make an object; False where one of its name is there."""
        status, _ = self.request("POST", path, body=document, expected={HTTPStatus.CONFLICT})
        return status != HTTPStatus.CONFLICT

    def delete(self, path: str, **options: object) -> bool:
        """Delete an object; False where it is not there.

        Args:
            options: of DeleteOptions: propagationPolicy, gracePeriodSeconds, preconditions.
        """
        body = {"kind": "DeleteOptions", "apiVersion": "v1", **options}
        status, _ = self.request("DELETE", path, body=body, expected={HTTPStatus.NOT_FOUND})
        return status != HTTPStatus.NOT_FOUND


def explain_refusal(content: bytes) -> str:
    """Reason and message of a Status object."""
    status = parse_object(content)
    words = ": ".join(str(status[key]) for key in ("reason", "message") if status.get(key))
    return words[:MOST_WORDS] or "no reason given"


def open_cluster(source: KubeconfigSource, words: ClusterWords, *, named: str = "") -> KubernetesClient:
    """The cluster to which a kubeconfig leads.

    Args:
        named: path of the kubeconfig, instead of the variable's value.

    Raises:
        ClusterError: the variable is not set, or names no kubeconfig that can be used.
    """
    hint = words.kubeconfig_hint
    named = named or os.environ.get(source.variable, "")
    if not named:
        raise ClusterError(f"{source.variable} is not set, and it names the kubeconfig of {words.name}", hint=hint)
    try:
        return KubernetesClient(open_api(named, context=source.context), words)
    except NoKubeconfigError as error:
        raise ClusterError(f"what {source.variable} names is no kubeconfig", hint=hint) from error
    except UNUSABLE as error:
        raise ClusterError(f"{words.name} cannot be opened: {reason_of(error)}", hint=hint) from error
