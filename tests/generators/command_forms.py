"""Every form in which a quote leaves the command line, and every document of the accepted option.

In this process over one catalog, and one quote of each checklist.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from any_market import DAY, catalog_now, market_now
from command_here import quote_once

from cli.main.application import run
from planning.values.errors import OverCeilingError, UndeterminedError

ANSWERED = (0, OverCeilingError.exit_code, UndeterminedError.exit_code)
STACK = "any"
ROOT = Path(__file__).parents[2]
_REFUSED = 1
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
WIDTHS = (60, 80, 200)
_DATED = ("--today", DAY.isoformat())
_NOT_WRAPPED = frozenset({"--json", "contract", "onboard"})  # JSON, and Markdown for other programs to wrap


@dataclass(frozen=True, slots=True)
class Ended:
    """What one command said, and its exit code."""

    arguments: tuple[str, ...]
    width: int
    code: int
    out: str
    err: str


def faults_of_forms(text: str, folder: Path) -> list[str]:
    """What is wrong with the output of the commands that show this checklist; empty where nothing is."""
    make_project(folder, STACK)
    (folder / "stacks" / STACK / "checklist.yaml").write_text(text)
    pages = folder / "pages"
    pages.mkdir()
    with chdir(folder), _one_catalog():
        faults = [fault for ended in _every_form(pages) for fault in faults_of_output(ended)]
    for page in pages.rglob("*"):
        if page.suffix in {".html", ".md"} and _CONTROL.search(page.read_text()):
            faults.append(f"{page.name}: a control character")
    return faults


def make_project(folder: Path, stack: str) -> None:
    """A project in a folder, with the folder of one stack."""
    (folder / "stacks" / stack).mkdir(parents=True)
    for name in ("Pulumi.yaml", "stacks/__main__.py"):
        (folder / name).write_text((ROOT / name).read_text())


def _every_form(pages: Path) -> Iterator[Ended]:
    for width in WIDTHS:
        yield _ended("explain", STACK, width=width)
    found = _ended("quote", STACK, "--json", *_DATED)
    yield found
    if found.code not in ANSWERED:
        return
    yield _ended("quote", STACK, "--html", f"{pages}/quote.html", "--markdown", f"{pages}/quote.md", *_DATED)
    for width in WIDTHS:
        yield _ended("quote", STACK, *_DATED, width=width)
        yield _ended("quote", STACK, "--details", *_DATED, width=width)
    for at, option in enumerate(json.loads(found.out)["options"]):
        width = WIDTHS[at % len(WIDTHS)]
        yield _ended("quote", STACK, "--option", option["id"], *_DATED, width=width)
        yield _ended("quote", STACK, "--option", option["id"], "--json", *_DATED)
        yield _ended("explain", STACK, option["id"], *_DATED, width=width)
    for option in json.loads(found.out)["options"]:
        accepted = _ended("accept", STACK, option["id"], *_DATED)
        yield accepted
        if accepted.code == 0:
            yield from _documents(pages)
            return


def _documents(pages: Path) -> Iterator[Ended]:
    """What follows from a lock."""
    yield _ended("contract", STACK, "--html", f"{pages}/annex.html", "--markdown", f"{pages}/annex.md")
    yield _ended("contract", STACK)
    yield _ended("onboard", STACK)
    yield _ended("onboard", STACK, "-o", f"{pages}/onboarding", *_DATED)
    yield _ended("handbook", STACK, "-o", f"{pages}/handbook")


def _ended(*arguments: str, width: int = 80) -> Ended:
    out, err = io.StringIO(), io.StringIO()
    with patch.dict("os.environ", {"COLUMNS": str(width)}), redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    return Ended(arguments, width, code, out.getvalue(), err.getvalue())


def faults_of_output(ended: Ended) -> Iterator[str]:
    """What is wrong with what one command said."""
    said = " ".join((*(Path(word).name for word in ended.arguments), f"at {ended.width} columns"))
    if ended.code not in (*ANSWERED, *_may_refuse(ended.arguments)):
        yield f"{said}: exit code {ended.code}: {ended.err.strip()}"
    if "this is a bug" in ended.err or "Traceback" in ended.err:
        yield f"{said}: {ended.err.strip()}"
    if _CONTROL.search(ended.out) or _CONTROL.search(ended.err):
        yield f"{said}: a control character"
    wide = [line for line in ended.out.splitlines() if len(line) > ended.width and " " in line.strip()]
    if wide and _NOT_WRAPPED.isdisjoint(ended.arguments):  # one long word, as a path is, stays whole to be copied
        yield f"{said}: a line of {len(wide[0])} characters: {wide[0]}"


def _may_refuse(arguments: Sequence[str]) -> tuple[int, ...]:
    """Only what asks for a first quote may answer that there is none."""
    first = arguments[0] == "explain" and len(arguments) == len(("explain", STACK))
    return (_REFUSED,) if first or arguments[:3] == ("quote", STACK, "--json") else ()


@contextmanager
def _one_catalog() -> Iterator[None]:
    """One catalog, market and quote for every command: they are the same in each, and most of its time."""
    with (
        patch("operations.plans.quote.price_book", lambda *_args, **_named: catalog_now()),
        patch("operations.plans.quote.Market", lambda _catalog, **_: market_now()),
        patch("operations.plans.quote.quote", quote_once),
    ):
        yield
