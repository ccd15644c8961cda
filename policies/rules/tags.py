"""Every resource that can carry tags says which stack it belongs to, so that its bill finds its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.quote import Verdict
from policies.reading import each
from policies.rule import Breach, Level, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.takeoff.properties import Properties
    from planning.takeoff.resource import Resource
    from policies.subject import Subject

PLACEHOLDER: Final = ()


def _breaches(subject: Subject) -> Iterator[Breach]:
    yield from each(subject.of_types(PLACEHOLDER), _check, limit="every resource says its stack")


def _check(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    if not inputs.at("tags").at("atoll:stack").text(""):
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path="tags",
            given="it has no tag atoll:stack",
            limit="every resource says its stack",
            fix="Give it the stack's tags",
        )


RULE: Final = Rule(
    name="tags",
    title="Tags",
    demand="Every resource that can carry tags says which stack it belongs to.",
    why="An untagged machine is on the bill and nobody's.",
    remedy="Create it below the stack's own provider, which adds the tags.",
    severity=Severity.MEDIUM,
    judge=_breaches,
    level=Level.ADVISORY,
)
