"""A cluster whose writers are stopped, over the API that its kubeconfig names."""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final

from operations.clouds.kubernetes import client as api_server
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, mapping, name_of, namespace_of, rows
from operations.relocation.runner.step import RunContext, StepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubernetes import client

    from operations.clouds.kubernetes.objects import ResourceKind
    from operations.relocation.config.endpoints import RelocationSide


PAGE: Final = 500


@final
class KubernetesApiClient:
    """A cluster, by its API."""

    def __init__(self, api: client.ApiClient, *, words: str) -> None:
        """Args: words: which cluster it is, for messages."""
        self._api = api
        self._words = words

    def listed(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
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

    def get(self, kind: ResourceKind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        """One object; None where it, or its kind, is not there."""
        return self._call("GET", kind.path(namespace, name))

    def change(self, kind: ResourceKind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
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
        sent_as = api_server.MERGE if body is not None else ""
        try:
            status, content = api_server.answer(self._api, method, path, query=query, body=body, sent_as=sent_as)
        except api_server.SILENT as error:
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
            return api_server.parse_object(content)
        if status == HTTPStatus.NOT_FOUND:
            return None
        if status == HTTPStatus.CONFLICT:
            raise ChangedMeanwhileError(f"{path} was changed meanwhile", hint="run again")
        reason = api_server.parse_object(content).get("reason", "no reason given")
        raise StepError(
            f"the cluster of the {self._words} refused {method} {path}: {status} {reason}",
            hint="the kubeconfig's user must read, and patch, what writes; then run again",
        )


def open_cluster(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> KubernetesApiClient | None:
    """The cluster of a side; None where it names no kubeconfig.

    Raises:
        StepError: what it names is no kubeconfig.
    """
    api = api_of_side(side, secrets, words=words)
    return KubernetesApiClient(api, words=words) if api else None


def open_clusters(move: RunContext) -> tuple[KubernetesApiClient | None, KubernetesApiClient | None]:
    """The clusters of the source and of the target, as `open_cluster`."""
    source, target = move.places.source, move.places.target
    return (
        open_cluster(source, move.secrets, words="source"),
        open_cluster(target, move.secrets, words="target"),
    )


def api_of_side(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> client.ApiClient | None:
    """The API of a side's cluster; None where it names no kubeconfig.

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
    return api_of(named, side, words=words, hint=hint)


def api_of(named: str, side: RelocationSide, *, words: str, hint: str) -> client.ApiClient:
    """The API that a kubeconfig leads to, in the side's context.

    Args:
        named: path of the kubeconfig; the first of several.

    Raises:
        StepError: it is no kubeconfig.
    """
    try:
        return api_server.open_api(named, context=side.context)
    except api_server.NoKubeconfigError as error:
        raise StepError(str(error), hint=hint) from error
    except api_server.UNUSABLE as error:
        reason = api_server.reason_of(error)
        raise StepError(f"the cluster of the {words} cannot be opened: {reason}", hint=hint) from error


WORDS: Final = 300  # characters of what a server says


@final
class Maker:
    """A cluster in which something is made."""

    def __init__(self, api: client.ApiClient, *, words: str) -> None:
        """Args: words: which cluster it is, for messages."""
        self._api = api
        self._words = words

    def create(self, kind: ResourceKind, document: Mapping[str, object]) -> bool:
        """Make an object; False where one of its name is there.

        Raises:
            StepError: it was refused, or nobody answers.
        """
        return self._call("POST", kind.path(namespace_of(document)), document, but=HTTPStatus.CONFLICT)

    def delete(self, kind: ResourceKind, *, namespace: str, name: str) -> bool:
        """Delete an object at once; False where none is there.

        Raises:
            StepError: it was refused, or nobody answers.
        """
        now = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
        return self._call("DELETE", kind.path(namespace, name), now, but=HTTPStatus.NOT_FOUND)

    def _call(self, method: str, path: str, body: Mapping[str, object], *, but: HTTPStatus) -> bool:
        try:
            status, content = api_server.answer(self._api, method, path, body=body, sent_as=api_server.JSON)
        except api_server.SILENT as error:
            raise StepError(
                f"the cluster of the {self._words} does not answer: {type(error).__name__}",
                hint="look at its address in the kubeconfig, and run again",
            ) from error
        if status == but:
            return False
        if status >= HTTPStatus.BAD_REQUEST:
            what = f"{method} {path} ({name_of(body)})" if name_of(body) else f"{method} {path}"
            raise StepError(
                f"the cluster of the {self._words} refused {what}: {status} {_read_message(content)}",
                hint="the kubeconfig's user must make what is moved; then run again",
            )
        return True


def maker(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> Maker | None:
    """The cluster of a side; None where it names no kubeconfig.

    Raises:
        StepError: what it names is no kubeconfig.
    """
    api = api_of_side(side, secrets, words=words)
    return Maker(api, words=words) if api else None


def _read_message(content: bytes) -> str:
    text = content.decode(errors="replace")
    try:
        return str(mapping(cast("object", json.loads(text))).get("message") or "")[:WORDS]
    except ValueError:
        return text[:WORDS]
