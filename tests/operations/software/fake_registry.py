"""Registries and chart repositories that answer from memory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from operations.project.http import HttpError, HttpResponse
from operations.software.registry import CHART_LAYER

if TYPE_CHECKING:
    from collections.abc import Mapping


def digest_of(text: str) -> str:
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def chart_manifest(archive: str) -> bytes:
    layers = [{"mediaType": "text/plain", "digest": digest_of("notes")}, {"mediaType": CHART_LAYER, "digest": archive}]
    return json.dumps({"schemaVersion": 2, "layers": layers}).encode()


@dataclass
class FakeNetwork:
    """Answers by address; every other address is not there. Asked addresses are written down.

    Args:
        token: what is wanted in each request for a manifest; "" for none.
    """

    bodies: dict[str, bytes] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    token: str = ""
    silent: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def __call__(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> HttpResponse:
        self.asked.append(f"{method} {url}")
        host = url.split("/")[2]
        if host in self.silent:
            raise HttpError(f"{url}: nobody answers")
        if url.startswith("https://tokens.example/"):
            return HttpResponse(status=200, body=json.dumps({"token": self.token}).encode())
        if self.token and (headers or {}).get("Authorization") != f"Bearer {self.token}":
            said = f'Bearer realm="https://tokens.example/give",service="{host}",scope="repository:a:pull"'
            return HttpResponse(status=401, headers={"www-authenticate": said})
        if url in self.digests:
            return HttpResponse(status=200, headers={"docker-content-digest": self.digests[url]})
        if url in self.bodies:
            return HttpResponse(status=200, body=b"" if method == "HEAD" else self.bodies[url])
        return HttpResponse(status=404)
