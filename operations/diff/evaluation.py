"""Both sides asked about every pair: programs run, the base judging both, the head pricing its own."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operations.diff.matching import lock_text
from operations.diff.protocol import JUDGE, PRICE, REGISTER, failure
from operations.project.workspace import STACKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    from operations.diff.matching import Digests, StackPair
    from operations.diff.protocol import CaseForm
    from operations.diff.worker_client import Asker
    from operations.diff.worktrees import Worktree

    Progress: TypeAlias = Callable[[str], AbstractContextManager[object]]
    Asking: TypeAlias = Callable[[str, Sequence[tuple[Worktree, CaseForm]]], None]

TOLD: Final = {REGISTER: "running {} programs", JUDGE: "judging {} sides", PRICE: "pricing {} stacks"}
PROCESSES: Final = 2
MOST: Final = 25  # stacks in one process: what they hold is free again when it ends


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One side of the comparison."""

    place: Worktree
    digests: Digests


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswers:
    """Files with what was answered for one pair; None where nothing was asked.

    Args:
        registered_old: resources of the base. registered_new: of the head.
        before: the base judging the base. after: the base judging the head.
        priced: the head's prices of the head's resources; None where both sides have the same, or the head has an
            older Atoll that cannot say.
    """

    pair: StackPair
    registered_old: Path | None
    registered_new: Path | None
    before: Path | None
    after: Path | None
    priced: Path | None
    same_prices: bool


@dataclass(kw_only=True)
class Questions:
    """What is asked about all pairs, in two rounds: first the programs, then the money and the rules.

    Args:
        judge: the tree whose catalogs, rules and law judge both sides.
    """

    base: DiffSide
    head: DiffSide
    judge: Worktree
    folder: Path
    _made: int = 0
    _registered: dict[tuple[str, ...], Path] = field(default_factory=dict[tuple[str, ...], Path])

    def answer_pairs(self, pairs: Sequence[StackPair], *, ask: Asking) -> Iterator[PairAnswers]:
        """The answers, once all are there."""
        programs: list[tuple[Worktree, CaseForm]] = []
        found = [(pair, *self._plan_programs(pair, programs)) for pair in pairs if not pair.fault]
        ask(REGISTER, programs)
        judging: list[tuple[Worktree, CaseForm]] = []
        pricing: list[tuple[Worktree, CaseForm]] = []
        answered = [self._plan_judging(pair, old, new, judging, pricing) for pair, old, new in found]
        ask(JUDGE, judging)
        ask(PRICE, pricing)
        yield from answered

    def _plan_programs(
        self, pair: StackPair, cases: list[tuple[Worktree, CaseForm]]
    ) -> tuple[Path | None, Path | None]:
        """Where the resources of both sides will be; programs that register the same are run once."""
        old = self._plan_program(self.base, pair.old_name, cases) if pair.old else None
        new = self._plan_program(self.head, pair.stack, cases) if pair.new else None
        return old, new

    @property
    def _same_prices(self) -> bool:
        return self.base.digests.prices == self.head.digests.prices

    def _plan_program(self, side: DiffSide, stack: str, cases: list[tuple[Worktree, CaseForm]]) -> Path:
        key = side.digests.registers(stack)
        if key not in self._registered:
            self._registered[key] = self._name_file()
            cases.append((side.place, self._build_case(side, stack, answer=self._registered[key])))
        return self._registered[key]

    def _plan_judging(
        self,
        pair: StackPair,
        old: Path | None,
        new: Path | None,
        judging: list[tuple[Worktree, CaseForm]],
        pricing: list[tuple[Worktree, CaseForm]],
    ) -> PairAnswers:
        """Where the verdicts of one pair will be; a side whose program failed has none."""
        before = after = priced = None
        accepted = lock_text(self.base.place, pair.old_name) if pair.old else ""
        if old and _ran(old):
            before = self._name_file()
            judging.append((self.judge, self._build_case(self.base, pair.old_name, answer=before, resources=old)))
        if new and _ran(new):
            after = before if new is old else None
            if after is None:
                after = self._name_file()
                case = self._build_case(self.head, pair.stack, answer=after, resources=new)
                case["before"] = accepted
                judging.append((self.judge, case))
            if not self._same_prices and self.head.place.tree.can_judge:
                priced = self._name_file()
                pricing.append((self.head.place, self._build_case(self.head, pair.stack, answer=priced, resources=new)))
        return PairAnswers(
            pair=pair,
            registered_old=old,
            registered_new=new,
            before=before,
            after=after,
            priced=priced,
            same_prices=self._same_prices,
        )

    def _build_case(self, side: DiffSide, stack: str, *, answer: Path, resources: Path | None = None) -> CaseForm:
        return {
            "stack": stack,
            "answer": str(answer),
            "resources": str(resources or ""),
            "lock": lock_text(side.place, stack) if resources else "",
            "before": "",
            "settings": str(side.place.root / STACKS / f"Pulumi.{stack}.yaml"),
        }

    def _name_file(self) -> Path:
        """A file for an answer."""
        # By number: a stack may be called anything, and its name must not become a path.
        self._made += 1
        return self.folder / f"answer-{self._made}.json"


def asking(asker: Asker, *, progress: Progress) -> Asking:
    """Asks in two processes at a time.

    Args:
        progress: opened with what is going on, while it lasts.
    """

    def ask(what: str, cases: Sequence[tuple[Worktree, CaseForm]]) -> None:
        if not cases:
            return
        with progress(TOLD[what].format(len(cases))), ThreadPoolExecutor(PROCESSES) as threads:
            try:
                running = [threads.submit(asker.ask, place, what, batch) for place, batch in _batches(cases)]
                for each in as_completed(running):
                    each.result()
            except BaseException:
                # Also after Ctrl-C: none of the processes may go on alone.
                asker.stop()
                raise

    return ask


def _batches(cases: Sequence[tuple[Worktree, CaseForm]]) -> Iterator[tuple[Worktree, list[CaseForm]]]:
    """Cases of one tree together, as many batches as keep every process at work."""
    size = min(MOST, max(1, math.ceil(len(cases) / PROCESSES)))
    for place in _places(cases):
        mine = [case for each, case in cases if each is place]
        for start in range(0, len(mine), size):
            yield place, mine[start : start + size]


def _places(cases: Iterable[tuple[Worktree, CaseForm]]) -> list[Worktree]:
    found: list[Worktree] = []
    for place, _ in cases:
        if not any(each is place for each in found):
            found.append(place)
    return found


def _ran(registered: Path) -> bool:
    return not failure(registered)
