"""What the model of relocation.yaml cannot say: sides that contradict each other, keys that stop nobody."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from operations.relocation.config import mover_rules
from operations.relocation.config.endpoints import FILL
from operations.relocation.config.rule_violation import Broken, check_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from operations.relocation.config.endpoints import DatabasePlace, Keys, NamesMove, Places, Side, StorePlace
    from operations.relocation.config.rule_violation import FieldPath


def broken_rules(places: Places, *, in_clear: bool = False) -> Iterator[Broken]:
    """Every rule that is broken.

    Args:
        in_clear: whether stores may be asked without TLS elsewhere than on this machine.
    """
    marked = tuple(_marked(places.model_dump()))
    yield from (Broken(path, "still to be filled in", f"write what is meant in place of {FILL}") for path in marked)
    yield from (each for each in _broken(places, in_clear=in_clear) if each.path not in marked)


def _marked(value: object, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Where marks of the draft are left."""
    inner: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = cast("Mapping[str, object]", value).items()
    elif isinstance(value, list | tuple):
        inner = enumerate(cast("Sequence[object]", value))
    elif isinstance(value, str) and FILL in value:
        yield path
    for key, each in inner:
        yield from _marked(each, (*path, key))


def _broken(places: Places, *, in_clear: bool) -> Iterator[Broken]:
    if places.source.stack == places.target.stack:
        yield Broken(("target", "stack"), "both sides are the same stack", "a relocation has two")
    for name, side in _sides(places):
        yield from _store(side.store, (name, "store"), in_clear=in_clear)
    if places.source.store.canary is None:
        hint = "keys of a writer like any other, by whom it is tried whether writers are stopped"
        yield Broken(("source", "store"), '"canary" is missing from "source.store"', hint)
    if places.source.store.kind == "minio" and places.source.store.admin is None:
        hint = "keys of an administrator, who stops MinIO's users"
        yield Broken(("source", "store"), '"admin" is missing from "source.store"', hint)
    yield from _buckets(places)
    yield from _databases(places)
    yield from _uris(places)
    yield from _mlflow(places)
    if places.names is not None:
        yield from _names(places.names)
    yield from mover_rules.broken(places, in_clear=in_clear)


def variables(places: Places) -> dict[FieldPath, str]:
    """Every environment variable that is named, by where."""
    return {path: name for side, found in _sides(places) for path, name in _of_side(side, found)}


def _sides(places: Places) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("source", places.source), ("target", places.target)


def _of_side(name: str, side: Side) -> Iterator[tuple[FieldPath, str]]:
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


def _mlflow(places: Places) -> Iterator[Broken]:
    for name, side in _sides(places):
        yield from check_address(side.mlflow_url, (name, "mlflow_url"), in_clear=True)
    here, there = places.source.mlflow_url, places.target.mlflow_url
    if bool(here) != bool(there):
        side = "target" if here else "source"
        yield Broken((side,), f'"mlflow_url" is missing from "{side}"', "MLflow is on both sides or on none")
    elif here and here.rstrip("/").casefold() == there.rstrip("/").casefold():
        hint = "the target's own, before names are switched"
        yield Broken(("target", "mlflow_url"), "both sides name the same MLflow", hint)


def _store(store: StorePlace, path: FieldPath, *, in_clear: bool) -> Iterator[Broken]:
    if store.admin is not None and store.kind != "minio":
        yield Broken((*path, "admin"), "only MinIO's users are stopped by an administrator", "delete it")
    if store.admin is not None and store.admin.access_key_env == store.mover.access_key_env:
        hint = "name another user: the mover copies and is bound by rights, the administrator stops users"
        yield Broken((*path, "admin"), "the administrator is the mover", hint)
    if store.canary is not None and store.canary.access_key_env == store.mover.access_key_env:
        hint = "name another user: the mover goes on while everybody else is stopped"
        yield Broken((*path, "canary"), "the canary is the mover, who is never stopped", hint)
    yield from check_address(store.endpoint, (*path, "endpoint"), in_clear=in_clear)
    if store.authority and not Path(store.authority).is_file():
        yield Broken((*path, "authority"), f"there is no file {store.authority}")


def _buckets(places: Places) -> Iterator[Broken]:
    yield from _twice([each.source for each in places.buckets], "source")
    yield from _twice([each.target for each in places.buckets], "target")
    here, there = places.source.store.endpoint, places.target.store.endpoint
    if here.casefold() != there.casefold() or FILL in here:
        return
    for index, move in enumerate(places.buckets):
        if move.source == move.target:
            hint = "both sides name the same store, so its target needs another name"
            yield Broken(("buckets", index, "target"), f"bucket {move.source} would be copied onto itself", hint)


def _twice(names: Sequence[str], field: str) -> Iterator[Broken]:
    for index, name in enumerate(names):
        first = names.index(name)
        if first != index:
            yield Broken(("buckets", index, field), f"bucket {name} is named twice", f"see buckets[{first}]")


def paired(places: Places) -> tuple[tuple[DatabasePlace, DatabasePlace], ...]:
    """Databases that go into each other: of the same part, the first into the first."""
    here, there = _numbered(places.source), _numbered(places.target)
    return tuple((place, there[key]) for key, place in here.items() if key in there)


def _numbered(side: Side) -> dict[tuple[str, int], DatabasePlace]:
    found: dict[tuple[str, int], DatabasePlace] = {}
    for each in side.databases:
        found[each.part, sum(part == each.part for part, _ in found)] = each
    return found


def _databases(places: Places) -> Iterator[Broken]:
    here, there = _numbered(places.source), _numbered(places.target)
    for part in sorted({part for part, number in here if (part, number) not in there}):
        yield Broken(("target",), f"the database of {part} is missing from the target", "name where it goes")
    for index, (key, database) in enumerate(there.items()):
        path: FieldPath = ("target", "databases", index)
        if key not in here:
            yield Broken(path, f"the database of {database.part} is missing from the source")
        elif database.engine != here[key].engine:
            yield Broken(path, f"the database of {database.part} is {here[key].engine} at the source")
    seen: list[str] = []
    for name, side in _sides(places):
        for index, database in enumerate(side.databases):
            if database.uri_env in seen:
                path = (name, "databases", index, "uri_env")
                yield Broken(path, f"{database.uri_env} is named twice", "each database has an address of its own")
            seen.append(database.uri_env)


def _uris(places: Places) -> Iterator[Broken]:
    sources = [each.source for each in places.uris]
    for index, move in enumerate(places.uris):
        if sources.index(move.source) != index:
            yield Broken(("uris", index, "source"), f"{move.source} is named twice")


def _names(names: NamesMove) -> Iterator[Broken]:
    wanted = {"zone": "route53", "file": "hosts_file"}
    for field, kind in wanted.items():
        written = bool(getattr(names, field))
        if written and names.kind != kind:
            yield Broken(("names", field), f'"{field}" is only for {kind}')
        elif not written and names.kind == kind:
            yield Broken(("names",), f'"{field}" is missing from "names"', f"{kind} needs it")
    for field in ("names", "source", "target"):
        if not getattr(names, field):
            yield Broken(("names",), f'"{field}" is missing from "names"')
