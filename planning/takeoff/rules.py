"""Which counter counts which type: the one table. Adding a cloud is one file and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.takeoff import atoll, aws_network, aws_nodes, aws_storage, kubernetes

if TYPE_CHECKING:
    from planning.takeoff.findings import Counter

COUNTERS: Final[dict[str, Counter]] = {
    **aws_nodes.COUNTERS,
    **aws_network.COUNTERS,
    **aws_storage.COUNTERS,
    **kubernetes.COUNTERS,
}

_PREFIXES: Final[dict[str, Counter]] = {"atoll:": atoll.component, "kubernetes:": kubernetes.in_cluster}


def counter_of(token: str) -> Counter | None:
    """The counter of a type; None where there is no rule."""
    counter = COUNTERS.get(token)
    if counter is not None:
        return counter
    return next((counter for prefix, counter in _PREFIXES.items() if token.startswith(prefix)), None)
