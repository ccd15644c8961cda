"""The plan of a relocation: a page with its charts, and Markdown with the procedures that people follow by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.charts.bars import timeline
from cli.pages.charts.ranges import moving_chart
from cli.pages.documents.rendering import render_html, render_markdown
from cli.views import relocation as views
from planning.documents.blocks import NO_NUMBERS, Bullets, Code, Document, Heading, Paragraph, Picture, Table
from planning.documents.figures import cite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.costs.json_shapes import LineForm
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence
    from planning.relocation.plan_form import ByHandForm, CellForm, RelocationPlanForm, ThingForm

    Row = tuple[Sentence, ...]

BILL_HEADS: Final = ("line", "made of", "min", "expected", "max")
SIGNS: Final = {"kept": "●", "dropped": "○", "not known": "?"}
FAMILY: Final = "relocation"
FENCE: Final = "```"
NOT_MOVED: Final = (
    "The run stops before its databases until by-hand.yaml says of each who checked it at the target, when and "
    "how; atoll relocate plan --draft writes it with empty marks. SOURCE and TARGET are contexts of kubectl."
)


def page(form: RelocationPlanForm) -> str:
    document = Document(
        title=cite(f"Relocation of {form['source']['stack']}"),
        subtitle=cite(views.heading(form)),
        blocks=tuple(_page_blocks(form)),
        family=FAMILY,
        page_title=f"{form['source']['stack']} to {form['target']['stack']}: relocation",
    )
    pictures = {name: f'<div class="wide">{drawn}</div>' for name, drawn in _draw(form)}
    return render_html(document, styles=("relocation",), pictures=pictures)


def _draw(form: RelocationPlanForm) -> Iterator[tuple[str, str]]:
    yield "steps", timeline(form)
    yield "bill", moving_chart(form)


def _page_blocks(form: RelocationPlanForm) -> Iterator[Block]:
    yield _conclusion(form)
    yield from (_chapter("Steps"), Picture(name="steps"))
    yield from (_chapter("What it costs, once"), Picture(name="bill"))
    yield _table(BILL_HEADS, _bill_rows(form, "without a price"), numbers_from=2, folded="Every line, with sources")
    yield _chapter("What moves")
    yield _table(views.MOVED_HEADS, map(_build_moved_row, views.select_moved(form)), style="tight")
    yield _chapter("What is left out")
    yield _table(views.LEFT_OUT_HEADS, map(_texts, views.select_left_out(form)), style="tight")
    yield from (
        Paragraph(cite(f"Not asked: {each['what']}: {each['why']}", tone="undetermined")) for each in form["unlooked"]
    )
    yield from (Paragraph(cite(each)) for each in views.describe_manual_work(form))
    yield _chapter("What each mover carries")
    yield from loss_matrix(form["matrix"])
    yield _chapter("Questions")
    for each in form["questions"]:
        yield Heading(3, cite(each["question"]))
        yield Paragraph(cite(" ".join(each["sentences"])))
    yield _chapter("Each step")
    yield _table(views.STEP_HEADS, (_texts(cells, tone="sum" if last else "") for last, cells in views.step_rows(form)))
    yield _chapter("Notes")
    yield from map(Paragraph, _notes(form))
    yield Code(form["digest"], cite("Digest of this plan: "))


def text(form: RelocationPlanForm) -> str:
    return render_markdown(
        Document(
            title=cite(f"Relocation of {form['source']['stack']}"),
            subtitle=cite(views.heading(form)),
            blocks=tuple(_text_blocks(form)),
            family=FAMILY,
        )
    )


def _text_blocks(form: RelocationPlanForm) -> Iterator[Block]:
    yield _conclusion(form)
    yield _chapter("What moves")
    yield _table(views.MOVED_HEADS, map(_build_moved_row, views.select_moved(form)))
    yield _chapter("What is left out")
    yield _table(views.LEFT_OUT_HEADS, map(_texts, views.select_left_out(form)), numbers_from=3, numbers_until=4)
    yield from (Paragraph(cite(f"Not asked: {each['what']}: {each['why']}.")) for each in form["unlooked"])
    yield from by_hand_blocks(form)
    yield from (_chapter("What it costs, once"), _bill(form))
    yield from (_chapter("Steps"), _table(views.STEP_HEADS, _step_rows(form)))
    yield _chapter("Questions")
    for each in form["questions"]:
        yield Paragraph(cite(" ".join(each["sentences"])), cite(each["question"]))
    yield Bullets(tuple(_notes(form)))
    yield Code(form["digest"], cite("Digest of this plan: "))


def bill_text(form: RelocationPlanForm) -> str:
    blocks = (_bill(form), Bullets(tuple(_notes(form))))
    return render_markdown(Document(title=cite(""), blocks=blocks, family=FAMILY))


def by_hand_blocks(form: RelocationPlanForm) -> Iterator[Block]:
    if form["by_hand"]:
        yield from (_chapter("What Atoll does not move by itself"), Paragraph(cite(NOT_MOVED)))
    for each in form["by_hand"]:
        yield from _manual_work(each)


def _manual_work(thing: ByHandForm) -> Iterator[Block]:
    yield Heading(3, cite(thing["key"]))
    yield Paragraph(cite(f"{thing['title']}: {thing['why']}."))
    for way in thing["ways"]:
        yield Paragraph(cite(f"({way['source']})" if way["source"] else ""), cite(way["title"]))
        yield Code("\n".join(way["text"].replace(FENCE, "'''").splitlines()))
        if way["loses"]:
            yield Paragraph(cite("What that loses:"))
            yield Bullets(tuple(map(cite, way["loses"])))


def _chapter(title: str) -> Heading:
    return Heading(2, cite(title))


def _texts(cells: Iterable[str], *, tone: str = "") -> Row:
    return tuple(cite(each, tone=tone) for each in cells)


def _table(
    heads: Sequence[str],
    rows: Iterable[Row],
    *,
    numbers_from: int = NO_NUMBERS,
    numbers_until: int = NO_NUMBERS,
    style: str = "",
    folded: str = "",
) -> Table:
    return Table(
        head=_texts(heads),
        rows=tuple(rows),
        numbers_from=numbers_from,
        numbers_until=numbers_until,
        style=style,
        folded=folded,
        opened=False,
    )


def _conclusion(form: RelocationPlanForm) -> Bullets:
    said = (cite(each, tone="lost" if each.startswith("LOST") else "") for each in views.conclusion(form))
    return Bullets(tuple(said), facts=True)


def _bill(form: RelocationPlanForm) -> Table:
    return _table(BILL_HEADS, _bill_rows(form, "unpriced"), numbers_from=2)


def _bill_rows(form: RelocationPlanForm, unpriced: str) -> Iterator[Row]:
    lines = form["bill"]["bill"]["lines"]
    for title, mine in views.sections(lines):
        yield from (_texts((line["label"], views.describe_bill_line(line), *views.line_amounts(line))) for line in mine)
        yield _sum(title, mine, unpriced)
    yield _sum("everything", lines, unpriced)


def _sum(title: str, lines: Sequence[LineForm], unpriced: str) -> Row:
    count, amounts = views.sum_cells(lines)
    said = cite(f"{count} {unpriced}" if count else "", tone="" if unpriced == "unpriced" else "sum")
    return (cite(title, tone="sum"), said, *_texts(amounts, tone="sum"))


def _build_moved_row(thing: ThingForm) -> Row:
    mover = thing["mover"]
    return (
        cite(thing["title"], below=thing["key"]),
        cite(thing["loss"], hover=thing["reason"]),
        cite(views.format_thing_size(thing), hover=thing["sized_by"]),
        cite(views.mover_text(thing), hover=mover["why"] if mover else ""),
        cite(views.losses_text(thing), tone="lost" if mover and mover["loses"] else ""),
    )


def _step_rows(form: RelocationPlanForm) -> Iterator[Row]:
    for last, (name, *cells, back) in views.step_rows(form):
        yield *_texts((name.replace(" (frozen)", ", frozen"), *cells)), cite(back, tone="sum" if last else "")


def _notes(form: RelocationPlanForm) -> Iterator[Sentence]:
    for each in (*form["notes"], *form["bill"]["notes"]):
        yield cite(each["text"] + (f" ({each['source']})" if each["source"] else ""))


def loss_matrix(matrix: Sequence[CellForm]) -> Iterator[Block]:
    """What each copy tool preserves of each feature, and where that is unknown."""
    yield Paragraph(cite(", ".join(f"{sign} {word}" for word, sign in SIGNS.items()), tone="faint"))
    movers: dict[tuple[str, str, str], list[CellForm]] = {}
    for each in matrix:
        movers.setdefault((each["kind"], each["mover"], each["target"]), []).append(each)
    tables: dict[tuple[str, ...], list[list[CellForm]]] = {}
    for row in movers.values():
        tables.setdefault(tuple(each["feature"] for each in row), []).append(row)
    for features, rows in tables.items():
        body = ((cite(f"{row[0]['mover']}, {row[0]['target']}"), *map(_sign, row)) for row in rows)
        yield _table((f"{rows[0][0]['kind']}, into", *features), body)


def _sign(each: CellForm) -> Sentence:
    said = "; ".join(part for part in (each["carries"], each["note"], each["source"]) if part)
    return cite(SIGNS[each["carries"]], tone=f"sign {each['carries'].replace(' ', '-')}", hover=said)
