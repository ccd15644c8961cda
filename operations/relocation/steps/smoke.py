"""The target tried as its users will use it, before any of them comes; what was moved is only read."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

from components.agents.mover.store import s3_client
from components.agents.mover.store.model import StoreError
from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.kinds import POD
from operations.clouds.kubernetes.objects import ClusterError, ResourceKind, name_of, namespace_of
from operations.relocation.cluster.client import RelocationCluster, open_cluster, open_clusters
from operations.relocation.databases import mlflow, mysql, postgres
from operations.relocation.databases.client_programs import own_folder
from operations.relocation.databases.mlflow import STORES, different, parse_address, within_any
from operations.relocation.databases.sql import rows as sql_rows
from operations.relocation.databases.uri_rewrite import addresses
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps.databases import DUMPS, list_database_pairs
from operations.relocation.steps.rewrite import SCHEMAS, rules_for
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.relocation.config.endpoints import DatabasePlace, RelocationSide


NAME: Final = "atoll-relocation-smoke"
NAMESPACE: Final = "default"
# The image of every pod's own pause container: a node that runs pods has it, and placing asks for no image at all.
IMAGE: Final = "registry.k8s.io/pause:3.10"
SECONDS: Final = 90.0
EVERY: Final = 1.0


def manifest() -> dict[str, object]:
    """A pod that meets "restricted" of the Pod Security Standards."""
    container: Mapping[str, object] = {
        "name": "pause",
        "image": IMAGE,
        "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"cpu": "10m", "memory": "16Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65534,
        },
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": {"app.kubernetes.io/managed-by": "atoll"}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
        },
    }


def try_placement(cluster: RelocationCluster, *, sleep: Callable[[float], None] = time.sleep) -> str:
    """Node of a test pod, or "! reason"; the pod is deleted."""
    cluster.create(POD, manifest())  # of a run that was killed, it may be there already
    try:
        for _ in range(int(SECONDS / EVERY)):
            found = cluster.get(POD, namespace=NAMESPACE, name=NAME) or {}
            node = str(to_mapping(found.get("spec")).get("nodeName") or "")
            if node:
                return node
            sleep(EVERY)
        conditions = to_mappings(
            to_mapping((cluster.get(POD, namespace=NAMESPACE, name=NAME) or {}).get("status")).get("conditions")
        )
        said = next((str(each.get("message")) for each in conditions if each.get("type") == "PodScheduled"), "")
        return f"! no node took it within {SECONDS:.0f} s: {said or 'the scheduler said nothing'}"
    finally:
        cluster.delete(POD, namespace=NAMESPACE, name=NAME)


SHOWN: Final = 20  # faults of one check in the evidence
CLAIM: Final = ResourceKind(group="", version="v1", plural="persistentvolumeclaims", name="PersistentVolumeClaim")


# Addresses that name another address of the same database, or a page.
SPOKEN: Final = frozenset({"models", "runs", "http", "https", "hf", "huggingface", "dbfs"})


class SmokeResult(NamedTuple):
    """Results of a check, and its faults."""

    found: Mapping[str, object]
    faults: list[str]


def do(move: Move) -> Evidence:
    """Run every check."""
    # All of them even after a failure: whoever repairs the target wants to know everything at once.
    done = {name: _run_check(move, name, check) for name, check in CHECKS.items()}
    faults = [f"{name}: {fault}" for name, each in done.items() for fault in each.faults]
    evidence: Evidence = {"checks": {name: each.found for name, each in done.items()}}
    if faults:
        raise StepError("; ".join(faults[:SHOWN]), evidence={**evidence, "faults": faults[:SHOWN]})
    return evidence


def _run_check(move: Move, name: str, check: Callable[[Move], SmokeResult]) -> SmokeResult:
    move.say(f"smoke: {name}")
    try:
        return check(move)
    except (StepError, StoreError, ClusterError) as error:
        return SmokeResult({}, [str(error)])


def _server(move: Move) -> SmokeResult:
    url = move.places.target.mlflow_url
    return (
        SmokeResult(mlflow.probe_server(url), [])
        if url
        else SmokeResult({"skipped": "relocation.yaml names no MLflow"}, [])
    )


def _databases(move: Move) -> SmokeResult:
    for pair in list_database_pairs(move):
        if pair.target.engine == "mysql":
            mysql.version_of(pair.target, move.secrets, folder=own_folder(move.folder / DUMPS))
            continue
        with postgres.session(pair.target, move.secrets) as connection:
            sql_rows(connection, "SELECT 1")
    return SmokeResult({"answered": [pair.name for pair in list_database_pairs(move)]}, [])


def _links(move: Move) -> SmokeResult:
    """Check that every address of the target's metadata opens, with the objects of the source."""
    here, there = (_collect_addresses(move, side) for side in (move.places.source, move.places.target))
    rules = rules_for(move.places)
    moved = {each.target for each in move.places.buckets}
    declared = {each for each in there if _elsewhere(each, moved) and within_any(each, rules.settled)}
    found = mlflow.open_all(move.places.target, move.secrets, there - declared, threads=move.places.transfers)
    before = mlflow.below(
        move.places.source, move.secrets, {each for each in here if rules.apply(each) not in declared}
    )
    unequal = list(different(before, found.below, rules.apply)) if found.below else []
    unopened = [
        f"{count} addresses of {scheme or 'no scheme'} cannot be opened from here"
        for scheme, count in found.elsewhere.items()
        if scheme not in SPOKEN
    ]
    return SmokeResult(
        {
            "addresses": len(there),
            "objects_opened": found.objects,
            "objects_below": sum(each.count for each in found.below.values()),
            "without_artifacts": sum(not each.count for each in found.below.values()),
            "declared_elsewhere": sorted(declared)[:SHOWN],
            "not_ours": dict(found.elsewhere),
        },
        [*found.broken, *unequal, *unopened],
    )


