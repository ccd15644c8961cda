"""One stack in front of the rules while an engine runs: its lock, law and prices read, judged once, and said.

Whatever keeps a stack from being judged is a mandatory finding in words, never an exception: the engine would show
that as a stack trace, or, for an unknown value, let the stack through.
"""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pydantic import ValidationError

from catalogs.catalog import load
from catalogs.model import CatalogError
from planning.inputs.files import read_text
from planning.platform.digests import LOCK_NAME as SOFTWARE_NAME
from planning.platform.digests import SoftwareLock
from planning.platform.digests import read_lock as read_software
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.spec.lock import LOCK_NAME, read_lock
from planning.values.errors import AtollError, InputError, in_one_line
from policies.evaluation import ExemptionState, evaluate_rules
from policies.settings import Level, Settings
from policies.settings_reader import read_law
from policies.stack_context import RuleCatalog, StackContext
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.costs.resources.resource import Resource
    from policies.evaluation import PolicyReport
    from policies.rule import Rule
    from policies.settings import PolicySettings


STRICTER: Final = (Level.DISABLED, Level.ADVISORY, Level.MANDATORY)
UNFIT: Final = frozenset({"default", "title", "pattern", "$defs", "discriminator"})
"""Words of a schema that the engine may not see: it would fill in defaults as if a person had written them, and its
patterns know no look-ahead (Go's regexp), which pydantic's use."""
REF: Final = "$ref"
GROUND: Final = "can-be-judged"  # the policy that stands for all that keeps a stack from being judged


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPolicyConfig:
    """What the pack's configuration says of one policy: a level (the policy's own where it says none) and settings."""

    level: Level
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


def tighten_settings(
    law: PolicySettings, asked: Mapping[str, PackPolicyConfig], rules: Sequence[Rule]
) -> tuple[PolicySettings, tuple[str, ...]]:
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
                settings[rule.settings] = _merge_settings(rule, law.setting(rule.settings), wish.settings)
            except ValueError as fault:
                refused.append(f"Configuration of the pack: {rule.name}: {fault}.")
    return replace(law, levels=levels, settings=settings), tuple(refused)


def _merge_settings(rule: Rule, lawful: Settings, wished: Mapping[str, object]) -> Settings:
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
    return dict(_select_keywords(found, definitions))


