"""Keys of `atoll:` in Pulumi.<stack>.yaml: each has an effect, is refused with its place, or is named as unused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from components.context.settings_keys import SETTINGS
from operations.project.workspace import shown
from planning.inputs.faults import nearest
from planning.inputs.files import read_text
from planning.inputs.yaml_document import YamlText
from planning.spec.lock import ACCEPTED_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from planning.spec.lock import Lock

OURS: Final = "atoll:"
CONFIG: Final = "config"
OFFLINE: Final = "atoll:offline"  # set by `atoll plan` for its own run
BY_POOL: Final = frozenset({"atoll:capacityReservations", "atoll:poolZones"})
BY_USER: Final = frozenset({"atoll:vpnRotations"})
EVERY: Final = "all"
TARGETS: Final[Mapping[str, frozenset[str]]] = {
    each.key: frozenset(each.targets.split(", ")) for each in SETTINGS if each.key.startswith(OURS)
}


def refuse_stack_keys(values: Mapping[str, str], lock: Lock, *, path: Path, names: bool = True) -> None:
    """Refuse keys of ours that nothing reads, and names in them that the cluster does not have.

    Args:
        values: of the stack's configuration, by key.
        names: whether the names are looked at.

    Raises:
        InputError: with every fault, its line and a hint.
    """
    found = list(_faults(values, lock, names=names))
    if not found:
        return
    written = YamlText(read_text(path), file=shown(path))
    for keys, message, hint in found:
        written.add(message, written.at((CONFIG, *keys), at_key=True), hint=hint, path=(CONFIG, *keys))
    raise written.refusal()


def list_unused_keys(values: Mapping[str, str], lock: Lock) -> Iterator[str]:
    """Keys that this stack's clusters do not read, in a sentence each."""
    targets = {spec.placement.target for spec in lock.placements}
    for key in values:
        readers = TARGETS.get(key, frozenset({EVERY}))
        if EVERY not in readers and not readers & targets:
            built, read = ", ".join(sorted(targets)), ", ".join(sorted(readers))
            yield f"{key} has no effect: {lock.stack} is built on {built}, and only {read} reads it"


def _faults(values: Mapping[str, str], lock: Lock, *, names: bool) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Keys of a place, what is wrong there, and what to do."""
    pools = {pool.name for spec in lock.placements for pool in spec.pools}
    users = {user.name for spec in lock.placements for user in spec.access.users}
    for key, text in values.items():
        if not key.startswith(OURS) or key == ACCEPTED_KEY:
            continue
        if key not in TARGETS:
            yield (key,), f"{key} is no setting of Atoll", _hint(key, TARGETS)
        elif key == OFFLINE:
            yield (key,), f"{key} is set by `atoll plan` for its own run", "remove the line"
        elif names and key in BY_POOL:
            yield from _unknown_names(key, text, pools, of="pool")
        elif names and key in BY_USER:
            yield from _unknown_names(key, text, users, of="user")


def _unknown_names(key: str, text: str, known: Iterable[str], *, of: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    try:
        found = cast("object", json.loads(text))
    except ValueError:
        return  # the program says what the value must be
    if isinstance(found, dict):
        names = sorted(set(map(str, cast("dict[object, object]", found))) - set(known))
        yield from (((key, name), f"the cluster has no {of} {name!r}", _hint(name, known)) for name in names)


def _hint(word: str, known: Iterable[str]) -> str:
    words = sorted(known)
    near = nearest(word, words)
    return f'did you mean "{near}"?' if near else f"one of: {', '.join(words)}" if words else "remove the line"
