"""Checks of relocation.yaml across fields: sides that contradict each other, keys that cannot freeze a store."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import urlsplit

from operations.relocation.config.endpoints import (
    FILL,
    DatabasePlace,
    Keys,
    MoversPlace,
    NamesMove,
    Places,
    RelocationSide,
    StorePeer,
    StorePlace,
    Toleration,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


FieldPath = tuple[str | int, ...]
LOCALHOST: Final = "localhost"
SCHEMES: Final = ("http", "https")
LONGEST_SHOWN: Final = 80  # characters of a wrong address
HOW_WRITTEN: Final = "write http(s)://host or http(s)://host:port"
HOW_PLAIN: Final = "write https://, or give --plain where the way is safe (a tunnel, a private network)"


class PlacesViolation(NamedTuple):
    """A violation at a value, or at the name of a section that lacks something."""

    path: FieldPath
    message: str
    hint: str = ""

    @property
    def at_key(self) -> bool:
        return " is missing from " in self.message


def check_address(address: str, path: FieldPath, *, in_clear: bool) -> Iterator[PlacesViolation]:
    """Check that an address is valid, and that keys would not cross a public network unencrypted.

    Args:
        address: "" for one that is not said.
        in_clear: whether they may.
    """
    if not address:
        return
    scheme, host = _split(address)
    if scheme not in SCHEMES or not host:
        yield PlacesViolation(path, f'"{address[:LONGEST_SHOWN]}" is not an address', HOW_WRITTEN)
    elif scheme == "http" and not in_clear and not _is_near(host):
        yield PlacesViolation(path, "keys and objects would cross the network in the clear", HOW_PLAIN)


def _split(address: str) -> tuple[str, str]:
    """Scheme and host of an address; "" for an invalid host or port."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:  # a port beyond 65535, or a bracket that does not hold an IPv6 address
        return "", ""
    return parts.scheme, "" if port == 0 else parts.hostname or ""


def _is_near(host: str) -> bool:
    try:
        return host == LOCALHOST or ip_address(host).is_loopback
    except ValueError:
        return False


CLUSTER: Final = "cluster"
MANY: Final = "its volumes must be ReadWriteMany: a file system that several nodes mount, as of EFS, Filestore or NFS"


def find_mover_violations(places: Places, *, in_clear: bool) -> Iterator[PlacesViolation]:
    """Violations of the rules.

    Args:
        in_clear: whether plain HTTP is allowed to stores on other machines.
    """
    theirs = [index for index, each in enumerate(places.buckets) if each.mover == CLUSTER]
    movers = places.movers
    if movers is None:
        for index in theirs:
            yield PlacesViolation(
                ("buckets", index, "mover"), '"mover: cluster" needs "movers"', 'add the section "movers"'
            )
        return
    if not theirs:
        yield PlacesViolation(("movers",), 'no bucket has "mover: cluster"', 'delete "movers", or name it at a bucket')
    side = places.source if movers.side == "source" else places.target
    if side.kubeconfig_env is None:
        hint = f"movers run in the cluster of the {movers.side}"
        yield PlacesViolation((movers.side,), f'"kubeconfig_env" is missing from "{movers.side}"', hint)
    yield from _pods(movers)
    for index, peer in enumerate(movers.peers):
        yield from _peer(peer, index)
    for index, each in enumerate(movers.tolerations):
        yield from _toleration(each, index)
    yield from check_address(movers.source_address, ("movers", "source_address"), in_clear=in_clear)
    yield from check_address(movers.target_address, ("movers", "target_address"), in_clear=in_clear)


def _pods(movers: MoversPlace) -> Iterator[PlacesViolation]:
    at_once = movers.parallelism
    if at_once > movers.shards:
        hint = f"raise shards, or write parallelism: {movers.shards}"
        yield PlacesViolation(("movers", "parallelism"), f"{at_once} pods at once for {movers.shards} shards", hint)
    if at_once > 1 and not movers.storage_class:
        said = f"{at_once} pods at once need a volume that all of them mount"
        yield PlacesViolation(("movers", "parallelism"), said, f'name its class as "storage_class"; {MANY}')