def _select_keywords(found: Mapping[str, object], definitions: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, each in found.items():
        if name == "properties":
            inner = cast("dict[str, object]", each)
            yield name, {key: _plain(part, definitions) for key, part in inner.items()}
        elif name not in UNFIT:
            yield name, _plain(each, definitions)


STACKS: Final = "stacks"
LAW_NAME: Final = "policies.yaml"
TODAY: Final = "ATOLL_TODAY"
REACH: Final = "atoll:reach"  # as components.context.settings reads it
EVERYTHING: Final = "all"
GROUND_TITLE: Final = "Can be judged"
GROUND_DEMAND: Final = "The lock, the law and the prices by which the stack is judged can be read."
GROUND_REMEDY: Final = "Accept an option (atoll accept), or restore the file that the finding names."
SHOWN: Final = 3
MOST_SOFTWARE_BYTES: Final = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PackFinding:
    """One finding.

    Args:
        rule: name; GROUND for what keeps the stack from being judged.
        urn: the resource; "" for the stack as a whole.
    """

    rule: str
    text: str
    urn: str = ""
    mandatory: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRequest:
    """What an engine asks about.

    Args:
        root: the project's folder.
        unseen: components that nobody can judge.
        config: the stack's configuration.
        asked: what the pack's configuration sets of rules, by name.
    """

    root: Path
    stack: str
    resources: tuple[Resource, ...]
    unseen: tuple[str, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: Mapping[str, PackPolicyConfig] = field(default_factory=dict[str, "PackPolicyConfig"])


def answer(asking: PackRequest, *, rules: Sequence[Rule] = RULES) -> tuple[PackFinding, ...]:
    """Every finding about a stack."""
    try:
        subject, refused = _subject(asking, rules)
        report = evaluate_rules(subject, rules)
    except (AtollError, CatalogError) as error:
        said = in_one_line(error) if isinstance(error, AtollError) else str(error)
        return (PackFinding(rule=GROUND, text=f"{GROUND_TITLE}: {said}."),)
    except Exception as fault:  # noqa: BLE001 - a fault of ours stops the deployment in words
        return (PackFinding(rule=GROUND, text=_fault(fault)),)
    return (
        *_report_unseen(asking.unseen),
        *(PackFinding(rule=GROUND, text=text) for text in refused),
        *_list_findings(report),
    )


def _subject(asking: PackRequest, rules: Sequence[Rule]) -> tuple[StackContext, tuple[str, ...]]:
    """The stack with all it is judged by, and what the pack's configuration is refused."""
    home = asking.root / STACKS
    lock = read_lock(_short(home / asking.stack / LOCK_NAME), stack=asking.stack)
    law, refused = tighten_settings(read_law(_short(home / LAW_NAME), rules=rules), asking.asked, rules)
    catalog = load()
    subject = StackContext(
        lock=lock,
        ceilings=lock.ceiling,
        resources=asking.resources,
        today=_today(),
        catalog=cast("RuleCatalog", cast("object", catalog)),
        law=law,
        software=_software(home / SOFTWARE_NAME),
        tells_retention=False,
    )
    is_whole = asking.config.get(REACH, EVERYTHING) == EVERYTHING
    return subject if is_whole else replace(subject, whole=whole_bill(lock.placements, Market(catalog))), refused


def _short(path: Path) -> Path:
    """The path as it is said from the working directory, which for an engine is the project's folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _software(path: Path) -> SoftwareLock:
    if not path.exists():
        return SoftwareLock()
    return read_software(read_text(path, most_bytes=MOST_SOFTWARE_BYTES), file=str(_short(path)))


def _today() -> date:
    """The day that ATOLL_TODAY names, else today's.

    Raises:
        InputError: it names none.
    """
    given = os.environ.get(TODAY, "")
    if not given:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InputError(f"{TODAY} is no day", hint="write it as YYYY-MM-DD, or leave it out") from None


def _fault(fault: Exception) -> str:
    """A fault of ours, without what it holds: that may be a secret."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{GROUND_TITLE}: the rules failed with {type(fault).__name__}{place}. Report it: this is a fault of Atoll."


def _report_unseen(urns: Sequence[str]) -> Iterator[PackFinding]:
    if not urns:
        return
    names = ", ".join(urn.rpartition("::")[2] for urn in urns[:SHOWN])
    more = f" and {len(urns) - SHOWN} more" if len(urns) > SHOWN else ""
    text = (
        f"{GROUND_TITLE}, undetermined: {names}{more} are no part of the program any more; nobody knows what they were "
        "asked to be, and the rules judge whole components. Run it without --target and --exclude."
    )
    yield PackFinding(rule=GROUND, text=text, urn=urns[0])


def _list_findings(report: PolicyReport) -> Iterator[PackFinding]:
    """What the rules found, and every exemption that let nothing through."""
    for found in report.found:
        yield PackFinding(rule=found.rule.name, text=found.sentence, urn=found.breach.urn, mandatory=found.stops)
    shown = {id(found.exemption) for found in report.found}
    for exemption, standing in report.exemptions:
        if id(exemption) not in shown and standing in (ExemptionState.UNUSED, ExemptionState.EXPIRED):
            text = (
                f"The exemption of {exemption.owner} until {exemption.expires} is {standing}: {exemption.reason}. "
                f"Take it out of {STACKS}/{LAW_NAME}."
            )
            yield PackFinding(rule=exemption.rule, text=text, mandatory=False)
