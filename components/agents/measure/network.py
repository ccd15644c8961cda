"""DNS, egress and the main network: each address is tried in turn, with a time limit."""

from __future__ import annotations

import argparse
import socket
import sys
import threading
from typing import TYPE_CHECKING, Final

from components.agents.measure import records
from components.agents.measure.records import build_record, report_results

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS: Final = 10.0
HIGHEST_PORT: Final = 65535
COUNTED: Final = {"dns": "resolved", "egress": "reached", "peering": "reached"}


def find_resolution_error(name: str, *, seconds: float) -> str:
    """Why a name is not resolved; "" where it is."""
    found: list[str] = []

    def look() -> None:
        try:
            socket.getaddrinfo(name, None)
            found.append("")
        except (OSError, UnicodeError) as error:
            found.append(str(error))

    # The resolver has no time limit of its own.
    asking = threading.Thread(target=look, daemon=True)
    asking.start()
    asking.join(seconds)
    return found[0] if found else f"no answer within {seconds:g} s"


def find_connection_error(address: str, *, seconds: float) -> str:
    """Why nothing listens at HOST:PORT; "" where something does."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds):
            return ""
    except (OSError, UnicodeError) as error:
        return str(error) or type(error).__name__


def address(text: str) -> str:
    """HOST:PORT, checked.

    Raises:
        ArgumentTypeError: it is none.
    """
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal() and 0 < int(port) <= HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no HOST:PORT")
    return text


def main(words: Sequence[str]) -> int:
    """Try every address, and write the record."""
    reader = records.parser(__doc__ or "")
    reader.add_argument("--check", required=True, choices=tuple(COUNTED))
    reader.add_argument("--to", required=True, type=records.words)
    reader.add_argument("--seconds", type=records.above_zero, default=SECONDS)
    options = reader.parse_args(words)
    if options.check != "dns":
        try:
            options.to = tuple(address(each) for each in options.to)
        except argparse.ArgumentTypeError as error:
            reader.error(str(error))
    ask = find_resolution_error if options.check == "dns" else find_connection_error
    faults = {each: ask(each, seconds=options.seconds) for each in options.to}
    fine = sum(not fault for fault in faults.values())
    record = build_record(
        options.check,
        f"network/{options.placement}/{options.check}",
        tool="Python",
        readings=[(COUNTED[options.check], str(fine), ""), ("asked", str(len(faults)), "")],
        failed=[f"{each}: {fault}" for each, fault in faults.items() if fault],
    )
    return report_results([record])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
