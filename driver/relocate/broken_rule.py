"""A rule of relocation.yaml that is broken, and the one that the store's address and the pods' address share."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

FieldPath = tuple[str | int, ...]
LOCALHOST: Final = "localhost"
HOW_PLAIN: Final = "write https://, or give --plain where the way is safe (a tunnel, a private network)"


class Broken(NamedTuple):
    """A rule that is broken, and where: at a value, or at the name of a section that lacks something."""

    path: FieldPath
    message: str
    hint: str = ""

    @property
    def at_key(self) -> bool:
        """Whether it is the section's name."""
        return " is missing from " in self.message


def in_the_clear(address: str, path: FieldPath) -> Iterator[Broken]:
    """Whether keys would cross a network that others read."""
    if urlsplit(address).scheme == "http" and not _is_near(address):
        yield Broken(path, "keys and objects would cross the network in the clear", HOW_PLAIN)


def _is_near(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == LOCALHOST or ip_address(host).is_loopback
    except ValueError:
        return False
