"""Idle notebooks of every IDE are stopped: the program that does it is there, and waits no longer than was decided."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from planning.costs.resources.properties import UnreadableError
from planning.values.verdict import Verdict
from policies.breach import Breach, Settings
from policies.properties import each, unclear
from policies.rules.pools import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.properties import Properties
    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec
    from policies.stack_context import Subject

DEPLOYMENT: Final = "kubernetes:apps/v1:Deployment"
CULLER: Final = "atoll-culler"
NOTEBOOKS: Final = "notebooks"  # the platform part that offers every IDE
MINUTES: Final = "IDLE_MINUTES"


class CullingSettings(Settings):
    """When a notebook counts as idle."""

    most_idle_minutes: int | None = Field(default=None, ge=1)
    """Longest that an idle notebook may run on; without it, as long as the checklist says."""


def culling(subject: Subject) -> Iterator[Breach]:
    """Clusters that offer notebooks and let idle ones run."""
    most = subject.law.setting(CullingSettings).most_idle_minutes
    for spec in subject.lock.placements:
        if spec.platform is None or spec.platform.part(NOTEBOOKS) is None:
            continue
        limit = f"an idle notebook is stopped after {most or spec.platform.idle_minutes} minutes"
        cullers: list[Resource] = []
        for resource in subject.of_types([DEPLOYMENT]):
            try:
                if resource.name == CULLER and spec_of(subject, resource) == spec:
                    cullers.append(resource)
            except UnreadableError as error:
                yield unclear(resource, error, limit=limit)
        if not cullers:
            yield _missing(spec, limit)
        yield from each(cullers, partial(_check, most or spec.platform.idle_minutes, limit), limit=limit)


def _missing(spec: ClusterSpec, limit: str) -> Breach:
    ides = " and ".join(spec.ides) or "notebooks"
    return Breach(
        verdict=Verdict.OVER,
        given=f"nothing stops idle notebooks of cluster {spec.placement.name}, which offers {ides}",
        limit=limit,
        fix=f"Build the deployment {CULLER} again, which is a part of the platform's notebooks",
    )


def _check(most: int, limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    spec = inputs.at("spec")
    if not spec.at("replicas").number(1):
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path="spec.replicas",
            given="it runs 0 times",
            limit=limit,
            fix="Let it run once",
        )
    for container in spec.at("template").at("spec").at("containers").each():
        for variable in container.at("env").each():
            if variable.at("name").text() == MINUTES:
                yield from _minutes(resource, variable.at("value"), most, limit)
                return
    raise UnreadableError(f"{MINUTES} is not said", path="spec.template.spec.containers")


def _minutes(resource: Resource, value: Properties, most: int, limit: str) -> Iterator[Breach]:
    if value.number() > most:
        yield Breach(
            verdict=Verdict.OVER,
            urn=resource.urn,
            path=value.path,
            given=f"it waits {value.number()} minutes",
            limit=limit,
            fix=f"Set {MINUTES} to {most}",
        )
