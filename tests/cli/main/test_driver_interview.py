"""`atoll init`: Enter writes what the prompt shows, and an answer that cannot be kept is refused at once."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.terminal.interview import INTRODUCTION, interview, parse_answer
from planning.checklist.reading.checklist_file import read
from planning.checklist.reference.questionnaire import QUESTIONS

BY_ID = {question.id: question for question in QUESTIONS}
PROGRESS = re.compile(r"(\d+) of (\d+)  (.*)|again  (.*)")
ODD = [
    "",
    " ",
    "  x  ",
    "yes please",
    "none",
    "any",
    "-1",
    "-0",
    "0",
    "1",
    "3",
    "10",
    "1e30",
    "9" * 31,
    "²",
    "\uff13",
    "3 4",
]
ODD += [
    "ü",
    "日本",
    "a" * 3000,
    "\x1b[A",
    "\udce9",
    "a: b",
    "- x",
    "#",
    '"',
    "'",
    "&a",
    "*a",
    "!!set",
    "<",
    "back",
    "~",
]
ODD += ["H1000", "us-esat-1", "2026-01-01", "12:30", "010", "0x10", ".inf", "true", "null", "[", "{", "1/0", "10^30"]


class Person:
    """Answers by question, then with enter; hears everything that is said."""

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.heard: list[str] = []
        self.prompts: list[tuple[str, str]] = []
        self.progress: list[tuple[int, int]] = []
        self.current = ""
        self._answers = answers
        self._ids = {question.text: question.id for question in QUESTIONS}

    def say(self, line: str) -> None:
        self.heard.append(line)
        if found := PROGRESS.fullmatch(line):
            text = (found[3] or found[4]).removesuffix(" (several: separate by commas)")
            self.current = self._ids[text]
            if found[1]:
                self.progress.append((int(found[1]), int(found[2])))

    def ask(self, prompt: str) -> str:
        assert prompt.startswith("[")
        assert prompt.endswith("] ")
        self.prompts.append((self.current, prompt[1:-2]))
        waiting = self._answers.get(self.current, [])
        return waiting.pop(0) if waiting else ""


def asked(person: Person) -> Any:
    text = interview(person.ask, person.say)
    read(text, file="c.yaml")
    return yaml.safe_load(text)


def at_path(tree: Any, path: str) -> Any:
    """The value at a path, None where it is not written."""
    for part in (word for word in re.split(r"[.\[\]]+", path) if word):
        try:
            tree = tree[int(part) if part.isdecimal() else part]
        except (KeyError, IndexError):
            return None
    return tree


def test_pressing_enter_all_the_way_gives_a_sound_checklist() -> None:
    person = Person({})
    assert asked(person)["workloads"][0]["kind"] == "fine_tuning"
    assert person.heard[0] == INTRODUCTION


@pytest.mark.parametrize("purpose", list(BY_ID["purpose"].choices))
@pytest.mark.parametrize("more", ["yes", "no"])
def test_enter_writes_exactly_what_the_prompt_shows(purpose: str, more: str) -> None:
    person = Person({"purpose": [purpose], "more": [more], "peer": ["no"]})
    written = asked(person)
    for name, shown in person.prompts:
        question = BY_ID[name]
        if not question.path or name == "purpose":
            continue
        value = at_path(written, question.path)
        if shown == question.nothing:
            assert value in (None, []), name
        elif question.several:
            assert value == shown.split(", "), name
        else:
            text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
            assert text == shown, name


def test_what_was_not_asked_is_named_with_its_default() -> None:
    person = Person({})
    written = asked(person)
    start = person.heard.index("not asked, so written with their defaults:")
    named = dict(line.strip().split(": ", 1) for line in person.heard[start + 1 :])
    asked_for = {BY_ID[name].path for name, _ in person.prompts}
    defaults = {question.path for question in QUESTIONS if at_path(written, question.path) is not None}
    assert defaults - asked_for - set(named) == set()
    assert named["workloads[0].frameworks"] == "pytorch"


def test_choices_go_by_word_or_number_and_flags_by_yes_or_no() -> None:
    answers = {"purpose": ["3"], "more": ["y"], "ides": ["2, VSCode"], "burn_in": ["n"], "contract": ["12"]}
    checklist = read(interview((person := Person(answers)).ask, person.say), file="c.yaml")
    assert checklist.workloads[0].kind == "inference"
    assert checklist.engineers is not None
    assert checklist.engineers.ides == ("jupyterlab", "vscode")
    assert checklist.burn_in is False
    assert checklist.contract.months == 12


REFUSED = [
    ("purpose", "mining", "training", '"mining" is none of them'),
    ("purpose", "trainnig", "training", 'did you mean "training"?'),
    ("purpose", "6", "training", '"6" is none of them'),
    ("purpose", "\uff13", "training", '"\uff13" is none of them'),
    ("parameters", "seven", "7B", "seven"),
    ("parameters", "-7B", "7B", "-7B"),
    ("more", "maybe", "no", "answer yes or no"),
    ("more", "yes please", "no", "answer yes or no"),
    ("name", "My Team!", "my-team", "lower case letters"),
    ("name", "Ünï", "my-team", "lower case letters"),
    ("name", "\x1b[A", "my-team", "U+001B"),
    ("owner", "a\udce9@b.example", "a@b.example", "U+DCE9"),
    ("owner", f"{'a' * 3000}@b.example", "a@b.example", "at most 2,000 characters"),
    ("engineers", "-1", "8", "-1"),
    ("engineers", "8.5", "8", "whole number"),
    ("engineers", "yes please", "8", "is not a number"),
    ("engineers", "1" + "0" * 30, "8", "whole number"),
    ("ceiling", "-1", "30000", "-1"),
    ("ceiling", "0", "30000", "more than 0"),
    ("ceiling", "30,000", "30000", "without unit or separators"),
    ("ceiling", "10^30", "30000", "is not a number"),
    ("contract", "3", "36", '"3" is none of them: none, 12, 24, 36'),
    ("contract", "1", "12", '"1" is none of them: none, 12, 24, 36'),
    ("contract", "24 months", "24", "none, 12, 24, 36"),
    ("gpu", "H1000", "H100", 'did you mean "H100"?'),
    ("gpu", "h100", "H100", 'did you mean "H100"?'),
    ("gpu", "potato", "any", "one of: A10, A100"),
    ("region", "us-esat-1", "us-east-1", 'did you mean "us-east-1"?'),
    ("regions", "us-east-1 us-wset-2", "us-west-2", 'did you mean "us-west-2"?'),
    ("wanted", "aws, lamda", "aws", 'did you mean "lambda"?'),
    ("wanted", "aws, any", "aws", '"any" stands alone'),
    ("deadline", "3 days", "3d", "3 days"),
]


@pytest.mark.parametrize(("question", "wrong", "right", "reason"), REFUSED)
def test_an_answer_that_cannot_be_is_refused_with_a_reason(question: str, wrong: str, right: str, reason: str) -> None:
    person = Person({question: [wrong, right]})
    asked(person)
    refusals = [line for line in person.heard if reason in line and line.startswith("  ")]
    assert len(refusals) == 1
    assert refusals[0].isprintable()


def test_a_region_of_another_provider_is_refused_where_it_is_typed() -> None:
    person = Person({"wanted": ["gcp"], "regions": ["us-east-1", "us-central1, us-east4"]})
    where = asked(person)["where"]
    assert where["regions"] == ["us-central1", "us-east4"]
    assert any("aws has it" in line for line in person.heard)


@pytest.mark.parametrize(("cloud", "region"), [("aws", "us-east-1"), ("gcp", "us-central1"), ("azure", "eastus")])
def test_the_default_region_is_one_of_the_cloud(cloud: str, region: str) -> None:
    person = Person({"main_cloud": [cloud]})
    assert asked(person)["main_cloud"]["region"] == region
    assert ("region", region) in person.prompts


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("deadline", "workloads[0].deadline"),
        ("warm", "storage.warm"),
        ("cold", "storage.cold"),
        ("main_cloud", "main_cloud"),
        ("contract", "contract"),
        ("ceiling", "ceiling"),
        ("dataset", "dataset"),
        ("schedulers", "schedulers"),
    ],
)
def test_none_is_a_choice(name: str, absent: str) -> None:
    written = asked(Person({"more": ["yes"], name: ["NONE"]}))
    assert at_path(written, absent) in (None, [])


def test_back_asks_the_question_before_again_with_its_answer() -> None:
    person = Person({"owner": ["<", "ada@acme.example"], "name": ["acme", "BACK", ""], "purpose": []})
    assert asked(person)["customer"] == {"name": "acme", "owner": "ada@acme.example"}
    assert person.prompts[:5] == [
        ("name", "my-team"),
        ("owner", "ml-lead@example.com"),
        ("name", "acme"),
        ("name", "acme"),
        ("owner", "ml-lead@example.com"),
    ]
    assert "  this is the first question" in person.heard


def test_an_answer_that_no_longer_fits_is_no_default() -> None:
    person = Person({"main_cloud": ["aws", "gcp"], "region": ["eu-west-1", "<", ""], "wanted": ["<"]})
    assert asked(person)["main_cloud"] == {"provider": "gcp", "region": "us-central1", "logs_and_metrics": False}
    shown = [default for name, default in person.prompts if name == "region"]
    assert shown == ["us-east-1", "eu-west-1", "us-central1"]


def test_progress_counts_the_questions_that_the_answers_lead_to() -> None:
    person = Person({})
    asked(person)
    (last, total) = person.progress[-1]
    assert last == total
    assert [at for at, _ in person.progress] == list(range(1, total + 1))


@pytest.mark.parametrize(("name", "needed"), [("peer", "vpc_id"), ("ssh", "ssh_key"), ("vpn", "office")])
def test_what_has_no_default_must_be_typed(name: str, needed: str) -> None:
    typed = {"vpc_id": "vpc-0a1b2c3d4e5f60718", "vpc_cidr": "10.0.0.0/16", "office": "203.0.113.0/24"}
    typed["ssh_key"] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKeyOfAda ada"
    answers = {**{key: [value] for key, value in typed.items()}, needed: ["", typed[needed]]}
    person = Person({"more": ["yes"], name: ["no" if name == "vpn" else "yes"], **answers})
    asked(person)
    assert (needed, "no default") in person.prompts
    assert "  an answer is needed" in person.heard


def test_a_default_that_the_answers_rule_out_is_asked_for() -> None:
    """A run on spot machines with a deadline keeps checkpoints, which a person in a hurry is not asked about."""
    person = Person({"spot": ["yes"], "more": ["yes"], "checkpointing": ["no", "yes"]})
    assert asked(person)["workloads"][0]["checkpointing"] == {"enabled": True}
    assert any("keeps no checkpoints" in line for line in person.heard)


class BoredError(Exception):
    """Nobody answers so many questions."""


@settings(derandomize=True, max_examples=60)
@given(st.lists(st.sampled_from(ODD) | st.text(max_size=6) | st.sampled_from(["yes", "2", "gcp", "inference", "H100"])))
def test_whatever_is_typed_ends_in_a_sound_checklist(keys: list[str]) -> None:
    waiting = iter(keys)
    heard: list[str] = []
    count = 0

    def ask(prompt: str) -> str:
        nonlocal count
        count += 1
        if count > 300 + len(keys):
            raise BoredError
        heard.append(prompt)
        needed = {"vpc": "vpc-0a1b2c3d4e5f60718"} if prompt == "[no default] " else {}
        return next(waiting, needed.get("vpc", ""))

    with contextlib.suppress(BoredError):  # where only a public key or the like would do
        assert read(interview(ask, heard.append), file="c.yaml")
    assert all(line.isprintable() for line in heard)


@pytest.mark.parametrize(("typed", "meant"), [("Y", "true"), ("No", "false"), ("true", "true"), ("perhaps", "perhaps")])
def test_flags(typed: str, meant: str) -> None:
    flag = next(question for question in QUESTIONS if question.kind == "bool")
    assert parse_answer(flag, typed) == meant
