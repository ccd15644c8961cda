"""What a project sets of the rules, and its exemptions: stacks/policies.yaml, reviewed like code."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from planning.checklist.model.people import Email

if TYPE_CHECKING:
    from collections.abc import Mapping

S = TypeVar("S", bound="Settings")


class Level(StrEnum):
    """What a breach leads to, in the words of Pulumi's policy packs."""

    MANDATORY = "mandatory"
    ADVISORY = "advisory"
    DISABLED = "disabled"


class Settings(BaseModel):
    """What a project may set of a rule; its JSON Schema is the rule's configuration schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class NoSettings(Settings):
    """A rule without anything to set."""


class Exemption(BaseModel):
    """One exemption, as it stands in stacks/policies.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rule: str

    stack: str
    """Name of one stack; no patterns."""
    resource: str = ""
    """Logical name of the resource, in which "*" matches any text; empty: findings about the stack as a whole."""
    owner: Email
    """Email address of the person who answers for it."""
    reason: str = Field(min_length=10)
    """Why, for whoever reviews it later."""
    expires: date
    """Last day on which it holds."""
    max_usd_per_month: Decimal | None = Field(default=None, gt=0)
    """For rules about money: the highest amount that is exempt."""


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Settings and exemptions of one project; without the file, the defaults of the rules and no exemption.

    Args:
        settings: by the class of the settings.
        levels: by the name of the rule, in place of its own; they apply to undetermined results too.
        digest: SHA-256 in hex over the file; "" without one.
    """

    settings: Mapping[type[Settings], Settings] = field(default_factory=dict["type[Settings]", "Settings"])
    levels: Mapping[str, Level] = field(default_factory=dict[str, "Level"])
    exemptions: tuple[Exemption, ...] = ()
    digest: str = ""

    def get(self, kind: type[S]) -> S:
        found = self.settings.get(kind)
        return found if isinstance(found, kind) else kind()
