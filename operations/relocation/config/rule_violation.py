"""A rule of relocation.yaml that is broken, and the one that the store's address and the pods' address share."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

FieldPath = tuple[str | int, ...]
LOCALHOST: Final = "localhost"
SCHEMES: Final = ("http", "https")
LONGEST_SHOWN: Final = 80  # characters of a wrong address
HOW_WRITTEN: Final = "write http(s)://host or http(s)://host:port"
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


def check_address(address: str, path: FieldPath, *, in_clear: bool) -> Iterator[Broken]:
    """Whether an address can be read, and keys sent there would not cross a network that others read.

    Args:
        address: "" for one that is not said.
        in_clear: whether they may.
    """
    if not address:
        return
    scheme, host = _split(address)
    if scheme not in SCHEMES or not host:
        yield Broken(path, f'"{address[:LONGEST_SHOWN]}" is not an address', HOW_WRITTEN)
    elif scheme == "http" and not in_clear and not _is_near(host):
        yield Broken(path, "keys and objects would cross the network in the clear", HOW_PLAIN)


def _split(address: str) -> tuple[str, str]:
    """Scheme and host of an address; "" for the host where there is none, or no such port."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:  # a port beyond 65535, or a bracket that does not hold an IPv6 address
        return "", ""
    return parts.scheme, "" if port == 0 else parts.hostname or ""


def _is_near(host: str) -> bool:
    try:
        return host == LOCALHOST or ip_address(host).is_loopback
    except ValueError:
        return False
