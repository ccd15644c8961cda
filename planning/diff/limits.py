"""Limits and judging files that a change moves: each is a row of its own, and none of them judges that change."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.diff.form import CeilingChangeForm, JudgeChangeForm

AMOUNTS: Final = ("usd_per_month", "usd_per_contract", "usd_per_gpu_hour")
BINDS: Final = "binds"
READINGS: Final = ("max", "expected", "min")  # each lets more through than the one before it
NONE: Final = "none"
# The first that fits a path says what the file is.
KINDS: Final = (
    ("workflow", (".github/", ".gitlab-ci", ".gitlab/", ".ci/")),
    ("prices", ("catalogs/",)),
    ("rules", ("policies/",)),
    (
        "program",
        # `driver/` is in trees of before the rooms `operations/` and `cli/`, and a change may delete it.
        (
            *("components/", "planning/", "operations/", "cli/", "driver/"),
            *("stacks/__", "requirements.lock", "pyproject.toml", "Pulumi.yaml"),
        ),
    ),
)
WORDS: Final = {
    "workflow": "The workflow that runs the checks",
    "prices": "Prices and facts",
    "rules": "The rules",
    "program": "The program, or Atoll itself",
}
OWN: Final = "those of the {} judged"
USED: Final = {"workflow": "run the one of the {}", "program": "the {} judged with its own"}
LISTED: Final = 5
MOST_DIGITS: Final = 30  # before or behind the point; what is longer is no limit that anybody means


def ceiling_changes(old: Mapping[str, object], new: Mapping[str, object], *, where: str) -> Iterator[CeilingChangeForm]:
    """Every limit that differs between two ceilings."""
    for what in (*AMOUNTS, BINDS):
        before, after = _format_limit(old.get(what), what), _format_limit(new.get(what), what)
        if before != after:
            raised = _laxer_reading(before, after) if what == BINDS else _higher(before, after)
            yield {"what": what, "where": where, "old": before, "new": after, "raised": raised}


def judge_changes(old: Mapping[str, str], new: Mapping[str, str], *, judge: str = "base") -> Iterator[JudgeChangeForm]:
    """Every file that judges and differs; many of one folder are one row. The mappings are path to identity.

    Args:
        judge: the side whose files judged.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted({*old, *new}):
        kind = next((kind for kind, starts in KINDS if path.startswith(starts)), "")
        if kind and old.get(path) != new.get(path):
            found.setdefault((kind, path.partition("/")[0]), []).append(path)
    for (kind, folder), paths in found.items():
        for path in paths if len(paths) <= LISTED else ():
            how = "new" if path not in old else "deleted" if path not in new else "changed"
            yield _form(kind, path, f"{WORDS[kind]}, {how}; {USED.get(kind, OWN).format(judge)}.")
        if len(paths) > LISTED:
            yield _form(kind, f"{folder}/", f"{WORDS[kind]}, {len(paths)} files; {USED.get(kind, OWN).format(judge)}.")


def _form(kind: str, path: str, words: str) -> JudgeChangeForm:
    return {"what": kind, "path": path, "words": words}  # pyright: ignore[reportReturnType] - a word of KINDS


def _format_limit(value: object, what: str) -> str:
    """A limit as text; numbers that are equal read equal."""
    if value is None:
        return READINGS[1] if what == BINDS else NONE
    number = _number(str(value))
    return str(value)[:80] if number is None else format(number.normalize(), "f")


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    sane = number.is_finite() and abs(number.adjusted()) <= MOST_DIGITS and len(text) <= MOST_DIGITS
    return number if sane else None


def _higher(before: str, after: str) -> bool:
    """Whether the new limit lets more through; no limit lets everything through, and what is no number may."""
    if NONE in (before, after):
        return after == NONE
    old, new = _number(before), _number(after)
    return old is None or new is None or new > old


def _laxer_reading(before: str, after: str) -> bool:
    known = before in READINGS and after in READINGS
    return not known or READINGS.index(after) > READINGS.index(before)
