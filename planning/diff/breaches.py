"""The breaches of two sides: which are new, which stand, which are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.diff.form import BreachForm, FoundForm

OVER_CEILING: Final = 10
UNDETERMINED: Final = 11
WORST_FIRST: Final = (OVER_CEILING, 1, 12, 11)  # exit codes, as policies.evaluation has them


def compare_breaches(old: Sequence[FoundForm], new: Sequence[FoundForm]) -> tuple[list[BreachForm], list[BreachForm]]:
    """Breaches after the change, new ones first, and those of the base that are gone.

    Two are the same by rule, resource and property, whatever the amounts. One that was exempted and stops now is new.
    """
    before = {_identity(each) for each in old}
    after = {_identity(each) for each in new}
    found: list[BreachForm] = [{**each, "new": _identity(each) not in before} for each in new]
    gone: list[BreachForm] = [{**each, "new": False} for each in old if _identity(each) not in after]
    return sorted(found, key=lambda each: (not each["new"], not each["stops"])), gone


def exit_code(
    codes: Sequence[int], breaches: Sequence[FoundForm], *, new: Sequence[bool] | None, dearer: bool = False
) -> int:
    """The worst exit code of the breaches that stop.

    Args:
        codes: what each breach leads to.
        new: whether each is new; then an old one counts only where it is over a ceiling, or where it is undetermined
            and the stack gets more expensive. None: all count.
    """
    always = {OVER_CEILING, UNDETERMINED} if dearer else {OVER_CEILING}
    counted = {
        code
        for index, (code, each) in enumerate(zip(codes, breaches, strict=True))
        if each["stops"] and (new is None or new[index] or code in always)
    }
    return next((code for code in WORST_FIRST if code in counted), 1 if counted else 0)


def newness(old: Sequence[FoundForm], new: Sequence[FoundForm]) -> list[bool]:
    """Whether each of `new` is not among `old`."""
    before = {_identity(each) for each in old}
    return [_identity(each) not in before for each in new]


def _identity(found: FoundForm) -> tuple[str, str, str, bool, str]:
    """Rule, resource without the stack's name, property, whether it stops, and whether anybody can tell."""
    return found["rule"], found["urn"].partition("::")[2], found["path"], found["stops"], found["verdict"]
