"""What a shell may complete: stacks, options and price books. Quick, and silent whatever is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Final

MARKER: Final = "Pulumi.yaml"
CHECKLIST: Final = "checklist.yaml"
LOCK: Final = "quote.lock.json"
LARGEST_LOCK_BYTES: Final = 4 * 2**20


def stacks(incomplete: str) -> list[str]:
    return sorted(each for each in (path.parent.name for path in _checklists()) if each.startswith(incomplete))


def option_ids(incomplete: str) -> list[str]:
    """Views, and the options that were accepted somewhere: asking for a quote would keep the shell waiting."""
    from planning.quoting.search.views import VIEWS  # noqa: PLC0415 - only while a shell completes

    return [each for each in (*VIEWS, *_list_accepted_options()) if each.startswith(incomplete)]


def price_books(incomplete: str) -> list[str]:
    books = Path(__file__).parents[2] / "catalogs" / "books"
    dated = sorted(path.name for path in books.iterdir() if path.is_dir()) if books.is_dir() else []
    return [each for each in ("current", *dated) if each.startswith(incomplete)]


def _checklists() -> list[Path]:
    with suppress(OSError):
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / MARKER).is_file():
                return list((folder / "stacks").glob(f"*/{CHECKLIST}"))
    return []


def _list_accepted_options() -> list[str]:
    found: set[str] = set()
    for path in _checklists():
        lock = path.with_name(LOCK)
        with suppress(OSError, ValueError, RecursionError):
            if lock.stat().st_size <= LARGEST_LOCK_BYTES:
                document: object = json.loads(lock.read_bytes())
                option: object = document.get("option") if isinstance(document, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                found |= {option} if isinstance(option, str) else set()
    return sorted(found)
