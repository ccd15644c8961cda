"""Which builder builds which platform part: the one table. Adding a part is one catalog row, one file and one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform import namespaces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.built import Builder

BUILDERS: Final[Mapping[str, Builder]] = {
    "namespaces": namespaces.build,
}
