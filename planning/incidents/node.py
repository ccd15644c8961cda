"""A node of the Kubernetes API, reduced to the fields that incidents need."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


POOL: Final = "atoll/pool"
ROLE: Final = "atoll/role"
BURN_IN: Final = "atoll/burn-in"  # a taint until the burn-in has passed, and a label with its outcome
SPARE: Final = "atoll/spare"  # label of a spare that passed its burn-in
INCIDENT: Final = "atoll/incident"  # annotation with the id of the incident under which it is repaired
PENDING: Final = "pending"
PASSED: Final = "passed"
FAILED: Final = "failed"
SYSTEM: Final = "system"
YES: Final = "true"
ZONE: Final = "topology.kubernetes.io/zone"
MACHINE: Final = "node.kubernetes.io/instance-type"
HOST: Final = "kubernetes.io/hostname"
REGION: Final = "topology.kubernetes.io/region"
# Taints of intended removals: scaling down, interruption of a spot machine.
GOING: Final = {
    "ToBeDeletedByClusterAutoscaler": "the autoscaler is removing it",
    "karpenter.sh/disrupted": "Karpenter is removing it",
    "aws-node-termination-handler/spot-itn": "its spot machine is being interrupted",
    "cloud.google.com/impending-node-termination": "its machine is being terminated",
}


READY: Final = "Ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition of a node: `status` is "True", "False" or "Unknown"; `beat` is the time of the last report."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None
    beat: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node.

    Args:
        uid: of the object; a replacement of the same name has another.
        version: resource version, with which the server detects concurrent changes.
        provider_id: of the machine at its provider: "aws:///us-east-1a/i-0abc".
        taints: value by key.
        system_uuid: of the machine's firmware.
        ending: whether its object is being deleted.
    """

    name: str
    uid: str = ""
    version: str = ""
    provider_id: str = ""
    cordoned: bool = False
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: Mapping[str, str] = field(default_factory=dict[str, str])
    conditions: tuple[Condition, ...] = ()
    system_uuid: str = ""
    ending: bool = False

    @property
    def pool(self) -> str:
        """Name of its pool; "" for a node outside of the stack's pools."""
        return self.labels.get(POOL, "")

    @property
    def ready(self) -> str:
        """Status of the Ready condition: "True", "False" or "Unknown"."""
        return next((each.status for each in self.conditions if each.type == READY), "Unknown")

    @property
    def burn_in(self) -> str:
        """State of its burn-in: "pending", "passed", "failed"; "" where neither taint nor label has one."""
        said = self.labels.get(BURN_IN, "")
        if said == FAILED or BURN_IN not in self.taints:
            return said
        return PENDING

    @property
    def held(self) -> bool:
        return self.labels.get(SPARE) == YES

    @property
    def going(self) -> str:
        """Why it is being removed intentionally; "" where it is not."""
        found = next((words for taint, words in GOING.items() if taint in self.taints), "")
        return found or ("it is being deleted" if self.ending else "")

    @property
    def incident(self) -> str:
        """Id of the incident under which it is being repaired; "" for none."""
        return self.annotations.get(INCIDENT, "")

    @property
    def machine_id(self) -> str:
        """Last part of the provider id; "" where the provider set none."""
        return self.provider_id.rpartition("/")[2]


def node_of(form: Mapping[str, object]) -> Node:
    """Read a JSON object of the API; missing fields stay empty."""
    meta, spec, status = (fields_of(form.get(part)) for part in ("metadata", "spec", "status"))
    return Node(
        name=_text(meta.get("name")),
        uid=_text(meta.get("uid")),
        version=_text(meta.get("resourceVersion")),
        provider_id=_text(spec.get("providerID")),
        cordoned=spec.get("unschedulable") is True,
        labels=_texts(meta.get("labels")),
        annotations=_texts(meta.get("annotations")),
        taints={_text(each.get("key")): _text(each.get("value")) for each in rows_of(spec.get("taints"))},
        conditions=tuple(_condition(each) for each in rows_of(status.get("conditions"))),
        system_uuid=_text(fields_of(status.get("nodeInfo")).get("systemUUID")),
        ending=meta.get("deletionTimestamp") is not None,
    )


def _condition(form: Mapping[str, object]) -> Condition:
    return Condition(
        type=_text(form.get("type")),
        status=_text(form.get("status")),
        reason=_text(form.get("reason")),
        message=_text(form.get("message")),
        since=moment(form.get("lastTransitionTime")),
        beat=moment(form.get("lastHeartbeatTime")),
    )


def moment(text: object) -> datetime | None:
    """A time of the API, with its zone; None for what is none."""
    try:
        found = datetime.fromisoformat(_text(text))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def fields_of(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _texts(value: object) -> dict[str, str]:
    return {name: _text(text) for name, text in fields_of(value).items()}


def rows_of(value: object) -> Sequence[Mapping[str, object]]:
    return [fields_of(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
