"""Secrets that nobody chose: generated once, kept in the stack's state, encrypted there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_random as random

if TYPE_CHECKING:
    from collections.abc import Mapping

LENGTH: Final = 40  # characters out of 62: more than 230 bits


@dataclass(frozen=True, kw_only=True)
class KeyringArgs:
    """Nothing is chosen."""


@final
class Keyring(pulumi.ComponentResource):
    """Generated secrets by name; the same name gives the same secret."""

    def __init__(self, name: str, args: KeyringArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        del args
        super().__init__("atoll:platform:Keyring", name, {}, opts)
        self._made: dict[str, random.RandomPassword] = {}
        self.register_outputs({})

    def secret(self, name: str) -> pulumi.Output[str]:
        """A generated secret of letters and digits."""
        return pulumi.Output.secret(self._password(name).result)

    def hashed(self, name: str) -> pulumi.Output[str]:
        """Its bcrypt hash, for whoever only checks it."""
        return pulumi.Output.secret(self._password(name).bcrypt_hash)

    def all(self) -> Mapping[str, pulumi.Output[str]]:
        """Every secret made so far."""
        return {name: self.secret(name) for name in self._made}

    def _password(self, name: str) -> random.RandomPassword:
        if name not in self._made:
            self._made[name] = random.RandomPassword(
                name, length=LENGTH, special=False, opts=pulumi.ResourceOptions(parent=self)
            )
        return self._made[name]
