"""What steps remember, in the journal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast, final

from operations.project.journal_records import Kind
from operations.relocation.runner.redaction import holds_secret

if TYPE_CHECKING:
    from collections.abc import Iterable

    from operations.project.journal import Journal


@final
class JournalMemory:
    """Memory on a journal: the first word counts, since the last roll back."""

    def __init__(self, journal: Journal, *, secrets: Iterable[str] = ()) -> None:
        """Args: secrets: values that are never written."""
        self._journal = journal
        self._secrets = tuple(secrets)
        self._words: dict[str, object] = {}
        self._read = 0

    def remember(self, key: str, value: object) -> object:
        """Write a value down, unless the key has one; what is remembered now.

        Raises:
            ValueError: it is not JSON, or holds a secret.
        """
        known = self._known()
        if key in known:
            return known[key]
        try:
            kept = cast("object", json.loads(json.dumps(value, allow_nan=False)))
        except TypeError as error:
            raise ValueError(f"{key}: only JSON can be remembered") from error
        if holds_secret(kept, self._secrets):
            raise ValueError(f"{key}: a secret is not written into the journal")
        self._journal.append(Kind.REMEMBERED, content={"key": key, "value": kept})
        return kept

    def recall(self, key: str) -> object | None:
        """What is remembered; None where nothing is."""
        return self._known().get(key)

    def _known(self) -> dict[str, object]:
        """What is remembered, taken up from where it was last asked."""
        records = self._journal.records
        for record in records[self._read :]:
            if record.kind == Kind.ROLLED_BACK:
                self._words.clear()
            elif record.kind == Kind.REMEMBERED:
                self._words.setdefault(str(record.content["key"]), record.content["value"])
        self._read = len(records)
        return self._words
