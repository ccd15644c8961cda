"""The questions of `atoll init`, one by one; an answer that cannot be is refused at once, in the checklist's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from planning.checklist.reading.checklist_file import read
from planning.checklist.reference.questionnaire import (
    MORE,
    QUESTIONS,
    Question,
    complete,
    compose,
    derive_default,
    separate,
)
from planning.inputs.faults import nearest
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FILE: Final = "checklist.yaml"
TRUTHS: Final = {"y": "true", "yes": "true", "true": "true", "n": "false", "no": "false", "false": "false"}
BACK: Final = ("<", "back")
LONGEST_ANSWER: Final = 2000  # characters; a public key of 8,192 bits has 1,400
UNDECODABLE: Final = "\N{REPLACEMENT CHARACTER}"
NO_DEFAULT: Final = "no default"
INTRODUCTION: Final = (
    'Enter takes the answer in brackets. "<" goes back one question. Ctrl-C leaves, and nothing is written.'
)
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)


def interview(ask: Callable[[str], str], say: Callable[[str], None]) -> str:
    """The text of a checklist from a person's answers, without a fault.

    Args:
        ask: shows a prompt and returns what was typed.
        say: shows a line.
    """
    say(INTRODUCTION)
    return _Interview(ask, say).run()


@final
class _Interview:
    def __init__(self, ask: Callable[[str], str], say: Callable[[str], None]) -> None:
        self._ask = ask
        self._say = say
        self._answers: dict[str, str] = {}
        self._taken_back: dict[str, str] = {}  # shown again as the default
        self._reopened: set[str] = set()  # asked again for a fault, even where its default was to be kept

    def run(self) -> str:
        while True:
            while question := self._find_next():
                self._put(question)
            text = compose(self._answers)
            faults = find_faults(self._answers)
            if not faults:
                self._say_defaults()
                return text
            for fault in faults:
                self._say(f"  {format_fault(fault)}")
            self._reopen(faults)

    def _find_next(self) -> Question | None:
        whole = complete(self._answers)
        return next((each for each in QUESTIONS if self._is_waiting(each, whole)), None)

    def _is_waiting(self, question: Question, whole: Mapping[str, str]) -> bool:
        if question.id in self._answers or question.id not in whole:
            return False
        skipped = question.detail and self._answers.get(MORE) == "false"
        return not skipped or not derive_default(question, answers=whole) or question.id in self._reopened

    def _put(self, question: Question) -> None:
        default = self._find_default(question)
        self._say("")
        self._say(
            f"{self._format_progress(question)}  {question.text}{' (several: separate by commas)' * question.several}"
        )
        for number, (word, meaning) in enumerate(question.choices.items(), start=1):
            mark = f"{number}  " if question.is_numbered else ""
            self._say(f"  {mark}{word:<24} {meaning}".rstrip())
        while True:
            given = self._ask(f"[{display_answer(question, default) or NO_DEFAULT}] ").strip()
            if given.casefold() in BACK:
                return self._step_back()
            answer = parse_answer(question, given) if given else default
            objections = list(find_objections(question, {**self._answers, question.id: answer}))
            if not objections:
                self._answers[question.id] = answer
                self._taken_back.pop(question.id, None)
                return None
            for objection in objections:
                self._say(f"  {objection}")

    def _find_default(self, question: Question) -> str:
        """The answer taken back before, or the default; "" where the answers since rule both out."""
        known = (self._taken_back.get(question.id, ""), derive_default(question, answers=complete(self._answers)))
        possible = (each for each in known if each)
        return next((each for each in possible if not _refuses(question, {**self._answers, question.id: each})), "")

    def _format_progress(self, question: Question) -> str:
        """As in "4 of 22": of the questions that these answers lead to."""
        whole = complete(self._answers)
        skips = self._answers.get(MORE, "false") == "false"
        ids = [each.id for each in QUESTIONS if each.id in whole and not (skips and each.detail)]
        return f"{ids.index(question.id) + 1} of {len(ids)}" if question.id in ids else "again"

    def _step_back(self) -> None:
        if not self._answers:
            self._say("  this is the first question")
            return
        name, answer = self._answers.popitem()
        self._taken_back[name] = answer

    def _reopen(self, faults: list[Fault]) -> None:
        """Take back the answers that a fault is about.

        Raises:
            InputError: it is about no answer, so that no other answer can correct it.
        """
        whole = complete(self._answers)
        about = {each.id for each in QUESTIONS if each.id in whole for fault in faults if _is_about(fault, each)}
        if not about:
            raise InputError("these answers make no checklist", faults=faults)
        for name in about:
            self._taken_back[name] = self._answers.pop(name, whole[name])
        self._reopened |= about

    def _say_defaults(self) -> None:
        whole = complete(self._answers)
        unasked = [each for each in QUESTIONS if each.id in whole and each.id not in self._answers and each.path]
        if unasked:
            self._say("")
            self._say("not asked, so written with their defaults:")
            for each in unasked:
                self._say(f"  {each.path}: {display_answer(each, whole[each.id])}")


def display_answer(question: Question, answer: str) -> str:
    if question.kind == "bool" and answer:
        return "yes" if answer == "true" else "no"
    return answer


def parse_answer(question: Question, given: str) -> str:
    """The answer in the words of a checklist: numbers of choices, "yes" and "y" become what they stand for."""
    if question.kind == "bool":
        return TRUTHS.get(given.casefold(), given)
    if question.nothing and given.casefold() == question.nothing:
        return question.nothing
    if question.kind != "choice":
        return given
    return ", ".join(_choice(question, part) for part in (separate(given) if question.several else [given]))


def find_objections(question: Question, answers: Mapping[str, str]) -> Iterator[str]:
    """What keeps the latest answer out of a checklist; answers that are still to come are thought to fit."""
    answer = answers[question.id]
    at_sight = _objection(question, answer)
    if at_sight:
        yield at_sight
        return
    later = {each.id: each.example for each in QUESTIONS if each.example and each.id not in answers}
    answered = [each for each in QUESTIONS if each.id in answers]
    for fault in find_faults({**later, **answers}):
        if not fault.path or any(_is_about(fault, each) for each in answered):
            yield format_fault(fault)


def find_faults(answers: Mapping[str, str]) -> list[Fault]:
    try:
        read(compose(answers), file=FILE)
    except InputError as error:
        return list(error.faults) or [Fault(message=str(error), file=FILE)]
    return []


def format_fault(fault: Fault) -> str:
    """A fault in one line, without its place in a file that is not written yet."""
    return fault.message + (f"; {fault.hint}" if fault.hint else "")


def _refuses(question: Question, answers: Mapping[str, str]) -> bool:
    return any(find_objections(question, answers))


def _objection(question: Question, answer: str) -> str:
    if not answer:
        return "an answer is needed"
    if len(answer) > LONGEST_ANSWER:
        return f"an answer has at most {LONGEST_ANSWER:,} characters"
    if strange := next((each for each in answer if not each.isprintable() or each == UNDECODABLE), ""):
        return f"the answer has a character that is not text (U+{ord(strange):04X}); type it again"
    if question.kind == "bool" and answer not in TRUTHS.values():
        return "answer yes or no"
    if question.kind == "number" and answer != question.nothing and not _NUMBER.fullmatch(answer):
        other = f', or "{question.nothing}"' if question.nothing else ""
        return f'"{answer}" is not a number; write it in digits, without unit or separators{other}'
    return _unknown_choice(question, answer) if question.choices else ""


def _unknown_choice(question: Question, answer: str) -> str:
    words = list(question.choices)
    parts = separate(answer) if question.several else [answer]
    if strange := next((part for part in parts if part not in words), ""):
        near = nearest(strange, words)
        hint = f'; did you mean "{near}"?' if near and not strange.isdecimal() else ""
        return f'"{strange}" is none of them: {", ".join(words)}{hint}'
    if question.nothing in parts and len(parts) > 1:
        return f'"{question.nothing}" stands alone: write it, or the others'
    return "" if parts else "an answer is needed"


def _choice(question: Question, part: str) -> str:
    """A choice by its number where it has one, or by its word in any case; else as it was typed."""
    words = list(question.choices)
    if question.is_numbered and part.isascii() and part.isdecimal():
        index = int(part[:4]) - 1
        return words[index] if 0 <= index < len(words) else part
    return next((word for word in words if word.casefold() == part.casefold()), part)


def _is_about(fault: Fault, question: Question) -> bool:
    """Whether a fault lies at the field of a question, or in it, or is about the section that it is in."""
    inside, outside = fault.path, question.path
    return bool(inside and outside) and any(
        one == other or one.startswith((f"{other}.", f"{other}["))
        for one, other in ((inside, outside), (outside, inside))
    )
