"""The text of a file in the form of /etc/hosts, with the address of some names changed and every other line kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def addresses(text: str, names: Sequence[str]) -> dict[str, str | None]:
    """The address of each name; None for one that is not there. The first line counts, as it does for who reads it."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for line in text.splitlines():
        address, known, _ = _parts(line)
        for name in known:
            if name in found and found[name] is None:
                found[name] = address
    return found


def switched(text: str, wanted: Mapping[str, str | None]) -> str:
    """The text with these addresses, in the place where each name stands; None takes a name away."""
    left = dict(wanted)
    lines = [each for line in text.splitlines() for each in _switched_line(line, wanted, left)]
    lines += [f"{address} {name}" for name, address in left.items() if address is not None]
    return "".join(f"{line}\n" for line in lines)


def _switched_line(line: str, wanted: Mapping[str, str | None], left: dict[str, str | None]) -> list[str]:
    address, names, comment = _parts(line)
    mine = [name for name in names if name in wanted]
    if not mine:
        return [line]
    others = [name for name in names if name not in wanted]
    lines = [" ".join([address, *others]) + comment] if others else []
    for name in mine:
        new = left.pop(name, None)  # a name that stands twice is written once
        if new is not None:
            lines.append(f"{new} {name}" + ("" if lines else comment))
    return lines


def _parts(line: str) -> tuple[str, list[str], str]:
    """Address, names, and the comment with the space before it."""
    content, mark, comment = line.partition("#")
    words = content.split()
    return (words[0] if words else "", words[1:], f"  #{comment}" if mark else "")
