"""One request over HTTPS, and what came back: the only place of `atoll software lock` that touches the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests

SECONDS: Final = 30
LARGEST: Final = 64 << 20  # the largest index of a chart repository has a fifth of it
BLOCK: Final = 1 << 16


class RegistryUnreachableError(AtollError):
    """Nothing came back that answers the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back; names of headers are lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


class Fetch(Protocol):
    """Asks one address."""

    def __call__(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> HttpResponse:
        """The answer, whatever its status.

        Raises:
            RegistryUnreachableError: no answer.
        """
        ...


def over_https(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> HttpResponse:
    """The answer of a server, redirects followed; credentials never follow to another host.

    Raises:
        RegistryUnreachableError: not HTTPS (a redirect included), no answer, or the answer is too long.
    """
    import requests  # noqa: PLC0415 - only one command needs it
    from urllib3.exceptions import LocationParseError  # noqa: PLC0415 - as above

    if not url.startswith("https://"):
        raise RegistryUnreachableError(f"{url} is not HTTPS")
    sent = dict(headers or {})
    auth = _as_it_is if "Authorization" in sent else None  # else requests would put a login of .netrc over the token
    try:
        with (
            _open_session() as session,
            session.request(method, url, headers=sent, auth=auth, timeout=SECONDS, stream=True) as response,
        ):
            body = bytearray()
            for block in response.iter_content(BLOCK):
                body += block
                if len(body) > LARGEST:
                    raise RegistryUnreachableError(f"{url} is longer than {LARGEST >> 20} MiB")
            said = {name.lower(): text for name, text in response.headers.items()}
            return HttpResponse(status=response.status_code, headers=said, body=bytes(body))
    except (requests.RequestException, LocationParseError) as error:
        raise RegistryUnreachableError(f"{url}: {type(error).__name__}") from error


def _open_session() -> requests.Session:
    """A session without plain HTTP, so that no redirect leads from HTTPS to what anybody on the way can change."""
    import requests  # noqa: PLC0415 - as in over_https

    session = requests.Session()
    session.adapters.pop("http://")
    return session


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
