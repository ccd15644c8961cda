"""Walks over generated checklists: quotes each, collects what breaks, and says how to see it again.

`python tests/generators/walk.py 50000` walks that many from a free start with every processor;
`--start N` walks the same again, `--jobs N` takes fewer processors.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":  # pytest finds both by its own settings
    sys.path[:0] = [str(ROOT), str(ROOT / "tests/generators")]

from any_checklist import as_yaml, body_of  # noqa: E402 - found where the lines above look
from any_market import DAY, market_now  # noqa: E402 - as above
from any_workload import Body  # noqa: E402 - as above
from quote_laws import broken_laws  # noqa: E402 - as above
from reduction import reduced  # noqa: E402 - as above

from planning.checklist.reading.checklist_file import read  # noqa: E402 - as above
from planning.quoting.quote_builder import quote  # noqa: E402 - as above
from planning.values.errors import InputError, NothingFitsError  # noqa: E402 - as above

BLOCK = 50  # checklists that one process takes at a time
SHOWN = 5  # breaches that a report tells in full
FURTHEST = 2**50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one checklist.

    Args:
        answered: whether there is a quote.
        broken: sentences about what does not hold.
    """

    number: int
    answered: bool
    broken: tuple[str, ...] = ()


def outcome_of(number: int) -> Outcome:
    """Quote the checklist with this number and hold the quote to every law."""
    answered, broken = judged(body_of(number))
    return Outcome(number, answered, broken)


def judged(body: Body) -> tuple[bool, tuple[str, ...]]:
    """Whether a checklist has a quote, and what of it does not hold; what the reader refuses has none."""
    try:
        checklist = read(as_yaml(body), file="checklist.yaml")
        found = quote(checklist, checklist_digest="", stack="walk", market=market_now(), today=DAY)
        return True, tuple(broken_laws(checklist, found))
    except (InputError, NothingFitsError) as refusal:
        return False, () if str(refusal) else ("a refusal without a word",)
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is the finding
        frames = traceback.extract_tb(fault.__traceback__)[:-4:-1]
        where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        return False, (f"crash: {type(fault).__name__}: {fault} ({where})",)


def walked(numbers: Sequence[int], *, jobs: int = 1) -> list[Outcome]:
    """The outcome of each, in order."""
    if jobs == 1:
        return [outcome_of(number) for number in numbers]
    blocks = [numbers[at : at + BLOCK] for at in range(0, len(numbers), BLOCK)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return [each for block in pool.map(walked, blocks) for each in block]


def breaches(found: Sequence[Outcome]) -> str:
    """A report of what broke, with the shortest checklists that show it; "" where nothing did."""
    broken = [each for each in found if each.broken]
    if not broken:
        return ""
    laws = Counter(kind for each in broken for kind in {_kind(breach) for breach in each.broken})
    first = {kind: next(each for each in broken if kind in map(_kind, each.broken)) for kind in laws}
    lines = [f"{len(broken)} of {len(found)} checklists from {found[0].number} on:"]
    lines += [f"  {count} x {kind}" for kind, count in laws.most_common()]
    for kind in [kind for kind, _ in laws.most_common(SHOWN)]:
        body = reduced(body_of(first[kind].number), lambda less, kind=kind: kind in map(_kind, judged(less)[1]))
        said = next(breach for breach in judged(body)[1] if _kind(breach) == kind)
        lines += ["", f"--- checklist {first[kind].number}: {said}", as_yaml(body)]
    return "\n".join(lines)


def _kind(breach: str) -> str:
    """The law that is broken, or the crash and where it happened."""
    law, _, rest = breach.partition(": ")
    return f"{law}: {rest.partition(': ')[0]} {rest.rpartition(' (')[2]}" if law == "crash" else law


def main() -> int:
    """Walk from the command line."""
    options = argparse.ArgumentParser(description="Quote generated checklists and report what breaks.")
    options.add_argument("count", type=int)
    options.add_argument("--start", type=int, default=None)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = options.parse_args()
    start = secrets.randbelow(FURTHEST) if asked.start is None else asked.start
    found = walked(range(start, start + asked.count), jobs=asked.jobs)
    answered = sum(each.answered for each in found)
    sys.stdout.write(f"{len(found)} checklists from {start} on, {answered} with a quote\n{breaches(found)}\n")
    return 1 if any(each.broken for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
