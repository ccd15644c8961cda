"""Every form in which a quote leaves the command line, run in this process over one catalog."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from any_market import DAY, catalog_now, market_now

from driver.cli import run
from planning.errors import CannotTellError, OverCeilingError

ANSWERED = (0, OverCeilingError.exit_code, CannotTellError.exit_code)
_REFUSED = 1
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_WIDTHS = (60, 80, 120)


@dataclass(frozen=True, slots=True)
class Ended:
    """What one command said, and its exit code."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str


def faults_of_forms(text: str, folder: Path) -> list[str]:
    """What is wrong with the output of the commands that show a quote of this checklist; empty where nothing is."""
    file = folder / "checklist.yaml"
    file.write_text(text)
    faults = [fault for ended in _every_form(file, folder) for fault in _faults(ended)]
    for page in (folder / "quote.html", folder / "quote.md"):
        if page.exists():
            faults += [f"{page.name}: a control character" for _ in _CONTROL.findall(page.read_text())[:1]]
            page.unlink()
    return faults


def _every_form(file: Path, folder: Path) -> Iterator[Ended]:
    dated = ("--today", DAY.isoformat())
    pages = ("--html", str(folder / "quote.html"), "--markdown", str(folder / "quote.md"))
    with _one_catalog():
        for width in _WIDTHS:
            yield _ended(("explain", str(file)), width=width)
        found = _ended(("quote", str(file), "--json", *dated))
        yield found
        if found.code not in ANSWERED:
            return
        yield _ended(("quote", str(file), *pages, *dated))
        for width in _WIDTHS:
            yield _ended(("quote", str(file), *dated), width=width)
        for option in json.loads(found.out)["options"]:
            yield _ended(("quote", str(file), "--option", option["id"], *dated))
            yield _ended(("quote", str(file), "--option", option["id"], "--json", *dated))


def _ended(arguments: Sequence[str], *, width: int = 80) -> Ended:
    out, err = io.StringIO(), io.StringIO()
    with patch.dict("os.environ", {"COLUMNS": str(width)}), redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    return Ended((*arguments, f"COLUMNS={width}"), code, out.getvalue(), err.getvalue())


def _faults(ended: Ended) -> Iterator[str]:
    said = " ".join(Path(word).name for word in ended.arguments)
    if ended.code not in (*ANSWERED, _REFUSED):
        yield f"{said}: exit code {ended.code}: {ended.err.strip()}"
    if "this is a bug" in ended.err or "Traceback" in ended.err:
        yield f"{said}: {ended.err.strip()}"
    if _CONTROL.search(ended.out) or _CONTROL.search(ended.err):
        yield f"{said}: a control character"
    width = int(ended.arguments[-1].partition("=")[2])
    wide = [line for line in ended.out.splitlines() if len(line) > width and " " in line.strip()]
    if "--json" not in ended.arguments and wide:  # one long word, as a path is, stays whole to be copied
        yield f"{said}: a line of {len(wide[0])} characters: {wide[0]}"


@contextmanager
def _one_catalog() -> Iterator[None]:
    """One catalog and one market for every command: they are the same in each, and half of its time."""
    with (
        patch("driver.answers.price_book", lambda *_args, **_named: catalog_now()),
        patch("driver.answers.Market", lambda _catalog: market_now()),
    ):
        yield
