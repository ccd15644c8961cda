"""A document as HTML on one page that needs nothing but itself, and as Markdown: a template for each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from planning.documents.blocks import find_shared_notes, footnotes, notes_of
from planning.documents.figures import Figure, Footnote, Sentence
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from planning.documents.blocks import Block, Document, Table

    Notes = Mapping[str | Footnote, int]
    Known = frozenset[str | Footnote]

HERE: Final = Path(__file__).parent
ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'"  # the browser refuses whatever is not in the page
NONE: Final = frozenset[str | Footnote]()
SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~])")
MARKUP: Final = re.compile(r"([\\`*_\[\]|])")
ENTITIES: Final = str.maketrans({"<": "&lt;", ">": "&gt;"})


def render_html(document: Document, *, styles: Iterable[str] = (), pictures: Mapping[str, str] | None = None) -> str:
    """The whole page, light and dark, for the screen, the phone and the printer.

    Args:
        styles: style sheets beside that of every page, by their names in `styles`.
        pictures: SVG of each Picture, by its name; one without is shown by its words.
    """
    form = _HtmlText(footnotes(document))
    return (
        _environment(is_html=True)
        .get_template("document.html.j2")
        .render(
            form.functions,
            document=document,
            pictures={name: Markup(each) for name, each in (pictures or {}).items()},  # noqa: S704 - charts of our own
            policy=ALONE,
            style=Markup("".join(_read_style(name) for name in ("page", *styles))),  # noqa: S704 - files of our own
        )
    )


def render_markdown(document: Document) -> str:
    form = _MarkdownText(footnotes(document), family=document.family)
    text = _environment(is_html=False).get_template("document.md.j2").render(form.functions, document=document)
    return printable(text).rstrip() + "\n"


def _read_style(name: str) -> str:
    return (HERE / "styles" / f"{name}.css").read_text(encoding="utf-8")


@cache
def _environment(*, is_html: bool) -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=is_html,  # noqa: S701 - of Markdown, `_MarkdownText` escapes each word
        finalize=_without_controls if is_html else None,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _without_controls(value: object) -> object:
    return value if isinstance(value, Markup) else printable(str(value))


def _find_kind(block: Block) -> str:
    return type(block).__name__


class _HtmlText:
    """What the template of a page calls: words escaped, figures with links to their footnotes."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.functions: Final[dict[str, object]] = {
            "notes": notes,
            "kind": _find_kind,
            "shared_notes": find_shared_notes,
            "attributes": self._render_attributes,
            "marked": self._render,
            "marks": self._render_marks,
            "footnote": self._render_footnote,
        }

    def _render_attributes(self, attributes: Mapping[str, str | bool]) -> Markup:
        said = (f' {name}="{_escape_html(str(value))}"' for name, value in attributes.items() if value)
        return Markup("").join(map(Markup, said))

    def _render(self, sentence: Sentence, known: Known = NONE) -> Markup:
        """A sentence, each figure with the numbers of its footnotes.

        Args:
            known: footnotes that stand at the head of the column already.
        """
        return Markup("").join(
            _escape_html(part.text) + self._render_marks({*notes_of(part)} - known)
            if isinstance(part, Figure)
            else _escape_html(part)
            for part in sentence.parts
        )

    def _render_marks(self, notes: Iterable[str | Footnote]) -> Markup:
        """In brackets, for "10<sup>3</sup>" is a power."""
        numbers = sorted(self._notes[each] for each in notes)
        links = Markup(", ").join(Markup('<a href="#note-{0}">{0}</a>').format(each) for each in numbers)
        return Markup("<sup>[{}]</sup>").format(links) if numbers else Markup("")

    def _render_footnote(self, note: str | Footnote) -> Markup:
        if isinstance(note, str):
            return _escape_html(note)
        link = '<a href="{0}" rel="noreferrer">{0}</a>' if is_link(note.url) else "{}"
        url = Markup(link).format(printable(note.url))  # noqa: S704 - what is put into it is escaped
        return Markup(", ").join(part for part in (_escape_html(note.text), url, _escape_html(note.dated)) if part)


def _escape_html(text: str) -> Markup:
    return escape(printable(text))


def is_link(url: str) -> bool:
    """Whether an address may be followed: of the web, and nothing that runs."""
    return url.startswith(("https://", "http://"))


class _MarkdownText:
    """What the template of Markdown calls; each family of documents escapes what its readers are used to."""

    def __init__(self, notes: Notes, *, family: str) -> None:
        self._notes = notes
        self._family = family
        self.functions: Final[dict[str, object]] = {
            "notes": notes,
            "kind": _find_kind,
            "head": self._render_head,
            "rule": self._render_rule,
            "body": self._render_body,
            "marked": self._render,
            "footnote": self._render_footnote,
        }

    def _render(self, sentence: Sentence, known: Known = NONE) -> str:
        text = "".join(
            self._escape(part.text) + self._render_marks({*notes_of(part)} - known)
            if isinstance(part, Figure)
            else self._escape(part)
            for part in sentence.parts
        )
        return f"**{text}**" if text and "sum" in sentence.tone.split() else text

    def _render_marks(self, notes: Iterable[str | Footnote]) -> str:
        numbers = sorted(self._notes[each] for each in notes)
        return f"<sup>[{', '.join(map(str, numbers))}]</sup>" if numbers else ""

    def _render_head(self, table: Table) -> list[str]:
        shared = find_shared_notes(table)
        heads = table.head or (Sentence(()),) * table.width
        return [self._render(cell) + self._render_marks(notes) for cell, notes in zip(heads, shared, strict=True)]

    def _render_rule(self, table: Table) -> list[str]:
        rules = ("---:" if table.holds_numbers(at) else "---" for at in range(table.width))
        return [each if self._family == "relocation" else f" {each} " for each in rules]

    def _render_body(self, table: Table) -> Iterator[list[str]]:
        shared = find_shared_notes(table)
        for row in table.rows:
            yield [self._render(cell, known) for cell, known in zip(row, shared, strict=False)]

    def _render_footnote(self, note: str | Footnote) -> str:
        if isinstance(note, str):
            return self._escape(note)
        is_safe = is_link(note.url) and not any(each in note.url for each in "<> \n\"'")
        url = f"<{note.url}>" if is_safe else self._escape(note.url)
        return ", ".join(part for part in (self._escape(note.text), url, note.dated) if part)

    def _escape(self, text: str) -> str:
        flat = " ".join(text.split()) if "\n" in text else text
        match self._family:
            case "relocation":
                return MARKUP.sub(r"\\\1", flat).translate(ENTITIES)
            case "quote":
                return SPECIAL.sub(r"\\\1", flat.replace("&", "&amp;")).replace("#", "\\#")
            case _:
                return SPECIAL.sub(r"\\\1", flat)
