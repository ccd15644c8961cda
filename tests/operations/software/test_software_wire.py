"""A request of `atoll software lock` through the library itself; its connection is played, and nobody is asked."""

from __future__ import annotations

from io import BytesIO

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from operations.project.http import HttpError
from operations.software import registry

DIGEST = f"sha256:{'a' * 64}"
MANIFEST = "https://registry.example/v2/team/tool/manifests/1.0"
ELSEWHERE = "https://blobs.example/1.0"
DOWNGRADED = "https://registry.example/downgraded"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[requests.PreparedRequest]:
    """What was sent to a registry that wants a token, and then sends on to another host."""
    found: list[requests.PreparedRequest] = []

    def send(self: HTTPAdapter, request: requests.PreparedRequest, **_: object) -> requests.Response:
        found.append(request)
        status, headers, body = 200, {"Docker-Content-Digest": DIGEST}, b""
        if request.url == MANIFEST and "Authorization" not in request.headers:
            status, headers = 401, {"WWW-Authenticate": 'Bearer realm="https://login.example/token",service="r"'}
        elif request.url == MANIFEST:
            status, headers = 307, {"Location": ELSEWHERE}
        elif request.url == DOWNGRADED:
            status, headers = 307, {"Location": "http://registry.example/plain"}
        elif str(request.url).startswith("https://login.example"):
            body = b'{"token": "once"}'
        return self.build_response(request, HTTPResponse(BytesIO(body), headers, status, preload_content=False))

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return found


def test_a_digest_is_asked_for_with_a_token_that_does_not_follow_to_another_host(
    sent: list[requests.PreparedRequest],
) -> None:
    assert registry.image_digest("registry.example/team/tool:1.0", fetch=registry.over_https) == DIGEST
    assert [(each.method, each.url, each.headers.get("Authorization")) for each in sent] == [
        ("HEAD", MANIFEST, None),
        ("GET", "https://login.example/token?service=r&scope=repository%3Ateam%2Ftool%3Apull", None),
        ("HEAD", MANIFEST, "Bearer once"),
        ("HEAD", ELSEWHERE, None),
    ]
    assert {each.headers["Accept"] for each in sent if each.method == "HEAD"} == {registry.ACCEPTED}


def test_no_redirect_leads_from_https_to_plain_http(sent: list[requests.PreparedRequest]) -> None:
    with pytest.raises(HttpError, match="redirects to what is not HTTPS"):
        registry.over_https(DOWNGRADED)
    assert [each.url for each in sent] == [DOWNGRADED]


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 70}.example"])
def test_a_host_that_cannot_be_one_is_said(host: str) -> None:
    with pytest.raises(HttpError, match="LocationParseError"):
        registry.over_https(f"https://{host}/v2/")
