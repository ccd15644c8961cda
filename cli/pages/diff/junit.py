"""A comparison as JUnit XML, which every CI shows as tests: one case for each stack and rule."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from cli.terminal.escaping import plain
from cli.views.diff import amounts
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.diff.form import BreachForm, DiffForm, StackDiffForm


def text(form: DiffForm) -> str:
    """The document: a suite for each stack, in which a rule that stops fails and a stack that failed is an error."""
    suites = [_suite(stack) for stack in form["stacks"]]
    tests, failures, errors = (
        sum(counts) for counts in list(zip((0, 0, 0), *(each[1:] for each in suites), strict=True))
    )
    head = f'<testsuites name="atoll diff" tests="{tests}" failures="{failures}" errors="{errors}">'
    body = "\n".join(each[0] for each in suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}\n</testsuites>\n'


def _suite(stack: StackDiffForm) -> tuple[str, int, int, int]:
    name = _attribute(stack["stack"])
    if stack["state"] == "failed":
        words = _attribute(stack["failure"])
        case = f'<testcase classname={name} name="compared"><error message={words}/></testcase>'
        return _render_suite(name, [case], failures=0, errors=1), 1, 0, 1
    named = {rule.name for rule in RULES}
    others = dict.fromkeys(each["rule"] for each in stack["breaches"] if each["rule"] not in named)
    rules = (*(rule.name for rule in RULES), *others)
    told = [(rule, [each for each in stack["breaches"] if each["rule"] == rule]) for rule in rules]
    cases = [
        f"<testcase classname={name} name={_attribute(rule)}>{''.join(_body(found))}</testcase>" for rule, found in told
    ]
    failures = sum(any(each["stops"] for each in found) for _, found in told)
    return (
        _render_suite(name, cases, failures=failures, errors=0, said=_render_headline(stack)),
        len(cases),
        failures,
        0,
    )


def _render_suite(name: str, cases: Sequence[str], *, failures: int, errors: int, said: str = "") -> str:
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0"'
    out = f"\n<system-out>{said}</system-out>" if said else ""
    return f"<testsuite name={name} {counts}>\n" + "\n".join(cases) + f"{out}\n</testsuite>"


def _body(found: Sequence[BreachForm]) -> Iterator[str]:
    stopping = [each for each in found if each["stops"]]
    if stopping:
        kind = _attribute(stopping[0]["verdict"])
        words = _text("\n".join(plain(each["sentence"], most=1_000) for each in stopping))
        yield f"<failure type={kind} message={_attribute(stopping[0]['sentence'])}>{words}</failure>"
    let = [plain(each["sentence"], most=1_000) for each in found if not each["stops"]]
    if let:
        yield f"<system-out>{_text(chr(10).join(let))}</system-out>"


def _render_headline(stack: StackDiffForm) -> str:
    return _text(amounts.headline(stack["delta"], stack["old"], stack["new"]))


def _attribute(outside: str) -> str:
    return f'"{_text(plain(outside, most=1_000))}"'


def _text(line: str) -> str:
    """A text of the document, escaped."""
    # XML 1.0 allows neither of the two; other characters that it does not allow are gone already.
    return escape(line.replace("\ufffe", "").replace("\uffff", ""), quote=True)
