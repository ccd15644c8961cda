"""A relocation's plan as Markdown, for a review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.views.relocation import (
    LEFT_OUT_HEADS,
    MOVED_HEADS,
    STEP_HEADS,
    conclusion,
    describe_bill_line,
    format_thing_size,
    heading,
    left_out_rows,
    line_amounts,
    losses_text,
    mover_text,
    sections,
    select_moved,
    step_rows,
    sum_cells,
)
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.costs.json_shapes import LineForm
    from planning.relocation.form import ByHandForm, RelocationPlanForm


FENCE: Final = "```"


def by_hand_text(form: RelocationPlanForm) -> Iterator[str]:
    if not form["by_hand"]:
        return
    yield from ("", "## What Atoll does not move by itself", "")
    yield (
        "The run stops before its databases until by-hand.yaml says of each who checked it at the target, when and "
        "how; atoll relocate plan --draft writes it with empty marks. SOURCE and TARGET are contexts of kubectl."
    )
    for each in form["by_hand"]:
        yield from _thing(each)


def _thing(thing: ByHandForm) -> Iterator[str]:
    yield from (
        "",
        f"### {_escape_words(thing['key'])}",
        "",
        f"{_escape_words(thing['title'])}: {_escape_words(thing['why'])}.",
    )
    for way in thing["ways"]:
        source = f" ({_escape_words(way['source'])})" if way["source"] else ""
        yield from ("", f"**{_escape_words(way['title'])}**{source}", "", FENCE)
        yield from way["text"].replace(FENCE, "'''").splitlines()
        yield FENCE
        if way["loses"]:
            yield from ("", "What that loses:", "")
            yield from (f"- {_escape_words(each)}" for each in way["loses"])


def text(form: RelocationPlanForm) -> str:
    return printable("\n".join(_parts(form))).rstrip() + "\n"


def bill_text(form: RelocationPlanForm) -> str:
    return printable("\n".join([*_bill(form), "", *_notes(form)])).rstrip() + "\n"


def _parts(form: RelocationPlanForm) -> Iterator[str]:
    yield f"# Relocation of {_escape_words(form['source']['stack'])}"
    yield ""
    yield _escape_words(heading(form))
    yield ""
    yield from (f"- {_escape_words(each)}" for each in conclusion(form))
    yield from ("", "## What moves", "")
    yield from _table(
        MOVED_HEADS,
        (
            (each["title"], each["loss"], format_thing_size(each), mover_text(each), losses_text(each))
            for each in select_moved(form)
        ),
    )
    yield from ("", "## What is left out", "")
    yield from _table(
        LEFT_OUT_HEADS,
        left_out_rows(form),
        right=(3,),
    )
    yield from (
        f"\nNot asked: {_escape_words(each['what'])}: {_escape_words(each['why'])}." for each in form["unlooked"]
    )
    yield from by_hand_text(form)
    yield from ("", "## What it costs, once", "")
    yield from _bill(form)
    yield from ("", "## Steps", "")
    yield from _table(STEP_HEADS, _steps(form))
    yield from ("", "## Questions", "")
    for each in form["questions"]:
        yield f"**{_escape_words(each['question'])}** {' '.join(map(_escape_words, each['sentences']))}"
        yield ""
    yield from _notes(form)
    yield ""
    yield f"Digest of this plan: `{form['digest']}`"


def _bill(form: RelocationPlanForm) -> Iterator[str]:
    lines = form["bill"]["bill"]["lines"]
    yield from _table(("line", "made of", "min", "expected", "max"), _lines(lines), right=(2, 3, 4))


def _lines(lines: Sequence[LineForm]) -> Iterator[tuple[str, ...]]:
    for title, mine in sections(lines):
        for line in mine:
            yield (line["label"], describe_bill_line(line), *line_amounts(line))
        yield _sum(title, mine)
    yield _sum("everything", lines)


def _sum(title: str, lines: Sequence[LineForm]) -> tuple[str, ...]:
    unpriced, amounts = sum_cells(lines)
    return (f"**{title}**", f"{unpriced} unpriced" if unpriced else "", *(f"**{each}**" for each in amounts))


def _steps(form: RelocationPlanForm) -> Iterator[tuple[str, ...]]:
    for last, (name, *cells, back) in step_rows(form):
        yield name.replace(" (frozen)", ", frozen"), *cells, f"**{back}**" if last else back


def _notes(form: RelocationPlanForm) -> Iterator[str]:
    for each in (*form["notes"], *form["bill"]["notes"]):
        source = f" ({_escape_words(each['source'])})" if each["source"] else ""
        yield f"- {_escape_words(each['text'])}{source}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---:' if at in right else '---' for at in range(len(heads)))}|"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(words: str) -> str:
    """Our own bold marks are kept; everything else is nothing but words."""
    bold = words.startswith("**") and words.endswith("**")
    inner = _escape_words(words[2:-2] if bold else words)
    return f"**{inner}**" if bold else inner


def _escape_words(words: str) -> str:
    flat = " ".join(words.split())
    for mark in "\\`*_[]|<>":
        flat = flat.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return flat
