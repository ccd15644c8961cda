"""No rule turns green over what it cannot read: every property of every resource is made unknown, one at a time.

Why a few thousand judgements say as much as millions: a rule is a pure function of its stack (an import contract and
the frozen types see to that), so it takes the same steps until it reads something that is different. Inputs that it
does not read while it judges a stack can therefore not change what it says of that stack. The inputs that it reads are
found by watching it, and everything under them is tried: objects, lists, elements and leaves, read or not.

Some rules read nearly everything: those about money count the whole stack each time, and one looks for images in every
object. There what a breach is about is tried in full for each case, and of the rest every type of resource and path
once for each rule, unknown and secret by turns, spread over its cases: two node groups are counted by the same lines of
code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

import pytest
from policy_kit import STACKS, Breaking, put, sound, with_resource
from test_policy_rules import cases

from planning.costs.resources.resource import UNKNOWN, Resource, Secret, UnknownValue, Value
from planning.costs.resources.stack_cost import StackCost
from planning.values.verdict import Verdict
from policies.evaluation import evaluate_rules
from policies.rule import Breach, Rule
from policies.settings import Level
from policies.stack_context import StackContext
from policies.table import RULES

SECRET = Secret()
MANDATORY = [rule for rule in RULES if rule.level is Level.MANDATORY]
# Of each rule the first case in `make test`, every one in `make test-long`, which CI runs for each change.
EVERY_CASE = [
    pytest.param(rule, case, id=f"{rule.name}: {case.what}", marks=[pytest.mark.long] if place else [])
    for rule in MANDATORY
    for place, case in enumerate(cases(rule))
]
PARTS = 2
MANY = 1500  # places that a rule reads, from which on they are spread over its cases


class Watched(Mapping[str, Value]):
    """Inputs that remember which of them were read; whoever walks through them reads them all."""

    def __init__(self, inputs: Mapping[str, Value]) -> None:
        self._inputs = inputs
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Value:
        self.read.add(name)
        return self._inputs[name]

    def __iter__(self) -> Iterator[str]:
        self.read.update(self._inputs)
        return iter(self._inputs)

    def __len__(self) -> int:
        self.read.update(self._inputs)
        return len(self._inputs)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A property: the position of its resource in the stack, and the way to it inside its inputs."""

    at: int
    path: tuple[str, ...]


def watched(stack: StackContext) -> StackContext:
    return replace(stack, resources=tuple(replace(each, inputs=Watched(each.inputs)) for each in stack.resources))


def read(rules: Sequence[Rule], stack: StackContext) -> tuple[list[Place], bool]:
    """Every property under what the rules read of a stack, and whether they counted the whole of it."""
    seen = watched(stack)
    for rule in rules:
        assert list(rule.judge(seen)) == list(rule.judge(stack))
    found = [
        Place(at=at, path=path)
        for at, (resource, eyes) in enumerate(zip(stack.resources, seen.resources, strict=True))
        for name in sorted(cast("Watched", eyes.inputs).read & set(resource.inputs))
        for path in under(resource.inputs[name], (name,))
    ]
    return found, "taken" in vars(seen)


