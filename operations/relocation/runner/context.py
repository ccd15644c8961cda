"""What a relocation is run with, and the relocation itself under the writer's lock."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import unquote, urlsplit

from components.agents.mover.store.model import BucketEndpoint
from operations.project.journal import NAME, Journal, RecordKind
from operations.project.lease import only_writer
from operations.relocation.runner.state import RelocationState, derive_state
from operations.relocation.runner.step import Move, RunContext, StepError
from planning.values.errors import AtollError, InputError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from operations.relocation.config.endpoints import Keys, Places, RelocationSide, StorePlace


SHORTEST: Final = 8  # characters; a shorter one would be found in words that are none
HIDDEN: Final = "***"


def collect_secrets(places: Places, values: Mapping[str, str]) -> tuple[str, ...]:
    """Values that must never be written: secret keys, tokens, URIs of databases and their passwords.

    Args:
        values: of the environment variables that the places name.
    """
    names = [name for side in (places.source, places.target) for name in _variables(side)]
    found = [values[name] for name in names if values.get(name)]
    passwords = [each for value in found if (each := _password(value))]
    # A URI holds a password with escapes, and an error message without them.
    return tuple(dict.fromkeys([*found, *passwords, *map(unquote, passwords)]))


def _variables(side: RelocationSide) -> Iterator[str]:
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


def redact(value: object, secrets: Iterable[str]) -> object:
    """A JSON value with every secret in it hidden, also in keys."""
    known = sorted((each for each in secrets if len(each) >= SHORTEST), key=len, reverse=True)
    return _redact_text(value, known)


def redact_fields(fields: Mapping[str, object], secrets: Iterable[str]) -> dict[str, object]:
    known = tuple(secrets)
    return {key: redact(each, known) for key, each in fields.items()}


def holds_secret(value: object, secrets: Iterable[str]) -> bool:
    return redact(value, secrets) != value


def _redact_text(value: object, secrets: Iterable[str]) -> object:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return {str(_redact_text(str(key), secrets)): _redact_text(each, secrets) for key, each in fields.items()}
    if isinstance(value, list | tuple):
        return [_redact_text(each, secrets) for each in cast("list[object]", value)]
    if value is None or isinstance(value, bool | int | float):
        return value
    return _redact_text(str(value), secrets)


def place_of(store: StorePlace, keys: Keys, bucket: str, values: Mapping[str, str]) -> BucketEndpoint:
    """A bucket with one of the store's pairs of keys.

    Raises:
        StepError: an environment variable is not set.
    """
    missing = [each for each in (keys.access_key_env, keys.secret_key_env) if not values.get(each)]
    if missing:
        raise StepError(f"not set: {', '.join(missing)}", hint="relocation.yaml names them")
    return BucketEndpoint(
        endpoint=store.endpoint,
        region=store.region,
        bucket=bucket,
        access_key=values[keys.access_key_env],
        secret_key=values[keys.secret_key_env],
        session_token=values.get(keys.session_token_env, "") if keys.session_token_env else "",
        authority=store.authority,
        path_style=store.path_style,
    )


@final
class JournalMemory:
    """Memory in a journal: the first value of a key counts, since the last rollback."""

    def __init__(self, journal: Journal, *, secrets: Iterable[str] = ()) -> None:
        """Args: secrets: values that are never written."""
        self._journal = journal
        self._secrets = tuple(secrets)
        self._words: dict[str, object] = {}
        self._read = 0

    def remember(self, key: str, value: object) -> object:
        """Record a value unless the key has one; the recorded value.

        Raises:
            ValueError: it is not JSON, or holds a secret.
        """
        known = self._read_known()
        if key in known:
            return known[key]
        try:
            # As it will be read: a tuple becomes a list at once, not only after a restart.
            kept = cast("object", json.loads(json.dumps(value, allow_nan=False)))
        except TypeError as error:
            raise ValueError(f"{key}: only JSON can be remembered") from error
        # Refused, not masked: a step would act on a masked value when it runs again.
        if holds_secret(kept, self._secrets):
            raise ValueError(f"{key}: a secret is not written into the journal")
        self._journal.append(RecordKind.REMEMBERED, content={"key": key, "value": kept})
        return kept

    def recall(self, key: str) -> object | None:
        return self._read_known().get(key)

    def _read_known(self) -> dict[str, object]:
        """Recorded values, read from where the last call ended."""
        records = self._journal.records
        for record in records[self._read :]:
            if record.kind == RecordKind.ROLLED_BACK:
                self._words.clear()
            elif record.kind == RecordKind.REMEMBERED:
                self._words.setdefault(str(record.content["key"]), record.content["value"])
        self._read = len(records)
        return self._words


FOLDER_MODE: Final = 0o700
RUN: Final = "atoll relocate run {source} {target}"
ROLL_BACK: Final = "atoll relocate rollback {source} {target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedRun:
    """A relocation whose run lock is held.

    Args:
        hidden: what must never be written down.
    """

    parts: RunContext
    journal: Journal
    move: Move
    hidden: tuple[str, ...]

    @property
    def stands(self) -> RelocationState:
        return derive_state(self.journal.records)

    def clean(self, evidence: Mapping[str, object]) -> dict[str, object]:
        """Evidence without secrets."""
        # Here, too, although steps take care: evidence is written into the journal.
        return redact_fields(evidence, self.hidden)

    def reason(self, fault: Exception) -> str:
        """Reason of a failure, in one line without secrets."""
        words = in_one_line(fault) if isinstance(fault, AtollError) else f"{type(fault).__name__}: {fault}"
        return str(self.clean({"reason": words})["reason"])


@contextmanager
def lock_run(parts: RunContext) -> Generator[LockedRun]:
    """Take the run lock of a relocation and read its journal.

    Raises:
        InputError: another process runs it, or the journal is broken or of other stacks.
    """
    parts.folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    parts.folder.chmod(FOLDER_MODE)
    with only_writer(parts.folder, at=parts.now()):
        journal = Journal(parts.folder / NAME, now=parts.now)
        try:
            if journal.torn:
                parts.say("the journal's last line was never finished: dropped, its step runs again")
            _hold_stacks(parts, journal)
            yield _with_memory(parts, journal)
        finally:
            journal.close()


def _hold_stacks(parts: RunContext, journal: Journal) -> None:
    source, target = parts.places.source.stack, parts.places.target.stack
    if not journal.records:
        journal.append(RecordKind.OPENED, content={"source": source, "target": target})
    first = journal.records[0].content
    if (first.get("source"), first.get("target")) != (source, target):
        message = f"{journal.path} is of {first.get('source')} and {first.get('target')}, not of {source} and {target}"
        raise InputError(message, hint="each pair of stacks has a folder of its own")


def _with_memory(parts: RunContext, journal: Journal) -> LockedRun:
    hidden = collect_secrets(parts.places, parts.secrets)
    move = Move(
        places=parts.places,
        folder=parts.folder,
        secrets=parts.secrets,
        memory=JournalMemory(journal, secrets=hidden),
        say=parts.say,
        now=parts.now,
    )
    return LockedRun(parts=parts, journal=journal, move=move, hidden=hidden)
