"""The key that both ends of the tunnel share, where the main cloud makes none itself."""

from __future__ import annotations

from typing import Final

import pulumi
import pulumi_random as random

# Letters and digits only, which every gateway takes as they are; 48 of them are 285 bits, above those of the cipher.
LENGTH: Final = 48


def shared_key(*, parent: pulumi.Resource) -> pulumi.Output[str]:
    """A secret, which is made once and kept in the state."""
    made = random.RandomPassword("main-cloud", length=LENGTH, special=False, opts=pulumi.ResourceOptions(parent=parent))
    return pulumi.Output.secret(made.result)
