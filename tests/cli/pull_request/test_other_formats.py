from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import forms
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.pages.diff import junit, sarif
from cli.terminal.console import show
from cli.views.diff import tables
from policies.table import RULES

# What sarif-schema-2.1.0.json (OASIS, errata 01) demands and what GitHub needs on top, for what we write.
LEVELS = {"none", "note", "warning", "error"}
KEYS = {"ruleId", "level", "message", "locations", "partialFingerprints", "baselineState", "suppressions"}


def document(form: sarif.DiffForm) -> Any:
    return json.loads(sarif.text(form))["runs"][0]


def sample(**changed: object) -> sarif.DiffForm:
    stack = forms.stack(
        breaches=[forms.breach(), forms.breach("tags", stops=False, new=False, exemption="ops until 2026-12-31")],
        ceilings=[forms.ceiling()],
        called_out=[forms.called_out()],
    )
    return forms.diff(stack, forms.failed("gamma"), judge_changes=[forms.judge_change()], **changed)


def test_sarif_tells_every_rule_with_title_demand_remedy_and_level() -> None:
    told = {each["id"]: each for each in document(sample())["tool"]["driver"]["rules"]}
    for rule in RULES:
        assert told[rule.name]["shortDescription"]["text"] == rule.title
        assert rule.demand in told[rule.name]["fullDescription"]["text"]
        assert told[rule.name]["help"]["text"] == rule.remedy
        assert told[rule.name]["defaultConfiguration"]["level"] in LEVELS


def test_sarif_results_are_complete() -> None:
    run = document(sample())
    known = {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert len(run["results"]) == 6
    for each in run["results"]:
        assert each["ruleId"] in known
        assert each["level"] in LEVELS
        assert each["message"]["text"]
        place = each["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] == 1
        assert not place["artifactLocation"]["uri"].startswith("/")
        assert each["partialFingerprints"][sarif.FINGERPRINT]
        assert set(each) <= KEYS
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 10}]


def test_sarif_places_a_breach_at_the_lock_and_splits_new_from_old() -> None:
    new, old = document(sample())["results"][:2]
    uri = new["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "stacks/acme/quote.lock.json"
    assert (new["level"], new["baselineState"]) == ("error", "new")
    assert (old["level"], old["baselineState"]) == ("note", "unchanged")
    assert old["suppressions"][0]["status"] == "accepted"


def test_a_fingerprint_outlives_the_figures() -> None:
    marks = {
        document(forms.diff(forms.stack(breaches=[forms.breach(sentence=said)])))["results"][0]["partialFingerprints"][
            sarif.FINGERPRINT
        ]
        for said in ("96,000.00 USD", "97,000.00 USD")
    }
    assert len(marks) == 1


def test_a_sarif_message_holds_no_link() -> None:
    breach = forms.breach(sentence="[click](http://evil.example)")
    message = document(forms.diff(forms.stack(breaches=[breach])))["results"][0]["message"]["text"]
    assert message == r"acme: \[click\](http://evil.example)"


def test_junit_has_a_case_for_each_stack_and_rule() -> None:
    root = ET.fromstring(junit.text(sample()))  # noqa: S314 - our own
    acme, gamma = root
    assert [case.get("name") for case in acme.findall("testcase")] == [rule.name for rule in RULES]
    assert [case.get("name") for case in acme.findall("testcase") if case.find("failure") is not None] == [
        "monthly-ceiling"
    ]
    assert gamma.find("testcase/error") is not None
    assert (root.get("failures"), root.get("errors")) == ("1", "1")


def test_junit_fails_for_a_rule_that_this_atoll_does_not_know() -> None:
    root = ET.fromstring(junit.text(forms.diff(forms.stack(breaches=[forms.breach("tomorrow")]))))  # noqa: S314
    assert root.find("testsuite/testcase[@name='tomorrow']/failure") is not None


@settings(max_examples=50)
@given(st.text(max_size=80))
def test_junit_and_sarif_hold_whatever_the_names_are(noise: str) -> None:
    stack = forms.stack(noise, breaches=[forms.breach(sentence=noise, urn=noise, path=noise)])
    form = forms.diff(stack, forms.failed(noise, noise))
    assert len(ET.fromstring(junit.text(form).encode())) == 2  # noqa: S314
    assert document(form)["results"]


def test_the_terminal_shows_money_rules_and_what_goes(capsys: Any) -> None:
    show(*tables.parts(sample(verdict="failed")))
    said = capsys.readouterr().out
    for words in ("FAILED for 1 stack and OVER", "+45,937.44 USD a month", "LIMIT RAISED", "WORKFLOW CHANGED"):
        assert words in said
    for words in ("new, stops: Monthly ceiling", "replace: warm", "pool/train", "1,460 → 2,920", "not JSON"):
        assert words in said


def test_the_terminal_takes_no_control_characters_or_mark_up(capsys: Any) -> None:
    evil = "[bold]x[/bold] \x1b[31mred\x07\n[/]"
    stack = forms.stack(evil, notes=[evil], breaches=[forms.breach(sentence=evil)])
    show(*tables.parts(forms.diff(stack, forms.failed(evil, evil), notes=[evil])))
    said = capsys.readouterr().out
    assert "[bold]x[/bold]" in said
    assert "\x1b" not in said
    assert "\x07" not in said


def test_where_no_stack_differs_the_headline_says_so(capsys: Any) -> None:
    show(*tables.parts(forms.diff(old=None, new=None, delta=None, verdict="within")))
    assert capsys.readouterr().out.startswith("within the limits: no stack differs")
