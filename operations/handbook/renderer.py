"""Pages and snippets of a cluster as text: every template that applies, filled with the facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateError, Undefined

from operations.handbook.contents import PAGES, SNIPPETS
from planning.values.errors import AtollError
from planning.values.money import to_cents
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from operations.handbook.contents import HandbookPage
    from operations.handbook.facts import HandbookFacts


MARKUP: Final = re.compile(r"([\\`*_\[\]{}|#])")
FIRST: Final = re.compile(r"^([+\-!>])|^(\d+)([.)])")  # what means something at the beginning of a line only
PLAIN: Final = re.compile(r"[A-Za-z0-9._:/@ +,=%\-]*")  # of a value in a snippet: nothing that any language quotes by


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def in_prose(value: object) -> str:
    """A value of a page, as people read it: numbers with their thousands apart, text without any markup.

    Raises:
        AtollError: a value that is neither.
    """
    if isinstance(value, Markdown | Undefined):
        return str(value)  # "" of an `if` without `else`; what is missing altogether raises here
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise AtollError(f"a page of the handbook shows {value!r}, which is no text and no number")
    if not isinstance(value, str):
        return amount(value)
    text = printable(" ".join(value.split())).replace("&", "&amp;").replace("<", "&lt;")
    return FIRST.sub(
        lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", MARKUP.sub(r"\\\1", text)
    )


def amount(value: int | Decimal) -> str:
    """A number with its thousands apart and without zeros at its end: 30,400 and 2.5."""
    text = f"{value:,f}" if isinstance(value, Decimal) else f"{value:,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_code(value: object) -> Markdown:
    """A value as inline code."""
    # A backtick would end the code, and a bar the cell of a table; no name of ours has either.
    text = printable(" ".join(str(value).split())).replace("`", "").replace("|", "/")
    return Markdown(f"`{text}`" if text else "")


def in_snippet(value: object) -> str:
    """A value of a snippet, whatever language it is in.

    Raises:
        AtollError: it holds what some language would read as its own.
    """
    if isinstance(value, Markdown | bool) or not isinstance(value, str | int | Decimal):
        raise AtollError(f"a snippet of the handbook shows {value!r}, which is no plain text and no number")
    text = str(value)
    # Refused, not escaped: a snippet may be shell, YAML or Python, and each has its own escapes.
    if not PLAIN.fullmatch(text):
        raise AtollError(f"{text!r} cannot stand in an example of the handbook: it holds more than letters and digits")
    return text


PACKAGE: Final = "operations.handbook"
ENDING: Final = ".j2"
EMPTY: Final = re.compile(r"\n{3,}")
FENCED: Final = re.compile(r"(^``` .*?^```$)", re.MULTILINE | re.DOTALL)
OPENED: Final = re.compile(r"(?<!\n)\n(?=``` )")
LANGUAGES: Final[Mapping[str, str]] = {"py": "python", "yaml": "yaml", "sh": "bash", "txt": "text", "ini": "ini"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page of this cluster."""

    page: HandbookPage
    text: str


def snippets(facts: HandbookFacts) -> Mapping[str, str]:
    """Name to text of every example that applies to the cluster: "training/one-job.yaml" and so on.

    Raises:
        AtollError: a template asks for a fact that there is not, or a fact cannot stand in code.
    """
    templates = _snippet_templates()
    return {
        each.name: _render_template(templates, f"{each.name}{ENDING}", {"facts": facts})
        for each in SNIPPETS
        if each.when(facts)
    }


def pages(facts: HandbookFacts) -> tuple[Rendered, ...]:
    """Every page that applies to the cluster, in the order of the handbook.

    Raises:
        AtollError: a template asks for a fact or a snippet that there is not.
    """
    chosen = tuple(page for page in PAGES if page.when(facts))
    told: dict[str, object] = {
        "facts": facts,
        "snippet": _includer(snippets(facts)),
        "page": _linker({page.id: page for page in chosen}),
        "known": _build_output_renderer(facts),
    }
    templates = _page_templates()
    return tuple(Rendered(page=page, text=_page(templates, page, told)) for page in chosen)


@cache
def _snippet_templates() -> Environment:
    return _environment("snippets", in_snippet)


@cache
def _page_templates() -> Environment:
    environment = _environment("pages", in_prose)
    environment.filters.update(code=in_code, listed=_join_codes, cents=_cents)
    return environment


def _page(templates: Environment, page: HandbookPage, told: Mapping[str, object]) -> str:
    body = _render_template(templates, f"{page.id}.md{ENDING}", told)
    return f"# {page.title}\n\n{_normalize_blank_lines(body).strip()}\n"


def _normalize_blank_lines(text: str) -> str:
    """Blocks apart by one empty line, wherever the tags of a template left more or none."""
    parts = FENCED.split(OPENED.sub("\n\n", text))
    return "".join(part if number % 2 else EMPTY.sub("\n\n", part) for number, part in enumerate(parts))


def _environment(folder: str, finalize: Callable[[object], str]) -> Environment:
    """Templates of a folder; whatever they show goes through `finalize`, which escapes it."""
    return Environment(
        loader=PackageLoader(PACKAGE, folder),
        autoescape=False,  # noqa: S701 - these are Markdown and code, which `finalize` escapes value by value
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _render_template(templates: Environment, name: str, told: Mapping[str, object]) -> str:
    try:
        return templates.get_template(name).render(told)
    except TemplateError as error:
        raise AtollError(f"the handbook's template {name} cannot be filled: {error}") from error


def _includer(known: Mapping[str, str]) -> Callable[[str], Markdown]:
    def snippet(name: str) -> Markdown:
        if name not in known:
            raise AtollError(f"a page of the handbook includes {name}, which this cluster has no example of")
        _, _, ending = name.rpartition(".")
        _, _, file = name.rpartition("/")
        is_typed = ending in {"txt", "sh"} and not known[name].startswith("#!")  # into a terminal, line by line
        title = "" if is_typed else f' title="{file}"'
        return Markdown(f"``` {LANGUAGES[ending]}{title}\n{known[name].strip()}\n```")

    return snippet


def _linker(known: Mapping[str, HandbookPage]) -> Callable[..., Markdown]:
    """What a page refers to another one by; plain words where this cluster has no such page."""

    def page(name: str, words: str = "", *, at: str = "") -> Markdown:
        if name not in {each.id for each in PAGES}:
            raise AtollError(f"the handbook has no page {name}")
        if name not in known:
            return Markdown(words)
        return Markdown(f"[{words or known[name].title}]({name}.md{f'#{at}' if at else ''})")

    return page


def _build_output_renderer(facts: HandbookFacts) -> Callable[[str], Markdown]:
    """A value of the outputs, or how to learn it."""

    def render_output(value: str) -> Markdown:
        if value:
            return in_code(value)
        return Markdown(f"*known once the cluster is up:* `atoll outputs {facts.lock.stack}`")

    return render_output


def _join_codes(values: object) -> Markdown:
    """Names as code, one after the other."""
    return Markdown(", ".join(_codes(values)))


def _cents(usd: Decimal) -> Markdown:
    """Money to the cent; whole dollars without it."""
    return Markdown(amount(to_cents(usd)))


def _codes(values: object) -> Iterator[str]:
    if isinstance(values, list | tuple | set | frozenset | dict):
        yield from (in_code(each) for each in values)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
