"""Results of all shards as one: of a round of copies, and of a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from components.agents.mover.manifests.scan import Seen
from components.agents.mover.round_model import NAMED, RoundReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def whole_round(results: Sequence[Mapping[str, object]]) -> RoundReport:
    """One report of all shards; counts are exact, names end where one shard's would."""
    whole = RoundReport()
    for each in results:
        part = cast("dict[str, Any]", each["copy"])
        for name in ("objects", "size", "skipped", "skipped_size", "retagged", "deleted", "changes"):
            setattr(whole, name, getattr(whole, name) + part[name])
        for name in ("foreigns", "failures", "abandoned"):
            setattr(whole, name, getattr(whole, name) + part[name])
        whole.changed_during = [*whole.changed_during, *part["changed_during"]][:NAMED]
        whole.foreign = [*whole.foreign, *((key, why) for key, why in part["foreign"])][:NAMED]
        whole.failed = [*whole.failed, *((key, why) for key, why in part["failed"])][:NAMED]
        whole.seconds = max(whole.seconds, part["seconds"])
    return whole


def whole_look(results: Sequence[Mapping[str, object]]) -> Seen:
    """What all shards have seen; each of them sees all that is reserved."""
    looks = [cast("dict[str, Any]", each["look"]) for each in results]
    whole = Seen(reserved=max((each["reserved"] for each in looks), default=0))
    for part in looks:
        for name in ("rows", "size", "read_rows", "read_bytes", "changes"):
            setattr(whole, name, getattr(whole, name) + part[name])
        whole.changed = [*whole.changed, *part["changed"]][:NAMED]
    return whole
