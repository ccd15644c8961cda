"""What every acceptance job needs: an isolated namespace, an account without permissions, the measuring code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.catalog import load
from components.agents import adding_model, measure
from components.context.names import METADATA_ADDRESS, NAME_CACHE
from planning.acceptance.node_limits import node_counts, payloads_of
from planning.platform.mirror import OCI, is_registry, target
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from catalogs.catalog import Catalog
    from components.acceptance.model import Manifest
    from planning.acceptance.node_limits import ExpectedPool
    from planning.spec.cluster import ClusterSpec, Pool


# Files of scripts/, which are keys of the ConfigMap too.
# dcgm.sh: what DCGM's own image can say of the node, kept for the container that has Python; a test that fails is no
# failure of the container, for its report says which. `nv-hostengine` goes to the background itself.
# dcgmi: stands for the tool where it cannot be run: gives back what it said in DCGM's own image, and how it ended.
# carry.sh: copies a program (`$1`) with its libraries and its loader to a folder (`$2`), so that it runs in an image
# that has another C library, or none of them.
# keyed.sh: keys of the run, readable by root alone as `ssh` wants them; then what was asked for.
SHELL: Final = ("dcgm.sh", "dcgmi", "carry.sh", "keyed.sh")
SCRIPTS: Final[Mapping[str, str]] = {
    **{name: (Path(__file__).parent / "scripts" / name).read_text(encoding="utf-8") for name in SHELL},
    "model.py": Path(str(adding_model.__file__)).read_text(encoding="utf-8"),
}


NAMESPACE: Final = "atoll-acceptance"
ACCOUNT: Final = "acceptance"
CODE: Final = "measure"
CODE_FOLDER: Final = "/measure"
RUN: Final = "atoll/acceptance"
JOB: Final = "atoll/acceptance-job"
RUN_SHAPE: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?")
# Pod security: node checks run as root without a capability, which "baseline" admits and "restricted" does not. Verbs
# of InfiniBand and RoCE pin memory, for which a pod needs IPC_LOCK; only "privileged" admits it.
LEVEL: Final = "baseline"
PINNING: Final = "privileged"
PINNING_FABRICS: Final = frozenset({"infiniband", "roce"})
MEASURE: Final = Path(str(measure.__file__)).parent


@dataclass(frozen=True, kw_only=True)
class JobContext:
    """One run of the acceptance on one cluster.

    Args:
        run: part of every name.
        picture: image to what is pulled in its place.
        expected: pool to what it is held to, where that is known: the precision and shapes of its arithmetic.
    """

    spec: ClusterSpec
    run: str
    picture: Callable[[str], str]
    expected: Mapping[str, ExpectedPool] = field(default_factory=dict[str, "ExpectedPool"])

    @classmethod
    def of(
        cls,
        spec: ClusterSpec,
        *,
        run: str,
        picture: Callable[[str], str] | None = None,
        expected: Sequence[ExpectedPool] = (),
    ) -> JobContext:
        """A context that pulls images from the lock's mirror, unless `picture` is given."""
        mine = {pool.name: pool for pool in expected if pool.placement == spec.placement.name}
        return cls(spec=spec, run=run, picture=picture or build_image_resolver(spec), expected=mine)

    def list_counts(self, pool: Pool, there: int) -> tuple[int, ...]:
        """Node counts of the all-reduce, in growing order, at most as many as there are nodes.

        They are the counts of the expected limits; others only where no limit is known, or none of its counts fits.
        """
        held = self.expected.get(pool.name)
        if held is not None and not held.all_reduce:  # its nodes work alone
            return ()
        fitting = tuple(each.nodes for each in held.all_reduce if each.nodes <= there) if held is not None else ()
        return fitting or node_counts(there, promised=_catalog().promises["all_reduce_nodes"].values)

    def list_payloads(self, pool: Pool) -> tuple[int, ...]:
        """Payloads of the all-reduce in bytes, growing; none where the memory of the accelerators is not known."""
        held = self.expected.get(pool.name)
        if held is not None:
            return held.payloads
        facts = _catalog().accelerators.get(pool.accelerator or "")
        return payloads_of(_catalog(), memory_gb=facts.memory_gb)[0] if facts is not None else ()

    def check(self, nodes: Mapping[str, Sequence[str]]) -> None:
        """Check the name of the run and the pools.

        Raises:
            InputError: naming every fault.
        """
        pools = {pool.name for pool in self.spec.pools}
        faults = [f"the lock has no pool {name}" for name in nodes if name not in pools]
        if not RUN_SHAPE.fullmatch(self.run):
            faults.append(
                f"{self.run!r} is no part of a name in Kubernetes: up to 20 small letters, digits and hyphens"
            )
        if faults:
            raise InputError(
                f"the acceptance cannot be planned: {'; '.join(faults)}", hint="pools are those of the lock"
            )

    def has(self, part: str) -> bool:
        return self.spec.platform is not None and self.spec.platform.part(part) is not None

    @property
    def labelled(self) -> bool:
        return self.spec.existing is None


