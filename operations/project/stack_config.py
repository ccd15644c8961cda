"""Configuration of a stack as its file says it: values plain, a placeholder for secrets, which only an engine reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.yaml_document import read_fields
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    values = {key: PLACEHOLDER if key in secret_keys else _text(value) for key, value in entries.items()}
    return StackConfig(values=values, secret_keys=secret_keys)


def _mapping(value: object, *, path: Path) -> Mapping[str, object]:
    if not isinstance(value, dict | None):
        raise InputError(f"{path.name}: config must map keys to values")
    return {str(key): entry for key, entry in cast("dict[object, object]", value or {}).items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