def _elsewhere(address: str, moved: set[str]) -> bool:
    at = parse_address(address)
    return at is not None and at.scheme in STORES and at.bucket not in moved


def _collect_addresses(move: Move, side: RelocationSide) -> set[str]:
    found: set[str] = set()
    for place in side.databases:
        if place.part in SCHEMAS and place.engine == "postgresql":
            found |= _of(move, place)
    return found


def _of(move: Move, place: DatabasePlace) -> set[str]:
    with postgres.session(place, move.secrets) as connection:
        return set(addresses(connection, SCHEMAS[place.part]))


def _reads(move: Move) -> SmokeResult:
    """Check that a plain user reads one object of each bucket that the user may read."""
    side = move.places.target
    if side.store.canary is None:
        return SmokeResult({"skipped": "relocation.yaml names no plain user of the target's store"}, [])
    read: list[str] = []
    refused: list[str] = []
    for each in move.places.buckets:
        place = place_of(side.store, side.store.canary, each.target, move.secrets)
        with closing(s3_client.connect(place)) as store:
            try:
                first = next(iter(store.list_objects()), None)
                if first is not None and first.size:
                    with closing(store.open(first.key, first=0, last=0)) as body:
                        body.read_into(memoryview(bytearray(1)))
                read.append(each.target)
            except StoreError as error:
                refused.append(f"{each.target}: {error}")
    # A user need not be allowed into every bucket; one that can read none shows that keys or policies are wrong.
    return SmokeResult({"read": read, "refused": refused}, [] if read else refused)


def _cluster(move: Move) -> SmokeResult:
    """Check the API server, the namespaces of the source, and the claims of notebooks."""
    source, target = open_clusters(move)
    if target is None:
        return SmokeResult({"skipped": "relocation.yaml names no kubeconfig of the target"}, [])
    spaces = {name_of(each) for each in target.list_objects(kinds.NAMESPACE)}
    claims = {(namespace_of(each), name_of(each)): each for each in target.list_objects(CLAIM)}
    used = {
        (namespace_of(each), claim) for each in target.list_objects(kinds.NOTEBOOKS.kind) for claim in _claims(each)
    }
    phases = {key: str(to_mapping(claims[key].get("status")).get("phase")) for key in used if key in claims}
    faults = [f"notebook's claim {'/'.join(key)} is not there" for key in sorted(used - set(claims))]
    faults += [
        f"notebook's claim {'/'.join(key)} has lost its volume"
        for key, phase in sorted(phases.items())
        if phase == "Lost"
    ]
    missing = {name_of(each) for each in source.list_objects(kinds.NAMESPACE)} - spaces if source else set[str]()
    pending = sorted("/".join(key) for key, phase in phases.items() if phase == "Pending")
    return SmokeResult(
        {
            "namespaces": len(spaces),
            "namespaces_of_the_source_only": sorted(missing),
            "claims": len(phases),
            "claims_waiting_for_a_pod": pending,
        },
        faults,
    )


def _claims(notebook: Mapping[str, object]) -> list[str]:
    spec = to_mapping(to_mapping(to_mapping(notebook.get("spec")).get("template")).get("spec"))
    named = [
        to_mapping(each.get("persistentVolumeClaim")).get("claimName") for each in to_mappings(spec.get("volumes"))
    ]
    return [str(each) for each in named if each]


def _pod(move: Move) -> SmokeResult:
    cluster = open_cluster(move.places.target, move.secrets, words="target")
    if cluster is None:
        return SmokeResult({"skipped": "relocation.yaml names no kubeconfig of the target"}, [])
    said = try_placement(cluster)
    return (
        SmokeResult({}, [f"a pod was not placed: {said[2:]}"])
        if said.startswith("! ")
        else SmokeResult({"node": said}, [])
    )


CHECKS: Final[Mapping[str, Callable[[Move], SmokeResult]]] = {
    "MLflow's server": _server,
    "databases": _databases,
    "links": _links,
    "reads by a plain user": _reads,
    "cluster": _cluster,
    "a pod": _pod,
}
STEP: Final = RelocationStep(name="smoke", do=do)
