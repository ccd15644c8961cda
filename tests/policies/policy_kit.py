"""Stacks for the rules: whole ones from the real program, changed in one place at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import cast

import pulumi

from catalogs.catalog import Catalog, load
from components.stack.targets import build
from operations.offline.program import run
from planning.ceilings.spend_bounds import build_home_prices
from planning.checklist.reading.checklist_file import read_file
from planning.costs.resources.resource import Resource, Value
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Ceilings, Lock
from policies.rules.money.spend_limits import MayStayUnpriced
from policies.settings import PolicySettings
from policies.stack_context import RuleCatalog, StackContext

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 21)  # the prices of the catalog are of this autumn
STACKS = {
    "aws": ("demo", "cheapest"),
    "gcp": ("gcp-train", "cheapest"),
    "coreweave": ("coreweave-pretrain", "cheapest"),
}

# What the examples on Google Cloud and CoreWeave have no price for, with the most that it may come to.
STATED = {"shared_ssd": 5000, "support_business_hours": 3000}
BOUNDS = MayStayUnpriced.model_validate({"at_most_usd_per_month": STATED})
LAW = PolicySettings(settings={MayStayUnpriced: BOUNDS})


@dataclass(frozen=True, kw_only=True)
class Breaking:
    """A stack that breaks one rule and no other.

    Args:
        what: in a few words, for the test's name.
        stack: makes it; a function, so that nothing runs while tests are collected.
        unclear: whether nobody can tell, rather than that it is over.
    """

    what: str
    stack: Callable[[], StackContext]
    unclear: bool = False


@cache
def catalog() -> Catalog:
    return load()


@cache
def accepted(target: str) -> Lock:
    """The lock of the example that is built on a target."""
    example, view = STACKS[target]
    checklist = read_file(ROOT / "stacks" / example / "checklist.yaml")
    found = quote(checklist, checklist_digest="", stack=example, market=Market(catalog()), today=TODAY)
    chosen = next(option for option in found.options if view in option.views)
    months, residency = checklist.contract.months, checklist.where.residency
    return lock(found, chosen, ceiling=ceilings(checklist), contract_months=months, residency=residency)


@cache
def sound(target: str = "aws") -> StackContext:
    """The example as it is accepted and registered: it keeps every rule."""
    there = accepted(target)

    def program() -> None:
        prices = build_home_prices(there)
        for name, value in build(
            there.placements, joined=there.joined, ceiling=there.ceiling.usd_per_month, prices=prices
        ).items():
            pulumi.export(name, value)

    return subject(there, run(there.stack, program=program).resources)


def subject(there: Lock, resources: tuple[Resource, ...], *, today: date = TODAY) -> StackContext:
    facts = cast("RuleCatalog", cast("object", catalog()))
    return StackContext(lock=there, ceilings=there.ceiling, resources=resources, today=today, catalog=facts, law=LAW)


def ceiling(stack: StackContext, **limits: object) -> StackContext:
    """The same stack under other limits."""
    return replace(stack, ceilings=Ceilings.model_validate({**stack.ceilings.model_dump(), **limits}))


def changed(stack: StackContext, type_: str, values: Mapping[str, Value], *, name: str = "") -> StackContext:
    """The same stack with inputs of one resource set, by path; the first of its type, or the named one."""
    at = _find(stack, type_, name)
    inputs: Value = dict(stack.resources[at].inputs)
    for path, value in values.items():
        inputs = put(inputs, path.split("."), value)
    return with_resource(stack, at, replace(stack.resources[at], inputs=cast("dict[str, Value]", inputs)))


def with_options(stack: StackContext, type_: str, *, name: str = "", **options: bool) -> StackContext:
    """The same stack with options of one resource set, as `protect`."""
    at = _find(stack, type_, name)
    return with_resource(stack, at, replace(stack.resources[at], **options))


def _find(stack: StackContext, type_: str, name: str) -> int:
    found = (at for at, each in enumerate(stack.resources) if each.type == type_ and name in ("", each.name))
    return next(found)


def with_resource(stack: StackContext, at: int, resource: Resource) -> StackContext:
    return replace(stack, resources=(*stack.resources[:at], resource, *stack.resources[at + 1 :]))


def added(stack: StackContext, *resources: Resource) -> StackContext:
    return replace(stack, resources=(*stack.resources, *resources))


def without(stack: StackContext, type_: str, *, name: str = "") -> StackContext:
    """The same stack without one resource, or without all of a type."""
    kept = tuple(each for each in stack.resources if each.type != type_ or (name and each.name != name))
    return replace(stack, resources=kept)


def made(type_: str, name: str, *, parent: str | None = None, **inputs: Value) -> Resource:
    """A resource that the program does not have."""
    chain = f"{parent.split('::')[2]}${type_}" if parent else type_
    urn = f"urn:pulumi:demo::atoll::{chain}::{name}"
    return Resource(urn=urn, type=type_, name=name, parent=parent, custom=True, inputs=inputs, property_dependencies={})


def put(value: Value, path: list[str], new: Value) -> Value:
    """A copy of a value with something else at a path; numbers count list elements."""
    if not path:
        return new
    if isinstance(value, list):
        at = int(path[0])
        return [*value[:at], put(value[at], path[1:], new), *value[at + 1 :]]
    there = value if isinstance(value, dict) else {}
    return {**there, path[0]: put(there.get(path[0]), path[1:], new)}
