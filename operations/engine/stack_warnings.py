"""Warnings before an update: an outdated lock, settings without effect, deletion protection that is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.custom_prices.rows import find_own_sources
from operations.project.stack_config import list_unused_keys, read_config
from operations.project.workspace import display_path
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.reading.checklist_file import read_file
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from operations.project.workspace import Project
    from planning.spec.lock import Lock

ALLOW_DESTROY: Final = "atoll:allowDestroy"


def reminders(project: Project, lock: Lock, *, today: date, own: str = "") -> Iterator[str]:
    """One sentence for each: keys without effect, a cluster left open, a quote that ran out, a changed checklist.

    Args:
        own: file of the customer's own price book; "" for none, although the lock may rest on one.
    """
    values = read_config(project.stack_config(lock.stack)).values
    yield from list_unused_keys(values, lock)
    if values.get(ALLOW_DESTROY) == "true":
        off = f"pulumi config rm {ALLOW_DESTROY} -s {lock.stack}"
        yield f"{ALLOW_DESTROY} is true, so anybody can delete the cluster: {off}"
    books = {source.split(":")[1] for line in lock.bill for source in find_own_sources(line.source)}
    if books and not own:
        yield f"the lock rests on price book {', '.join(sorted(books))}, and no --price-book is named"
    if lock.valid_until < today:
        yield f"the quote was valid until {lock.valid_until}; prices may have moved: atoll accept {lock.stack}"
    path = project.checklist(lock.stack)
    try:
        changed = path.exists() and checklist_digest(read_file(path)) != lock.checklist_digest
    except InputError:
        yield f"{display_path(path)} has faults: atoll check {lock.stack}"
        return
    if changed:
        yield f"{display_path(path)} has changed since {lock.option} was accepted: atoll quote {lock.stack}"
