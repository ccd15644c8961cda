"""Where a file of the catalog is read: a refresh that counts already, the customer's renewed prices, or the package.

`atoll catalog refresh` puts all its files into one folder, `.next`, and makes it count by one rename; only then does it
copy them to their places and takes the folder away. Whoever reads meanwhile, or after a crash, reads the files of that
folder first, so that the catalog is the old one or the new one and never a mixture.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from catalogs.integrity import NAME

ROOT: Final = Path(__file__).parents[1]
SETTING: Final = "ATOLL_CATALOG"  # environment variable: folder of the customer's renewed prices
NEXT: Final = ".next"
TRIES: Final = 5  # a reader meets the end of a refresh once, never five times


@dataclass(frozen=True, slots=True)
class CatalogLayers:
    """Folders of one catalog.

    Args:
        root: every file of it.
        renewed: the files in which a customer's refreshed prices take the place of the root's; None for none.
    """

    root: Path
    renewed: Path | None = None

    @property
    def target(self) -> Path:
        """Where a refresh writes."""
        return self.renewed or self.root

    def resolve(self, path: Path) -> Path:
        """The file that counts for a path under the root."""
        relative = path.relative_to(self.root)
        above = (self.target / NEXT / relative, *((self.renewed / relative,) if self.renewed else ()))
        return next((each for each in above if each.is_file()), path)

    @property
    def layered(self) -> bool:
        """Whether any file is read from outside of the root."""
        return self.renewed is not None or (self.target / NEXT).is_dir()

    def state(self) -> tuple[bool, int, int]:
        """What changes with each refresh: the stamp is the last file that one replaces."""
        stamp = self.target / NAME
        try:
            found = stamp.stat()
        except OSError:
            return (self.target / NEXT).is_dir(), 0, 0
        return (self.target / NEXT).is_dir(), found.st_ino, found.st_mtime_ns

    def read(self, paths: list[Path]) -> dict[Path, bytes]:
        """The content of every file, all before a refresh or all after it.

        Raises:
            OSError: a file cannot be read.
        """
        for turn in range(1, TRIES + 1):
            before = self.state()
            try:
                resolve = self.resolve if self.layered else _keep
                found = {path: resolve(path).read_bytes() for path in paths}
            except FileNotFoundError:
                if turn == TRIES or self.state() == before:
                    raise
                continue
            if self.state() == before:
                return found
        raise OSError(f"{self.target} changes while it is read")


def layers_of(root: Path) -> CatalogLayers:
    """The layers of a catalog; of the package's own those that the setting names."""
    renewed = os.environ.get(SETTING, "") if root == ROOT else ""
    return CatalogLayers(root, Path(renewed) if renewed else None)


def _keep(path: Path) -> Path:
    return path
