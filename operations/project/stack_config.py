"""Configuration of a stack as its file says it: values plain, a placeholder for secrets, which only an engine reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from components.context.settings_reference import SETTINGS
from operations.project.workspace import display_path
from planning.costs.estimates import ESTIMATES_KEY, EstimateUse
from planning.inputs.faults import nearest
from planning.inputs.files import MissingFileError, parse_json, read_text
from planning.inputs.yaml_document import YamlText, parse_fields, read_fields
from planning.spec.lock import ACCEPTED_KEY
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from planning.spec.lock import Lock


PLACEHOLDER: Final = "secret of the stack, not read offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackConfig:
    """Values by full key ("atoll:capacityReservations"); objects as JSON text, as the engine hands them over."""

    values: Mapping[str, str]
    secret_keys: frozenset[str]


def read_config(path: Path) -> StackConfig:
    """The `config` of Pulumi.<stack>.yaml; empty where there is no such file.

    Raises:
        InputError: not YAML, or `config` is not a mapping.
    """
    entries = _mapping(read_fields(path, may_be_missing=True).get("config"), path=path)
    secret_keys = frozenset(key for key, value in entries.items() if isinstance(value, dict) and "secure" in value)
    # What is encrypted stays so: nothing offline needs a secret's value.
    values = {key: PLACEHOLDER if key in secret_keys else _text(value) for key, value in entries.items()}
    return StackConfig(values=values, secret_keys=secret_keys)


def allows_estimates(values: Mapping[str, str]) -> bool:
    """Whether a stack's configuration lets what has no price be estimated.

    Raises:
        InputError: the setting is none of its words.
    """
    said = values.get(ESTIMATES_KEY, EstimateUse.ALLOWED)
    if said not in set(EstimateUse):
        raise InputError(f"{ESTIMATES_KEY} is {said!r}, and must be one of {', '.join(EstimateUse)}")
    return said != EstimateUse.NONE


def _mapping(value: object, *, path: Path) -> Mapping[str, object]:
    if not isinstance(value, dict | None):
        raise InputError(f"{path.name}: config must map keys to values")
    return {str(key): entry for key, entry in cast("dict[object, object]", value or {}).items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


KEY: Final = ACCEPTED_KEY
NEW: Final = """\
# What is built stands in {stack}/quote.lock.json; `atoll accept` writes both.
config:
  {key}: {option}
"""
_OURS: Final = re.compile(rf"^(?P<indent>[ \t]+)(?P<key>[\"']?{KEY}[\"']?):.*$", re.MULTILINE)
_CONFIG: Final = re.compile(r"^config:[ \t]*(?:\{\})?[ \t]*$", re.MULTILINE)


def with_accepted(path: Path, *, option: str) -> str:
    """The text of the stack's configuration with the accepted option in it.

    Raises:
        InputError: the file cannot be read, or holds `config` in a form that no line can be put into.
    """
    stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
    try:
        text = read_text(path)
    except MissingFileError:
        return NEW.format(stack=stack, key=KEY, option=option)
    try:
        before = _config(text, file=str(path))
    except TypeError as error:
        raise InputError(f"{path} cannot be read: {error}", hint="repair it, or remove it") from error
    changed = _set_option(text, option=option)
    if _config(changed, file=str(path)) != {**before, KEY: option}:
        raise InputError(
            f"{path}: {KEY} cannot be put into its config", hint=f"write it by hand under config: {KEY}: {option}"
        )
    return changed


def _set_option(text: str, *, option: str) -> str:
    line = f"{KEY}: {option}"
    if _OURS.search(text):
        return _OURS.sub(lambda found: f"{found['indent']}{line}", text, count=1)
    if _CONFIG.search(text):
        return _CONFIG.sub(f"config:\n  {line}", text, count=1)
    return f"{text.rstrip()}\nconfig:\n  {line}\n".lstrip()


def _config(text: str, *, file: str) -> dict[str, object]:
    """What stands under `config`.

    Raises:
        TypeError: the text is not a mapping of mappings.
    """
    config: object = parse_fields(text, file=file).get("config") or {}
    if not isinstance(config, dict):
        raise TypeError("config is not a mapping")
    return {str(key): value for key, value in config.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


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
    written = YamlText(read_text(path), file=display_path(path))
    for keys, message, hint in found:
        written.add(message, written.at((CONFIG, *keys), at_key=True), hint=hint, path=(CONFIG, *keys))
    raise written.build_refusal()


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


RESERVATIONS_KEY: Final = "atoll:capacityReservations"


def reservations(config: Mapping[str, str]) -> dict[str, str]:
    """Pool name to reservation id.

    Raises:
        InputError: the value is not a mapping.
    """
    text = config.get(RESERVATIONS_KEY, "")
    try:
        found: object = parse_json(text, file=RESERVATIONS_KEY) if text else {}
    except InputError:
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"{RESERVATIONS_KEY} must map pool names to reservation ids, and it is {text!r}",
            hint=f"pulumi config set --path '{RESERVATIONS_KEY}.POOL' cr-...",
        )
    return {str(pool): str(id_) for pool, id_ in cast("dict[object, object]", found).items()}
