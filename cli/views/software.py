"""Software as tables: parts with version, source and digest; what was left out; what a mirror must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from cli.terminal.tables import make_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.table import Table

    from planning.platform.digests import LeftOutForm, ListedForm, PinnedForm, SoftwareForm
    from planning.platform.mirror import CopiesForm

UNRESOLVED: Final = "yellow"
OF_OUR_OWN: Final = "with Atoll"
SHORT: Final = 9  # letters of a commit that are shown
COLUMNS: Final = ("part", "how", "version", "source", "digests")
NARROW: Final = {"source": 27, "digests": 18}
WIDE: Final = {"source": 38, "digests": 35}  # where licence and sizes do not stand beside them


def software_tables(form: SoftwareForm) -> Iterator[Table | str]:
    yield f"{form['stack'] or 'Software catalog'}: tested release {form['release']}"
    yield catalog_table(form["parts"])
    if form["not_installed"]:
        yield "Not installed:"
        yield omission_table(form["not_installed"])
    yield from (f"fault: {fault}" for fault in form["faults"])
    yield conclusion(form)


def software_parts(parts: Sequence[PinnedForm], skipped: Sequence[LeftOutForm]) -> Iterator[Table | str]:
    if parts:
        yield installation_table(parts)
        unpinned = sum(1 for part in parts if part["unresolved"])
        yield f"{len(parts)} platform components, digests of {unpinned} of them not resolved"
    if skipped:
        yield "Not installed:"
        yield omission_table(skipped)


def conclusion(form: SoftwareForm) -> str:
    parts = form["parts"]
    open_parts = sum(1 for part in parts if part["unresolved"])
    floats = f"{len(form['faults'])} faults" if form["faults"] else "no version floats"
    pinned = "every digest is resolved" if not open_parts else f"digests of {open_parts} parts are not resolved"
    return f"{len(parts)} parts: {floats}; {pinned}"


def catalog_table(parts: Iterable[ListedForm]) -> Table:
    rows = ((*_component_row(part), part["licence"], _with(part)) for part in parts)
    return _narrow(make_table((*COLUMNS, "licence", "sizes"), rows, whole=COLUMNS[:3]), NARROW)


def installation_table(parts: Iterable[PinnedForm]) -> Table:
    return _narrow(make_table(COLUMNS, map(_component_row, parts), whole=COLUMNS[:3]), WIDE)


def omission_table(skipped: Iterable[LeftOutForm]) -> Table:
    return make_table(("part", "why not"), ((part["name"], part["reason"]) for part in skipped), whole={"part"})


def _narrow(table: Table, widths: Mapping[str, int]) -> Table:
    for column in table.columns:
        column.max_width = widths.get(str(column.header))
    return table


def copies_lines(form: CopiesForm) -> Iterator[str]:
    for chart in form["charts"]:
        yield f"chart     {chart['source']}  {chart['target']}"
    for checkout in form["manifests"]:
        yield f"manifests {checkout['repository']}@{checkout['commit']}  {checkout['target']}"
    for fetched in form["fetched"]:
        yield f"fetched   {fetched['address']}  {fetched['file']}"
    for image in form["images"]:
        yield f"image     {image['name']}  {image['target']}" + (f"  {image['digest']}" if image["digest"] else "")


def _component_row(part: PinnedForm) -> Sequence[str | Text]:
    version = part["version"] if part["source"] else ""
    source = _short(part)
    state = Text(part["digest_state"], style=UNRESOLVED if part["unresolved"] else "")
    return (part["name"], part["kind"], version, source, state)


def _with(part: ListedForm) -> str:
    """What brings it: sizes of platform, of which the smallest that has a part stands for every larger one, or who."""
    sizes = part["sizes"]
    if part["built_by"]:
        return part["built_by"]
    return f"{sizes[0]}{'+' if len(sizes) > 1 else ''}" if sizes else "asked"


def _short(part: PinnedForm) -> str:
    """The source without the version, which has its own column; of a commit its first letters."""
    source, at, commit = part["source"].removeprefix("https://").partition("@")
    if at:
        return f"{source}@{commit[:SHORT]}"
    return source.removesuffix(f":{part['version']}") or OF_OUR_OWN
