"""A small client of a Kubernetes API server: server-side apply of whole manifests, over plain HTTP."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import requests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from control_plane import ControlPlane

Manifest = dict[str, Any]
APPLIED_BY = "atoll-test"
WITHIN = 90.0  # seconds a controller is given
REQUEST_TIMEOUT = 30.0


@dataclass(frozen=True)
class Kind:
    """How the server serves a kind: its plural, and whether its objects live in a namespace."""

    plural: str
    namespaced: bool


@dataclass
class KubeClient:
    """Talks to one control plane as its administrator, or as somebody who is in one group and nothing else."""

    plane: ControlPlane
    kinds: dict[str, dict[str, Kind]] = field(default_factory=dict)
    group: str = ""

    def member_of(self, group: str) -> KubeClient:
        """The same client as a person of that group."""
        return KubeClient(self.plane, self.kinds, group)

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Manifest | None = None,
        content_type: str = "application/json",
        query: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """One request, whatever its answer."""
        member = {"Impersonate-User": "somebody", "Impersonate-Group": self.group} if self.group else {}
        return requests.request(
            method,
            self.plane.url + path,
            params=query,
            data=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {self.plane.token}", "Content-Type": content_type, **member},
            verify=str(self.plane.authority),
            timeout=REQUEST_TIMEOUT,
        )

    def apply(self, manifest: Manifest, *, dry_run: bool = False) -> requests.Response:
        """Server-side apply of one object, a field the API does not know refused; the server's answer."""
        query = {"fieldManager": APPLIED_BY, "force": "true", "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        # JSON is YAML, and server-side apply has only ever been asked for as YAML.
        return self.request(
            "PATCH", self.path(manifest), body=manifest, content_type="application/apply-patch+yaml", query=query
        )

    def get(self, manifest: Manifest) -> requests.Response:
        """The object that the manifest names, as the server has it."""
        return self.request("GET", self.path(manifest))

    def list_in(self, namespace: str, plural: str) -> requests.Response:
        """The objects of a core kind in a namespace; "" for every namespace."""
        return self.request("GET", f"/api/v1/namespaces/{namespace}/{plural}" if namespace else f"/api/v1/{plural}")

    def delete(self, manifest: Manifest) -> requests.Response:
        """Delete the object that the manifest names."""
        return self.request("DELETE", self.path(manifest), query={"propagationPolicy": "Background"})

    def clear(self, namespace: str, plural: str, *, labelled: str) -> None:
        """Delete the objects of a core kind that bear a label in a namespace, and return when they are gone."""
        path, query = f"/api/v1/namespaces/{namespace}/{plural}", {"labelSelector": labelled}
        self.request("DELETE", path, query={**query, "propagationPolicy": "Background"})
        until = time.monotonic() + WITHIN
        while self.request("GET", path, query=query).json()["items"]:
            if time.monotonic() > until:
                raise TimeoutError(f"{path}: those labelled {labelled} are still there")
            time.sleep(0.1)

    def wait(self, manifest: Manifest, reached: Callable[[requests.Response], bool]) -> requests.Response:
        """The first answer about an object that is as wanted; the last one where that never comes."""
        until = time.monotonic() + WITHIN
        while not reached(answer := self.get(manifest)) and time.monotonic() < until:
            time.sleep(0.1)
        return answer

    def wait_established(self, definition: Manifest) -> None:
        """Return when the custom resource of a definition is served."""
        answer = self.wait(definition, is_established)
        if not is_established(answer):
            raise TimeoutError(f"{definition['metadata']['name']} is not established: {answer.text}")
        spec = definition["spec"]
        for each in spec["versions"]:
            if each["served"]:
                self._wait_listed(f"{spec['group']}/{each['name']}", spec["names"]["kind"])

    def _wait_listed(self, version: str, kind: str) -> None:
        """Return when the server lists a kind, which it does a moment after it has established it."""
        until = time.monotonic() + WITHIN
        while True:
            try:
                self.kind(version, kind)
            except LookupError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
            else:
                return

    def path(self, manifest: Manifest) -> str:
        """Where the server serves the object that the manifest names."""
        version, kind = str(manifest["apiVersion"]), str(manifest["kind"])
        metadata = manifest["metadata"]
        served = self.kind(version, kind)
        parts = [root_of(version)]
        if served.namespaced:
            parts += ["namespaces", quote(metadata.get("namespace", "default"), safe="")]
        # An RBAC name may hold a colon and nothing else that a path would misread.
        parts += [served.plural, quote(metadata["name"], safe=":")]
        return "/".join(parts)

    def kind(self, version: str, kind: str) -> Kind:
        """What the server says of a kind; asked again for one it did not have, for a CRD may have come since."""
        if kind not in self.kinds.get(version, {}):
            answer = self.request("GET", root_of(version))
            if not answer.ok:
                raise LookupError(f"{version} is not served: {answer.status_code}")
            self.kinds[version] = {
                each["kind"]: Kind(each["name"], each["namespaced"])
                for each in answer.json()["resources"]
                if "/" not in each["name"]
            }
        if kind not in self.kinds[version]:
            raise LookupError(f"{version} is served, but not {kind}")
        return self.kinds[version][kind]


def root_of(version: str) -> str:
    """The path of an API version: the first ones have no group."""
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def is_established(answer: requests.Response) -> bool:
    """Whether the server has said that it serves a custom resource."""
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions(answer))


def conditions(answer: requests.Response) -> list[dict[str, str]]:
    """The conditions of an object's status; none before anybody has written one, when they may read null."""
    return (answer.json().get("status", {}).get("conditions") or []) if answer.ok else []
