"""A comparison as SARIF 2.1.0, the form in which GitHub and GitLab take in what a check found.

The subset that GitHub reads: docs.github.com, "SARIF support for code scanning" (read 2026-11-21).
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from cli.terminal.escaping import plain
from cli.views.diff import amounts
from cli.views.diff.tables import limit_words
from planning.spec.lock import LOCK_NAME
from policies.settings import Level
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.diff.form import BreachForm, DiffForm, StackDiffForm
    from policies.rule import Rule

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION: Final = "2.1.0"
FINGERPRINT: Final = "atollBreach/v1"
LEVELS: Final = {Level.MANDATORY: "error", Level.ADVISORY: "warning", Level.DISABLED: "none"}
_OWN: Final = {  # what is found by comparing, not by a rule
    "failed-stack": ("Stack could not be compared", "Every stack that a change touches can be priced and judged."),
    "moved-limit": ("Limit moved", "A change of a ceiling is seen and approved by whoever pays."),
    "changed-judge": ("What judges was changed", "A change of rules, prices or workflows is reviewed by its owner."),
    "lost-data": ("Data may be lost", "What holds data or is protected is not deleted or replaced by the way."),
}


def text(form: DiffForm) -> str:
    failed = any(stack["state"] == "failed" for stack in form["stacks"])
    run = {
        "tool": {"driver": {"name": "Atoll", "rules": [*map(_rule, RULES), *map(_own_rule, _OWN)]}},
        "invocations": [{"executionSuccessful": not failed, "exitCode": form["exit_code"]}],
        "columnKind": "unicodeCodePoints",
        "results": [*_results(form)],
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.name,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.demand} {rule.why}"},
        "help": {"text": rule.remedy, "markdown": rule.remedy},
        "defaultConfiguration": {"level": LEVELS[rule.level]},
        "properties": {"tags": ["cost", rule.severity.value], "problem.severity": LEVELS[rule.level]},
    }


def _own_rule(rule: str) -> dict[str, object]:
    said, demand = _OWN[rule]
    return {
        "id": rule,
        "name": "".join(word.capitalize() for word in rule.split("-")),
        "shortDescription": {"text": said},
        "fullDescription": {"text": demand},
        "help": {"text": demand, "markdown": demand},
        "defaultConfiguration": {"level": "error" if rule == "failed-stack" else "warning"},
        "properties": {"tags": ["cost"]},
    }


def _results(form: DiffForm) -> Iterator[dict[str, object]]:
    for stack in form["stacks"]:
        lock = f"stacks/{stack['stack']}/{LOCK_NAME}"
        if stack["state"] == "failed":
            yield _result("failed-stack", f"{stack['stack']}: {stack['failure']}", level="error", file=lock)
        yield from (_breach(stack, each, file=lock) for each in stack["breaches"])
        for moved in stack["ceilings"]:
            old, new = (amounts.limit(moved[side]) or moved[side] for side in ("old", "new"))
            words = f"{stack['stack']}: {limit_words(moved['what'])}, {old} -> {new}"
            yield _result("moved-limit", words, level="warning", file=moved["where"], key=moved["what"])
        for lost in stack["called_out"]:
            words = f"{stack['stack']}: {lost['action']} of {lost['name']} ({lost['type']})"
            yield _result("lost-data", words, level="warning", file=lock, key=f"{lost['action']} {lost['urn']}")
    for judge in form["judge_changes"]:
        words = f"{judge['what']}: {judge['words']}"
        yield _result("changed-judge", words, level="warning", file=judge["path"], key=judge["what"])


def _breach(stack: StackDiffForm, each: BreachForm, *, file: str) -> dict[str, object]:
    level = "error" if each["stops"] else "note" if each["exemption"] else "warning"
    key = f"{stack['stack']} {each['urn'].rpartition('::')[2]} {each['path']}"
    found = _result(each["rule"], f"{stack['stack']}: {each['sentence']}", level=level, file=file, key=key)
    found["baselineState"] = "new" if each["new"] else "unchanged"
    if each["exemption"]:
        why = plain(each["exemption"])
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return found


def _result(rule: str, words: str, *, level: str, file: str, key: str = "") -> dict[str, object]:
    """One result; the fingerprint holds as long as it is about the same thing, whatever the figures."""
    # No figure in it: a result stays the same alert while its amounts change.
    mark = sha256(f"{rule}\0{file}\0{key}".encode("utf-8", "replace")).hexdigest()
    place = {"uri": quote(plain(file).lstrip("/"), safe="/"), "uriBaseId": "%SRCROOT%"}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": _message(words)},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": {"startLine": 1}}}],
        "partialFingerprints": {FINGERPRINT: mark},
    }


def _message(words: str) -> str:
    """A plain-text message."""
    line = plain(words, most=2_000).replace("\\", "\\\\")
    # Brackets would begin a link in a plain-text message (SARIF 2.1.0, section 3.11.6).
    return line.replace("[", "\\[").replace("]", "\\]")
