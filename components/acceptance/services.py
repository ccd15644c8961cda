"""Whether each service of the cluster does its work once: those that are installed, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.api_checks import mlflow, pipeline, s3, serving
from components.acceptance.condition_checks import notebook, sweep, training
from planning.acceptance.services import services_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.acceptance.job_context import Ground
    from components.acceptance.model import PlannedJob

SMOKES: Final[Mapping[str, Callable[[Ground], PlannedJob | None]]] = {
    "notebook": notebook,
    "pipeline": pipeline,
    "training": training,
    "sweep": sweep,
    "serving": serving,
    "mlflow": mlflow,
    "s3": s3,
}


def service_jobs(ground: Ground) -> Iterator[PlannedJob]:
    """One for each service that can be tried."""
    for name in services_of(ground.spec):
        made = SMOKES[name](ground)
        if made is not None:
            yield made
