"""Objects of the Kubernetes API as JSON, where a kubeconfig is named, and errors of a cluster; imports no SDK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from planning.values.errors import AtollError
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import ClusterSpec

KUBECONFIG_VARIABLE: Final = "ATOLL_KUBECONFIG"  # names the kubeconfig where the lock names no variable


class ClusterError(AtollError):
    """The kubeconfig cannot be used, or the cluster refused a request."""


class ClusterSilentError(ClusterError):
    """The cluster does not answer: it may in a moment."""


class ChangedMeanwhileError(ClusterError):
    """Somebody changed the object between the read and the change: read it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeconfigSource:
    """Where the kubeconfig of a cluster is found.

    Args:
        variable: environment variable with its path; the first of several paths counts.
        context: in it; None for its current one.
    """

    variable: str
    context: str | None = None


def kubeconfig_source(spec: ClusterSpec) -> KubeconfigSource:
    existing = spec.existing
    if existing is None:
        return KubeconfigSource(variable=KUBECONFIG_VARIABLE)
    return KubeconfigSource(variable=existing.kubeconfig_env, context=existing.context)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceKind:
    """A kind as the API serves it."""

    group: str
    version: str
    plural: str
    name: str
    namespaced: bool = True

    @property
    def root(self) -> str:
        """Path of its API version; the first API has no group."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def path(self, namespace: str = "", name: str = "") -> str:
        """Path of one object, or of a list where no name is given."""
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{within}/{self.plural}" + (f"/{name}" if name else "")


def metadata(document: Mapping[str, object]) -> Mapping[str, object]:
    return to_mapping(document.get("metadata"))


def name_of(document: Mapping[str, object]) -> str:
    return str(metadata(document).get("name") or "")


def namespace_of(document: Mapping[str, object]) -> str:
    """Its namespace; "" for what lives in none."""
    return str(metadata(document).get("namespace") or "")


def labels_of(document: Mapping[str, object]) -> Mapping[str, object]:
    return to_mapping(metadata(document).get("labels"))


def owners_of(document: Mapping[str, object]) -> frozenset[str]:
    return frozenset(str(each.get("kind")) for each in to_mappings(metadata(document).get("ownerReferences")))


def value_at(document: Mapping[str, object], path: Sequence[str]) -> object:
    """What stands in a field; None where it is not there."""
    found: object = document
    for each in path:
        found = to_mapping(found).get(each)
    return found


def patch_of(path: Sequence[str], value: object) -> dict[str, object]:
    """A merge patch that sets one field; None takes the field away."""
    found: object = value
    for each in reversed(path):
        found = {each: found}
    return cast("dict[str, object]", found)


def selects(selector: Mapping[str, object], document: Mapping[str, object]) -> bool:
    """Whether an object has every label of a selector; an empty selector selects nothing here."""
    wanted = to_mapping(selector.get("matchLabels"))
    labels = labels_of(document)
    # For Kubernetes an empty selector selects everything; a caller here would then stop or move everything.
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())
