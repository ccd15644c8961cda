"""Names in a hosted zone of Amazon Route 53: all of them in one change, which holds whole or not at all."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, cast, final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from operations.relocation.dns.names import is_same, memory_key_of_name
from operations.relocation.runner.step import Evidence, Move, StepError
from operations.relocation.writers.suspension import Patience
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from operations.relocation.config.endpoints import NamesMove

    Asks = Callable[..., Mapping[str, object]]
    Records = list[dict[str, object]]

CONFIG: Final = Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 3, "mode": "standard"})
OF_A_NAME: Final = frozenset({"A", "AAAA", "CNAME"})  # types of a record that says where a name points
UNTIL: Final = Patience(seconds=600.0, pause=5.0)  # "propagate ... within 60 seconds" (API ChangeResourceRecordSets)
IN_SYNC: Final = "INSYNC"
RIGHTS: Final = "route53:ListResourceRecordSets, route53:ChangeResourceRecordSets and route53:GetChange are needed"


@final
class Route53:
    """One hosted zone, with the credentials of the environment."""

    def __init__(self, *, patience: Patience = UNTIL) -> None:
        self._patience = patience

    def switch(self, names: NamesMove, move: Move) -> Evidence:
        """Point the names to the target; whole records are remembered, with aliases."""
        before: dict[str, Records] = {}
        for name in names.names:
            there = self._read_records(names, name)
            known = move.memory.recall(memory_key_of_name(name))
            if known is None:
                _see_that_it_may_be_switched(name, there, names)
            before[name] = [
                dict(each)
                for each in to_mappings(
                    to_mapping(move.memory.remember(memory_key_of_name(name), {"sets": there})).get("sets")
                )
            ]
        # One request for all names: Route 53 takes all changes of a batch or none.
        changes = [each for name in names.names for each in self._build_changes(names, name, [_to_target(name, names)])]
        self._change(names, changes)
        return {"zone": names.zone, "before": before, "now": names.target, "changes": len(changes)}

    def put_back(self, names: NamesMove, move: Move) -> Evidence:
        changes: list[dict[str, object]] = []
        for name in names.names:
            kept = move.memory.recall(memory_key_of_name(name))
            if kept is not None:
                wanted = [dict(each) for each in to_mappings(to_mapping(kept).get("sets"))]
                changes += self._build_changes(names, name, wanted)
        self._change(names, changes)
        return {"zone": names.zone, "changes": len(changes)}

    def _build_changes(self, names: NamesMove, name: str, wanted: Records) -> list[dict[str, object]]:
        """Changes that make these the only records of a name."""
        there = self._read_records(names, name)
        kept = {each["Type"] for each in wanted}
        # A CNAME must stand alone: A and AAAA records of the name have to go in the same batch (RFC 1034, 3.6.2).
        gone: Records = [{"Action": "DELETE", "ResourceRecordSet": each} for each in there if each["Type"] not in kept]
        new: Records = [{"Action": "UPSERT", "ResourceRecordSet": each} for each in wanted if each not in there]
        return gone + new

    def _read_records(self, names: NamesMove, name: str) -> Records:
        """Records with the target of a name."""
        found = self._ask("list_resource_record_sets", HostedZoneId=names.zone, StartRecordName=name, MaxItems="100")
        every = [dict(each) for each in to_mappings(found.get("ResourceRecordSets"))]
        return [each for each in every if is_same(str(each["Name"]), name) and each["Type"] in OF_A_NAME]

    def _change(self, names: NamesMove, changes: Sequence[Mapping[str, object]]) -> None:
        """Apply changes, and wait until all name servers have them.

        Raises:
            StepError: it is refused, or takes too long.
        """
        if not changes:
            return
        batch = {"Comment": "atoll relocate", "Changes": list(changes)}
        made = self._ask("change_resource_record_sets", HostedZoneId=names.zone, ChangeBatch=batch)
        change = str(to_mapping(made.get("ChangeInfo")).get("Id"))

        def in_sync() -> bool:
            return to_mapping(self._ask("get_change", Id=change).get("ChangeInfo")).get("Status") == IN_SYNC

        if not self._patience.until(in_sync):
            raise StepError(f"change {change} of zone {names.zone} is not everywhere yet", hint="run again in a while")

    def _ask(self, what: str, **asked: object) -> Mapping[str, object]:
        """One call.

        Raises:
            StepError: it is refused.
        """
        try:  # a session that is made reads the user's own configuration
            make = cast("Callable[..., object]", boto3.Session().client)  # pyright: ignore[reportUnknownMemberType]
            call = cast("Asks", getattr(make("route53", region_name="us-east-1", config=CONFIG), what))
            return call(**asked)
        except (BotoCoreError, ClientError) as error:
            words = type(error).__name__
            if isinstance(error, ClientError):
                words = str(error.response.get("Error", {}).get("Code", words))
            raise StepError(f"Route 53 refuses {what}: {words}", hint=RIGHTS) from error


def _see_that_it_may_be_switched(name: str, there: Records, names: NamesMove) -> None:
    """Refuse what could not be put back, or what clients would remember for too long.

    Raises:
        StepError: the record has a routing policy, a time to live that is too long, or points to neither side.
    """
    for each in there:
        # Several records share the name then, and one of ours would not replace them.
        if "SetIdentifier" in each:
            raise StepError(f"{name} has a routing policy, which is switched by hand", hint="`kind: by_hand`")
        ttl = each.get("TTL")
        # Clients would keep the old address for that long inside the write freeze.
        if isinstance(ttl, int) and ttl > names.ttl_seconds:
            raise StepError(
                f"{name} is remembered for {ttl} s, and the plan says {names.ttl_seconds} s",
                hint=f"lower its time to live to {names.ttl_seconds}, wait {ttl} s until the old one is forgotten, "
                "and run again",
            )
        values = [str(value.get("Value")) for value in to_mappings(each.get("ResourceRecords"))]
        known = [value for value in (names.source, names.target) if value]
        if names.source and values and not any(is_same(value, side) for value in values for side in known):
            raise StepError(
                f"{name} points to {', '.join(values)}, which is neither {names.source} nor {names.target}",
                hint="`names` in relocation.yaml says where names point before and after",
            )


def _to_target(name: str, names: NamesMove) -> dict[str, object]:
    return {
        "Name": f"{name.rstrip('.')}.",
        "Type": _type_of(names.target),
        "TTL": names.ttl_seconds,
        "ResourceRecords": [{"Value": names.target}],
    }


def _type_of(value: str) -> str:
    try:
        return {4: "A", 6: "AAAA"}[ip_address(value).version]
    except ValueError:
        return "CNAME"
