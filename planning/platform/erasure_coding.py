"""How many copies of an object store spread over how many nodes, and what of their drives is left for objects."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

# cmd/endpoint-ellipses.go and internal/config/storageclass/storage-class.go of github.com/minio/minio, last commit of
# 2026-02-12: sizes that a set may have, and the parity it gets where none is asked for.
LARGEST_SET: Final = 16
DEFAULT_PARITY: Final = 4
DEFAULT_PARITY_OF_SMALL: Final = {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3}
MOST_NODES: Final = 4  # a store for one team's artifacts: more copies cost memory and win nothing
NODES_AWAY: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure set, which is the whole store.

    Args:
        nodes: copies of the server, each on a node of its own.
        drives_per_node: volumes of each.
        parity: drives of the set that may be lost without losing an object.
    """

    nodes: int
    drives_per_node: int
    parity: int

    @property
    def drives(self) -> int:
        return self.nodes * self.drives_per_node

    @property
    def write_quorum(self) -> int:
        """Drives that must answer before an object is written."""
        data = self.drives - self.parity
        return data + 1 if self.parity and data == self.parity else data

    @property
    def usable_share(self) -> Decimal:
        return Decimal(self.drives - self.parity) / self.drives

    @property
    def survives(self) -> bool:
        """Whether objects can be read and written while one node is away."""
        left = self.drives - self.drives_per_node * NODES_AWAY
        return left >= self.write_quorum

    @property
    def distributed(self) -> bool:
        """Whether there is more than one copy of the server."""
        return self.nodes > 1

    def compute_drive_gb(self, disk_gb: int) -> int:
        """Whole GB of each drive, all of them together taking no more than `disk_gb`."""
        return disk_gb // self.drives


def erasure_set(nodes: int, *, drives_per_node: int = 1) -> Erasure:
    """The set on that many nodes: the least parity with which one of them may be away.

    Args:
        nodes: that are always there, at least 1; of more than four, four are used.
        drives_per_node: at least 1; of more than fit into one set, as many as fit.
    """
    copies = max(1, min(nodes, MOST_NODES))
    drives = max(1, min(drives_per_node, LARGEST_SET // copies))
    found = (Erasure(nodes=copies, drives_per_node=drives, parity=parity) for parity in range(copies * drives // 2 + 1))
    # Network disks are kept in several copies by whoever rents them out, so parity serves availability alone; the
    # engine's own default would take half of four drives.
    default = default_parity(copies * drives)
    return next((each for each in found if each.parity >= drives and each.survives), _with(copies, drives, default))


def _with(nodes: int, drives_per_node: int, parity: int) -> Erasure:
    return Erasure(nodes=nodes, drives_per_node=drives_per_node, parity=parity)


def default_parity(drives: int) -> int:
    """Parity that the engine gives a set of that many drives by itself."""
    return DEFAULT_PARITY_OF_SMALL.get(drives, DEFAULT_PARITY)
