"""Compares two trees of a project: from their stacks to the document of the comparison."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.diff.evaluation import DiffSide, Questions, asking
from operations.diff.matching import digests, select_pairs
from operations.diff.policy_changes import law_changes
from operations.diff.stack_report import StackRow, build_failed_row, row
from operations.diff.worker_client import Asker
from operations.diff.worktrees import (
    Worktree,
    check_out,
    count_missing_commits,
    merge_base,
    read_tree,
    temporary_folder,
    working_tree,
)
from planning.diff.bill_lines import delta_of, read_expected, sum_of
from planning.diff.breaches import WORST_FIRST
from planning.diff.limits import judge_changes
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path
    from typing import Literal, TypeAlias

    from operations.diff.evaluation import Asking, Progress
    from operations.diff.matching import StackSelection
    from operations.diff.protocol import BookForm
    from operations.diff.worktrees import Tree
    from planning.diff.form import DiffForm, RefForm

    Word: TypeAlias = Literal["within", "over", "undetermined", "failed"]

SCHEMA_VERSION: Final = 1
VERDICTS: Final[tuple[Word, ...]] = ("over", "failed", "undetermined", "within")
OLDER: Final = "the base's Atoll is older and cannot judge: prices, rules and exemptions of the head judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    """What is compared.

    Args:
        head: "" for the working tree.
        from_merge_base: whether the base is where both histories part.
        stacks: names; none for all.
        only_new: whether old breaches, other than of a ceiling, are let pass.
        deadline_s: for one program.
    """

    base: str
    head: str
    from_merge_base: bool
    stacks: tuple[str, ...]
    today: str
    only_new: bool
    deadline_s: float


def compare_project(root: Path, asked: DiffRequest, *, progress: Progress = nullcontext) -> DiffForm:
    """The document of a comparison of the project at `root`.

    Args:
        progress: opened with what is going on, while it lasts.

    Raises:
        InputError: a ref or a stack that is not there, or no side that can judge.
        AtollError: git fails.
    """
    base, head, notes = _trees(root, asked)
    with (
        temporary_folder() as folder,
        check_out(root, base, folder=folder, name="base") as old,
        check_out(root, head, folder=folder, name="head") as new,
    ):
        asker = Asker(folder=folder, today=asked.today, deadline_s=asked.deadline_s)
        return _document(asked, old, new, ask=asking(asker, progress=progress), folder=folder, notes=notes)


def _trees(root: Path, asked: DiffRequest) -> tuple[Tree, Tree, list[str]]:
    """Both trees, and what is to be said of how they lie to each other."""
    base = read_tree(root, asked.base)
    head = read_tree(root, asked.head) if asked.head else working_tree(root)
    tip = head.commit or read_tree(root, "HEAD").commit
    if asked.from_merge_base:
        parted = merge_base(root, base.commit, tip)
        return read_tree(root, parted), head, [f"the base is {parted[:12]}, where {asked.base} and the head part"]
    missing = count_missing_commits(root, base.commit, tip)
    count = "a commit" if missing == 1 else f"{missing} commits"
    said = f"the head lacks {count} of {asked.base}, and what they did shows as taken back: merge, or --merge-base"
    return base, head, [said] if missing else []


def _document(
    asked: DiffRequest, base: Worktree, head: Worktree, *, ask: Asking, folder: Path, notes: list[str]
) -> DiffForm:
    judge = base if base.tree.can_judge else head
    if not judge.tree.can_judge:
        raise InputError("neither side has an Atoll that can judge the other", hint="compare newer commits")
    sides = DiffSide(base, digests(base.tree.files)), DiffSide(head, digests(head.tree.files))
    _refuse_unknown_stacks(asked.stacks, {*sides[0].digests.stacks, *sides[1].digests.stacks})
    picked = select_pairs(sides[0].digests, sides[1].digests, places=(base, head), only=asked.stacks)
    questions = Questions(base=sides[0], head=sides[1], judge=judge, folder=folder)
    rows = _rows(questions, ask, picked, only_new=asked.only_new)
    said = [*notes, *_notes(picked), *([] if base.tree.can_judge else [OLDER])]
    return _form(rows, base, head, untouched=picked.untouched, notes=said)


def _rows(questions: Questions, ask: Asking, picked: StackSelection, *, only_new: bool) -> list[StackRow]:
    """A row for each pair, one in memory with its resources at a time."""
    base, head = questions.base.place, questions.head.place
    rows = [build_failed_row(pair, pair.fault, base=base, head=head) for pair in picked.pairs if pair.fault]
    rows += [
        row(answers, base=base, head=head, only_new=only_new)
        for answers in questions.answer_pairs(picked.pairs, ask=ask)
    ]
    return sorted(rows, key=_order)


def _order(each: StackRow) -> tuple[bool, bool, object, str]:
    """Sort key: failures first, then the most expensive change."""
    form = each.form
    return not form["failure"], form["state"] == "unchanged", -read_expected(form["delta"]), form["stack"]


def _form(rows: Sequence[StackRow], base: Worktree, head: Worktree, *, untouched: int, notes: list[str]) -> DiffForm:
    forms = [each.form for each in rows]
    code = next((code for code in WORST_FIRST if any(each.code == code for each in rows)), 0)
    old, new = sum_of(form["old"] for form in forms), sum_of(form["new"] for form in forms)
    judge = "base" if base.tree.can_judge else "head"
    changed = [
        *law_changes(base, head, judge=judge),
        *judge_changes(base.tree.files, head.tree.files, judge=judge),
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "base": _ref(base.tree, next((each.books[0] for each in rows if each.books[0]), None)),
        "head": _ref(head.tree, next((each.books[1] or each.books[0] for each in rows if any(each.books)), None)),
        "stacks": forms,
        "untouched": untouched,
        "old": old if forms else None,
        "new": new if forms else None,
        "delta": delta_of(old, new) if forms else None,
        "judge_changes": changed,
        "verdict": _verdict(rows),
        "exit_code": code,
        "notes": notes,
    }


def _verdict(rows: Sequence[StackRow]) -> Word:
    """The worst verdict of all stacks that change, also where it does not stop the change."""
    changed = [each.form for each in rows if each.form["state"] != "unchanged"]
    said: set[Word] = {form["after"]["verdict"] for form in changed if form["after"]}
    if any(form["failure"] for form in changed):
        said.add("failed")
    for word in VERDICTS:
        if word in said:
            return word
    return "within"


def _ref(tree: Tree, book: BookForm | None) -> RefForm:
    """One side with its price book, which is not known where no stack differs."""
    return {
        "ref": tree.ref,
        "commit": tree.commit,
        "prices": book["prices"] if book else "",
        "prices_digest": book["prices_digest"] if book else "",
        "prices_as_of": book["prices_as_of"] if book else None,
    }


def _notes(picked: StackSelection) -> Iterator[str]:
    for stack in picked.waiting:
        yield f"{stack!r} has a checklist and no lock: nothing of it is accepted yet, so there is nothing to compare"


def _refuse_unknown_stacks(names: Collection[str], there: Collection[str]) -> None:
    strangers = sorted(set(names) - set(there))
    if strangers:
        raise InputError(f"neither side has a stack {', '.join(map(repr, strangers))}")
