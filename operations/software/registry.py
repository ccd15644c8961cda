"""Digests in registries, by the OCI distribution API, with the anonymous token that public registries give."""

from __future__ import annotations

import json
import re
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import urlencode

from catalogs.software.model import DIGEST, split
from operations.project.http import HttpError, HttpSession
from planning.platform.mirror import DOCKER_HUB, host_and_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.project.http import HttpResponse

REDIRECTS: Final = 10
# Names of media types: OCI image specification 1.1, Docker's manifest version 2 schema 2, Helm's HIP 6.
ACCEPTED: Final = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
)
CHART_LAYER: Final = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
DIGEST_HEADER: Final = "docker-content-digest"
REASONS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "a login is wanted",
    403: "access is refused",
    404: "there is no such tag",
    429: "too many requests; try again later",
}
_APIS: Final[Mapping[str, str]] = {DOCKER_HUB: "registry-1.docker.io"}
_PARAMETER: Final = re.compile(r'(\w+)="([^"]*)"')


class Fetch(Protocol):
    """Asks one address; HttpError where nothing answers."""

    def __call__(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> HttpResponse: ...


def over_https(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> HttpResponse:
    """The answer of a server, redirects followed; a login of ~/.netrc is used where no token is given.

    Raises:
        HttpError: not HTTPS, no answer, or the answer is too long.
    """
    with HttpSession(netrc=True) as session:
        return session.request(method, url, headers=headers, redirects=REDIRECTS)


def image_digest(image: str, *, fetch: Fetch) -> str:
    """Digest of the index or manifest that an image's tag stands for now.

    Raises:
        HttpError: the registry does not say it.
    """
    host, path = host_and_path(image)
    _, tag, _ = split(image)
    url = _manifest(host, path, tag)
    found = _request_with_token(url, path=path, fetch=fetch, method="HEAD").headers.get(DIGEST_HEADER, "")
    return _sound(found or _hash(_request_with_token(url, path=path, fetch=fetch)), of=image)


def chart_digest(repository: str, chart: str, version: str, *, fetch: Fetch) -> str:
    """Digest of a chart's archive in a registry.

    Raises:
        HttpError: the registry does not say it.
    """
    host, _, folder = repository.removeprefix("oci://").rstrip("/").partition("/")
    path = f"{folder}/{chart}".lstrip("/")
    of = f"{repository}/{chart}:{version}"
    answer = _request_with_token(_manifest(host, path, version.replace("+", "_")), path=path, fetch=fetch)
    said = answer.headers.get(DIGEST_HEADER, "")
    if said and said != _hash(answer):
        raise HttpError(f"{of}: the manifest is not the one that the registry names")
    for layer in _layers(answer.body, of=of):
        if layer.get("mediaType") == CHART_LAYER:
            return _sound(str(layer.get("digest", "")), of=of)
    raise HttpError(f"{of}: there is no chart under that tag")


def _manifest(host: str, path: str, tag: str) -> str:
    return f"https://{_APIS.get(host, host)}/v2/{path}/manifests/{tag}"


def _request_with_token(url: str, *, path: str, fetch: Fetch, method: str = "GET") -> HttpResponse:
    """The answer, after a token was fetched where one is wanted."""
    ask = partial(fetch, url, method=method)
    answer = ask(headers={"Accept": ACCEPTED})
    if answer.status == HTTPStatus.UNAUTHORIZED and (token := _token(answer, path=path, fetch=fetch)):
        answer = ask(headers={"Accept": ACCEPTED, "Authorization": f"Bearer {token}"})
    if answer.status != HTTPStatus.OK:
        raise HttpError(f"{url}: {REASONS.get(answer.status, f'the registry answers {answer.status}')}")
    return answer


def _token(refused: HttpResponse, *, path: str, fetch: Fetch) -> str:
    """A token to read one repository; "" where the registry gives none without a login."""
    kind, _, rest = refused.headers.get("www-authenticate", "").partition(" ")
    said: dict[str, str] = dict(_PARAMETER.findall(rest))
    if kind.lower() != "bearer" or not said.get("realm"):
        return ""
    # A registry may leave the scope out.
    wanted = {"service": said.get("service", ""), "scope": said.get("scope", f"repository:{path}:pull")}
    answer = fetch(f"{said['realm']}?{urlencode({key: text for key, text in wanted.items() if text})}")
    if answer.status != HTTPStatus.OK:
        return ""
    given = _object(answer.body)
    return str(given.get("token") or given.get("access_token") or "")


def _layers(body: bytes, *, of: str) -> list[dict[str, object]]:
    layers = _object(body).get("layers")
    if not isinstance(layers, list):
        raise HttpError(f"{of}: the registry's answer is no manifest")
    found = cast("list[object]", layers)
    return [cast("dict[str, object]", layer) for layer in found if isinstance(layer, dict)]


def _object(body: bytes) -> dict[str, object]:
    try:
        found: object = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _hash(answer: HttpResponse) -> str:
    return f"sha256:{sha256(answer.body).hexdigest()}"


def _sound(digest: str, *, of: str) -> str:
    if not DIGEST.fullmatch(digest):
        raise HttpError(f"{of}: {digest!r} is no SHA-256 digest")
    return digest