@cache
def _catalog() -> Catalog:
    return load()


def build_image_resolver(spec: ClusterSpec) -> Callable[[str], str]:
    """Where images are pulled from: the lock's mirror where that is a registry, else their own sources."""
    mirror = spec.platform.mirror if spec.platform is not None else ""
    registry = mirror.removeprefix(OCI).rstrip("/") if is_registry(mirror) else ""
    return lambda image: target(image, registry)


def choose_pod_security(pools: Sequence[Pool]) -> str:
    return PINNING if any(pool.fabric in PINNING_FABRICS and pool.max_nodes > 1 for pool in pools) else LEVEL


def ground_objects(context: JobContext) -> tuple[Manifest, ...]:
    """Namespace, account, network policies and code, in order."""
    enforced = choose_pod_security(context.spec.pools)
    # No label of a queue: Kueue manages only namespaces that carry one, so that a measurement never waits in a queue.
    labels = {
        "app.kubernetes.io/managed-by": "atoll",
        "pod-security.kubernetes.io/enforce": enforced,
        "katib.kubeflow.org/metrics-collector-injection": "enabled",
    }
    home: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
    account: Manifest = {**build_object_header("v1", "ServiceAccount", ACCOUNT), "automountServiceAccountToken": False}
    return (home, account, *_policies(), code_object())


def code_object(name: str = CODE, *, namespace: str = NAMESPACE, labels: Mapping[str, str] | None = None) -> Manifest:
    return {
        **build_object_header("v1", "ConfigMap", name, namespace=namespace, labels=labels),
        "data": dict(code_files()),
    }


def build_object_header(
    version: str, kind: str, name: str, *, namespace: str = NAMESPACE, labels: Mapping[str, str] | None = None
) -> Manifest:
    """API version, kind and metadata of an object."""
    metadata: Manifest = {"name": name, "namespace": namespace, **({"labels": dict(labels)} if labels else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def code_files() -> Mapping[str, str]:
    """Keys of the ConfigMap to the texts of the measuring modules and shell scripts."""
    modules = {key: (MEASURE / key).read_text(encoding="utf-8") for key in measure.FILES}
    return {**modules, **SCRIPTS}


def code_items() -> list[Manifest]:
    """Path of each key in a folder of PYTHONPATH."""
    return [{"key": key, "path": place} for key, place in measure.FILES.items()]


def _policies() -> tuple[Manifest, ...]:
    """Ingress from the namespace alone; egress to any address but the node's metadata."""
    names = [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")]
    everywhere: Manifest = {"namespaceSelector": {}}
    # Egress itself is measured, and services in every namespace are; the metadata of a node has its credentials.
    anyone: Manifest = {"ipBlock": {"cidr": "0.0.0.0/0", "except": [METADATA_ADDRESS]}}
    return (
        _policy("default-deny", {"policyTypes": ["Ingress", "Egress"]}),
        _policy("allow-own-pods", {"policyTypes": ["Ingress", "Egress"], **_own()}),
        _policy(
            "allow-out",
            {
                "policyTypes": ["Egress"],
                "egress": [
                    {"to": [everywhere, {"ipBlock": {"cidr": NAME_CACHE}}], "ports": names},
                    {"to": [everywhere]},
                    {"to": [anyone]},
                ],
            },
        ),
    )


def _own() -> Manifest:
    return {"ingress": [{"from": [{"podSelector": {}}]}], "egress": [{"to": [{"podSelector": {}}]}]}


def _policy(name: str, spec: Manifest) -> Manifest:
    return {**build_object_header("networking.k8s.io/v1", "NetworkPolicy", name), "spec": {"podSelector": {}, **spec}}
