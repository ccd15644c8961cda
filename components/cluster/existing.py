"""A cluster that is already there, reached by the kubeconfig that an environment variable names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from planning.errors import InputError

if TYPE_CHECKING:
    from planning.spec import ExistingCluster as ExistingSpec
    from planning.spec import Placement

OFFLINE_PLACEHOLDER: Final = "not read offline"


@dataclass(frozen=True, kw_only=True)
class ExistingClusterArgs:
    """How the cluster is reached.

    Args:
        offline: the program runs without an engine, so the file is not read.
    """

    placement: Placement
    existing: ExistingSpec
    offline: bool


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
    variable = args.existing.kubeconfig_env
    named = os.environ.get(variable, "")
    if not named:
        raise InputError(
            f"{variable} is not set, and it names the kubeconfig of the cluster to build on",
            hint=f"export {variable}=<path of the kubeconfig>",
        )
    path = Path(named.split(os.pathsep)[0]).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"the kubeconfig that {variable} names cannot be read: {error.strerror}") from error
    check_context(text, context=args.existing.context, variable=variable)
    return pulumi.Output.secret(text)


def check_context(text: str, *, context: str | None, variable: str) -> None:
    """Whether a kubeconfig can be used: a missing context passes every preview and fails half-way through an update.

    Raises:
        InputError: not a kubeconfig, or without the context; its content is never repeated.
    """
    try:
        found: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"the kubeconfig that {variable} names is not YAML") from error
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    listed = cast("list[dict[str, object]]", fields.get("contexts") or [])
    names = [str(each["name"]) for each in listed]
    if not names:
        raise InputError(f"what {variable} names is no kubeconfig: it has no contexts")
    if context is not None and context not in names:
        raise InputError(
            f"the kubeconfig that {variable} names has no context {context!r}; it has {', '.join(names)}",
            hint="set where.existing.context to one of them, then accept again",
        )
