"""Whether what a lock installs is what this version of Atoll was tested with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.software.reader import parts

if TYPE_CHECKING:
    from collections.abc import Mapping


def untested(versions: Mapping[str, str]) -> tuple[str, ...]:
    """What is said of each part, name to version, whose version is not the catalog's: values are written for that."""
    said: list[str] = []
    for name, version in versions.items():
        known = parts().get(name)
        if known is None:
            said.append(f"{name} {version}, which this Atoll does not know")
        elif known.version != version:
            said.append(f"{name} {version}, which was tested at {known.version}")
    return tuple(said)
