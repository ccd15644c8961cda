"""Odd but valid checklists: each finishes in every form of output, from the quote to the handbook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_project import Atoll, Outcome, valid, write_checklist

TODAY = ("--today", "2026-11-21")
CUSTOMER = "customer: {name: acme, owner: ops@acme.example}\n"
ENDS = (0, 10, 11)  # within, over, undetermined: an answer, whatever it says
ODD = {
    "a pretraining with many digits": """
workloads:
  - {name: pretrain, kind: training, model: {parameters: 13B}, tokens: 130B, deadline: 30d}
""",
    "a model of a trillion parameters": """
workloads:
  - {name: giant, kind: training, model: {parameters: 1T, active_parameters: 37B}, tokens: 15T, precision: fp8}
ceiling: {usd_per_month: 1}
""",
    "a run of seconds": """
workloads:
  - {name: tiny, kind: fine_tuning, model: {parameters: 1M}, tokens: 1, runs_per_month: 0.01}
""",
    "digits without end": """
workloads:
  - {name: tune, kind: fine_tuning, model: {parameters: 7000000001}, tokens: 123456789012345678, mfu: 0.3333333333333}
storage: {cold: {size: 123456789.123456789TB}, archive: {size: 0.000001GiB}}
traffic: {egress_per_month: 987654321.987654321TB, logs_per_month: 0.0000001MB}
""",
    "a hundred thousand accelerators": """
workloads:
  - name: fleet
    kind: batch
    accelerators: 100000
    hours_per_month: 730
    hardware: {accelerator: H100}
where: {wanted: [aws]}
""",
    "no accelerator at all": """
workloads:
  - {name: cpu, kind: batch, vcpus: 4, hours_per_month: 0.001}
where: {wanted: [gcp]}
""",
    "names as long as they may be": f"""
workloads:
  - {{name: a{"b" * 30}, kind: inference, model: {{parameters: 7B}}, replicas: 1, max_replicas: 3, batch: 8}}
  - {{name: z{"y" * 30}, kind: notebooks, hours_per_week: 0.01}}
engineers: {{count: 1}}
where: {{wanted: [aws]}}
ceiling: {{usd_per_month: 0.01, usd_per_gpu_hour: 0.0001}}
""",
    "amounts that no budget has": """
workloads:
  - {name: tune, kind: fine_tuning, model: {parameters: 7B}, tokens: 2B, runs_per_month: 7}
support_usd_per_month: 123456789012.345678901234567
contract: {months: 36}
support: 24x7
ceiling: {usd_per_month: 999999999999.999999999999, usd_per_contract: 1000000000000}
""",
}
NO_NUMBER = re.compile(r"\bNaN\b|\bInfinity\b(?! Fabric)|\dE[+-]?\d")  # what a person would not write down
EVERY = pytest.mark.parametrize("odd", ODD)


@pytest.fixture
def asked(project: Path, odd: str) -> Path:
    """The project with the odd checklist as its stack `demo`."""
    write_checklist(project, "demo", CUSTOMER + ODD[odd])
    return project


def refuse_bug(outcome: Outcome) -> None:
    assert "bug in Atoll" not in outcome.err
    assert "Traceback" not in outcome.err


def test_the_table_holds_valid_checklists_alone(project: Path, atoll: Atoll) -> None:
    for text in ODD.values():
        write_checklist(project, "demo", CUSTOMER + text)
        outcome = atoll("check", "demo")
        assert outcome.code == 0, outcome.err


@EVERY
def test_every_form_of_a_quote_finishes(odd: str, asked: Path, atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    written = atoll("quote", "demo", *TODAY, "--html", "q.html", "--markdown", "q.md", "--details")
    refuse_bug(written)
    if written.code == 1:
        assert "nothing on sale satisfies this checklist" in written.err, odd
        return
    assert written.code in ENDS
    assert not NO_NUMBER.search((asked / "q.html").read_text("utf-8"))
    assert not NO_NUMBER.search((asked / "q.md").read_text("utf-8"))
    monkeypatch.setenv("COLUMNS", "60")
    first = atoll("quote", "demo", *TODAY).out.splitlines()
    assert len(first) <= 40
    assert max(map(len, first)) <= 60
    for command in (("quote", "demo", *TODAY, "--option", "recommended"), ("explain", "demo", "recommended", *TODAY)):
        outcome = atoll(*command)
        refuse_bug(outcome)
        assert not NO_NUMBER.search(outcome.out)
    valid("quote", atoll("quote", "demo", *TODAY, "--json").out)
    valid("explain", atoll("explain", "demo", *TODAY, "--json").out)


@EVERY
def test_every_document_of_what_was_accepted_finishes(odd: str, asked: Path, atoll: Atoll) -> None:
    accepted = atoll("accept", "demo", "recommended", *TODAY)
    refuse_bug(accepted)
    if accepted.code:
        assert re.search("over the ceiling|nothing on sale|misses", accepted.err), odd
        return
    for command in (("contract", "demo"), ("onboard", "demo"), ("onboard", "demo", *TODAY, "-o", "days")):
        outcome = atoll(*command)
        refuse_bug(outcome)
        assert outcome.code == 0, outcome.err
        assert not NO_NUMBER.search(outcome.out)
    assert atoll("contract", "demo", "--html", str(asked / "c.html")).code == 0
    refuse_bug(atoll("handbook", "demo", "--to", "book"))
