"""Asking for tags again: one that changes at the source changes nothing else that a listing would tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from components.agents.mover.manifests.row_text import line_of, row_of
from components.agents.mover.worker_pool import Hands, Outcome

if TYPE_CHECKING:
    from components.agents.mover.ledger import Written


def asked_again(hands: Hands, key: str, rows: tuple[Written, ...]) -> Outcome:
    """Give the copies of a key the tags that its versions have now."""
    after = tuple(each if each.deleted else _again(hands, each) for each in rows)
    return Outcome(key=key, what="kept" if after == rows else "retagged", rows=after)


def _again(hands: Hands, before: Written) -> Written:
    row = row_of(before.line)
    tags = hands.source.tags(before.key, version=before.version)
    if tags == row.tags:
        return before
    hands.target.set_tags(before.key, tags, version=before.target_version)
    return replace(before, line=line_of(replace(row, tags=tags)))
