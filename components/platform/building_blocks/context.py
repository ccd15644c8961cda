"""What every component of the platform is built from: cluster, lock, generated secrets, addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_random as random

from planning.values.addresses import PRIVATE_DOMAIN
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from decimal import Decimal

    from components.context.placement import ClusterHandle
    from components.context.settings import StackSettings
    from planning.costs.node_prices import NodePrices
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.platform import Platform, PlatformComponent


Charges = list[dict[str, object]]
POOL: Final = "atoll/pool"
MACHINE: Final = "node.kubernetes.io/instance-type"


@dataclass(frozen=True, kw_only=True)
class PlatformContext:
    """One cluster, and its platform by the lock.

    Args:
        keyring: generated secrets, shared between components.
        ceiling_usd_per_month: of the whole stack; None for none.
        prices: what nodes cost by the accepted bill; None where it is not known.
    """

    spec: ClusterSpec
    platform: Platform
    handle: ClusterHandle
    settings: StackSettings
    keyring: Keyring
    ceiling_usd_per_month: Decimal | None = None
    prices: NodePrices | None = None

    def part(self, name: str) -> PlatformComponent:
        """The component of that name in the lock.

        Raises:
            AtollError: it is not in the lock.
        """
        found = self.platform.part(name)
        if found is None:
            raise AtollError(f"the platform part {name} is not in the lock")
        return found

    def has(self, name: str) -> bool:
        return self.platform.part(name) is not None

    def describe_part(self, name: str, charges: Charges) -> dict[str, object]:
        """Inputs of a component's resource: placement for its price, charges of its volumes, version and source."""
        part, placement = self.part(name), self.spec.placement
        return {
            "provider": placement.provider,
            "region": placement.region,
            "version": part.version,
            "source": part.repository,
            "charges": list(charges),
        }

    def build_host(self, name: str) -> str:
        """Name below the cluster's domain, as in "grafana.ml.example.com"."""
        return f"{name}.{self.handle.names.domain or PRIVATE_DOMAIN}"

    @property
    def on_system(self) -> Mapping[str, str]:
        """Node selector of the platform's own pods; empty where nodes do not carry our labels."""
        return {} if self.spec.existing is not None else {"atoll/role": "system"}

    @property
    def volume_class(self) -> str:
        """Storage class of the platform's own volumes; "" for the cluster's default."""
        return self.handle.classes.disk or self.handle.classes.shared

    @property
    def labelled(self) -> bool:
        """Whether nodes carry the label of their pool, `atoll/pool`."""
        return self.spec.existing is None

    @property
    def price_label(self) -> str:
        """Node label by which a node is priced: its pool; its machine type in an existing cluster."""
        return POOL if self.labelled else MACHINE

    def price_label_value(self, pool: Pool) -> str:
        """Value of that label on the nodes of a pool."""
        return pool.name if self.labelled else pool.machine

    def map_prices_by_label(self) -> dict[str, Decimal]:
        """USD per node-hour by the value of that label, for pools whose price is known."""
        if self.prices is None:
            return {}
        hourly = self.prices.usd_per_hour
        return {self.price_label_value(pool): hourly[pool.name] for pool in self.spec.pools if pool.name in hourly}


@dataclass(frozen=True, kw_only=True)
class RegisteredComponent:
    """A component that is registered.

    Args:
        resource: components that need it wait for this resource and its children.
        outputs: of the stack.
    """

    resource: pulumi.Resource
    outputs: Mapping[str, pulumi.Input[object]] = field(default_factory=dict[str, "pulumi.Input[object]"])


Outputs = Mapping[str, pulumi.Input[object]]
Builder = Callable[[PlatformContext, Charges, pulumi.ResourceOptions], RegisteredComponent]


@final
class PlatformResource(pulumi.ComponentResource):
    """Component resource of a platform component: the parent of its resources.

    Attributes:
        name: logical name; that of its chart's release or its manifests too, unless they say another.
        part: the component in the lock.
        shown: outputs of the resource itself.
    """

    def __init__(  # the token and the inputs of a component resource, and what its parts are built from
        self,
        token: str,
        name: str,
        inputs: Mapping[str, object],
        *,
        context: PlatformContext,
        part: PlatformComponent,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__(token, name, dict(inputs), opts)
        self.name, self.context, self.part = name, context, part
        self.shown: dict[str, pulumi.Input[object]] = {}


def show_version(part: str) -> Callable[[PlatformContext, Charges], Mapping[str, object]]:
    """Inputs of a component that has no volumes: its version."""
    return lambda context, _: {"version": context.part(part).version}


def component(
    part: str,
    token: str,
    *,
    name: str = "",
    inputs: Callable[[PlatformContext, Charges], Mapping[str, object]] | None = None,
) -> Callable[[Callable[[PlatformResource], Outputs | None]], Builder]:
    """Make a builder of a function that registers the resources of a component.

    Args:
        part: name of the component in the catalog.
        token: its type; it and the name are in the state of every stack and never change.
        name: its logical name; that of the catalog with hyphens by default.
        inputs: plain inputs of the resource; `PlatformContext.facts` by default.
    """

    def decorate(fill: Callable[[PlatformResource], Outputs | None]) -> Builder:
        def build(context: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
            found = inputs(context, charges) if inputs else context.describe_part(part, charges)
            logical = name or part.replace("_", "-")
            own = PlatformResource(token, logical, found, context=context, part=context.part(part), opts=options)
            outputs = fill(own)
            own.register_outputs(own.shown)
            return RegisteredComponent(resource=own, outputs=outputs or {})

        return build

    return decorate


LENGTH: Final = 40  # characters out of 62: more than 230 bits


@dataclass(frozen=True, kw_only=True)
class KeyringArgs:
    """No arguments; every secret has the same length."""


@final
class Keyring(pulumi.ComponentResource):
    """Generated secrets by name; the same name gives the same secret."""

    def __init__(self, name: str, args: KeyringArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        del args
        super().__init__("atoll:platform:Keyring", name, {}, opts)
        self._made: dict[str, random.RandomPassword] = {}
        self.register_outputs({})

    def get_secret(self, name: str) -> pulumi.Output[str]:
        return pulumi.Output.secret(self._get_password(name).result)

    def hash_secret(self, name: str) -> pulumi.Output[str]:
        """Its bcrypt hash."""
        return pulumi.Output.secret(self._get_password(name).bcrypt_hash)

    def list_secrets(self) -> Mapping[str, pulumi.Output[str]]:
        """Every secret made so far."""
        return {name: self.get_secret(name) for name in self._made}

    def _get_password(self, name: str) -> random.RandomPassword:
        if name not in self._made:
            self._made[name] = random.RandomPassword(
                name, length=LENGTH, special=False, opts=pulumi.ResourceOptions(parent=self)
            )
        return self._made[name]
