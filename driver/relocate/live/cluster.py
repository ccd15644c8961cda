"""A cluster whose writers are stopped, over the API that its kubeconfig names."""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException
from urllib3.exceptions import HTTPError

from driver.relocate.freezing.objects import ChangedMeanwhileError, mapping, rows
from driver.relocate.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubernetes.client.rest import RESTResponse

    from driver.relocate.freezing.objects import Kind
    from driver.relocate.places import Side

WAIT_SECONDS: Final = (5, 30)
PAGE: Final = 500
MERGE: Final = "application/merge-patch+json"
SILENT: Final = (HTTPError, ApiException, OSError)


@final
class LiveCluster:
    """A cluster, by its API."""

    def __init__(self, api: client.ApiClient, *, words: str) -> None:
        """Args: words: which cluster it is, for messages."""
        self._api = api
        self._words = words

    def listed(self, kind: Kind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        """Every object of a kind, page after page; none where the kind is not served."""
        found: list[Mapping[str, object]] = []
        more = ""
        while True:
            page = self._call("GET", kind.path(namespace), query=[("limit", str(PAGE)), ("continue", more)])
            if page is None:
                return ()
            found += rows(page.get("items"))
            more = str(mapping(page.get("metadata")).get("continue") or "")
            if not more:
                return found

    def get(self, kind: Kind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        """One object; None where it, or its kind, is not there."""
        return self._call("GET", kind.path(namespace, name))

    def change(self, kind: Kind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
        """Apply a merge patch; False where the object is not there."""
        return self._call("PATCH", kind.path(namespace, name), body=change) is not None

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        query: Sequence[tuple[str, str]] = (),
    ) -> Mapping[str, object] | None:
        """The answer; None for one that says that there is no such thing.

        Raises:
            ChangedMeanwhileError: a conflict.
            StepError: it was refused, or nobody answers.
        """
        headers = {"Accept": "application/json"} | ({"Content-Type": MERGE} if body is not None else {})
        serialize = cast("Callable[..., tuple[str, str, object, object, object]]", self._api.param_serialize)  # pyright: ignore[reportUnknownMemberType]
        call = cast("Callable[..., RESTResponse]", self._api.call_api)  # pyright: ignore[reportUnknownMemberType]
        try:
            _, url, sent, asked, _ = serialize(
                method,
                path,
                query_params=list(query),
                header_params=headers,
                body=dict(body) if body is not None else None,
                auth_settings=["BearerToken"],
            )
            answer = call(method, url, sent, asked, _request_timeout=WAIT_SECONDS)
            content, status = cast("bytes", answer.read()), cast("int", answer.status)  # pyright: ignore[reportUnknownMemberType]
        except SILENT as error:
            raise StepError(
                f"the cluster of the {self._words} does not answer: {type(error).__name__}",
                hint="look at its address in the kubeconfig, and run again",
            ) from error
        return self._judged(method, path, status, content)

    def _judged(self, method: str, path: str, status: int, content: bytes) -> Mapping[str, object] | None:
        """The answer, by its status; None for what is not there.

        Raises:
            ChangedMeanwhileError: a conflict.
            StepError: anything else.
        """
        if status < HTTPStatus.MULTIPLE_CHOICES:
            return _parsed(content)
        if status == HTTPStatus.NOT_FOUND:
            return None
        if status == HTTPStatus.CONFLICT:
            raise ChangedMeanwhileError
        reason = _parsed(content).get("reason", "no reason given")
        raise StepError(
            f"the cluster of the {self._words} refused {method} {path}: {status} {reason}",
            hint="the kubeconfig's user must read, and patch, what writes; then run again",
        )


def _parsed(content: bytes) -> Mapping[str, object]:
    """A JSON object; an empty one where a proxy has answered something else."""
    try:
        return mapping(cast("object", json.loads(content)))
    except ValueError:
        return {}


def opened(side: Side, secrets: Mapping[str, str], *, words: str) -> LiveCluster | None:
    """The cluster of a side; None where it names no kubeconfig.

    Raises:
        StepError: what it names is no kubeconfig.
    """
    variable = side.kubeconfig_env
    if variable is None:
        return None
    named = secrets.get(variable) or os.environ.get(variable, "")
    hint = f"{variable} names the kubeconfig of the {words}"
    if not named:
        raise StepError(f"{variable} is not set", hint=hint)
    return LiveCluster(api_of(named, side, words=words, hint=hint), words=words)


def api_of(named: str, side: Side, *, words: str, hint: str) -> client.ApiClient:
    """The API that a kubeconfig leads to, in the side's context.

    Args:
        named: path of the kubeconfig; the first of several.

    Raises:
        StepError: it is no kubeconfig.
    """
    path = Path(named.split(os.pathsep, maxsplit=1)[0]).expanduser()
    try:
        if not isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict):
            raise StepError(f"{path} is no kubeconfig", hint=hint)
        load = cast("Callable[..., client.ApiClient]", config.new_client_from_config)  # pyright: ignore[reportUnknownMemberType]
        return load(config_file=str(path), context=side.context)
    except (OSError, yaml.YAMLError, ConfigException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StepError(f"the cluster of the {words} cannot be opened: {reason}", hint=hint) from error
