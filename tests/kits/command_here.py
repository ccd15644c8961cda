"""A command line run in this process, over one catalog and one quote of each checklist.

To start a process, to read prices and to quote takes longer than most of what a test looks at, and none of it differs
between two command lines about the same checklist.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from datetime import date
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Final
from unittest.mock import patch

from catalogs.catalog import CURRENT, Catalog, load
from cli.main.application import run
from planning.checklist.model.checklist import Checklist
from planning.quoting.candidates.market import Market
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote

_MOST_QUOTES: Final = 32
_QUOTES: Final[
    dict[object, tuple[Catalog, Quote]]
] = {}  # a catalog is held as long as its quotes, so its id is its own


@cache
def _listed(name: str) -> Catalog:
    return load(name)


def load_once(name: str = CURRENT, **own: Any) -> Catalog:
    """A price book as it is published, read once; with somebody's own prices over it, read each time."""
    return load(name, **own) if own else _listed(name)


def quote_once(checklist: Checklist, *, checklist_digest: str, stack: str, market: Market, today: date) -> Quote:
    """The quote that the same question got before, if it was asked lately; a refusal is found anew."""
    key = (repr(checklist), checklist_digest, stack, id(market.catalog), today)
    if key not in _QUOTES:
        found = quote(checklist, checklist_digest=checklist_digest, stack=stack, market=market, today=today)
        if len(_QUOTES) >= _MOST_QUOTES:
            _QUOTES.clear()
        _QUOTES[key] = (market.catalog, found)
    return _QUOTES[key][1]


ONCE: Final = {"operations.plans.price_book.load": load_once, "operations.plans.quote.quote": quote_once}


@contextmanager
def read_once() -> Iterator[None]:
    """Commands share catalogs and quotes."""
    with ExitStack() as patches:
        for name, answer in ONCE.items():
            patches.enter_context(patch(name, answer))
        yield


def command_here(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """What one command line says in a folder, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with read_once(), chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
