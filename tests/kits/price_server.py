"""A server of recorded answers on this machine; tests that use it are marked `server` and `enable_socket`.

with price_server({"/v3/aws/version": "20260818-42"}) as server:
    request = make_request(server, provider="aws")
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from catalogs.catalog import Catalog, load
from operations.price_refresh.model import PriceRequest, SectionKind
from operations.project.http import HttpSession

TODAY = date(2026, 11, 23)


@dataclass(frozen=True)
class Answer:
    """What the server sends.

    Args:
        claimed: length that its header claims; a larger one than the body's is an answer that breaks off.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    claimed: int | None = None


@dataclass(frozen=True)
class Asked:
    """What was asked: path with query, headers in lower case, body."""

    path: str
    headers: Mapping[str, str]
    body: bytes


Content = Answer | str | bytes | Mapping[str, object]
Route = Content | list[Content] | Callable[[Asked], Content]


@dataclass
class PriceServer:
    """Routes by path without query, or by path with it where that stands there; a list is answered in turn."""

    routes: dict[str, Route]
    address: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        route = self.routes.get(asked.path) or self.routes.get(urlsplit(asked.path).path)
        if isinstance(route, list):
            route = route.pop(0) if len(route) > 1 else route[0]
        if callable(route):
            route = route(asked)
        if route is None:
            return Answer(status=404, body=b"no such recording")
        if isinstance(route, Answer):
            return route
        if isinstance(route, str):
            return Answer(body=route.encode())
        return Answer(body=route if isinstance(route, bytes) else json.dumps(route).encode())


def _handler_of(server: PriceServer) -> type[BaseHTTPRequestHandler]:
    class Recorded(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {key.lower(): value for key, value in self.headers.items()}
            answer = server.answer(Asked(path=self.path, headers=headers, body=body))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) if answer.claimed is None else answer.claimed))
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = answer.claimed is not None

        do_GET = do_POST = _reply  # noqa: N815 - names of the library

        def log_message(self, *_: object) -> None:
            """Nothing: a test's output is its own."""

    return Recorded


@contextmanager
def price_server(routes: Mapping[str, Route]) -> Iterator[PriceServer]:
    served = PriceServer(routes=dict(routes))
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(served)) as listening:
        served.address = f"http://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            listening.shutdown()
            thread.join()


def make_request(
    server: PriceServer,
    *,
    provider: str,
    regions: tuple[str, ...] = (),
    kinds: frozenset[SectionKind] = frozenset(SectionKind),
    keys: Mapping[str, str] | None = None,
    catalog: Catalog | None = None,
    path: str = "",
) -> PriceRequest:
    """What a reader is asked by a test: every region of the catalog where none is named, and no pause is slept."""
    known = catalog or load()
    return PriceRequest(
        provider=provider,
        regions=regions or tuple(name for owner, name in known.regions if owner == provider),
        kinds=kinds,
        address=server.address + path,
        today=TODAY,
        catalog=known,
        session=HttpSession(sleep=lambda _: None),
        keys=keys or {},
    )
