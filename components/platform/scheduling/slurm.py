"""Slurm: a controller, a login pod for everybody with an SSH key, and one worker on each node that Slurm has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.bucket_users import PROVIDER
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.component import Part
from components.platform.building_blocks.network_policies import allow, outward
from components.platform.building_blocks.object_store_access import pod_port
from components.platform.scheduling.slurm_login import NAMESPACE, Login, login
from components.platform.scheduling.slurm_workers import workers
from planning.platform.slurm import shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.component import Charges
    from components.platform.building_blocks.context import Ground
    from planning.platform.slurm import Share

KEYS: Final = "slurm-keys"
CONTROLLER: Final = {"cpu": "250m", "memory": "512Mi"}
REST: Final = {"cpu": "100m", "memory": "128Mi"}
STATE_GI: Final = 4  # jobs that wait or run, kept over a restart of the controller; the part's disk_gb
NO_NODES: Final = (
    "Slurm has no node: no training, fine-tuning or batch workload has a pool, or half of one node was its share"
)


@dataclass(frozen=True, kw_only=True)
class SlurmArgs:
    """Slurm's part of the pools, and who signs in."""

    ground: Ground
    shares: Sequence[Share]
    login: Login
    charges: Charges

    def facts(self) -> dict[str, object]:
        """What a plan shows of it."""
        return {
            **self.ground.facts("slurm", self.charges),
            "nodes": {share.pool.name: share.nodes for share in self.shares},
            "users": list(self.login.users),
        }


@final
class Slurm(pulumi.ComponentResource):
    """A partition for each pool; the first is the default. Accounting is off: it needs a MariaDB of its own."""

    def __init__(self, name: str, args: SlurmArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Slurm", name, args.facts(), opts)
        before = [_keys(args.ground, parent=self), *args.login.objects(parent=self)]
        _ways(args.ground, parent=self)
        part = args.ground.part("slurm")
        release("slurm", part, values=_values(args), ground=args.ground, parent=self, depends_on=before)
        self.register_outputs({})


def build(ground: Ground, charges: Charges, options: pulumi.ResourceOptions) -> Part:
    """Slurm on its share of the pools."""
    found = shares(ground.spec)
    if not found:
        pulumi.log.warn(NO_NODES)
    args = SlurmArgs(ground=ground, shares=found, login=login(ground), charges=charges)
    return Part(resource=Slurm("slurm", args, opts=options))


def _values(args: SlurmArgs) -> dict[str, object]:
    ground = args.ground
    watched = ground.has("prometheus_crds")
    selector = {"kubernetes.io/os": "linux", **ground.on_system}
    disk = ground.volume_class
    return {
        "slurmKey": {"create": False, "secretRef": {"name": KEYS, "key": "slurm.key"}},
        "jwtKey": {"create": False, "secretRef": {"name": KEYS, "key": "jwt.key"}},
        "controller": {
            "slurmctld": {"resources": {"requests": dict(CONTROLLER)}},
            "podSpec": {"nodeSelector": selector},
            "persistence": {
                **({"storageClassName": disk} if disk else {}),
                "resources": {"requests": {"storage": f"{STATE_GI}Gi"}},
            },
            "metrics": {"enabled": watched, "serviceMonitor": {"enabled": watched}},
        },
        "restapi": {
            "slurmrestd": {"resources": {"requests": dict(REST)}},
            "podSpec": {"nodeSelector": selector},
        },
        "accounting": {"enabled": False},
        **args.login.values(selector),
        **workers(args.shares, ground),
    }


def _keys(ground: Ground, *, parent: Slurm) -> pulumi.Resource:
    """By the first key daemons trust each other, by the second programs sign in to the REST API."""
    halves = {name: [ground.keyring.secret(f"slurm-{name}-{half}") for half in (1, 2)] for name in ("key", "jwt")}
    return kubernetes.core.v1.Secret(
        KEYS,
        metadata={"name": KEYS, "namespace": NAMESPACE},
        string_data={
            "slurm.key": pulumi.Output.secret(pulumi.Output.concat(*halves["key"])),
            "jwt.key": pulumi.Output.secret(pulumi.Output.concat(*halves["jwt"])),
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _ways(ground: Ground, *, parent: Slurm) -> None:
    """Jobs read and write outside; nobody comes in, but through the Kubernetes API."""
    outward("slurm-jobs", namespace=NAMESPACE, parent=parent)
    if ground.platform.object_store != PROVIDER and ground.has("object_store"):
        allow("slurm-to-store", source=NAMESPACE, target=names.OBJECT_STORE, ports=[pod_port(ground)], parent=parent)
