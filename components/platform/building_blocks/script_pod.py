"""Our programs in pods: unprivileged, with read-only code and the permissions that are named."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict, RoleRefArgsDict, SubjectArgsDict

RBAC: Final = "rbac.authorization.k8s.io"
NOBODY: Final = 65532
CODE: Final = "code"
REQUESTS: Final = {"cpu": "10m", "memory": "64Mi"}  # the catalog adds them to the component that has the program


@dataclass(frozen=True, kw_only=True)
class PodProgram:
    """A program of `components.agents` that runs in one pod.

    Args:
        name: of its service account, roles, ConfigMap and Deployment.
        modules: all that it imports of ours; the first one is started.
        files: other files: name to text.
        folder: in which all of it is mounted.
        image: any with Python 3.12.
        rules: namespace, or "" for the whole cluster, to its permissions there.
        env: its variables.
        container: its name, ports and probes.
        labels: of its pods beside its own.
        annotations: of its pods, likewise.
    """

    name: str
    namespace: str
    modules: Sequence[ModuleType]
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str
    image: str
    memory_limit: str = "128Mi"
    rules: Mapping[str, Sequence[PolicyRuleArgsDict]]
    env: Mapping[str, str]
    container: ContainerArgsDict
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])

    def read_files(self) -> dict[str, str]:
        """Keys of its ConfigMap to their texts: "components.agents.spend_guard.py" to a tested module."""
        modules = {f"{each.__name__}.py": Path(str(each.__file__)).read_text(encoding="utf-8") for each in self.modules}
        return {**modules, **self.files}


def path_of(key: str) -> str:
    """Path of a ConfigMap's key below PYTHONPATH: "components/agents/spend_guard.py"."""
    return f"{key.removesuffix('.py').replace('.', '/')}.py" if key.endswith(".py") else key


def register_program(
    program: PodProgram, *, on: Mapping[str, str], parent: pulumi.Resource, after: Sequence[pulumi.Resource] = ()
) -> None:
    """The program's service account, permissions, code and Deployment.

    Args:
        on: labels of the nodes that it may run on.
        after: what else its pod depends on.
    """
    own = pulumi.ResourceOptions(parent=parent)
    name, files, labels = program.name, program.read_files(), {"app": program.name}
    metadata: ObjectMetaArgsDict = {"name": name, "namespace": program.namespace}
    account = kubernetes.core.v1.ServiceAccount(name, metadata=metadata, opts=own)
    rights = register_rights(name, program.rules, namespace=program.namespace, parent=parent)
    code = kubernetes.core.v1.ConfigMap(name, metadata=metadata, data=files, opts=own)
    digest = sha256("".join(files.values()).encode()).hexdigest()[:16]  # another program starts another pod
    kubernetes.apps.v1.Deployment(
        name,
        metadata={**metadata, "labels": labels},
        spec={
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"match_labels": labels},
            "template": {
                "metadata": {
                    "labels": {**labels, **program.labels},
                    "annotations": {**program.annotations, "atoll/script": digest},
                },
                "spec": _build_pod(program, list(files), on=on),
            },
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[account, code, *rights, *after]),
    )


def register_rights(
    name: str, rules: Mapping[str, Sequence[PolicyRuleArgsDict]], *, namespace: str, parent: pulumi.Resource
) -> list[pulumi.Resource]:
    """Roles of the service account of that name; returns the bindings.

    Args:
        rules: namespace, or "" for the whole cluster, to its permissions there.
        namespace: of the account.
    """
    own = pulumi.ResourceOptions(parent=parent)
    subjects: list[SubjectArgsDict] = [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]
    one = sum(map(bool, rules)) == 1
    bindings: list[pulumi.Resource] = []
    for where, held in rules.items():
        metadata: ObjectMetaArgsDict = {"name": name, "namespace": where} if where else {"name": name}
        kind = "Role" if where else "ClusterRole"
        logical = name if one or not where else f"{name}-{where}"
        make_role = kubernetes.rbac.v1.Role if where else kubernetes.rbac.v1.ClusterRole
        bind = kubernetes.rbac.v1.RoleBinding if where else kubernetes.rbac.v1.ClusterRoleBinding
        role = make_role(logical, metadata=metadata, rules=list(held), opts=own)
        reference: RoleRefArgsDict = {"api_group": RBAC, "kind": kind, "name": role.metadata.name}
        bindings.append(bind(logical, metadata=metadata, role_ref=reference, subjects=subjects, opts=own))
    return bindings


def _build_pod(program: PodProgram, keys: Sequence[str], *, on: Mapping[str, str]) -> PodSpecArgsDict:
    env = {"PYTHONPATH": program.folder, **program.env}
    container: ContainerArgsDict = {
        **program.container,
        "image": program.image,
        "command": ["python3", "-m", program.modules[0].__name__],
        "env": [{"name": name, "value": value} for name, value in env.items()],
        "resources": {"requests": REQUESTS, "limits": {"memory": program.memory_limit}},
        "security_context": {
            "allow_privilege_escalation": False,
            "read_only_root_filesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volume_mounts": [{"name": CODE, "mount_path": program.folder, "read_only": True}],
    }
    return {
        "service_account_name": program.name,
        "node_selector": dict(on),
        "security_context": {
            "run_as_non_root": True,
            "run_as_user": NOBODY,
            "run_as_group": NOBODY,
            "seccomp_profile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": [
            {
                "name": CODE,
                "config_map": {
                    "name": program.name,
                    "items": [{"key": key, "path": path_of(key)} for key in keys],
                },
            }
        ],
    }
