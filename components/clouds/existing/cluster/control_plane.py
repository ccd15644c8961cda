"""A cluster that is already there, reached by the kubeconfig that an environment variable names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.clouds.existing.cluster.preconditions import ensure, examine
from planning.inputs.files import read_text
from planning.values.errors import InputError

if TYPE_CHECKING:
    from planning.spec.cluster import ExistingCluster as ExistingSpec
    from planning.spec.cluster import Placement

OFFLINE_PLACEHOLDER: Final = "not read offline"


@dataclass(frozen=True, kw_only=True)
class ExistingClusterArgs:
    """How the cluster is reached.

    Args:
        offline: the program runs without an engine, so the file is not read.
        oldest_kubernetes: oldest minor version that is built on; "" for our own floor.
    """

    placement: Placement
    existing: ExistingSpec
    offline: bool
    oldest_kubernetes: str = ""


@final
class ExistingCluster(pulumi.ComponentResource):
    """A cluster that somebody else runs; nothing of it is created or deleted here.

    Attributes:
        provider: what is put into the cluster names this.
        kubeconfig: as it was read, a secret.
    """

    provider: kubernetes.Provider
    kubeconfig: pulumi.Output[str]

    def __init__(self, name: str, args: ExistingClusterArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:cluster:ExistingCluster", name, facts, opts)
        self.kubeconfig = _kubeconfig(args)
        self.provider = kubernetes.Provider(
            "cluster",
            kubeconfig=self.kubeconfig,
            context=args.existing.context,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def _kubeconfig(args: ExistingClusterArgs) -> pulumi.Output[str]:
    """The content of the file, as a secret: it holds credentials."""
    if args.offline:
        return pulumi.Output.secret(OFFLINE_PLACEHOLDER)
    path = kubeconfig_path(args.existing.kubeconfig_env)
    text = kubeconfig_text(path, variable=args.existing.kubeconfig_env)
    facts = examine(
        text,
        context=args.existing.context,
        variable=args.existing.kubeconfig_env,
        path=path,
        oldest=args.oldest_kubernetes,
    )
    ensure(facts, variable=args.existing.kubeconfig_env)
    return pulumi.Output.secret(text)


def kubeconfig_path(variable: str) -> Path:
    """The file that an environment variable names; the first where it names several.

    Raises:
        InputError: it names none.
    """
    named = os.environ.get(variable, "")
    if not named:
        raise InputError(
            f"{variable} is not set, and it names the kubeconfig of the cluster to build on",
            hint=f"export {variable}=<path of the kubeconfig>",
        )
    return Path(named.split(os.pathsep)[0]).expanduser()


def kubeconfig_text(path: Path, *, variable: str) -> str:
    """What a kubeconfig's file holds.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    try:
        return read_text(path)
    except InputError as error:
        message = f"the kubeconfig that {variable} names cannot be read: {error}"
        raise InputError(message, faults=error.faults) from error