def under(value: Value, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from under(child, (*path, str(key)))


def kind(stack: StackContext, place: Place) -> tuple[str, tuple[str, ...]]:
    """Type of the resource and path; elements of a list count as one."""
    return stack.resources[place.at].type, tuple("[]" if step.isdigit() else step for step in place.path)


def kinds(stack: StackContext, places: Sequence[Place]) -> list[Place]:
    """One place of each kind."""
    found: dict[object, Place] = {}
    for each in places:
        found.setdefault(kind(stack, each), each)
    return list(found.values())


def injected(stack: StackContext, place: Place, what: UnknownValue | Secret) -> StackContext:
    """The stack with one property that cannot be read."""
    resource = stack.resources[place.at]
    inputs = cast("dict[str, Value]", put(dict(resource.inputs), list(place.path), what))
    return with_resource(stack, place.at, replace(resource, inputs=inputs))


_COUNTED: dict[object, tuple[tuple[Resource, ...], StackCost]] = {}


def counted(stack: StackContext, place: Place, what: UnknownValue | Secret) -> StackContext:
    """The same, counted once for all cases that only differ in their limits."""
    made = injected(stack, place, what)
    key = (id(stack.resources), id(stack.catalog), place, type(what))
    if key not in _COUNTED:
        _COUNTED[key] = (stack.resources, made.taken)  # the resources stay, and with them their id
    vars(made)["taken"] = _COUNTED[key][1]
    return made


def tried(rule: Rule, case: Breaking) -> Iterator[tuple[Place, StackContext]]:
    """Every stack that is to be tried for a case."""
    stack = case.stack()
    places, whole = read((rule,), stack)
    mine = places if len(places) <= MANY and not whole else spread(rule, case, stack, places)
    about = {breach.urn for breach in rule.judge(stack)}
    for turn, place in enumerate(mine):
        by_turns = whole and stack.resources[place.at].urn not in about
        for what in ((UNKNOWN, SECRET)[turn % 2],) if by_turns else (UNKNOWN, SECRET):
            yield place, counted(stack, place, what) if whole else injected(stack, place, what)


def spread(rule: Rule, case: Breaking, stack: StackContext, places: Sequence[Place]) -> list[Place]:
    """Everything in the resources that the case breaks the rule with, and this case's share of all kinds of places."""
    about = {breach.urn for breach in rule.judge(stack)}
    every = cases(rule)
    share = kinds(stack, places)[every.index(case) :: len(every)]
    return list(dict.fromkeys([*share, *(each for each in places if stack.resources[each.at].urn in about)]))


@pytest.mark.parametrize(("rule", "case"), EVERY_CASE)
def test_an_unknown_anywhere_never_turns_a_broken_rule_green(rule: Rule, case: Breaking) -> None:
    green = [
        f"{stack.resources[place.at].name} ({stack.resources[place.at].type}): {'.'.join(place.path)}"
        for place, stack in tried(rule, case)
        if not list(rule.judge(stack))
    ]
    assert green == []


@cache
def readers() -> Mapping[str, Mapping[Place, Sequence[Rule]]]:
    """What the rules read of the examples, each type and path in one of them, and the rules that read it."""
    found: dict[str, dict[Place, list[Rule]]] = {}
    seen: set[object] = set()
    for target in STACKS:
        stack = sound(target)
        by_place: dict[Place, list[Rule]] = {}
        for rule in RULES:
            for place in read((rule,), stack)[0]:
                by_place.setdefault(place, []).append(rule)
        new = [each for each in kinds(stack, list(by_place)) if kind(stack, each) not in seen]
        seen.update(kind(stack, each) for each in new)
        found[target] = {each: by_place[each] for each in new}
    return found


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("target", STACKS)
def test_what_cannot_be_read_stops_no_report(target: str, part: int) -> None:
    stack = sound(target)
    mine = list(readers()[target].items())[part::PARTS]
    assert mine
    for turn, (place, rules) in enumerate(mine):
        report = evaluate_rules(injected(stack, place, (UNKNOWN, SECRET)[turn % 2]), rules)
        assert report.verdict in Verdict
        assert (report.exit_code == 0) == (report.verdict is Verdict.WITHIN)


def test_watching_finds_what_a_rule_reads() -> None:
    eyes = Watched({"a": 1, "b": {"c": [1]}})
    assert eyes.get("b") == {"c": [1]}
    assert eyes.read == {"b"}
    assert dict(eyes)
    assert eyes.read == {"a", "b"}
    assert list(under({"c": [1]}, ("b",))) == [("b",), ("b", "c"), ("b", "c", "0")]


def test_a_rule_that_takes_an_unknown_for_a_value_is_caught() -> None:
    def lax(stack: StackContext) -> Iterator[Breach]:
        for key in stack.of_types(("aws:kms/key:Key",)):
            if not isinstance(key.inputs["deletionWindowInDays"], UnknownValue):
                yield Breach(verdict=Verdict.OVER, urn=key.urn, given="", limit="", fix="")

    rule = replace(RULES[0], judge=lax)
    places, whole = read((rule,), sound())
    assert not whole
    green = [place.path for place in places if not list(rule.judge(injected(sound(), place, UNKNOWN)))]
    assert green == [("deletionWindowInDays",)]
