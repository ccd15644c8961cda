"""`quote --provider` and `--region`: the same as the checklist's own words, for one question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_project import CHECKLIST, Atoll

TODAY = ("--today", "2026-11-21")
Write = Callable[[str], Path]
WHERE = "where:\n  wanted: [aws]\n  regions: [us-east-1]\n"


@pytest.mark.parametrize(
    ("flags", "where"),
    [
        (("--provider", "gcp"), "where:\n  wanted: [gcp]\n"),
        (("--provider", "gcp", "--provider", "nebius"), "where:\n  wanted: [gcp, nebius]\n"),
        (("--region", "us-west-2"), "where:\n  regions: [us-west-2]\n"),
        (
            ("--provider", "aws", "--region", "us-east-2", "--region", "us-west-2"),
            "where:\n  wanted: [aws]\n  regions: [us-east-2, us-west-2]\n",
        ),
    ],
)
def test_the_flags_ask_what_the_checklist_would(
    flags: tuple[str, ...], where: str, atoll: Atoll, checklist: Write
) -> None:
    checklist(CHECKLIST.replace(WHERE, ""))
    flagged = atoll("quote", "demo", *TODAY, "--json", *flags)
    checklist(CHECKLIST.replace(WHERE, where))
    written = atoll("quote", "demo", *TODAY, "--json")
    assert flagged.err == ""
    assert (flagged.code, flagged.out) == (written.code, written.out)


def test_a_flag_replaces_what_the_checklist_says(atoll: Atoll) -> None:
    outcome = atoll("quote", "demo", *TODAY, "--region", "us-west-2")
    assert outcome.code in (0, 11)
    assert "aws-us-west-2-" in outcome.out
    assert "us-east-1" not in outcome.out
    assert "--region us-west-2 --details" in " ".join(outcome.out.split())
    assert "atoll accept" not in outcome.out


@pytest.mark.parametrize(
    ("flags", "message", "hint"),
    [
        (("--provider", "awz"), "there is no provider 'awz'", 'did you mean "aws"?'),
        (("--region", "us-east-11"), 'no wanted provider has a region "us-east-11"', "did you mean"),
        (("--provider", "gcp"), 'no wanted provider has a region "us-east-1"', "aws has it"),
    ],
)
def test_a_wrong_name_is_refused_with_the_one_that_was_meant(
    flags: tuple[str, ...], message: str, hint: str, atoll: Atoll
) -> None:
    outcome = atoll("quote", "demo", *TODAY, *flags)
    assert outcome.code == 1
    assert outcome.out == ""
    assert message in outcome.err
    assert hint in outcome.err


def test_a_provider_that_the_checklist_excludes_is_refused(atoll: Atoll, checklist: Write) -> None:
    checklist(CHECKLIST.replace(WHERE, "where:\n  excluded: [gcp]\n"))
    outcome = atoll("quote", "demo", *TODAY, "--provider", "gcp")
    assert outcome.code == 1
    assert outcome.err.startswith("error: --provider gcp: ")


def test_each_provider_asked_for_has_an_option_or_a_reason(atoll: Atoll) -> None:
    names = ("aws", "runpod", "paperspace")
    flags = [word for name in names for word in ("--provider", name)]
    outcome = atoll("quote", "demo", *TODAY, *flags)
    said = " ".join(outcome.out.split())
    for name in names:
        assert f"{name}-" in said or "No option at" in said.split(name)[0]
