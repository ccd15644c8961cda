"""What the configuration of a policy pack sets of rules: it may add to the reviewed law, never take from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, cast

from pydantic import ValidationError

from policies.breach import Level, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from policies.rule import Rule
    from policies.settings import Law

STRICTER: Final = (Level.DISABLED, Level.ADVISORY, Level.MANDATORY)
UNFIT: Final = frozenset({"default", "title", "pattern", "$defs", "discriminator"})
"""Words of a schema that the engine may not see: it would fill in defaults as if a person had written them, and its
patterns know no look-ahead (Go's regexp), which pydantic's use."""
REF: Final = "$ref"
GROUND: Final = "can-be-judged"  # the policy that stands for all that keeps a stack from being judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the pack's configuration says of one policy: a level (the policy's own where it says none) and settings."""

    level: Level
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


def stricter(law: Law, asked: Mapping[str, Asked], rules: Sequence[Rule]) -> tuple[Law, tuple[str, ...]]:
    """The law with what is asked on top of it, and a sentence for everything that is refused."""
    levels, settings, refused = dict(law.levels), dict(law.settings), list[str]()
    own = {GROUND: Level.MANDATORY, **{rule.name: rule.level for rule in rules}}
    for name, wish in asked.items():
        level = own.get(name)
        if level is None:
            refused.append(f"Configuration of the pack: there is no rule {name!r}. Take it out of it.")
        elif STRICTER.index(wish.level) < STRICTER.index(level):
            refused.append(
                f"Configuration of the pack: {name} is asked to be {wish.level}; it is {level}, and the pack's "
                "configuration can only make it stricter. Take that level out of it, or write an exemption into "
                "stacks/policies.yaml."
            )
        elif wish.level is not level:
            levels[name] = wish.level
    for rule in rules:
        wish = asked.get(rule.name)
        if wish and wish.settings:
            try:
                settings[rule.settings] = _merged(rule, law.setting(rule.settings), wish.settings)
            except ValueError as fault:
                refused.append(f"Configuration of the pack: {rule.name}: {fault}.")
    return replace(law, levels=levels, settings=settings), tuple(refused)


def _merged(rule: Rule, lawful: Settings, wished: Mapping[str, object]) -> Settings:
    """The settings of the law and, where it says nothing, those asked for.

    Raises:
        ValueError: what is asked does not fit, or the law says something else.
    """
    said = lawful.model_dump(include=lawful.model_fields_set)
    try:
        found = rule.settings.model_validate({**said, **wished})
    except ValidationError as error:
        places = sorted({".".join(str(part) for part in each["loc"]) for each in error.errors()})
        raise ValueError(f"{', '.join(places)} does not fit; docs/guides/policies.md tells what does") from None
    changed = sorted(name for name in said if getattr(found, name) != getattr(lawful, name))
    if changed:
        raise ValueError(f"stacks/policies.yaml sets {', '.join(changed)}, and only there it can be changed")
    return found


def schema(settings: type[Settings]) -> dict[str, dict[str, object]]:
    """JSON Schema of each setting, as an engine can read it: nothing to look up, no defaults."""
    whole = cast("dict[str, object]", settings.model_json_schema())
    definitions = cast("dict[str, object]", whole.get("$defs", {}))
    properties = cast("dict[str, object]", whole.get("properties", {}))
    return {name: cast("dict[str, object]", _plain(each, definitions)) for name, each in properties.items()}


def _plain(value: object, definitions: Mapping[str, object]) -> object:
    if isinstance(value, list):
        return [_plain(each, definitions) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    found = cast("dict[str, object]", value)
    if REF in found:
        named = definitions[str(found[REF]).rpartition("/")[2]]
        rest = {name: each for name, each in found.items() if name != REF}
        return _plain({**cast("dict[str, object]", named), **rest}, definitions)
    return dict(_kept(found, definitions))


def _kept(found: Mapping[str, object], definitions: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, each in found.items():
        if name == "properties":
            inner = cast("dict[str, object]", each)
            yield name, {key: _plain(part, definitions) for key, part in inner.items()}
        elif name not in UNFIT:
            yield name, _plain(each, definitions)
