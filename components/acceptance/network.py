"""The ways of the cluster: whether names are found, the way out is open, and the main network is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.images import PYTHON
from components.acceptance.job_context import NAMESPACE
from components.acceptance.model import JOB_DONE, JOB_FAILED, Log, PlannedJob, backwards, reference
from components.acceptance.pods import CONTAINER, Pod, job_object, module, named, selector
from planning.agents.measurement_records import Per, subject
from planning.platform.mirror import whole_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.acceptance.job_context import Ground

STAGE: Final = 40
SECONDS: Final = 600
API: Final = "kubernetes.default.svc.cluster.local"
HTTPS: Final = 443


def network_jobs(ground: Ground, *, peers: Sequence[str] = ()) -> Iterator[PlannedJob]:
    """Names and the way out always; the main network where somebody says what is to answer there.

    Args:
        peers: "host:port" in the main network.
    """
    yield _job(ground, "dns", (API, registry(ground)))
    yield _job(ground, "egress", (f"{registry(ground)}:{HTTPS}",))
    if peers and (ground.spec.network.peering is not None or ground.spec.network.link is not None):
        yield _job(ground, "peering", peers)


def registry(ground: Ground) -> str:
    """Host that the images come from: it has to be found and reached anyway."""
    return whole_name(ground.picture(PYTHON)).partition("/")[0].partition(":")[0]


def _job(ground: Ground, check: str, to: Sequence[str]) -> PlannedJob:
    name = named("network", check, ground.run)
    said = ("--placement", ground.spec.placement.name, "--check", check, "--to", ",".join(to))
    job = job_object(ground, name, Pod(image=PYTHON, command=module("network", *said)), seconds=SECONDS)
    return PlannedJob(
        name=name,
        checks=(check,),
        subject=subject(Per.NETWORK, check, placement=ground.spec.placement.name),
        objects=(job,),
        awaited=reference(job),
        done=JOB_DONE,
        failed=JOB_FAILED,
        log=Log(namespace=NAMESPACE, selector=selector(ground, name), container=CONTAINER),
        seconds=SECONDS,
        stage=STAGE,
        removed=backwards([job]),
    )
