"""Runs movers as a Job of a live cluster: applies its objects, waits for the end, says which shards failed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final

from operations.clouds.kubernetes.client import KubernetesClient, explain_refusal, parse_object
from operations.clouds.kubernetes.objects import ClusterSilentError
from operations.relocation.cluster.client import open_client
from operations.relocation.runner.step import StepError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from operations.relocation.config.endpoints import RelocationSide
    from operations.relocation.jobs.objects import Manifest


OWNER: Final = "atoll-relocate"
EVERY_SECONDS: Final = 5.0
SILENT_MOST: Final = 12  # answers in a row that did not come: a minute of an API server that starts again
# What such a server says, or one to which a new token of the kubeconfig's plugin is still to come.
PASSING: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS})
ANY_STATUS: Final = range(HTTPStatus.MULTIPLE_CHOICES, 600)
# Plural of each kind that a Job of movers consists of.
PLURALS: Final[Mapping[str, str]] = {
    "ConfigMap": "configmaps",
    "Job": "jobs",
    "NetworkPolicy": "networkpolicies",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "PodMonitor": "podmonitors",
    "Secret": "secrets",
    "ServiceAccount": "serviceaccounts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnd:
    """End of a Job.

    Args:
        failed_shards: in Kubernetes' words, as in "0,3-5"; "" for none.
        why: reason and message of its failure.
    """

    done: bool
    shards: int
    failed_shards: str = ""
    why: str = ""


@final
class JobRuns:
    """Jobs of one cluster; raises ClusterError if it refuses or does not answer."""

    def __init__(
        self, cluster: KubernetesClient, *, sleep: Callable[[float], None] = time.sleep, every: float = EVERY_SECONDS
    ) -> None:
        self._cluster, self._sleep, self._every = cluster, sleep, every

    def start(self, objects: Sequence[Manifest]) -> None:
        """Apply the objects; a running Job continues."""
        for each in objects:
            self._cluster.apply(path_of(each), each, owner=OWNER)

    def wait(self, job: Manifest, *, say: Callable[[str], None]) -> JobEnd:
        """Wait for a Job; its own deadline ends it at the latest.

        Raises:
            StepError: the Job is gone, or may not be looked at.
        """
        last = ""
        while True:
            status = self._read_status(job)
            line = f"{status.get('succeeded') or 0} shards done, {status.get('active') or 0} at work"
            # Said when it changes: a copy of days would fill a log with one line.
            if line != last:
                say(line)
            last = line
            ended = _read_end(status)
            if ended is not None:
                return ended
            self._sleep(self._every)

    def remove(self, objects: Sequence[Manifest]) -> None:
        """Delete the objects and the Job's pods."""
        for each in reversed(objects):
            self._cluster.delete(path_of(each), propagationPolicy="Background")

    def _read_status(self, job: Manifest) -> Mapping[str, object]:
        for left in reversed(range(SILENT_MOST)):
            try:
                status, content = self._cluster.request("GET", path_of(job), expected=ANY_STATUS)
            except ClusterSilentError:
                if not left:
                    raise
                self._sleep(self._every)
                continue
            if left and (status in PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR):
                self._sleep(self._every)
                continue
            if status >= HTTPStatus.MULTIPLE_CHOICES:
                how = "is not there any more" if status == HTTPStatus.NOT_FOUND else "cannot be looked at"
                raise StepError(f"{path_of(job)} {how}: {status} {explain_refusal(content)}")
            return to_mapping(parse_object(content).get("status"))
        raise AssertionError


def path_of(each: Manifest) -> str:
    """API path of an object."""
    version, metadata = str(each["apiVersion"]), cast("dict[str, str]", each["metadata"])
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}/namespaces/{metadata['namespace']}/{PLURALS[str(each['kind'])]}/{metadata['name']}"


def _read_end(status: Mapping[str, object]) -> JobEnd | None:
    conditions = cast("list[dict[str, str]]", status.get("conditions") or [])
    for each in conditions:
        if each["status"] == "True" and each["type"] in {"Complete", "Failed"}:
            return JobEnd(
                done=each["type"] == "Complete",
                shards=cast("int", status.get("succeeded") or 0),
                failed_shards=str(status.get("failedIndexes") or ""),
                why="" if each["type"] == "Complete" else f"{each.get('reason', '')}: {each.get('message', '')}",
            )
    return None


def open_job_runs(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> JobRuns:
    """Jobs of a side's cluster.

    Args:
        words: which cluster it is, for messages.

    Raises:
        StepError, ClusterError: the side names no kubeconfig, or what it names is none.
    """
    return JobRuns(open_client(side, secrets, words=words))
