"""Where an answer goes: `--json` prints it, `-o FILE` writes it in the form that the file's ending names (0033)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from cli.terminal.console import json_text, note, show, show_json
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.console import RenderableType

ENDINGS: Final[Mapping[str, str]] = {
    ".json": "json",
    ".html": "html",
    ".md": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
}
OPTION: Final = "--output"


def resolve_files(output: Sequence[str] | None, *, forms: Sequence[str], **named: str) -> dict[str, Path]:
    """The file of each form that is wanted: of `-o` by its ending, of `--html FILE` and the like as named.

    Raises:
        typer.BadParameter: an ending that is no form of this command, or a form or a file named twice.
        InputError: it is a folder.
    """
    found: dict[str, Path] = {}
    asked = [(OPTION, _form(each, forms=forms), each) for each in output or ()]
    asked += [(f"--{form}", form, path) for form, path in named.items() if path]
    for option, form, text in asked:
        path = Path(text)
        if path.is_dir():
            raise InputError(f"{text} is a folder", hint="name a file in it")
        if form in found:
            raise typer.BadParameter(f"two files for {form}: {found[form]} and {text}", param_hint=option)
        if path.resolve() in {each.resolve() for each in found.values()}:
            raise typer.BadParameter(f"two documents for one file: {text}", param_hint=option)
        found[form] = path
    return found


def _form(text: str, *, forms: Sequence[str]) -> str:
    form = ENDINGS.get(Path(text).suffix.lower())
    if form and form in forms:
        return form
    known = ", ".join(ending for ending, each in ENDINGS.items() if each in forms)
    raise typer.BadParameter(f"{text!r} ends in none of: {known}", param_hint=OPTION)


def resolve_folder(output: str, *, old: str = "", option: str = "") -> str:
    """The folder of `-o`, or of the option that named it before; "" for neither.

    Raises:
        typer.BadParameter: both name one.
        InputError: it is a file.
    """
    if output and old:
        raise typer.BadParameter(f"it is the same as {OPTION}; give one of them", param_hint=option)
    found = output or old
    if found and Path(found).is_file():
        raise InputError(f"{found} is a file, not a folder", hint="name a folder that is empty, or not there yet")
    return found


def require_folder(output: str, *, old: str, option: str) -> str:
    """The same, where there has to be one.

    Raises:
        typer.BadParameter: as `chosen_folder`, or none is named.
    """
    found = resolve_folder(output, old=old, option=option)
    if not found:
        raise typer.BadParameter("name the folder that is written: -o DIR", param_hint=OPTION)
    return found


def deliver(
    form: Mapping[str, object],
    *,
    as_json: bool,
    output: Sequence[str] | None,
    parts: Callable[[], Iterable[RenderableType]],
) -> None:
    """Write an answer as JSON where a file is named; print it as JSON or as what people read."""
    publish(form, resolve_files(output, forms=("json",)), as_json=as_json, parts=parts)


def publish(
    form: Mapping[str, object],
    files: Mapping[str, Path],
    *,
    as_json: bool,
    parts: Callable[[], Iterable[RenderableType]],
    **texts: Callable[[], str],
) -> None:
    """Write an answer in the form of each file that is named; print it as JSON or as what people read.

    Args:
        texts: what writes a form other than JSON, by its name.
    """
    write_documents(files, json=lambda: json_text(form), **texts)
    if as_json:
        show_json(form)
    else:
        show(*parts())
    tell_written(files.values())


def write_documents(files: Mapping[str, Path], **texts: Callable[[], str]) -> None:
    """Write all files, or none."""
    if files:
        from operations.project.atomic_files import write_all  # noqa: PLC0415 - most answers are only printed

        write_all({path: texts[form]() for form, path in files.items()})


def tell_written(paths: Iterable[Path]) -> None:
    for path in paths:
        note(f"written: {path}")
