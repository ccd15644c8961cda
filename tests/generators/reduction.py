"""The shortest checklist that still shows a breach: fields and entries are left out while it does."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from any_workload import Body

_MOST_TRIES = 400  # a quote each


def reduced(body: Body, shows: Callable[[Body], bool]) -> Body:
    """The body without whatever it does not need to show the breach."""
    tries, smaller = 0, True
    while smaller:
        smaller = False
        for path in list(_paths(body)):
            if tries >= _MOST_TRIES:
                return body
            less = _without(body, path)
            if less is None:
                continue
            tries += 1
            if shows(less):
                body, smaller = less, True
    return body


def _paths(value: object, *, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every key and index, outermost first, so that whole sections go before their fields."""
    entries: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))[::-1]
    yield from ((*at, key) for key, _ in entries)
    for key, inner in entries:
        yield from _paths(inner, at=(*at, key))


def _without(body: Body, path: tuple[str | int, ...]) -> Body | None:
    """A copy without what stands at the path; None where it is gone already."""
    less: Any = copy.deepcopy(body)
    parent = less
    try:
        for part in path[:-1]:
            parent = parent[part]
        del parent[path[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    return less
