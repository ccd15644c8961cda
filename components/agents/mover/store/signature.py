"""Signature of a request, version 4, in its header: what AWS, MinIO and Google's XML interface ask for.

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html (read 2026-11-22)
"""

from __future__ import annotations

import hmac
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EMPTY: Final = sha256().hexdigest()  # digest of a request without a body
ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SPACES: Final = re.compile(" {2,}")  # one of them is signed, and all are sent
SAFE: Final = "-._~"  # all else is percent-encoded; in a path the slash stands too


def encoded_path(key: str) -> str:
    """A key as it stands in a request's path; what a server would tidy ("..", "//") stays as it is."""
    return quote(key.encode(), safe="/" + SAFE)


def encoded_query(pairs: Iterable[tuple[str, str]]) -> str:
    """A query in the order that the signature asks for."""
    both = sorted((quote(name.encode(), safe=SAFE), quote(value.encode(), safe=SAFE)) for name, value in pairs)
    return "&".join([f"{name}={value}" for name, value in both])


class Signer:
    """Signs for one pair of keys in one region; a day's key is made once."""

    def __init__(self, *, access_key: str, secret_key: str, region: str, service: str = "s3") -> None:
        self._access_key = access_key
        self._secret = f"AWS4{secret_key}".encode()
        self._scope = f"{region}/{service}/aws4_request"
        self._steps = (region.encode(), service.encode(), b"aws4_request")
        self._day = ""
        self._key = b""

    def authorization(self, method: str, path: str, query: str, headers: Mapping[str, str], *, payload: str) -> str:
        """Value of the Authorization header.

        Args:
            path: percent-encoded.
            query: encoded and sorted.
            headers: all that are signed, names in lower case; host and x-amz-date among them; values of Latin-1,
                without a space at either end.
            payload: digest of the body in hexadecimal.
        """
        when = headers["x-amz-date"]
        names = sorted(headers)
        signed = ";".join(names)
        lines = "\n".join([f"{name}:{_SPACES.sub(' ', headers[name])}" for name in names])
        canonical = f"{method}\n{path}\n{query}\n{lines}\n\n{signed}\n{payload}"
        scope = f"{when[:8]}/{self._scope}"
        digest = sha256(canonical.encode("latin-1")).hexdigest()
        text = f"{ALGORITHM}\n{when}\n{scope}\n{digest}"
        signature = hmac.digest(self._key_of(when[:8]), text.encode(), "sha256").hex()
        return f"{ALGORITHM} Credential={self._access_key}/{scope},SignedHeaders={signed},Signature={signature}"

    def _key_of(self, day: str) -> bytes:
        if day != self._day:
            key = hmac.digest(self._secret, day.encode(), "sha256")
            for step in self._steps:
                key = hmac.digest(key, step, "sha256")
            self._day, self._key = day, key
        return self._key