def _peer(peer: StorePeer, index: int) -> Iterator[PlacesViolation]:
    path = ("movers", "peers", index)
    if bool(peer.cidr) == bool(peer.namespace):
        said = "a peer is either addresses or pods: cidr, or namespace with labels"
        yield PlacesViolation(path, said, "write one of the two")
    if peer.cidr and not _is_network(peer.cidr):
        yield PlacesViolation((*path, "cidr"), f"{peer.cidr} is no range of addresses", "as in 192.0.2.0/24")
    if peer.namespace and not peer.labels:
        yield PlacesViolation(path, f"which pods of {peer.namespace} is not said", "add labels, as in {app: minio}")


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def _toleration(each: Toleration, index: int) -> Iterator[PlacesViolation]:
    path = ("movers", "tolerations", index)
    if not each.key and each.operator == "Equal":
        yield PlacesViolation(path, "a taint without a name has no value to be equal", 'add "key"')
    if each.value and each.operator == "Exists":
        yield PlacesViolation((*path, "value"), "a value is only compared by Equal", 'write "operator: Equal"')


def find_violations(places: Places, *, in_clear: bool = False) -> Iterator[PlacesViolation]:
    """Violations of the rules.

    Args:
        in_clear: whether plain HTTP is allowed to stores on other machines.
    """
    marked = tuple(_find_fill_marks(places.model_dump()))
    yield from (
        PlacesViolation(path, "still to be filled in", f"write what is meant in place of {FILL}") for path in marked
    )
    yield from (each for each in _find_contradictions(places, in_clear=in_clear) if each.path not in marked)


