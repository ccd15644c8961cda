"""Switches the names of the services to the target, which stays closed: whoever comes there reads, and writes nothing.

Before the names change, the target's databases, which are restored and rewritten by then, become read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.relocation.runner.step import RelocationStep
from operations.relocation.writers import databases
from operations.relocation.writers.stores import TARGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.dns.records import NameSwitcher
    from operations.relocation.runner.step import Evidence, Move
    from operations.relocation.writers.ports import QuiescePorts


def switch(move: Move, hands: QuiescePorts, writers: Mapping[str, NameSwitcher]) -> Evidence:
    move.say("making the target's databases read-only until the commit")
    closed = databases.close(move, hands, side=TARGET)
    proof = databases.prove_closed(move, hands, side=TARGET)
    names = move.places.names
    done: Evidence = {"databases": closed, "canary": proof, "names": "none are switched"}
    if names is None or not names.names:
        return done
    move.say(f"switching {len(names.names)} names to {names.target}")
    return {**done, "names": {"kind": names.kind, **writers[names.kind].switch(names, move)}}


def put_back(move: Move, hands: QuiescePorts, writers: Mapping[str, NameSwitcher]) -> Evidence:
    """Names first: nobody is sent to a target that opens again."""
    names = move.places.names
    back: Evidence = {}
    if names is not None and names.names:
        move.say(f"putting {len(names.names)} names back")
        back = writers[names.kind].put_back(names, move)
    return {"names": back, "databases": databases.open_again(move, hands, side=TARGET)}


def writers() -> Mapping[str, NameSwitcher]:
    from operations.relocation.dns.hosts_file import HostsFile, ManualSwitcher  # noqa: PLC0415 - SDKs are imported once names are switched
    from operations.relocation.dns.route53 import Route53  # noqa: PLC0415 - as above

    return {"hosts_file": HostsFile(), "route53": Route53(), "by_hand": ManualSwitcher()}


def _do(move: Move) -> Evidence:
    from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - as above

    return switch(move, HANDS, writers())


def _undo(move: Move) -> Evidence:
    from operations.relocation.writers.ports import HANDS  # noqa: PLC0415 - as above

    return put_back(move, HANDS, writers())


STEP: Final = RelocationStep(name="dns", do=_do, undo=_undo)
