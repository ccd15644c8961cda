"""What the builder of a platform part gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pulumi

from components.platform.building_blocks.context import Charges, Ground


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part that is registered.

    Args:
        resource: what needs the part waits for this, and for everything below it.
        outputs: what the stack says of it.
    """

    resource: pulumi.Resource
    outputs: Mapping[str, pulumi.Input[object]] = field(default_factory=dict[str, "pulumi.Input[object]"])


Builder = Callable[[Ground, Charges, pulumi.ResourceOptions], Part]
