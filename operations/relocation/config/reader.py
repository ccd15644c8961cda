"""relocation.yaml, read: every fault of it at once, with its place; and the values of the variables that it names.

Relocations between the same two stacks lie each in a folder of its own; what all of them name is read here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, ValidationError
from typing_extensions import override

from operations.project.journal import NAME, read_journal
from operations.relocation.config.endpoints import PLACES_NAME, BucketMove, Places
from operations.relocation.config.rules import PlacesViolation, find_violations, variables
from planning.checklist.model.structure import inner_models
from planning.inputs.faults import nearest, spell
from planning.inputs.files import read_text
from planning.inputs.plain_values import REFUSED, plain
from planning.inputs.yaml_document import YamlText
from planning.inputs.yaml_nodes import Fields, TextPosition, YamlFault
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails


HOW: Final = "docs/guides/relocate.md shows one"
AT_KEY: Final = frozenset({"extra_forbidden", "missing"})
# Copy workers of earlier versions of Atoll.
RETIRED_MOVERS: Final = {
    "rclone": 'take "mover" out: Atoll copies the bucket itself, tags and versions with it (docs/decisions/0037)'
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPlaces:
    """What was read.

    Args:
        secrets: value of each environment variable that the places name.
    """

    places: Places
    secrets: Mapping[str, str]


def read_file(path: Path, *, environment: Mapping[str, str], in_clear: bool = False) -> ResolvedPlaces:
    """The places in a file.

    Raises:
        InputError: the file cannot be read, or as `parse`.
    """
    return parse(read_text(path, hint=HOW), file=str(path), environment=environment, in_clear=in_clear)


def parse(text: str, *, file: str, environment: Mapping[str, str], in_clear: bool = False) -> ResolvedPlaces:
    """Parse relocation.yaml; `file` is only its name in faults.

    Args:
        in_clear: whether plain HTTP is allowed to stores on other machines.

    Raises:
        InputError: with every fault that can be found, in the order of the lines.
    """
    written = YamlText(text, file=file)
    places = _places(written)
    if places is not None:
        secrets = {name: environment.get(name, "") for name in variables(places).values()}
        _say_broken(written, find_violations(places, in_clear=in_clear))
        _say_broken(written, _unset(places, secrets))
        if not written.faults:
            return ResolvedPlaces(places=places, secrets=secrets)
    raise written.build_refusal()


def _unset(places: Places, secrets: Mapping[str, str]) -> Iterable[PlacesViolation]:
    for path, name in variables(places).items():
        if not secrets[name]:
            yield PlacesViolation(path, f"{name} is not set", hint=f"export {name}=...")


def _places(written: YamlText) -> Places | None:
    """The model; None with the faults noted."""
    written.say(written.notes)
    if not isinstance(written.root, Fields):
        if not written.faults:
            hint = f'start with "source:", "target:" and "buckets:"; {HOW}'
            written.add("it is made of named sections", TextPosition(1, 1), hint=hint)
        return None
    notes: list[YamlFault] = []
    fields = cast("dict[str, object]", plain(written.root, notes=notes))
    written.say(notes)
    try:
        found = Places.model_validate(fields)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            _say_wrong(written, each)
        return None
    return None if written.faults else found


def _say_broken(written: YamlText, rules: Iterable[PlacesViolation]) -> None:
    for each in rules:
        written.add(each.message, written.at(each.path, at_key=each.at_key), hint=each.hint, path=each.path)


def _say_wrong(written: YamlText, error: ErrorDetails) -> None:
    if error["input"] is REFUSED:
        return
    message, hint = _in_words(error)
    path = error["loc"]
    written.add(message, written.at(path, at_key=error["type"] in AT_KEY), hint=hint, path=path)


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
    if last == "mover" and error["input"] in RETIRED_MOVERS:
        return f"{spell(error['loc'])}: buckets are no longer copied by {error['input']}", RETIRED_MOVERS[
            error["input"]
        ]
    said = error["msg"]
    return f"{spell(error['loc'])}: {said[:1].lower()}{said[1:]}", ""


def _section(path: Iterable[str | int]) -> type[BaseModel] | None:
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


class AllSet(dict[str, str]):
    """An environment in which every variable is set: reading the file needs no keys."""

    @override
    def get(self, key: str, default: str | None = None, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] - it never has to fall back
        """A value for every name."""
        del default
        return key


ALL_SET: Final = AllSet()


def list_relocation_folders(main: Path, *, source: str, target: str) -> tuple[Path, ...]:
    """Folders of every relocation between two stacks, the unnamed one first; it may not exist.

    Raises:
        InputError: a journal is broken.
    """
    others = sorted(main.parent.glob(f"{main.name}-*")) if main.parent.is_dir() else []
    return (main, *(each for each in others if _is_between(each, source, target)))


def _is_between(folder: Path, source: str, target: str) -> bool:
    """Whether a folder belongs to the two stacks, by its journal, or by its places without one."""
    records = read_journal(folder / NAME).records
    if records:
        first = records[0].content
        return (first.get("source"), first.get("target")) == (source, target)
    if not (folder / PLACES_NAME).is_file():
        return False
    places = places_in(folder)
    # Unreadable places may be theirs, and what may be theirs is not passed over.
    return places is None or (places.source.stack, places.target.stack) == (source, target)


def places_in(folder: Path) -> Places | None:
    """relocation.yaml of a folder; None if it is missing or invalid."""
    path = folder / PLACES_NAME
    try:
        return read_file(path, environment=ALL_SET, in_clear=True).places if path.is_file() else None
    except InputError:
        return None


def bucket_of(key: str, locator: str, buckets: Iterable[BucketMove]) -> BucketMove | None:
    """The bucket of an asset in relocation.yaml; None without a certain match."""
    place, _, name = key.partition("/")
    word = name.rpartition("/")[2]
    for each in buckets:
        if each.source == locator or (
            # The engine draws letters behind the name of a tier's bucket: "cold-data-1a2b3c4".
            place == "bucket" and (each.source == word or each.source.startswith(f"{word}-"))
        ):
            return each
    return None


def find_covered_keys(things: Iterable[tuple[str, str]], places: Iterable[Places]) -> frozenset[str]:
    """Keys of assets that some relocation.yaml names.

    Args:
        things: key and locator of each.
    """
    every = tuple(places)
    buckets = [bucket for each in every for bucket in each.buckets]
    parts = {f"database/{base.part}" for each in every for base in each.source.databases}
    names = any(each.names is not None for each in every)
    return frozenset(
        key
        for key, locator in things
        if key in parts
        or (key.startswith("names/") and names)
        or (key.startswith(("bucket/", "store/")) and bucket_of(key, locator, buckets) is not None)
    )
