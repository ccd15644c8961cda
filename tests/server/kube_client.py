"""A small client of a Kubernetes API server: server-side apply of whole manifests, over plain HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry
from waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from control_plane import ControlPlane

Manifest = dict[str, Any]
APPLIED_BY = "atoll-test"
REQUEST_TIMEOUT = 60.0
NOT_FOUND = 404
RBAC = "rbac.authorization.k8s.io"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def _session() -> requests.Session:
    """Connections that stay open, each request tried again where one was closed just then."""
    found = requests.Session()
    found.mount("https://", HTTPAdapter(max_retries=Retry(3, status=0, backoff_factor=0.2, allowed_methods=None)))
    return found


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
    session: requests.Session = field(default_factory=_session)

    def member_of(self, group: str) -> KubeClient:
        """The same client as a person of that group."""
        return KubeClient(self.plane, self.kinds, group, self.session)

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
        return self.session.request(
            method,
            self.plane.url + path,
            params=query,
            data=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {self.plane.token}", "Content-Type": content_type, **member},
            verify=str(self.plane.authority),
            timeout=REQUEST_TIMEOUT,
        )

    def apply(self, manifest: Manifest, *, dry_run: bool = False) -> requests.Response:
        """Server-side apply of one object, a field the API does not know refused; the server's answer.

        Rights that it gives are in force when it returns.
        """
        query = {"fieldManager": APPLIED_BY, "force": "true", "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        # JSON is YAML, and server-side apply has only ever been asked for as YAML.
        answer = self.request(
            "PATCH", self.path(manifest), body=manifest, content_type="application/apply-patch+yaml", query=query
        )
        if answer.ok and not dry_run and manifest["kind"] in {"RoleBinding", "ClusterRoleBinding"}:
            self._wait_in_force(manifest)
        return answer

    def _wait_in_force(self, binding: Manifest) -> None:
        """Return when the server judges by a binding, of which it learns a moment after it has stored it."""
        place = binding["metadata"].get("namespace", "")
        role = {"apiVersion": f"{RBAC}/v1", "kind": binding["roleRef"]["kind"]}
        found = self.get({**role, "metadata": {"name": binding["roleRef"]["name"], "namespace": place}})
        rules = [each for each in (found.json().get("rules") or []) if each.get("resources")] if found.ok else []
        for subject in binding.get("subjects", []) if rules else []:
            review = {**_named(subject), "resourceAttributes": _attributes(rules[-1], place)}
            what = f"{binding['kind']} {binding['metadata']['name']} is in force"
            wait_until(lambda review=review: self.may(review), what=what)

    def may(self, review: Manifest) -> bool:
        """Whether somebody may do something, as the spec of a SubjectAccessReview asks."""
        body: Manifest = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": review}
        return bool(self.request("POST", REVIEWS, body=body).json()["status"]["allowed"])

    def have_namespace(self, name: str, **labels: str) -> None:
        """Make a namespace, or add labels to the one that is there.

        To apply it instead would take away the labels that an earlier test has applied.
        """
        manifest: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        seen = wait_until(
            lambda: self.get(manifest),
            lambda answer: answer.status_code == NOT_FOUND or answer.json()["status"]["phase"] == "Active",
            what=f"namespace {name} of an earlier test is gone",
        )
        merge = "application/merge-patch+json"
        if seen.ok and labels.items() - seen.json()["metadata"].get("labels", {}).items():
            seen = self.request("PATCH", self.path(manifest), body=manifest, content_type=merge)
        answer = seen if seen.ok else self.apply(manifest)
        assert answer.ok, answer.text

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
        wait_until(
            lambda: self.request("GET", path, query=query).json()["items"],
            lambda items: not items,
            what=f"those in {path} labelled {labelled} are gone",
        )

    def delete_all(self, manifests: Sequence[Manifest]) -> None:
        """Delete the objects, and return when they are gone."""
        for each in manifests:
            self.delete(each)
        for each in manifests:
            self.wait(each, lambda answer: answer.status_code == NOT_FOUND)

    def wait(self, manifest: Manifest, reached: Callable[[requests.Response], bool]) -> requests.Response:
        """The first answer about an object that is as wanted."""
        title = f"{manifest['kind']} {manifest['metadata']['name']} as {reached.__qualname__} wants it"
        return wait_until(lambda: _Seen(self.get(manifest)), lambda seen: reached(seen.answer), what=title).answer

    def wait_established(self, definition: Manifest) -> None:
        """Return when the custom resource of a definition is served."""
        self.wait(definition, is_established)
        spec = definition["spec"]
        for each in spec["versions"]:
            if each["served"]:
                at = f"{spec['group']}/{each['name']}", spec["names"]["kind"]
                # The server lists a kind a moment after it has established it.
                wait_until(lambda at=at: self.serves(*at), what=" lists ".join(at))

    def serves(self, version: str, kind: str) -> bool:
        """Whether the server knows a kind."""
        try:
            self.kind(version, kind)
        except LookupError:
            return False
        return True

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


@dataclass(frozen=True)
class _Seen:
    """An answer that is shown by its text."""

    answer: requests.Response

    def __str__(self) -> str:
        return f"{self.answer.status_code} {self.answer.text}"


def _named(subject: Mapping[str, str]) -> Manifest:
    """A binding's subject as a review asks for it."""
    if subject["kind"] == "Group":
        return {"user": "somebody", "groups": [subject["name"]]}
    of_account = f"system:serviceaccount:{subject.get('namespace', '')}:"
    return {"user": f"{of_account if subject['kind'] == 'ServiceAccount' else ''}{subject['name']}"}


def _attributes(rule: Mapping[str, list[str]], namespace: str) -> Manifest:
    """The first thing that a rule allows; a wildcard stands for itself."""
    resource, _, part = rule["resources"][0].partition("/")
    asked = {"verb": rule["verbs"][0], "group": rule["apiGroups"][0], "resource": resource, "subresource": part}
    return {**asked, "namespace": namespace, "name": rule.get("resourceNames", [""])[0]}


def root_of(version: str) -> str:
    """The path of an API version: the first ones have no group."""
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def is_established(answer: requests.Response) -> bool:
    """Whether the server has said that it serves a custom resource."""
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions(answer))


def conditions(answer: requests.Response) -> list[dict[str, str]]:
    """The conditions of an object's status; none before anybody has written one, when they may read null."""
    return (answer.json().get("status", {}).get("conditions") or []) if answer.ok else []
