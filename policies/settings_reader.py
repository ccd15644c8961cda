"""Reader of stacks/policies.yaml: reports every fault together, with its place."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, ValidationError

from planning.inputs.faults import SourceText, locate, nearest, spell
from planning.inputs.files import MissingFileError, read_text
from planning.inputs.plain_values import REFUSED, plain
from planning.inputs.yaml_nodes import Fields, TextPosition, YamlFault, compose
from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME
from planning.values.errors import Fault, InputError, format_fault_count
from policies.settings import Exemption, Level, PolicySettings, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from policies.rule import Rule

RULES: Final = "rules"
EXEMPTIONS: Final = "exemptions"
LEVEL: Final = "level"
STACKS: Final = "stacks"  # of settings that differ by stack


def read_law(path: Path, *, rules: Sequence[Rule]) -> PolicySettings:
    """The policy settings of a project; the rules' defaults where there is no such file.

    Raises:
        InputError: the file cannot be read, or as `parse`.
    """
    try:
        text = read_text(path, hint="it holds settings and exemptions only")
    except MissingFileError:
        return PolicySettings()
    beside = {each.parent.name for name in (CHECKLIST_NAME, LOCK_NAME) for each in path.parent.glob(f"*/{name}")}
    return parse(text, file=str(path), rules=rules, stacks=beside)


def parse(text: str, *, file: str, rules: Sequence[Rule], stacks: AbstractSet[str] = frozenset()) -> PolicySettings:
    """The policy settings in a text; `file` is only its name in faults.

    Args:
        stacks: names that an exemption or a setting may be for; empty: any.

    Raises:
        InputError: with every fault that can be found.
    """
    reading = _SettingsReader(text, file=file)
    sections = reading.read_sections()
    by_name = {rule.name: rule for rule in rules}
    settings, levels = _settings(reading, _mapping(reading, sections.get(RULES), (RULES,)), by_name, stacks)
    exemptions = tuple(_exemptions(reading, sections.get(EXEMPTIONS), by_name, stacks))
    reading.refuse()
    return PolicySettings(
        settings=settings, levels=levels, exemptions=exemptions, digest=sha256(text.encode()).hexdigest()
    )


class _SettingsReader:
    """A text, its nodes, and the faults found so far."""

    def __init__(self, text: str, *, file: str) -> None:
        self.source = SourceText(file=file, lines=text.splitlines())
        self.root, notes = compose(text)
        self.faults: list[Fault] = []
        self._say(notes)

    def read_sections(self) -> Mapping[str, object]:
        if not isinstance(self.root, Fields):
            if self.source.lines and any(line.split("#")[0].strip() for line in self.source.lines):
                self.add_fault('start with "rules:" or "exemptions:"', ())
            return {}
        notes: list[YamlFault] = []
        fields = cast("dict[str, object]", plain(self.root, notes=notes, dates=True))
        self._say(notes)
        for name in fields.keys() - {RULES, EXEMPTIONS}:
            self.note_unknown(name, (name,), known=(RULES, EXEMPTIONS))
        return fields

    def add_fault(self, message: str, path: tuple[str | int, ...], *, hint: str = "", at_key: bool = False) -> None:
        place = locate(self.root, path, at_key=at_key) if self.root else TextPosition(1, 1)
        self.faults.append(self.source.build_fault(message, place=place, hint=hint, path=spell(path)))

    def note_unknown(self, name: str, path: tuple[str | int, ...], *, known: Iterable[str]) -> None:
        """An unknown name, with the one that was probably meant."""
        words = sorted(known)
        near = nearest(name, words)
        hint = f'did you mean "{near}"?' if near else f"one of: {', '.join(words)}"
        self.add_fault(f'there is no "{name[:40]}" here', path, hint=hint, at_key=True)

    def validate(self, model: type[BaseModel], value: object, path: tuple[str | int, ...]) -> BaseModel | None:
        """The value as a model; None where it does not fit, with the faults recorded."""
        try:
            return model.model_validate(value)
        except ValidationError as error:
            for each in error.errors(include_url=False):
                self._add_wrong(
                    model, (*path, *each["loc"]), kind=each["type"], message=each["msg"], given=each["input"]
                )
        return None

    def refuse(self) -> None:
        """Raises InputError with every fault, if there is one."""
        if not self.faults:
            return
        ordered = sorted(self.faults, key=lambda fault: (fault.line, fault.column))
        raise InputError(f"{self.source.file}: {format_fault_count(ordered)}", faults=ordered)

    def _say(self, notes: Iterable[YamlFault]) -> None:
        self.faults += [self.source.build_fault(each.message, place=each.place, hint=each.hint) for each in notes]

    def _add_wrong(
        self, model: type[BaseModel], path: tuple[str | int, ...], *, kind: str, message: str, given: object
    ) -> None:
        if given is REFUSED:
            return
        if kind == "extra_forbidden":
            self.note_unknown(str(path[-1]), path, known=model.model_fields)
        elif kind == "missing":
            self.add_fault(f'"{path[-1]}" is missing', path, at_key=True)
        else:
            said = message.removeprefix("Value error, ")
            self.add_fault(f"{spell(path)}: {said[:1].lower()}{said[1:]}", path)


def _settings(
    reading: _SettingsReader, sections: Mapping[str, object], rules: Mapping[str, Rule], stacks: AbstractSet[str]
) -> tuple[dict[type[Settings], Settings], dict[str, Level]]:
    settings: dict[type[Settings], Settings] = {}
    levels: dict[str, Level] = {}
    for name, section in sections.items():
        rule, path = rules.get(name), (RULES, name)
        if rule is None:
            reading.note_unknown(name, path, known=rules)
            continue
        fields = dict(_mapping(reading, section, path))
        level = _level(reading, rule, fields.pop(LEVEL, None))
        if level is not None:
            levels[name] = level
        found = reading.validate(rule.settings, fields, path)
        if isinstance(found, Settings):
            settings[rule.settings] = found
        for stack in _mapping(reading, fields.get(STACKS), (*path, STACKS)) if found is not None else ():
            if stacks and stack not in stacks:  # it would silently apply to no stack
                reading.note_unknown(stack, (*path, STACKS, stack), known=stacks)
    return settings, levels


def _level(reading: _SettingsReader, rule: Rule, value: object) -> Level | None:
    """The level that the project sets; a mandatory rule stays mandatory."""
    path = (RULES, rule.name, LEVEL)
    if value is None or value is REFUSED:
        return None
    if value not in set(Level):
        reading.add_fault(f"{LEVEL} cannot be {str(value)[:40]!r}", path, hint=f"one of: {', '.join(Level)}")
        return None
    level = Level(str(value))
    if rule.level is Level.MANDATORY and level is not Level.MANDATORY:
        reading.add_fault(
            f"{rule.name} is mandatory and stays so",
            path,
            hint="for a single breach write an exemption, with owner, reason, expiry and amount",
        )
        return None
    return level


def _exemptions(
    reading: _SettingsReader, section: object, rules: Mapping[str, Rule], stacks: AbstractSet[str]
) -> Iterator[Exemption]:
    if section is None or section is REFUSED:
        return
    if not isinstance(section, list):
        reading.add_fault(f"{EXEMPTIONS} is a list", (EXEMPTIONS,), hint='start each exemption with "- rule:"')
        return
    for index, each in enumerate(cast("list[object]", section)):
        found = reading.validate(Exemption, each, (EXEMPTIONS, index))
        if not isinstance(found, Exemption):
            continue
        if found.rule not in rules:
            reading.note_unknown(found.rule, (EXEMPTIONS, index, "rule"), known=rules)
            continue
        if stacks and found.stack not in stacks:  # it would silently exempt nothing
            reading.note_unknown(found.stack, (EXEMPTIONS, index, "stack"), known=stacks)
            continue
        yield found


def _mapping(reading: _SettingsReader, value: object, path: tuple[str | int, ...]) -> Mapping[str, object]:
    """A section; nothing where it is empty or was refused."""
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    if value is not None and value is not REFUSED:
        reading.add_fault(f"{spell(path)} holds names and values", path)
    return {}
