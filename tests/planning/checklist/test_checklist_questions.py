"""What `atoll init` asks, and the checklist that the answers become."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.checklist.model.structure import kinds, section_at
from planning.checklist.reading.checklist_file import read
from planning.checklist.reference.questionnaire import QUESTIONS, Question, complete, compose, derive_default, is_asked
from planning.values.errors import InputError

IDS = [question.id for question in QUESTIONS]
# Answers that a yes or a choice makes necessary.
NEEDED = {
    "office": "203.0.113.0/24, 198.51.100.0/24",
    "vpc_id": "vpc-0a1b2c3d4e5f60718",
    "vpc_cidr": "10.0.0.0/16",
    "ssh_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKeyOfAda ada",
}
NETWORKS = {  # a network is named differently at each cloud
    "gcp": "projects/acme-core/global/networks/main",
    "azure": "/subscriptions/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9/resourceGroups/core/providers/Microsoft.Network"
    "/virtualNetworks/main",
}
EACH = [(question.id, word) for question in QUESTIONS for word in question.choices]
EACH += [(question.id, word) for question in QUESTIONS if question.kind == "bool" for word in ("true", "false")]

answers = st.fixed_dictionaries(
    {},
    optional={
        question.id: (
            st.sampled_from(list(question.choices))
            if question.choices
            else st.sampled_from(["true", "false"])
            if question.kind == "bool"
            else st.just(NEEDED.get(question.id, question.default))
        )
        for question in QUESTIONS
        if not question.default_by
    },
)


def test_default_answers_become_a_checklist_without_a_fault() -> None:
    text = compose({})
    assert text.startswith("# yaml-language-server: $schema=../checklist.schema.json\n")
    asked = read(text, file="checklist.yaml")
    assert asked.workloads[0].kind == "fine_tuning"
    assert asked.ceiling.usd_per_month == 30000


@pytest.mark.parametrize(("name", "word"), EACH)
def test_every_choice_becomes_a_checklist_without_a_fault(name: str, word: str) -> None:
    needs = {"contract": "12"} if name == "incentives" else {}
    network = {"vpc_id": NETWORKS[word]} if word in NETWORKS else {}
    assert read(compose({**NEEDED, **needs, **network, name: word}), file="checklist.yaml")


@settings(derandomize=True)
@given(answers)
def test_any_mix_of_choices_becomes_a_checklist_without_a_fault(mix: dict[str, str]) -> None:
    wanted = {**NEEDED, **mix}
    if wanted.get("wanted", "any") != "any":  # one provider may lack what the others have
        wanted = {name: word for name, word in wanted.items() if name not in {"object_store", "ssh", "vpn", "burn_in"}}
    if wanted.get("contract", "none") == "none":
        wanted.pop("incentives", None)
    wanted["vpc_id"] = NETWORKS.get(wanted.get("main_cloud", ""), wanted["vpc_id"])
    if wanted.get("spot") == "true":
        wanted["checkpointing"] = "true"
    if wanted.get("ssh") == "true":
        wanted["vpn"] = "true"
    assert read(compose(wanted), file="checklist.yaml")


@settings(derandomize=True)
@given(
    st.dictionaries(st.sampled_from(IDS), st.text() | st.sampled_from(["no", "1e9", "010", "- a", "a: b", '"', "#"]))
)
def test_any_answer_at_all_becomes_a_text_that_reading_judges(mix: dict[str, str]) -> None:
    with contextlib.suppress(InputError):
        assert read(compose(mix), file="checklist.yaml")


def test_every_line_says_what_it_is_for() -> None:
    fields = [line for line in compose({}).splitlines() if re.search(r": \S", line) and not line.startswith("#")]
    assert [line for line in fields if "  # " not in line] == []


def test_questions_are_numbered_by_name_and_refer_back() -> None:
    assert len(set(IDS)) == len(IDS)
    for at, question in enumerate(QUESTIONS):
        assert set(question.when) <= set(IDS[:at])
        if question.choices and not question.several:
            assert question.default in question.choices
        assert set(question.unless) <= set(IDS[:at])
        assert question.default or question.default_by or question.example


def test_a_default_may_follow_from_an_earlier_answer() -> None:
    region = next(question for question in QUESTIONS if question.id == "region")
    assert derive_default(region, answers={"main_cloud": "azure"}) == "eastus"
    assert "region: eastus" in compose({"main_cloud": "azure"})


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.path], ids=lambda question: question.id)
def test_every_question_fills_a_field_of_the_model(question: Question) -> None:
    path = [part for part in re.split(r"[.\[\]]+", question.path) if part]
    location = [int(part) if part.isdecimal() else part for part in path]
    variants = [[*location[:2], kind, *location[2:]] for kind in kinds()] if path[0] == "workloads" else [location]
    sections = [section_at(tuple(variant[:-1])) for variant in variants]
    assert any(section is not None and path[-1] in section.model_fields for section in sections)


def test_what_is_not_asked_is_not_answered() -> None:
    whole = complete({"purpose": "notebooks", "tokens": "1T", "main_cloud": "none", "vpc_id": "vpc-1"})
    assert {"tokens", "vpc_id", "region"} & set(whole) == set()
    assert all(is_asked(question, answers=whole) == (question.id in whole) for question in QUESTIONS)


def test_a_peering_without_its_vpc_is_a_fault_on_its_line() -> None:
    with pytest.raises(InputError) as caught:
        read(compose({"peer": "true", "vpc_cidr": "10.0.0.0/16"}), file="checklist.yaml")
    assert "vpc_id" in caught.value.faults[0].source_line
