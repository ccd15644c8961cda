"""From a file to a frozen checklist, or to every fault in it at once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from catalogs.files import UnreadableFileError, refuse_control_characters, refuse_long
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.structure import kinds
from planning.checklist.reading.validation_messages import Wrong, explain, fields_near
from planning.checklist.rules.table import find_broken_rules
from planning.inputs import plain_values
from planning.inputs.faults import locate, nearest, spell
from planning.inputs.files import build_refusal, read_text
from planning.inputs.plain_values import REFUSED, plain
from planning.inputs.yaml_document import YamlText
from planning.inputs.yaml_nodes import Fields, Node, Scalar, TextPosition, YamlFault
from planning.values.errors import Fault, InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_BYTES: Final = 1_000_000
HINT: Final = "a checklist is a page or two of text; `atoll init` writes a first one"
DAYS: Final = frozenset({("agreement", "starts")})  # fields that are a date
MAX_FAULTS: Final = 100  # reported at once; nobody reads more
_SILENT: Final = frozenset({"extra_forbidden", "missing"})  # findings about the key, whatever the value


def read_file(path: Path) -> Checklist:
    """The checklist in a file.

    Raises:
        InputError: no such file, not readable, over 1 MB, not text, or any fault that `read` finds.
    """
    return read(read_text(path, most_bytes=MAX_BYTES, hint=HINT), file=str(path))


def read(text: str, *, file: str) -> Checklist:
    """The checklist in a text; `file` is only its name in faults.

    Raises:
        InputError: with every fault that can be found, in the order of the lines.
    """
    try:
        refuse_long(len(text), most_bytes=MAX_BYTES)
        text = text.removeprefix("\ufeff")
        refuse_control_characters(text)
    except UnreadableFileError as error:
        raise build_refusal(error, file=file) from error
    written = YamlText(text, file=file)
    _say(written, written.notes)
    if not isinstance(written.root, Fields):
        if not written.faults:
            _say_no_fields(written)
        raise _input_error(written.faults, file=file)
    return _validate(written.root, written)


def _validate(root: Fields, written: YamlText) -> Checklist:
    notes: list[YamlFault] = []
    fields = cast("dict[str, object]", plain(root, notes=notes, days=DAYS))
    _mend_kinds(fields, root=root, notes=notes)
    _say(written, notes)
    try:
        checklist = Checklist.model_validate(fields)
    except ValidationError as error:
        for wrong in _findings(error):
            message, hint = explain(wrong)
            at_key = wrong.rule in _SILENT or wrong.given is None or isinstance(wrong.given, (dict, list))
            written.add(message, written.at(wrong.path, at_key=at_key), hint=hint, path=wrong.path)
    else:
        for rule in find_broken_rules(checklist) if not written.faults else ():
            written.add(rule.message, written.at(rule.path), hint=rule.hint, path=rule.path)
        if not written.faults:
            return checklist
    raise _input_error(written.faults, file=written.source.file)


def _say(written: YamlText, notes: Sequence[YamlFault]) -> None:
    """Faults of the YAML itself, in words that speak of a checklist, with the path that each has."""
    written.faults += [
        written.source.build_fault(note.message, place=note.place, hint=note.hint, path=note.path) for note in notes
    ]


def _mend_kinds(fields: dict[str, object], *, root: Node, notes: list[YamlFault]) -> None:
    """Report a misspelt kind and go on with the kind that was meant, so that the workload's other faults show too."""
    workloads = fields.get("workloads")
    for index, workload in enumerate(cast("list[object]", workloads) if isinstance(workloads, list) else ()):
        kind = cast("dict[str, object]", workload).get("kind") if isinstance(workload, dict) else None
        if kind is REFUSED:
            cast("list[object]", workloads)[index] = REFUSED
        if not isinstance(kind, str) or kind in kinds() or not (near := nearest(kind, kinds())):
            continue
        cast("dict[str, object]", workload)["kind"] = near
        hint = f'did you mean "{near}"? one of: {", ".join(kinds())}'
        path = ("workloads", index, "kind")
        notes.append(YamlFault(f'"kind" cannot be "{kind[:40]}"', locate(root, path), hint, spell(path)))


def _findings(error: ValidationError) -> Iterator[Wrong]:
    found = [_wrong(cast("dict[str, Any]", each)) for each in error.errors(include_url=False)]
    unknown = [wrong for wrong in found if wrong.rule == "extra_forbidden"]
    new = (wrong for wrong in found if not _says_nothing_new(wrong, unknown=unknown))
    return islice(new, MAX_FAULTS)


def _wrong(error: dict[str, Any]) -> Wrong:
    return Wrong(rule=error["type"], location=error["loc"], given=error["input"], limits=error.get("ctx", {}))


def _says_nothing_new(wrong: Wrong, *, unknown: Sequence[Wrong]) -> bool:
    if wrong.rule == "missing":
        return fields_near(wrong, unknown)
    if wrong.rule == "too_short":
        return bool(wrong.given)  # its entries are faulty, and reported themselves
    return wrong.given is REFUSED and wrong.rule not in _SILENT


def _input_error(faults: Sequence[Fault], *, file: str) -> InputError:
    ordered = sorted(faults, key=lambda fault: (fault.line, fault.column))
    count = f"{MAX_FAULTS} faults or more" if len(ordered) >= MAX_FAULTS else format_fault_count(ordered)
    return InputError(f"{file}: {count}", faults=ordered[:MAX_FAULTS])


def _say_no_fields(written: YamlText) -> None:
    root, start = written.root, TextPosition(1, 1)
    if root is None or (isinstance(root, Scalar) and root.plain and plain_values.value(root.text) is None):
        written.add("the checklist is empty", start, hint="`atoll init` writes a first one")
    else:
        hint = 'start with "customer:" and "workloads:", each at the beginning of a line'
        written.add("a checklist is made of named sections", start, hint=hint)
