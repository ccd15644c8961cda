"""One stack's row of a comparison, put together from what both sides answered."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from operations.diff import protocol
from operations.diff.policy_changes import limit_rows
from planning.diff.bill_lines import amount_of, components, delta_of, drift_of, has_change, may_increase
from planning.diff.breaches import compare_breaches, exit_code, newness
from planning.diff.resources import changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal, TypeAlias

    from operations.diff.evaluation import PairAnswers
    from operations.diff.matching import StackPair
    from operations.diff.protocol import BookForm, JudgedAnswerForm
    from operations.diff.worktrees import Worktree
    from planning.costs.json_shapes import LineForm
    from planning.diff.form import DeltaForm, JudgedForm, StackDiffForm
    from planning.diff.resources import Changes

    State: TypeAlias = Literal["changed", "added", "removed", "renamed", "unchanged"]

FAILED: Final = 1
NAMED: Final = 3
NO_BASE: Final = "it is new: nothing of the base binds it, so the ceilings of its own lock judged it; review them"
GONE: Final = "it is removed here and what it built is not: run `atoll destroy` for it, or it goes on costing"
RENAMED: Final = (
    "its folder is renamed: rename the engine's stack, too (`pulumi stack rename`), or everything is built anew; "
    "exemptions of the old name do not hold for the new one"
)
ACCEPT: Final = "its checklist differs and its lock does not, so nothing of it is built: accept it (`atoll accept`)"


@dataclass(frozen=True, slots=True)
class StackRow:
    """One stack compared.

    Args:
        code: exit code that it leads to.
        books: price books of the base and of the head, as far as they are known.
    """

    form: StackDiffForm
    code: int
    books: tuple[BookForm | None, BookForm | None]


def row(answers: PairAnswers, *, base: Worktree, head: Worktree, only_new: bool) -> StackRow:
    """The row of a pair of which both sides were asked.

    Args:
        only_new: whether breaches that the base has too, other than of a ceiling, are let pass.
    """
    pair = answers.pair
    why = _failure(answers)
    if why:
        return build_failed_row(pair, why, base=base, head=head)
    before, after = protocol.read_policy_answer(answers.before), protocol.read_policy_answer(answers.after)
    old, new = _lines(before), _lines(after)
    moved = changes(protocol.resources(answers.registered_old), protocol.resources(answers.registered_new))
    form = _build_form(pair, before, after, moved)
    prices = protocol.read_price_answer(answers.priced)
    drift, lost = drift_of(new, _bill(prices)) if "bill" in prices else (None, ())
    form["by_prices"] = _still(form) if answers.same_prices else drift
    form["components"] = components(old, new)
    form["ceilings"] = limit_rows(pair, base, head)
    form["notes"] = [
        *_notes(pair, answers, before, after),
        *([prices["failure"]] if prices["failure"] else []),
        *_describe_lost_prices(lost),
    ]
    form["state"] = _state(pair, form, moved)
    return StackRow(form, _code(form, before, after, only_new=only_new), (before.get("book"), prices.get("book")))


def build_failed_row(pair: StackPair, why: str, *, base: Worktree, head: Worktree) -> StackRow:
    """The row of a stack whose cost is not known."""
    form = build_empty_form(pair.stack)
    form["state"], form["failure"], form["was"] = "failed", why, pair.was
    form["ceilings"] = limit_rows(pair, base, head)
    return StackRow(form, FAILED, (None, None))


def build_empty_form(stack: str) -> StackDiffForm:
    """A row in which nothing is said yet."""
    return {
        "stack": stack,
        "state": "changed",
        "was": "",
        "failure": "",
        "old": None,
        "new": None,
        "delta": None,
        "by_change": None,
        "by_prices": None,
        "components": [],
        "counts": None,
        "called_out": [],
        "before": None,
        "after": None,
        "breaches": [],
        "mended": [],
        "exemptions": [],
        "ceilings": [],
        "notes": [],
    }


def _failure(answers: PairAnswers) -> str:
    """Why the head cannot be shown; what fails on the base only is no reason."""
    if answers.registered_new is not None and (said := protocol.failure(answers.registered_new)):
        return said
    if answers.after is not None and (said := protocol.read_policy_answer(answers.after)["failure"]):
        return said
    if answers.priced is not None and (said := protocol.read_price_answer(answers.priced)["failure"]):
        return f"at the head's prices: {said}"
    return ""


def _build_form(pair: StackPair, before: JudgedAnswerForm, after: JudgedAnswerForm, moved: Changes) -> StackDiffForm:
    form = build_empty_form(pair.stack)
    form["was"] = pair.was
    form["old"] = amount_of(_lines(before)) if "bill" in before else None
    form["new"] = amount_of(_lines(after)) if "bill" in after else None
    form["delta"] = form["by_change"] = delta_of(form["old"], form["new"])
    form["counts"], form["called_out"] = moved.counts, moved.called_out
    form["before"], form["after"] = _build_judgement(before), _build_judgement(after)
    form["breaches"], form["mended"] = compare_breaches(before.get("found", []), after.get("found", []))
    form["exemptions"] = after.get("exemptions", [])
    return form


def _lines(answer: JudgedAnswerForm) -> list[LineForm]:
    return answer["bill"]["lines"] if "bill" in answer else []


def _bill(answer: Mapping[str, object]) -> list[LineForm]:
    return _lines(cast("JudgedAnswerForm", answer))


def _build_judgement(answer: JudgedAnswerForm) -> JudgedForm | None:
    if "verdict" not in answer:
        return None
    return {
        "verdict": answer["verdict"],
        "reason": answer.get("reason", ""),
        "exit_code": answer.get("exit_code", FAILED),
    }


def _still(form: StackDiffForm) -> DeltaForm | None:
    """A delta of nothing, where there is a price book for it."""
    return delta_of(form["new"], form["new"]) if form["new"] else None


def _state(pair: StackPair, form: StackDiffForm, moved: Changes) -> State:
    if pair.was:
        return "renamed"
    if pair.old is None or pair.new is None:
        return "added" if pair.old is None else "removed"
    differs = (
        moved.any
        or form["called_out"]
        or form["components"]
        or form["ceilings"]
        or form["mended"]
        or any(each["new"] for each in form["breaches"])
        or has_change(form["by_prices"])
        or form["old"] is None
    )
    return "changed" if differs else "unchanged"


def _code(form: StackDiffForm, before: JudgedAnswerForm, after: JudgedAnswerForm, *, only_new: bool) -> int:
    """The exit code of what stops after the change; a stack in which nothing moves never stops one."""
    found = after.get("found", [])
    if form["state"] == "unchanged":
        return 0
    new = newness(before.get("found", []), found) if only_new else None
    return exit_code(after.get("codes", []), found, new=new, dearer=may_increase(form["old"], form["new"]))


def _notes(pair: StackPair, answers: PairAnswers, before: JudgedAnswerForm, after: JudgedAnswerForm) -> Iterator[str]:
    if pair.old is None:
        yield NO_BASE
    if pair.new is None:
        yield GONE
    if pair.was:
        yield RENAMED
    if pair.old and pair.new and pair.old.checklist != pair.new.checklist and pair.old.lock == pair.new.lock:
        yield ACCEPT
    if answers.registered_old is not None and (said := protocol.failure(answers.registered_old)):
        yield f"there is nothing to compare with: on the base, {said}"
    elif before["failure"]:
        yield f"there is nothing to compare with: the base says {before['failure']}"
    yield from after.get("notes", [])
    yield from over_own(after)


def _describe_lost_prices(labels: Sequence[str]) -> Iterator[str]:
    """What the head's price book has no price for any more, though the base's has."""
    if labels:
        more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
        lost = ", ".join(labels[:NAMED])
        yield f"the head's price book lost the price of {lost}{more}, which its change does not include"


def over_own(after: JudgedAnswerForm) -> Iterator[str]:
    """That a stack costs more than its own new ceiling, which the base's does not tell."""
    own = after.get("ceilings")
    if own is None or own["usd_per_month"] is None or own["binds"] not in {"min", "expected", "max"}:
        return
    limit = own["usd_per_month"]
    month = str(amount_of(_lines(after))["usd_per_month"].get(own["binds"]))
    if Decimal(month) > Decimal(limit):
        yield f"it costs {month} USD a month ({own['binds']}), over the ceiling of its own lock, {limit} USD"
