"""relocation.yaml, read: every fault of it at once, with its place; and the values of the variables that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, ValidationError

from driver.relocate.places import Places
from driver.relocate.places_rules import Broken, broken_rules, variables
from planning.checklist.faults import Source, locate, nearest, spell
from planning.checklist.plain_values import REFUSED, plain
from planning.checklist.shape import inner_models
from planning.checklist.yaml_nodes import Fields, Note, Place, compose
from planning.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails

    from planning.checklist.yaml_nodes import Node

MAX_BYTES: Final = 1_000_000
HOW: Final = "docs/guides/relocate.md shows one"
AT_KEY: Final = frozenset({"extra_forbidden", "missing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was read.

    Args:
        secrets: value of each environment variable that the places name.
    """

    places: Places
    secrets: Mapping[str, str]


def read_file(path: Path, *, environment: Mapping[str, str], in_clear: bool = False) -> Known:
    """The places in a file.

    Raises:
        InputError: the file cannot be read, or as `parse`.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file", hint=HOW) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file", hint="save it as UTF-8 text") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or 'cannot be read'}") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: over {MAX_BYTES // 10**6} MB", hint="it is a page of text")
    return parse(text, file=str(path), environment=environment, in_clear=in_clear)


def parse(text: str, *, file: str, environment: Mapping[str, str], in_clear: bool = False) -> Known:
    """The places in a text; `file` is only its name in faults.

    Args:
        in_clear: whether stores may be asked without TLS elsewhere than on this machine.

    Raises:
        InputError: with every fault that can be found, in the order of the lines.
    """
    reading = _Reading(text, file=file)
    places = reading.places()
    if places is not None:
        secrets = {name: environment.get(name, "") for name in variables(places).values()}
        reading.broken(broken_rules(places, in_clear=in_clear))
        reading.broken(_unset(places, secrets))
        if not reading.faults:
            return Known(places=places, secrets=secrets)
    ordered = sorted(reading.faults, key=lambda fault: (fault.line, fault.column))
    count = "1 fault" if len(ordered) == 1 else f"{len(ordered)} faults"
    raise InputError(f"{file}: {count}", faults=ordered)


def _unset(places: Places, secrets: Mapping[str, str]) -> Iterable[Broken]:
    for path, name in variables(places).items():
        if not secrets[name]:
            yield Broken(path, f"{name} is not set", hint=f"export {name}=...")


class _Reading:
    """A text, its nodes, and the faults found so far."""

    def __init__(self, text: str, *, file: str) -> None:
        self.source = Source(file=file, lines=text.splitlines())
        self.root, notes = compose(text)
        self.faults: list[Fault] = []
        self._say(notes)

    def places(self) -> Places | None:
        """The text as places; None with faults said where it is none."""
        if not isinstance(self.root, Fields):
            if not self.faults:
                hint = f'start with "source:", "target:" and "buckets:"; {HOW}'
                self._fault("it is made of named sections", Place(1, 1), hint=hint)
            return None
        notes: list[Note] = []
        fields = cast("dict[str, object]", plain(self.root, notes=notes))
        self._say(notes)
        try:
            found = Places.model_validate(fields)
        except ValidationError as error:
            for each in error.errors(include_url=False):
                self._wrong(each, self.root)
            return None
        return None if self.faults else found

    def broken(self, rules: Iterable[Broken]) -> None:
        """Add what rules found."""
        for each in rules:
            place = locate(self.root, each.path, at_key=each.at_key) if self.root else Place(1, 1)
            self._fault(each.message, place, hint=each.hint, path=each.path)

    def _say(self, notes: Iterable[Note]) -> None:
        for each in notes:
            self._fault(each.message.replace("a checklist", "this file"), each.place, hint=each.hint)

    def _fault(self, message: str, place: Place, *, hint: str = "", path: tuple[str | int, ...] = ()) -> None:
        hint = hint.replace("a checklist", "this file")
        self.faults.append(self.source.fault(message, place=place, hint=hint, path=spell(path)))

    def _wrong(self, error: ErrorDetails, root: Node) -> None:
        if error["input"] is REFUSED:
            return
        message, hint = _in_words(error)
        path = error["loc"]
        self._fault(message, locate(root, path, at_key=error["type"] in AT_KEY), hint=hint, path=path)


def _in_words(error: ErrorDetails) -> tuple[str, str]:
    *before, last = error["loc"]
    section = _section(before)
    known = tuple(section.model_fields) if section else ()
    where = f'"{spell(before)}"' if before else "the file"
    if error["type"] == "extra_forbidden":
        near = nearest(str(last), known)
        hint = f'did you mean "{near}"?' if near else f"fields here: {', '.join(known)}"
        return f'"{str(last)[:40]}" is not a field of {where}', hint
    if error["type"] == "missing":
        return f'"{last}" is missing from {where}', f'add "{last}: ..."; {HOW}'
    said = error["msg"]
    return f"{spell(error['loc'])}: {said[:1].lower()}{said[1:]}", ""


def _section(path: Iterable[str | int]) -> type[BaseModel] | None:
    """The part of the model at a path."""
    found: type[BaseModel] = Places
    for part in path:
        if isinstance(part, int):
            continue
        if part not in found.model_fields:
            return None
        inner = inner_models(found.model_fields[part].annotation)
        if not inner:
            return None
        found = inner[0]
    return found
