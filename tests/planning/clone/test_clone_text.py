"""The new checklist's text: what it says is the clone exactly, and what it does not have to change stays."""

from __future__ import annotations

import pytest
from clone_kit import EXAMPLES, STACKS, example, moved

from planning.checklist.reading.checklist_file import read
from planning.clone.checklist_text import render_checklist, rewrite_text
from planning.clone.decisions.decision import replace_value

HEADING = "A clone of x."


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("place", [("aws", "us-west-2"), ("gcp", "us-central1"), ("nebius", "eu-north1")], ids="-".join)
def test_lines_that_need_not_change_stay_and_the_text_says_the_clone(name: str, place: tuple[str, str]) -> None:
    old, text = example(name), (STACKS / name / "checklist.yaml").read_text()
    new = moved(old, *place)
    found, kept = rewrite_text(text, old=old, new=new, file="new", heading=HEADING)
    assert kept
    assert read(found, file="new") == new
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    assert [line for line in comments if line not in found] == []
    gone = set(text.splitlines()) - set(found.splitlines())
    assert all(line.split(":")[0].strip() in CHANGED for line in gone), gone


CHANGED = (
    *("cidr", "wanted", "regions", "residency", "existing", "provider", "kubeconfig_env", "context"),
    *("accelerator", "form", "client_id", "sharing", "ssh", "object_store"),
)


FLOW = """\
customer: {name: a, owner: o@a.example}
workloads: [{kind: batch, name: b, vcpus: 4}]
where: {cidr: 10.64.0.0/16}
"""
OPEN_ENDED = """\
customer:
  name: a
  owner: o@a.example
workloads:
- kind: batch
  name: b
  vcpus: 4"""
WINDOWS = "\ufeff" + f"{OPEN_ENDED}\nwhere:\n  wanted:   # home\n  - aws # ours\n  # after\n  joined: true\n".replace(
    "\n", "\r\n"
)


@pytest.mark.parametrize("text", [FLOW, OPEN_ENDED, WINDOWS], ids=["flow", "no-newline", "windows"])
def test_whatever_the_layout_the_text_says_the_clone(text: str) -> None:
    old = read(text, file="old")
    new = moved(old, "gcp", "us-central1")
    found, _ = rewrite_text(text, old=old, new=new, file="new", heading=HEADING)
    assert read(found, file="new") == new
    assert HEADING in found


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_plain_listing_says_the_same(name: str) -> None:
    assert read(render_checklist(example(name), heading=HEADING), file="new") == example(name)


def test_a_field_taken_out_takes_its_line_along_and_no_other() -> None:
    text = (STACKS / "demo" / "checklist.yaml").read_text()
    old = example("demo")
    new = replace_value(old, ("ceiling", "usd_per_month"), None)
    found, kept = rewrite_text(text, old=old, new=new, file="new", heading=HEADING)
    assert kept
    assert read(found, file="new") == new
    assert set(text.splitlines()) - set(found.splitlines()) == {"  usd_per_month: 30000"}
