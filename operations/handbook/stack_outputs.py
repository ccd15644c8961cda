"""Outputs of a running stack that a handbook may show, read from `atoll outputs STACK --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.context.buckets import purposes
from components.platform.building_blocks import names
from planning.costs.charges import OBJECT_ITEMS
from planning.inputs.files import read_object
from planning.values.addresses import PRIVATE_DOMAIN
from planning.values.errors import Fault, InputError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planning.spec.lock import Lock


STACK: Final = "stack"  # the output; programs of before do not have it
LONGEST_SHOWN: Final = 80  # characters of another name that a message repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOutputs:
    """Values that only a running cluster has, without secrets; empty until then."""

    is_known: bool = False
    vpn_address: str = ""
    cluster_name: str = ""
    entrance: str = ""
    buckets: Mapping[str, str] = field(default_factory=dict[str, str])
    roles: Mapping[str, str] = field(default_factory=dict[str, str])


def describe_other_stack(outputs: Mapping[str, object], *, stack: str) -> str:
    """A sentence with both names where outputs are of another stack; "" where they are of this one, or do not say."""
    said = outputs.get(STACK)
    if said is None or said == stack:
        return ""
    name = said if isinstance(said, str) else json.dumps(said)
    return f'these are the outputs of the stack "{name[:LONGEST_SHOWN]}", and this is "{stack}"'


LARGEST_BYTES: Final = 4_000_000
HINT: Final = "write them with: atoll outputs {stack} --json > outputs.json"
# Outputs that are addresses below the cluster's domain, with the first label of each.
PAGES: Final[Mapping[str, str]] = {
    "signIn": names.DASHBOARD_HOST,
    "grafanaUrl": names.GRAFANA_HOST,
    "mlflowUrl": names.MLFLOW_HOST,
    "airflowUrl": names.AIRFLOW_HOST,
    "argoCd": names.ARGO_CD_HOST,
}
PEOPLE: Final = ("vpnProfiles", "signInPasswords")  # outputs with an entry for each user; their values are secret


def read_outputs(path: Path, *, lock: Lock) -> ClusterOutputs:
    """The outputs in a file, without anything secret.

    Raises:
        InputError: not readable, not JSON, no outputs, or those of another stack.
    """
    hint = HINT.format(stack=lock.stack)
    found = read_object(path, most_bytes=LARGEST_BYTES, hint=hint)
    if not found:
        raise InputError(f"{path}: no outputs: nothing is built yet", hint="run atoll up, or leave --outputs out")
    faults = tuple(Fault(message=each, file=str(path)) for each in _contradictions(found, lock))
    if faults:
        raise InputError(f"{path}: these are not the outputs of {lock.stack}", faults=faults, hint=hint)
    entrance = to_mapping(found.get("entrance"))
    return ClusterOutputs(
        is_known=True,
        vpn_address=_text(found.get("vpnAddress")),
        cluster_name=_text(found.get("clusterName")),
        entrance=_text(entrance.get("address")),
        buckets=_texts(found.get("buckets")),
        roles=_texts(found.get("roleArns")),
    )


def _contradictions(found: Mapping[str, object], lock: Lock) -> Iterator[str]:
    spec = lock.spec
    if stranger := describe_other_stack(found, stack=lock.stack):
        yield stranger
    domain = spec.network.domain or PRIVATE_DOMAIN
    for output, host in PAGES.items():
        said = _text(found.get(output)).rstrip("/")
        if said and said != f"https://{host}.{domain}":
            yield f"{output} is {said}; this stack answers below {domain}"
    users = {user.name for user in spec.access.users}
    for output in PEOPLE:
        people = set(to_mapping(found.get(output)))
        if people and people != users:
            yield f"{output} is of {', '.join(sorted(people))}; this stack has {', '.join(sorted(users)) or 'no users'}"
    region = _text(found.get("region"))
    if region and region != spec.placement.region:
        yield f"region is {region}; this stack is at {spec.placement.region}"
    kept = {purpose for tier in spec.storage if tier.item in OBJECT_ITEMS for purpose in purposes(tier)}
    strange = sorted(set(to_mapping(found.get("buckets"))) - kept)
    if strange:
        yield f"buckets for {', '.join(strange)}; this stack has tiers for {', '.join(sorted(kept)) or 'nothing'}"


def _texts(value: object) -> dict[str, str]:
    return {name: text for name, text in to_mapping(value).items() if isinstance(text, str)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
