"""Client of the Kubernetes API for programs in pods: token of the service account, limits of time and size.

It runs in pods: standard library of Python 3.12 only.
"""

from __future__ import annotations

import json
import ssl
import time
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

API: Final = "https://kubernetes.default.svc"
SECRETS: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
SECONDS_TO_ANSWER: Final = 10  # without a byte
SECONDS_IN_ALL: Final = 60  # of one answer, however slowly its bytes come
MOST_BYTES: Final = 32_000_000  # of one answer: a page of 500 nodes, each of which lists up to 50 images, has a tenth
PAGE: Final = 500  # objects of a list that are asked for at once
TRIES: Final = 3
PAUSE: Final = 1.0  # seconds before the second try, and twice as many before the third
PIECE: Final = 65536
LEDGER: Final = "ledger"  # key in the ConfigMap
MERGE: Final = "merge-patch+json"


def build_bounded_opener(context: ssl.SSLContext | None = None) -> OpenerDirector:
    """An opener that follows no redirect, which is an `HTTPError` to it, and asks no proxy."""
    # urllib's own opener would send the account's token on to whatever address an answer names.
    opener = OpenerDirector()
    for handler in (HTTPHandler(), HTTPSHandler(context=context), HTTPErrorProcessor(), HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    return opener


def read_answer(opener: OpenerDirector, request: Request, *, most_bytes: int = MOST_BYTES) -> bytes:
    """The body of an answer.

    Raises:
        HTTPError: the answer is an error or a redirect.
        OSError: there is no answer, or it is too long, or takes too long.
    """
    end = time.monotonic() + SECONDS_IN_ALL
    found = bytearray()
    try:
        with opener.open(request, timeout=SECONDS_TO_ANSWER) as answer:
            while piece := cast("bytes", answer.read1(PIECE)):
                found += piece
                if len(found) > most_bytes:
                    raise OSError(f"an answer of more than {most_bytes} bytes")
                if time.monotonic() > end:
                    raise TimeoutError(f"no whole answer within {SECONDS_IN_ALL} s")
            if answer.length:
                raise ConnectionError(f"an answer that lacks its last {answer.length} bytes")
    except HTTPException as error:
        raise ConnectionError(f"no answer of HTTP: {error!r}") from error
    return bytes(found)


def to_mapping(value: object) -> Mapping[str, object]:
    """A JSON object; empty for anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def to_mappings(value: object) -> list[Mapping[str, object]]:
    """The objects of a JSON list; empty for anything else."""
    return [to_mapping(each) for each in cast("list[object]", value)] if isinstance(value, list) else []


class ClusterApi:
    """The cluster that the pod runs in.

    Args:
        secrets: folder with the `token` of the pod's account, which Kubernetes renews, and the cluster's `ca.crt`.
    """

    def __init__(self, *, api: str = API, secrets: Path = SECRETS) -> None:
        self._api, self._secrets = api, secrets
        self._opener = build_bounded_opener(ssl.create_default_context(cafile=str(secrets / "ca.crt")))

    def read(self, path: str) -> Mapping[str, object]:
        """An object of the API.

        Raises:
            OSError: there is no answer, or it is an error.
            ValueError: the answer is no JSON object.
        """
        found = json.loads(self.call("GET", path))
        if not isinstance(found, dict):
            raise ValueError(f"{path}: no object")  # noqa: TRY004 - what came over the wire, not a wrong type of ours
        return cast("dict[str, object]", found)

    def list_objects(self, path: str) -> Iterator[Mapping[str, object]]:
        """Every object of a list, page after page."""
        more = ""
        while True:
            page = self.read(f"{path}?limit={PAGE}&continue={quote(more)}")
            yield from to_mappings(page.get("items"))
            more = str(to_mapping(page.get("metadata")).get("continue") or "")
            if not more:
                return

    def merge(self, path: str, changes: Mapping[str, object]) -> None:
        """A merge patch: the named fields alone."""
        self.call("PATCH", path, changes, kind=MERGE)

    def call(self, method: str, path: str, body: object = None, *, kind: str = "json") -> bytes:
        """One request. It is repeated after a 429, and after a lost answer where it is idempotent.

        Raises:
            OSError: there is no answer, or it is an error or a redirect.
        """
        # A lost answer may have been to a request that was carried out: only what is the same twice is sent twice.
        repeatable = method in {"GET", "DELETE"} or kind == MERGE
        for number in range(1, TRIES):
            try:
                return read_answer(self._opener, self._request(method, path, body, kind))
            except OSError as error:
                status = error.code if isinstance(error, HTTPError) else 0
                lost = not status or status >= HTTPStatus.INTERNAL_SERVER_ERROR
                if status != HTTPStatus.TOO_MANY_REQUESTS and not (repeatable and lost):
                    raise
            time.sleep(PAUSE * number)
        return read_answer(self._opener, self._request(method, path, body, kind))

    def _request(self, method: str, path: str, body: object, kind: str) -> Request:
        headers = {
            "Authorization": f"Bearer {(self._secrets / 'token').read_text(encoding='utf-8').strip()}",
            "Content-Type": f"application/{kind}",
        }
        sent = json.dumps(body).encode() if body is not None else None
        return Request(self._api + path, data=sent, headers=headers, method=method)  # noqa: S310 - https, ours


class LedgerCluster(ClusterApi):
    """Client with a ledger: a ConfigMap in which a program keeps its state.

    Args:
        ledger: path of that ConfigMap in the API.
    """

    def __init__(self, ledger: str, *, api: str = API, secrets: Path = SECRETS) -> None:
        super().__init__(api=api, secrets=secrets)
        self._ledger = ledger

    def list_nodes(self) -> Iterator[Mapping[str, object]]:
        return self.list_objects("/api/v1/nodes")

    def read_ledger(self) -> str:
        """Text of the ledger; "" where it is empty."""
        return str(to_mapping(self.read(self._ledger).get("data")).get(LEDGER, ""))

    def write_ledger(self, ledger: str) -> None:
        self.merge(self._ledger, {"data": {LEDGER: ledger}})
