"""The questions of `atoll init`, one by one; an answer that cannot be is refused at once, in the checklist's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.question import Question, is_asked
from planning.checklist.question_list import QUESTIONS
from planning.checklist.questions import compose
from planning.checklist.reading import read
from planning.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE: Final = "checklist.yaml"
TRUTHS: Final = {"y": "true", "yes": "true", "true": "true", "n": "false", "no": "false", "false": "false"}


def interview(ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    """The text of a checklist from a person's answers.

    Args:
        ask: shows a prompt and returns what was typed.
        say: shows a line.

    Raises:
        InputError: answers that only together cannot be; with every fault.
    """
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if is_asked(question, answers=answers):
            answers[question.id] = _answer(question, answers, ask=ask, say=say)
    text = compose(answers)
    read(text, file=FILE)
    return text


def _answer(
    question: Question, answers: dict[str, str], *, ask: Callable[[str], str], say: Callable[[str], None]
) -> str:
    """The first answer to a question that a checklist can hold."""
    say("")
    say(question.text + (" (several: separate them by commas)" if question.several else ""))
    for number, choice in enumerate(question.choices, start=1):
        say(f"  {number}  {choice.word:<24} {choice.meaning}".rstrip())
    while True:
        given = ask(f"[{shown_default(question)}] ").strip() or question.default
        answer = understood(question, given)
        objections = list(objections_to(question, {**answers, question.id: answer}))
        if not objections:
            return answer
        for objection in objections:
            say(f"  {objection}")


def shown_default(question: Question) -> str:
    """What pressing enter means."""
    if question.kind == "bool":
        return "yes" if question.default == "true" else "no"
    return question.default or "none"


def understood(question: Question, given: str) -> str:
    """The answer in the words of a checklist: numbers of choices, "yes" and "y" become what they stand for."""
    if question.kind == "bool":
        return TRUTHS.get(given.casefold(), given)
    if question.kind != "choice":
        return given
    parts = [part.strip() for part in given.split(",")] if question.several else [given]
    return ", ".join(_choice(question, part) for part in parts)


def objections_to(question: Question, answers: dict[str, str]) -> Iterator[str]:
    """What keeps the latest answer out of a checklist; the rest is taken from defaults."""
    answer = answers[question.id]
    known = [choice.word for choice in question.choices]
    if question.kind == "bool" and answer not in TRUTHS.values():
        yield "answer yes or no"
        return
    if known and (strange := [part for part in answer.split(", ") if part not in known]):
        yield f'"{strange[0]}" is none of them: {", ".join(known)}'
        return
    try:
        read(compose(answers), file=FILE)
    except InputError as error:
        for fault in error.faults:
            if question.path and fault.path.startswith(question.path):
                yield fault.message + (f"; {fault.hint}" if fault.hint else "")


def _choice(question: Question, part: str) -> str:
    """A choice by its number, else as it was typed."""
    if part.isdecimal() and part not in {choice.word for choice in question.choices}:
        index = int(part) - 1
        return question.choices[index].word if 0 <= index < len(question.choices) else part
    return part
