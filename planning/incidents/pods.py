"""What has to leave a node before its machine is taken away, and which disruption budget keeps a pod there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from planning.incidents.node import fields_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MIRROR: Final = "kubernetes.io/config.mirror"
ENDED: Final = frozenset({"Succeeded", "Failed"})
DEFAULT_GRACE: Final = 30  # terminationGracePeriodSeconds where a pod states none (Kubernetes API)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """One pod.

    Args:
        owner: kind of what controls it; "" for nothing, and then nothing starts it again.
        grace_seconds: between the request to end and its end, in which it writes a checkpoint.
        ending: whether it has been asked to end.
        files: whether it keeps files on the node that go with it.
    """

    namespace: str
    name: str
    uid: str = ""
    owner: str = ""
    mirror: bool = False
    phase: str = ""
    grace_seconds: int = DEFAULT_GRACE
    ending: bool = False
    files: bool = False
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def words(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodDisruptionBudget:
    """A PodDisruptionBudget: how many pods of its selection may go now."""

    namespace: str
    name: str
    selector: Mapping[str, object]
    allowed: int

    def covers(self, pod: Pod) -> bool:
        """Whether it counts a pod; an empty selector counts every pod of the namespace."""
        return self.namespace == pod.namespace and matches(self.selector, pod.labels)


def pod_of(form: Mapping[str, object]) -> Pod:
    meta, spec, status = (fields_of(form.get(part)) for part in ("metadata", "spec", "status"))
    owners = [each for each in rows_of(meta.get("ownerReferences")) if each.get("controller") is True]
    grace = spec.get("terminationGracePeriodSeconds")
    return Pod(
        namespace=str(meta.get("namespace", "")),
        name=str(meta.get("name", "")),
        uid=str(meta.get("uid", "")),
        owner=str(owners[0].get("kind", "")) if owners else "",
        mirror=MIRROR in fields_of(meta.get("annotations")),
        phase=str(status.get("phase", "")),
        grace_seconds=grace if isinstance(grace, int) else DEFAULT_GRACE,
        ending=meta.get("deletionTimestamp") is not None,
        files=any("emptyDir" in each for each in rows_of(spec.get("volumes"))),
        labels={name: str(value) for name, value in fields_of(meta.get("labels")).items()},
    )


def budget_of(form: Mapping[str, object]) -> PodDisruptionBudget:
    meta, spec, status = (fields_of(form.get(part)) for part in ("metadata", "spec", "status"))
    allowed = status.get("disruptionsAllowed")
    return PodDisruptionBudget(
        namespace=str(meta.get("namespace", "")),
        name=str(meta.get("name", "")),
        selector=fields_of(spec.get("selector")),
        allowed=allowed if isinstance(allowed, int) else 0,
    )


def list_pods_to_drain(pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Those that a drain moves."""
    # A daemon set or the kubelet itself would start its pod again at once.
    return tuple(each for each in pods if each.owner != "DaemonSet" and not each.mirror and each.phase not in ENDED)


def find_unowned(pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Those that nothing starts again."""
    return tuple(each for each in list_pods_to_drain(pods) if not each.owner and not each.ending)


def blocking(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> tuple[PodDisruptionBudget, ...]:
    """Budgets that keep a pod where it is."""
    return tuple(each for each in budgets if each.allowed < 1 and each.covers(pod))


def matches(selector: Mapping[str, object], labels: Mapping[str, str]) -> bool:
    """Whether a label selector of the API selects these labels."""
    wanted = fields_of(selector.get("matchLabels"))
    return all(labels.get(name) == value for name, value in wanted.items()) and all(
        _fits(each, labels) for each in rows_of(selector.get("matchExpressions"))
    )


def _fits(rule: Mapping[str, object], labels: Mapping[str, str]) -> bool:
    found = labels.get(str(rule.get("key", "")))
    values = cast("list[object]", rule.get("values") or [])
    return {
        "In": found is not None and found in values,
        "NotIn": found is None or found not in values,
        "Exists": found is not None,
        "DoesNotExist": found is None,
    }.get(str(rule.get("operator")), False)
