"""Checklists as people write them: braces, JSON, Windows, comments everywhere. A clone keeps what was written."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from clone_kit import example, open_at

from planning.checklist.model.checklist import Checklist
from planning.checklist.model.vocabulary import CloudName, Residency
from planning.checklist.reading.checklist_file import read
from planning.clone.checklist_text import rewrite_text
from planning.clone.decisions.answers_file import read_answers
from planning.clone.decisions.decision import Need
from planning.values.errors import InputError

ASKED = """\
customer:
  name: kelp
  owner: a@kelp.example
workloads:
  - kind: notebooks
    name: notebooks
    hours_per_week: 35
engineers:
  count: 8
"""
JSON = (
    '{"customer": {"name": "kelp", "owner": "a@kelp.example"}, "engineers": {"count": 8}, '
    '"workloads": [{"kind": "notebooks", "name": "notebooks", "hours_per_week": 35}]}\n'
)
LAYOUTS = {
    "nothing of a place": ASKED,
    "an empty section": f"{ASKED}where: {{}}\n",
    "braces": f"{ASKED}where: {{wanted: [aws], cidr: 10.70.0.0/16}}  # ours\n",
    "braces with what goes at the end": f"{ASKED}where: {{wanted: [aws], residency: US, domain: ml.kelp.example}}\n",
    "braces with what goes in the middle": f"{ASKED}where: {{wanted: [aws], domain: ml.kelp.example, joined: false}}\n",
    "braces with what goes alone": f"{ASKED}where: {{domain: ml.kelp.example}}\n",
    "JSON": JSON,
    "marks of a document": f"---\n{ASKED}...\n",
    "marks and comments": f"%YAML 1.1\n---\n{ASKED}# 終わり\n...\n# after\n",
    "several regions": f"{ASKED}where:\n  regions: [us-east-1,\n    us-east-2,  # two\n    us-west-1]\n",
    "unicode": f"# Ü ☃ 😀\n{ASKED}where:\n  # 山\n  regions:\n    - us-east-1  # 東\n  # 海\n  cidr: 10.7.0.0/16\n",
    "quoted keys": f'{ASKED}"where":\n  "regions": ["us-east-1"]\n  "cidr": "10.70.0.0/16"\n',
    "a folded value": f"{ASKED}where:\n  cidr: >-\n    10.70.0.0/16\n",
    "first of all": f"where:\n\n\n  regions   :   [us-east-1]\n{ASKED}",
    "a colon in a comment": f"{ASKED}where:\n  regions: # two: them\n    - us-east-1\n  joined: false\n# where:\n",
    "Windows": f"\ufeff{ASKED}where:\n  regions: [us-east-1]   # ours\n".replace("\n", "\r\n"),
}


def cloned(old: Checklist) -> Checklist:
    where = old.where.model_copy(
        update={
            "wanted": (CloudName.GCP,),
            "regions": ("us-central1",),
            "cidr": IPv4Network("10.71.0.0/16"),
            "domain": None,
            "residency": Residency.ANY,
        }
    )
    return old.model_copy(update={"where": where})


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_and_comments_outlast_a_clone(name: str) -> None:
    old = read(LAYOUTS[name], file="old")
    found, kept = rewrite_text(LAYOUTS[name], old=old, new=cloned(old), file="new", heading="a clone of Ü")
    assert kept, found
    assert read(found, file="new") == cloned(old)
    # What is said inside a list that is replaced goes with it ("two").
    comments = [line.partition("#")[2] for line in LAYOUTS[name].splitlines() if "#" in line]
    assert [each for each in comments if each.strip() not in found and "two" not in each] == []


@pytest.mark.parametrize(
    ("path", "word"), [("where.domain", "NAME"), ("access.sso.client_id", "ID"), ("ceiling.usd_per_month", "VALUE")]
)
def test_a_word_that_stands_for_another_is_no_answer(path: str, word: str) -> None:
    asked = example("finetune-70b")
    where = asked.where.model_copy(update={"domain": "ml.kelp.example"})
    asked = asked.model_copy(update={"where": where})
    found = open_at(asked, "aws", "us-west-2")
    needed = {each.path: "keep" if "sso" in each.path else "none" for each in found if each.need is Need.NEEDED}
    text = "".join(f"{key}: {answer}\n" for key, answer in {**needed, path: word}.items())
    with pytest.raises(InputError) as refused:
        read_answers(text, file="d.yaml", decisions=found, checklist=asked)
    (fault,) = refused.value.faults
    assert fault.message == f"{path}: {word} stands for a word of your own"
    assert fault.hint.startswith("write yours: ")


def test_every_fault_of_a_decisions_file_is_told_with_its_line() -> None:
    asked = example("finetune-70b")
    found = open_at(asked, "aws", "eu-west-1")
    text = "where.residensy: EU\ncontract.months: [1, 2]\naccess.sso.client_id: ID\nceiling.usd_per_month: lots\n"
    with pytest.raises(InputError, match="faults") as refused:
        read_answers(text, file="d.yaml", decisions=found, checklist=asked)
    told = [(fault.line, fault.message) for fault in refused.value.faults]
    assert [line for line, _ in told] == [1, 2, 3, 4, 0]
    assert "where.residency needs a decision" in told[-1][1]
    assert refused.value.faults[0].hint == 'did you mean "where.residency"?'
