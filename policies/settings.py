"""What a project sets of the rules, and whom it exempts: stacks/policies.yaml, reviewed like code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from policies.breach import Level, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.exemptions import Exemption

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Settings and exemptions of one project; without the file, the defaults of the rules and no exemption.

    Args:
        settings: by the class of the settings.
        levels: of rules whose own is not to hold, by name; the same where nobody can tell.
        digest: SHA-256 in hex over the file; "" without one.
    """

    settings: Mapping[type[Settings], Settings] = field(default_factory=dict["type[Settings]", "Settings"])
    levels: Mapping[str, Level] = field(default_factory=dict[str, "Level"])
    exemptions: tuple[Exemption, ...] = ()
    digest: str = ""

    def setting(self, kind: type[S]) -> S:
        """What the project set of a rule, or its defaults."""
        found = self.settings.get(kind)
        return found if isinstance(found, kind) else kind()
