"""Makes objects in a cluster and deletes them, over the API that its kubeconfig names."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final

from operations.clouds.kubernetes import client as api_server
from operations.clouds.kubernetes.objects import mapping, name_of, namespace_of
from operations.relocation.cluster.client import api_of_side
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubernetes import client

    from operations.clouds.kubernetes.objects import Kind
    from operations.relocation.config.endpoints import Side

WORDS: Final = 300  # characters of what a server says


@final
class Maker:
    """A cluster in which something is made."""

    def __init__(self, api: client.ApiClient, *, words: str) -> None:
        """Args: words: which cluster it is, for messages."""
        self._api = api
        self._words = words

    def create(self, kind: Kind, document: Mapping[str, object]) -> bool:
        """Make an object; False where one of its name is there.

        Raises:
            StepError: it was refused, or nobody answers.
        """
        return self._call("POST", kind.path(namespace_of(document)), document, but=HTTPStatus.CONFLICT)

    def delete(self, kind: Kind, *, namespace: str, name: str) -> bool:
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
                f"the cluster of the {self._words} refused {what}: {status} {_said(content)}",
                hint="the kubeconfig's user must make what is moved; then run again",
            )
        return True


def maker(side: Side, secrets: Mapping[str, str], *, words: str) -> Maker | None:
    """The cluster of a side; None where it names no kubeconfig.

    Raises:
        StepError: what it names is no kubeconfig.
    """
    api = api_of_side(side, secrets, words=words)
    return Maker(api, words=words) if api else None


def _said(content: bytes) -> str:
    """The server's own words."""
    text = content.decode(errors="replace")
    try:
        return str(mapping(cast("object", json.loads(text))).get("message") or "")[:WORDS]
    except ValueError:
        return text[:WORDS]
