"""Names, the way out and the way to the main network: asked for one after the other, each with a limit of time."""

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
    """Why a name is not found; "" where it is. The resolver knows no limit of time, so it works beside us."""
    found: list[str] = []

    def look() -> None:
        try:
            socket.getaddrinfo(name, None)
            found.append("")
        except (OSError, UnicodeError) as error:
            found.append(str(error))

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
    """HOST:PORT, looked at before anything is asked."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal() and 0 < int(port) <= HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no HOST:PORT")
    return text


def main(words: Sequence[str]) -> int:
    """Ask, and write the record."""
    reader = records.parser(__doc__ or "")
    reader.add_argument("--check", required=True, choices=tuple(COUNTED))
    reader.add_argument("--to", required=True, type=records.words)
    reader.add_argument("--seconds", type=records.above_zero, default=SECONDS)
    told = reader.parse_args(words)
    if told.check != "dns":
        try:
            told.to = tuple(address(each) for each in told.to)
        except argparse.ArgumentTypeError as error:
            reader.error(str(error))
    ask = find_resolution_error if told.check == "dns" else find_connection_error
    faults = {each: ask(each, seconds=told.seconds) for each in told.to}
    fine = sum(not fault for fault in faults.values())
    record = build_record(
        told.check,
        f"network/{told.placement}/{told.check}",
        tool="Python",
        readings=[(COUNTED[told.check], str(fine), ""), ("asked", str(len(faults)), "")],
        failed=[f"{each}: {fault}" for each, fault in faults.items() if fault],
    )
    return report_results([record])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
