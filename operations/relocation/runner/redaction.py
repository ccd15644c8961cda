"""No secret reaches the journal: what is about to be written is looked through first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from operations.relocation.config.endpoints import Keys, Places, Side

SHORTEST: Final = 8  # characters; a shorter one would be found in words that are none
HIDDEN: Final = "***"


def kept_secret(places: Places, values: Mapping[str, str]) -> tuple[str, ...]:
    """What must never be written: secret keys, tokens, addresses of databases and the passwords in them.

    Args:
        values: of the environment variables that the places name.
    """
    names = [name for side in (places.source, places.target) for name in _variables(side)]
    found = [values[name] for name in names if values.get(name)]
    passwords = [each for value in found if (each := _password(value))]
    return tuple(dict.fromkeys([*found, *passwords, *map(unquote, passwords)]))


def _variables(side: Side) -> Iterator[str]:
    for keys in (side.store.mover, side.store.canary, side.store.admin):
        yield from _of_keys(keys)
    yield from (each.uri_env for each in side.databases)


def _of_keys(keys: Keys | None) -> Iterator[str]:
    if keys is not None:
        yield keys.secret_key_env
        if keys.session_token_env:
            yield keys.session_token_env


def _password(address: str) -> str:
    try:
        return urlsplit(address).password or ""
    except ValueError:
        return ""


def without_secrets(value: object, secrets: Iterable[str]) -> object:
    """A JSON value with every secret in it hidden, as text and as a key."""
    known = sorted((each for each in secrets if len(each) >= SHORTEST), key=len, reverse=True)
    return _cleaned(value, known)


def fields_without(fields: Mapping[str, object], secrets: Iterable[str]) -> dict[str, object]:
    """JSON fields with every secret in them hidden."""
    known = tuple(secrets)
    return {key: without_secrets(each, known) for key, each in fields.items()}


def holds_secret(value: object, secrets: Iterable[str]) -> bool:
    """Whether any text of a JSON value holds a secret."""
    return without_secrets(value, secrets) != value


def _cleaned(value: object, secrets: Iterable[str]) -> object:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return {str(_cleaned(str(key), secrets)): _cleaned(each, secrets) for key, each in fields.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each, secrets) for each in cast("list[object]", value)]
    if value is None or isinstance(value, bool | int | float):
        return value
    return _cleaned(str(value), secrets)
