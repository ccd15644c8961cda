"""Evaluation of one stack while an engine runs: reads its lock, policy settings and prices, and returns the findings.

Whatever prevents the evaluation is a mandatory finding in words, never an exception: the engine would show that as a
stack trace or, for an unknown value, pass the stack.
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
from planning.costs.estimates import ESTIMATES_KEY, EstimateUse
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
# Schema keywords that the engine may not see: it would fill in defaults as if a person had written them, and its
# patterns know no look-ahead (Go's regexp), which pydantic's use.
UNFIT: Final = frozenset({"default", "title", "pattern", "$defs", "discriminator"})
REF: Final = "$ref"
GROUND: Final = "can-be-judged"  # the policy of everything that prevents an evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPolicyConfig:
    """The pack's configuration of one policy; `level` is the policy's own where none is set."""

    level: Level
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


def tighten_settings(
    law: PolicySettings, asked: Mapping[str, PackPolicyConfig], rules: Sequence[Rule]
) -> tuple[PolicySettings, tuple[str, ...]]:
    """The policy settings tightened by the pack's configuration, and a sentence for everything that is refused."""
    levels, settings, refused = dict(law.levels), dict(law.settings), list[str]()
    own = {GROUND: Level.MANDATORY, **{rule.name: rule.level for rule in rules}}
    for name, wish in asked.items():
        level = own.get(name)
        if level is None:
            refused.append(f"Configuration of the pack: there is no rule {name!r}. Remove it.")
        elif STRICTER.index(wish.level) < STRICTER.index(level):
            refused.append(
                f"Configuration of the pack: {name} is set to {wish.level}; it is {level}, and the pack's "
                "configuration can only make it stricter. Remove that level, or write an exemption into "
                "stacks/policies.yaml."
            )
        elif wish.level is not level:
            levels[name] = wish.level
    for rule in rules:
        wish = asked.get(rule.name)
        if wish and wish.settings:
            try:
                settings[rule.settings] = _merge_settings(rule, law.get(rule.settings), wish.settings)
            except ValueError as fault:
                refused.append(f"Configuration of the pack: {rule.name}: {fault}.")
    return replace(law, levels=levels, settings=settings), tuple(refused)


def _merge_settings(rule: Rule, lawful: Settings, wished: Mapping[str, object]) -> Settings:
    """The project's settings, completed by the pack's configuration.

    Raises:
        ValueError: a setting does not fit, or contradicts the project's.
    """
    said = lawful.model_dump(include=lawful.model_fields_set)
    try:
        found = rule.settings.model_validate({**said, **wished})
    except ValidationError as error:
        places = sorted({".".join(str(part) for part in each["loc"]) for each in error.errors()})
        raise ValueError(f"{', '.join(places)} does not fit; see docs/guides/policies.md") from None
    changed = sorted(name for name in said if getattr(found, name) != getattr(lawful, name))
    if changed:
        raise ValueError(f"stacks/policies.yaml sets {', '.join(changed)}, which can be changed only there")
    return found


def schema(settings: type[Settings]) -> dict[str, dict[str, object]]:
    """JSON Schema of each setting, as an engine can read it: without references and defaults."""
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
GROUND_TITLE: Final = "Policy evaluation"
GROUND_DEMAND: Final = "The lock, the policy settings and the prices of the stack can be read."
GROUND_REMEDY: Final = "Accept an option (atoll accept), or restore the file that the finding names."
SHOWN: Final = 3
MOST_SOFTWARE_BYTES: Final = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PackFinding:
    """One finding; `rule` is GROUND for what prevents the evaluation, `urn` "" for the stack as a whole."""

    rule: str
    text: str
    urn: str = ""
    mandatory: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRequest:
    """A stack as the engine sends it.

    Args:
        root: the project's folder.
        unseen: URNs of components whose inputs are unknown.
        config: the stack's configuration.
        asked: the pack's configuration, by the name of the rule.
    """

    root: Path
    stack: str
    resources: tuple[Resource, ...]
    unseen: tuple[str, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: Mapping[str, PackPolicyConfig] = field(default_factory=dict[str, "PackPolicyConfig"])


def answer(asking: PackRequest, *, rules: Sequence[Rule] = RULES) -> tuple[PackFinding, ...]:
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
    """The stack to be evaluated, and sentences about refused configuration."""
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
        estimated=asking.config.get(ESTIMATES_KEY, EstimateUse.ALLOWED) == EstimateUse.ALLOWED,
    )
    if asking.config.get(REACH, EVERYTHING) == EVERYTHING:
        return subject, refused
    market = Market(catalog, estimated=subject.estimated)
    return replace(subject, whole=whole_bill(lock.placements, market)), refused


def _short(path: Path) -> Path:
    """The path relative to the working directory, which for an engine is the project's folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _software(path: Path) -> SoftwareLock:
    if not path.exists():
        return SoftwareLock()
    return read_software(read_text(path, most_bytes=MOST_SOFTWARE_BYTES), file=str(_short(path)))


def _today() -> date:
    given = os.environ.get(TODAY, "")
    if not given:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InputError(f"{TODAY} is not a date", hint="write it as YYYY-MM-DD, or leave it out") from None


def _fault(fault: Exception) -> str:
    """A fault of ours."""
    # Its class and place only: the message may hold a value of the program, which may be a secret.
    frames = traceback.extract_tb(fault.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{GROUND_TITLE}: the rules failed with {type(fault).__name__}{place}. Report it: this is a fault of Atoll."


def _report_unseen(urns: Sequence[str]) -> Iterator[PackFinding]:
    if not urns:
        return
    names = ", ".join(urn.rpartition("::")[2] for urn in urns[:SHOWN])
    more = f" and {len(urns) - SHOWN} more" if len(urns) > SHOWN else ""
    text = (
        f"{GROUND_TITLE}, undetermined: {names}{more} are no longer part of the program, so their inputs are "
        "unknown, and the rules evaluate whole components. Run it without --target and --exclude."
    )
    yield PackFinding(rule=GROUND, text=text, urn=urns[0])


def _list_findings(report: PolicyReport) -> Iterator[PackFinding]:
    """Findings of the rules, then exemptions that are unused or have expired."""
    for found in report.found:
        yield PackFinding(rule=found.rule.name, text=found.sentence, urn=found.breach.urn, mandatory=found.stops)
    shown = {id(found.exemption) for found in report.found}
    for exemption, standing in report.exemptions:
        if id(exemption) not in shown and standing in (ExemptionState.UNUSED, ExemptionState.EXPIRED):
            text = (
                f"The exemption of {exemption.owner} until {exemption.expires} is {standing}: {exemption.reason}. "
                f"Remove it from {STACKS}/{LAW_NAME}."
            )
            yield PackFinding(rule=exemption.rule, text=text, mandatory=False)