def _find_fill_marks(value: object, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Remaining marks of the draft."""
    inner: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = cast("Mapping[str, object]", value).items()
    elif isinstance(value, list | tuple):
        inner = enumerate(cast("Sequence[object]", value))
    elif isinstance(value, str) and FILL in value:
        yield path
    for key, each in inner:
        yield from _find_fill_marks(each, (*path, key))


def _find_contradictions(places: Places, *, in_clear: bool) -> Iterator[PlacesViolation]:
    if places.source.stack == places.target.stack:
        yield PlacesViolation(("target", "stack"), "both sides are the same stack", "a relocation has two")
    for name, side in _sides(places):
        yield from _store(side.store, (name, "store"), in_clear=in_clear)
    if places.source.store.canary is None:
        hint = "keys of a writer like any other, by whom it is tried whether writers are stopped"
        yield PlacesViolation(("source", "store"), '"canary" is missing from "source.store"', hint)
    if places.source.store.kind == "minio" and places.source.store.admin is None:
        hint = "keys of an administrator, who stops MinIO's users"
        yield PlacesViolation(("source", "store"), '"admin" is missing from "source.store"', hint)
    yield from _buckets(places)
    yield from _databases(places)
    yield from _uris(places)
    yield from _mlflow(places)
    if places.names is not None:
        yield from _names(places.names)
    yield from find_mover_violations(places, in_clear=in_clear)


def variables(places: Places) -> dict[FieldPath, str]:
    """Environment variables by the field that names them."""
    return {path: name for side, found in _sides(places) for path, name in _of_side(side, found)}


def _sides(places: Places) -> tuple[tuple[str, RelocationSide], tuple[str, RelocationSide]]:
    return ("source", places.source), ("target", places.target)


def _of_side(name: str, side: RelocationSide) -> Iterator[tuple[FieldPath, str]]:
    for who, keys in _keys(side.store):
        for field in ("access_key_env", "secret_key_env", "session_token_env"):
            variable: str | None = getattr(keys, field)
            if variable is not None:
                yield (name, "store", who, field), variable
    if side.kubeconfig_env is not None:
        yield (name, "kubeconfig_env"), side.kubeconfig_env
    for index, database in enumerate(side.databases):
        yield (name, "databases", index, "uri_env"), database.uri_env


def _keys(store: StorePlace) -> Iterator[tuple[str, Keys]]:
    for who, keys in (("mover", store.mover), ("canary", store.canary), ("admin", store.admin)):
        if keys is not None:
            yield who, keys


def _mlflow(places: Places) -> Iterator[PlacesViolation]:
    for name, side in _sides(places):
        yield from check_address(side.mlflow_url, (name, "mlflow_url"), in_clear=True)
    here, there = places.source.mlflow_url, places.target.mlflow_url
    if bool(here) != bool(there):
        side = "target" if here else "source"
        yield PlacesViolation((side,), f'"mlflow_url" is missing from "{side}"', "MLflow is on both sides or on none")
    elif here and here.rstrip("/").casefold() == there.rstrip("/").casefold():
        hint = "the target's own, before names are switched"
        yield PlacesViolation(("target", "mlflow_url"), "both sides name the same MLflow", hint)


def _store(store: StorePlace, path: FieldPath, *, in_clear: bool) -> Iterator[PlacesViolation]:
    if store.admin is not None and store.kind != "minio":
        yield PlacesViolation((*path, "admin"), "only MinIO's users are stopped by an administrator", "delete it")
    if store.admin is not None and store.admin.access_key_env == store.mover.access_key_env:
        hint = "name another user: the copy worker must be limited by its policy, the administrator stops users"
        yield PlacesViolation((*path, "admin"), "the administrator and the copy worker are the same user", hint)
    if store.canary is not None and store.canary.access_key_env == store.mover.access_key_env:
        hint = "name another user: the copy worker goes on during the write freeze, which stops the canary"
        yield PlacesViolation(
            (*path, "canary"), "the canary is the user of the copy worker, which is never stopped", hint
        )
    yield from check_address(store.endpoint, (*path, "endpoint"), in_clear=in_clear)
    if store.authority and not Path(store.authority).is_file():
        yield PlacesViolation((*path, "authority"), f"there is no file {store.authority}")


def _buckets(places: Places) -> Iterator[PlacesViolation]:
    yield from _twice([each.source for each in places.buckets], "source")
    yield from _twice([each.target for each in places.buckets], "target")
    here, there = places.source.store.endpoint, places.target.store.endpoint
    if here.casefold() != there.casefold() or FILL in here:
        return
    for index, move in enumerate(places.buckets):
        if move.source == move.target:
            hint = "both sides name the same store, so its target needs another name"
            yield PlacesViolation(
                ("buckets", index, "target"), f"bucket {move.source} would be copied onto itself", hint
            )


def _twice(names: Sequence[str], field: str) -> Iterator[PlacesViolation]:
    for index, name in enumerate(names):
        first = names.index(name)
        if first != index:
            yield PlacesViolation(("buckets", index, field), f"bucket {name} is named twice", f"see buckets[{first}]")


def pair_databases(places: Places) -> tuple[tuple[DatabasePlace, DatabasePlace], ...]:
    """Databases of the same part, the first with the first."""
    here, there = name_databases(places.source.databases), name_databases(places.target.databases)
    return tuple((place, there[name]) for name, place in here.items() if name in there)


def name_databases(databases: Iterable[DatabasePlace]) -> dict[str, DatabasePlace]:
    """Databases by part, numbered from the second of a part."""
    found: dict[str, DatabasePlace] = {}
    counts = Counter[str]()
    for each in databases:
        counts[each.part] += 1
        found[each.part if counts[each.part] == 1 else f"{each.part}-{counts[each.part]}"] = each
    return found


def _databases(places: Places) -> Iterator[PlacesViolation]:
    here, there = name_databases(places.source.databases), name_databases(places.target.databases)
    for part in sorted({place.part for name, place in here.items() if name not in there}):
        yield PlacesViolation(("target",), f"the database of {part} is missing from the target", "name where it goes")
    for index, (key, database) in enumerate(there.items()):
        path: FieldPath = ("target", "databases", index)
        if key not in here:
            yield PlacesViolation(path, f"the database of {database.part} is missing from the source")
        elif database.engine != here[key].engine:
            yield PlacesViolation(path, f"the database of {database.part} is {here[key].engine} at the source")
    seen: list[str] = []
    for name, side in _sides(places):
        for index, database in enumerate(side.databases):
            if database.uri_env in seen:
                path = (name, "databases", index, "uri_env")
                yield PlacesViolation(
                    path, f"{database.uri_env} is named twice", "each database has an address of its own"
                )
            seen.append(database.uri_env)


def _uris(places: Places) -> Iterator[PlacesViolation]:
    sources = [each.source for each in places.uris]
    for index, move in enumerate(places.uris):
        if sources.index(move.source) != index:
            yield PlacesViolation(("uris", index, "source"), f"{move.source} is named twice")


def _names(names: NamesMove) -> Iterator[PlacesViolation]:
    wanted = {"zone": "route53", "file": "hosts_file"}
    for field, kind in wanted.items():
        written = bool(getattr(names, field))
        if written and names.kind != kind:
            yield PlacesViolation(("names", field), f'"{field}" is only for {kind}')
        elif not written and names.kind == kind:
            yield PlacesViolation(("names",), f'"{field}" is missing from "names"', f"{kind} needs it")
    for field in ("names", "source", "target"):
        if not getattr(names, field):
            yield PlacesViolation(("names",), f'"{field}" is missing from "names"')
