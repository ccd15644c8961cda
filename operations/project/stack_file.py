"""Pulumi.<stack>.yaml: one key of it is ours, everything else stays as people and Pulumi left it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.inputs.files import MissingFileError, read_text
from planning.inputs.yaml_document import parse_fields
from planning.spec.lock import ACCEPTED_KEY
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

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
    changed = _changed(text, option=option)
    if _config(changed, file=str(path)) != {**before, KEY: option}:
        raise InputError(
            f"{path}: {KEY} cannot be put into its config", hint=f"write it by hand under config: {KEY}: {option}"
        )
    return changed


def _changed(text: str, *, option: str) -> str:
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
