"""`atoll init`: every question can be answered with enter, and an answer that cannot be is refused at once."""

from __future__ import annotations

import pytest

from driver.interview import interview, understood
from planning.checklist.question_list import QUESTIONS
from planning.checklist.reading import read


class Person:
    """Answers by question, then with enter; hears everything that is said."""

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.heard: list[str] = []
        self._answers = answers
        self._current = ""
        self._ids = {question.text: question.id for question in QUESTIONS}

    def say(self, line: str) -> None:
        self.heard.append(line)
        for text, name in self._ids.items():
            if line.startswith(text):
                self._current = name

    def ask(self, prompt: str) -> str:
        assert prompt.startswith("[")
        given = self._answers.get(self._current, [])
        return given.pop(0) if given else ""


def test_pressing_enter_all_the_way_gives_a_sound_checklist() -> None:
    person = Person({})
    checklist = read(interview(person.ask, person.say), file="c.yaml")
    assert checklist.workloads[0].kind == "fine_tuning"


def test_choices_go_by_word_or_number_and_flags_by_yes_or_no() -> None:
    person = Person({"purpose": ["3"], "ides": ["2, vscode"], "burn_in": ["n"], "contract": ["12"]})
    checklist = read(interview(person.ask, person.say), file="c.yaml")
    assert checklist.workloads[0].kind == "inference"
    assert checklist.burn_in is False
    assert checklist.contract.months == 12


@pytest.mark.parametrize(
    ("question", "wrong", "right", "said"),
    [
        ("purpose", "mining", "training", '"mining" is none of them'),
        ("parameters", "seven", "7B", "seven"),
        ("vpn", "maybe", "yes", "answer yes or no"),
        ("name", "My Team!", "my-team", "lower case letters"),
        ("ceiling", "-1", "30000", "-1"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_a_reason(question: str, wrong: str, right: str, said: str) -> None:
    person = Person({question: [wrong, right]})
    read(interview(person.ask, person.say), file="c.yaml")
    refusals = [line for line in person.heard if line.startswith("  ") and not line[2].isdigit()]
    assert len(refusals) == 1
    assert said in refusals[0]


@pytest.mark.parametrize(("given", "meant"), [("Y", "true"), ("No", "false"), ("true", "true"), ("perhaps", "perhaps")])
def test_flags(given: str, meant: str) -> None:
    flag = next(question for question in QUESTIONS if question.kind == "bool")
    assert understood(flag, given) == meant
