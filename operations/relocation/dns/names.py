"""Switches names to the target and back: what every switcher does, a hosts file, and a person who is asked."""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast, final

from operations.project.atomic_files import write_all
from operations.relocation.runner.step import Evidence, Move, StepError
from operations.relocation.writers.suspension import Patience
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from operations.relocation.config.endpoints import NamesMove

    Resolve = Callable[[str], frozenset[str]]


class NameSwitcher(Protocol):
    """Switches names. Every method is idempotent."""

    def switch(self, names: NamesMove, move: Move) -> Evidence:
        """Point the names to the target; what was there before is remembered.

        Raises:
            StepError: they cannot be, or what is there is neither side's.
        """
        ...

    def put_back(self, names: NamesMove, move: Move) -> Evidence:
        """Point the names back; does nothing without a switch."""
        ...


STAR: Final = "\\052"  # how Route 53 writes one


def memory_key_of_name(name: str) -> str:
    return f"dns/{name}"


def is_same(one: str, other: str) -> bool:
    """Whether two addresses or names are equal, ignoring case and a final dot."""
    first, second = (each.replace(STAR, "*").rstrip(".").lower() for each in (one, other))
    return first == second


def concrete_name(name: str) -> str:
    """A name that can be resolved: for a wildcard, some name below it."""
    return f"atoll-asks.{name[2:]}" if name.startswith("*.") else name


def addresses(text: str, names: Sequence[str]) -> dict[str, str | None]:
    """Address of each name; None if it is missing."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for line in text.splitlines():
        address, known, _ = _parts(line)
        for name in known:
            # The first line counts, as it does for the resolver.
            if name in found and found[name] is None:
                found[name] = address
    return found


def switch_addresses(text: str, wanted: Mapping[str, str | None]) -> str:
    """The text with new addresses; None removes a name."""
    left = dict(wanted)
    lines = [each for line in text.splitlines() for each in _switch_line(line, wanted, left)]
    lines += [f"{address} {name}" for name, address in left.items() if address is not None]
    return "".join(f"{line}\n" for line in lines)


def _switch_line(line: str, wanted: Mapping[str, str | None], left: dict[str, str | None]) -> list[str]:
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
    """Address, names, and the comment with its space."""
    content, mark, comment = line.partition("#")
    words = content.split()
    return (words[0] if words else "", words[1:], f"  #{comment}" if mark else "")


UNTIL: Final = Patience(seconds=1800.0, pause=5.0)  # a person sets the names, and caches let go of the old ones


@final
class HostsFile:
    """A file in the format of /etc/hosts, replaced atomically."""

    def switch(self, names: NamesMove, move: Move) -> Evidence:
        path = _file(names)
        text = _read(path)
        there = addresses(text, names.names)
        for name, address in there.items():
            _refuse_foreign_address(name, address, names)
        kept = to_mapping(move.memory.remember(memory_key_of_name(str(path)), {"text": text, "addresses": there}))
        _write(path, switch_addresses(text, dict.fromkeys(names.names, names.target)))
        found = addresses(_read(path), names.names)
        return {"file": str(path), "before": kept.get("addresses"), "now": found}

    def put_back(self, names: NamesMove, move: Move) -> Evidence:
        """Restore the whole file, unless it was changed meanwhile; then only the addresses."""
        path = _file(names)
        kept = to_mapping(move.memory.recall(memory_key_of_name(str(path))))
        if not kept:
            return {}
        before = str(kept["text"])
        text = _read(path)
        ours = switch_addresses(before, dict.fromkeys(names.names, names.target))
        old = cast("dict[str, str | None]", dict(to_mapping(kept["addresses"])))
        # Somebody else's change since then stays: then only our addresses are put back.
        _write(path, before if text in {before, ours} else switch_addresses(text, old))
        return {"file": str(path), "now": addresses(_read(path), names.names)}


def _refuse_foreign_address(name: str, address: str | None, names: NamesMove) -> None:
    """Refuse to overwrite an address of neither side."""
    if address is None or is_same(address, names.target) or not names.source or is_same(address, names.source):
        return
    raise StepError(
        f"{name} points to {address}, which is neither the source's {names.source} nor the target's {names.target}",
        hint="`names` in relocation.yaml says where names point before and after",
    )


def _file(names: NamesMove) -> Path:
    """Path of the file.

    Raises:
        StepError: none is named, or what names are to point to is no address.
    """
    if not names.file:
        raise StepError("no hosts file is named", hint="`file` of `names` in relocation.yaml")
    if stars := [each for each in names.names if "*" in each]:
        raise StepError(f"a hosts file knows no stars: {', '.join(stars)}", hint="write each name")
    try:
        ip_address(names.target)
    except ValueError:
        raise StepError(f"{names.target!r} is no address, and a hosts file holds nothing else") from None
    return Path(names.file).expanduser()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StepError(f"{path} cannot be read: {_words(error)}") from error


def _write(path: Path, text: str) -> None:
    if _read(path) == text:
        return
    try:
        write_all({path: text})
    except OSError as error:
        raise StepError(f"{path} cannot be written: {_words(error)}", hint="run it as somebody who may") from error


def _words(error: Exception) -> str:
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it is no text"


@final
class ManualSwitcher:
    """Asks a person to switch, and waits until it is done."""

    def __init__(self, resolve: Resolve | None = None, *, patience: Patience = UNTIL) -> None:
        """Args: resolve: every address of a name; none where it has none."""
        self._resolve = resolve or resolve_name
        self._patience = patience

    def switch(self, names: NamesMove, move: Move) -> Evidence:
        before = move.memory.remember(
            memory_key_of_name("by_hand"), {each: sorted(self._resolve(concrete_name(each))) for each in names.names}
        )
        return {"by_hand": True, "before": before, "now": self._wait(names, names.target, move)}

    def put_back(self, names: NamesMove, move: Move) -> Evidence:
        """Ask for the old addresses; does nothing if the switch was never asked for."""
        if move.memory.recall(memory_key_of_name("by_hand")) is None:
            return {}
        return {"by_hand": True, "now": self._wait(names, names.source, move)}

    def _wait(self, names: NamesMove, wanted: str, move: Move) -> dict[str, list[str]]:
        """Say what to set, and wait until each name resolves to it.

        Raises:
            StepError: one does not when patience ends.
        """
        if not wanted:
            raise StepError(
                "the addresses that the names are to point to are missing", hint="`source` and `target` of `names`"
            )
        move.say(f"set these names to {wanted}, with a time to live of {names.ttl_seconds} s: {', '.join(names.names)}")
        found: dict[str, list[str]] = {}

        def there() -> bool:
            goal = self._resolve(wanted)
            found.update({each: sorted(self._resolve(concrete_name(each))) for each in names.names})
            return bool(goal) and all(found[each] and goal.issuperset(found[each]) for each in names.names)

        if self._patience.until(there):
            return found
        wrong = ", ".join(f"{name} is at {', '.join(at) or 'no address'}" for name, at in found.items())
        raise StepError(
            f"the names do not point to {wanted} yet: {wrong}",
            hint="set them, wait until their old time to live has passed, and run again",
            evidence={"names": found},
        )


def resolve_name(name: str) -> frozenset[str]:
    """Addresses of a name on this machine; empty if it does not resolve."""
    try:
        return frozenset(str(each[4][0]) for each in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))
    except OSError:
        return frozenset()
