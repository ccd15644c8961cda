"""The burn-in's pod: the live cluster, and a look every minute. Standard library of Python 3.12."""

from __future__ import annotations

import json
import os
import ssl
import sys
import time
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from components.agents.burn_in_rounds import CONTAINER, BurnInContext, Document, look
from planning.agents.burn_in import BurnInPlan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

API: Final = "https://kubernetes.default.svc"
SECRETS: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
LEDGER: Final = "ledger"
SECONDS_TO_ANSWER: Final = 20
MOST_LOG: Final = 4_000_000  # bytes of a log that are read


class BurnInClusterClient:
    """The cluster that the pod runs in.

    Args:
        namespace: of the rounds and the ledger.
        ledger: name of the ledger's ConfigMap.
    """

    def __init__(self, namespace: str, ledger: str, *, api: str = API, secrets: Path = SECRETS) -> None:
        self._home, self._api, self._secrets = namespace, api, secrets
        self._ledger = f"/api/v1/namespaces/{namespace}/configmaps/{ledger}"
        self._jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
        self._pods = f"/api/v1/namespaces/{namespace}/pods"
        self._trusted = ssl.create_default_context(cafile=str(secrets / "ca.crt"))

    def nodes(self) -> Iterator[Mapping[str, object]]:
        """Page after page."""
        more = ""
        while True:
            page = self._read(f"/api/v1/nodes?limit=500&continue={quote(more)}")
            yield from cast("list[dict[str, object]]", page.get("items") or [])
            more = str(cast("dict[str, object]", page.get("metadata") or {}).get("continue") or "")
            if not more:
                return

    def ledger(self) -> str:
        """As it lies in the ConfigMap."""
        return str(cast("dict[str, object]", self._read(self._ledger).get("data") or {}).get(LEDGER, ""))

    def write(self, ledger: str) -> None:
        """A merge patch of that key alone."""
        self._call("PATCH", self._ledger, {"data": {LEDGER: ledger}}, kind="merge-patch+json")

    def job(self, name: str) -> Mapping[str, object] | None:
        """None only where the server says that it is not there."""
        try:
            return self._read(f"{self._jobs}/{name}")
        except HTTPError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def pod(self, job: str) -> Mapping[str, object] | None:
        """The youngest, where a Job has made more than one."""
        found = self._read(f"{self._pods}?labelSelector={quote(f'batch.kubernetes.io/job-name={job}')}")
        pods = cast("list[dict[str, dict[str, object]]]", found.get("items") or [])
        return max(pods, key=lambda each: str(each["metadata"].get("creationTimestamp", "")), default=None)

    def log(self, pod: str) -> str:
        """As much as is read of it."""
        path = f"{self._pods}/{pod}/log?container={CONTAINER}&limitBytes={MOST_LOG}"
        return self._call("GET", path).decode("utf-8", errors="replace")

    def start(self, job: Mapping[str, object]) -> None:
        """A job that is there already is the same round."""
        try:
            self._call("POST", self._jobs, job)
        except HTTPError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise

    def remove(self, job: str) -> None:
        """With its pods, in the background."""
        try:
            self._call("DELETE", f"{self._jobs}/{job}?propagationPolicy=Background")
        except HTTPError as error:
            if error.code != HTTPStatus.NOT_FOUND:
                raise

    def patch_node(self, name: str, changes: list[Document]) -> None:
        """Whole or not at all."""
        self._call("PATCH", f"/api/v1/nodes/{name}", changes, kind="json-patch+json")

    def say(self, event: Mapping[str, object]) -> None:
        """Events of nodes lie in the default namespace."""
        self._call("POST", "/api/v1/namespaces/default/events", event)

    def _read(self, path: str) -> Mapping[str, object]:
        found = json.loads(self._call("GET", path))
        if not isinstance(found, dict):
            raise ValueError(f"{path}: no object")  # noqa: TRY004 - what came over the wire, not a wrong type of ours
        return cast("dict[str, object]", found)

    def _call(self, method: str, path: str, body: object = None, *, kind: str = "json") -> bytes:
        headers = {
            "Authorization": f"Bearer {(self._secrets / 'token').read_text(encoding='utf-8').strip()}",
            "Content-Type": f"application/{kind}",
        }
        sent = json.dumps(body).encode() if body is not None else None
        request = Request(self._api + path, data=sent, headers=headers, method=method)  # noqa: S310 - https, ours
        with urlopen(request, timeout=SECONDS_TO_ANSWER, context=self._trusted) as answer:  # noqa: S310 - likewise
            return cast("bytes", answer.read())


def plan_of(text: str) -> tuple[BurnInPlan, dict[str, dict[str, object]]]:
    """The plan of the pod's volume, and the job of each pool.

    Raises:
        KeyError, ValueError: it is not one.
    """
    said = cast("dict[str, object]", json.loads(text))
    checks = cast("dict[str, list[str]]", said["checks"])
    return BurnInPlan(hours=int(str(said["hours"])), checks=checks), cast("dict[str, dict[str, object]]", said["jobs"])


def main() -> None:
    """For ever, or for as many looks as LOOKS says: every tainted node, then a pause."""
    plan, jobs = plan_of(Path(os.environ["PLAN"]).read_text(encoding="utf-8"))
    secrets = Path(os.environ.get("SECRETS", str(SECRETS)))
    cluster = BurnInClusterClient(
        os.environ["NAMESPACE"], os.environ["LEDGER"], api=os.environ.get("API", API), secrets=secrets
    )
    looks = int(os.environ.get("LOOKS", "0"))
    done = 0
    while not looks or done < looks:
        try:
            said = look(BurnInContext(cluster=cluster, plan=plan, jobs=jobs, now=datetime.now(UTC)))
        except (OSError, ValueError) as error:
            said = [f"the cluster does not answer, and nothing is let in: {error}"]
        sys.stdout.writelines(f"{line}\n" for line in said)
        sys.stdout.flush()
        done += 1
        time.sleep(float(os.environ["SECONDS_BETWEEN"]))


if __name__ == "__main__":
    main()
