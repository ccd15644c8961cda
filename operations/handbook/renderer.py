"""Pages and snippets of a cluster as text: every template that applies, filled with the facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateError

from operations.handbook.escaping import Markdown, amount, in_code, in_prose, in_snippet
from operations.handbook.page_table import PAGES
from operations.handbook.snippet_table import SNIPPETS
from planning.values.errors import AtollError
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from decimal import Decimal

    from operations.handbook.facts import Facts
    from operations.handbook.page_table import Page

PACKAGE: Final = "operations.handbook"
ENDING: Final = ".j2"
EMPTY: Final = re.compile(r"\n{3,}")
FENCED: Final = re.compile(r"(^``` .*?^```$)", re.MULTILINE | re.DOTALL)
OPENED: Final = re.compile(r"(?<!\n)\n(?=``` )")
LANGUAGES: Final[Mapping[str, str]] = {"py": "python", "yaml": "yaml", "sh": "bash", "txt": "text", "ini": "ini"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page of this cluster."""

    page: Page
    text: str


def snippets(facts: Facts) -> Mapping[str, str]:
    """Name to text of every example that applies to the cluster: "training/one-job.yaml" and so on.

    Raises:
        AtollError: a template asks for a fact that there is not, or a fact cannot stand in code.
    """
    templates = _snippet_templates()
    return {
        each.name: _filled(templates, f"{each.name}{ENDING}", {"facts": facts}) for each in SNIPPETS if each.when(facts)
    }


def pages(facts: Facts) -> tuple[Rendered, ...]:
    """Every page that applies to the cluster, in the order of the handbook.

    Raises:
        AtollError: a template asks for a fact or a snippet that there is not.
    """
    chosen = tuple(page for page in PAGES if page.when(facts))
    told: dict[str, object] = {
        "facts": facts,
        "snippet": _includer(snippets(facts)),
        "page": _linker({page.id: page for page in chosen}),
        "known": _known(facts),
    }
    templates = _page_templates()
    return tuple(Rendered(page=page, text=_page(templates, page, told)) for page in chosen)


@cache
def _snippet_templates() -> Environment:
    return _environment("snippets", in_snippet)


@cache
def _page_templates() -> Environment:
    environment = _environment("pages", in_prose)
    environment.filters.update(code=in_code, listed=_listed, cents=_cents)
    return environment


def _page(templates: Environment, page: Page, told: Mapping[str, object]) -> str:
    body = _filled(templates, f"{page.id}.md{ENDING}", told)
    return f"# {page.title}\n\n{_spaced(body).strip()}\n"


def _spaced(text: str) -> str:
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


def _filled(templates: Environment, name: str, told: Mapping[str, object]) -> str:
    try:
        return templates.get_template(name).render(told)
    except TemplateError as error:
        raise AtollError(f"the handbook's template {name} cannot be filled: {error}") from error


def _includer(known: Mapping[str, str]) -> Callable[[str], Markdown]:
    """What a page includes an example by."""

    def snippet(name: str) -> Markdown:
        if name not in known:
            raise AtollError(f"a page of the handbook includes {name}, which this cluster has no example of")
        _, _, ending = name.rpartition(".")
        _, _, file = name.rpartition("/")
        is_typed = ending in {"txt", "sh"} and not known[name].startswith("#!")  # into a terminal, line by line
        title = "" if is_typed else f' title="{file}"'
        return Markdown(f"``` {LANGUAGES[ending]}{title}\n{known[name].strip()}\n```")

    return snippet


def _linker(known: Mapping[str, Page]) -> Callable[..., Markdown]:
    """What a page refers to another one by; plain words where this cluster has no such page."""

    def page(name: str, words: str = "", *, at: str = "") -> Markdown:
        if name not in {each.id for each in PAGES}:
            raise AtollError(f"the handbook has no page {name}")
        if name not in known:
            return Markdown(words)
        return Markdown(f"[{words or known[name].title}]({name}.md{f'#{at}' if at else ''})")

    return page


def _known(facts: Facts) -> Callable[[str], Markdown]:
    """A value of the outputs, or how to learn it."""

    def known(value: str) -> Markdown:
        if value:
            return in_code(value)
        return Markdown(f"*known once the cluster is up:* `atoll outputs {facts.stack}`")

    return known


def _listed(values: object) -> Markdown:
    """Names as code, one after the other."""
    return Markdown(", ".join(_codes(values)))


def _cents(usd: Decimal) -> Markdown:
    """Money to the cent; whole dollars without it."""
    return Markdown(amount(to_cents(usd)))


def _codes(values: object) -> Iterator[str]:
    if isinstance(values, list | tuple | set | frozenset | dict):
        yield from (in_code(each) for each in values)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
