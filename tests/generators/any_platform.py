"""Any valid platform: its size, parts that are added and left out, the object store, how accelerators are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from any_place import fixed_provider
from any_workload import Body
from chance import Chance

from catalogs.providers import find_traits, profile
from catalogs.software.reader import parts
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.rules.platform_components import OPERATOR, OURS, ROLES
from planning.platform.accelerators import SLICES

_EVERY_SIZE = ("small", "standard", "full")
_ENGINES = ("minio", "seaweedfs")
_PROFILES = tuple(dict.fromkeys(f"all-{name}" for layout in SLICES.values() for name in layout))


def any_platform(chance: Chance, workloads: Sequence[Body], *, where: Body) -> Body:
    """What is installed on the clusters of a checklist."""
    existing = "existing" in where
    excluded = cast("list[str]", where.get("excluded", []))
    home = fixed_provider(where, excluded)
    left = set(cast("list[str]", where.get("wanted", tuple(CloudName)))) - set(excluded)
    store = chance.among(
        _ENGINES if existing or not any(find_traits(name).bucket for name in left) else (*_ENGINES, "provider")
    )
    without = _left_out(chance) if chance.flag(0.3) else []
    if store == "provider" and home not in (None, "aws"):
        without = [*without, *({"pipelines"} - set(without))]
    extra = _added(chance, without=without, home=home, store=store) if chance.flag(0.4) else []
    return chance.fields(
        size=(0.6, lambda: chance.among(_EVERY_SIZE)),
        extra=(1.0 if extra else 0.0, lambda: extra),
        without=(1.0 if without else 0.0, lambda: without),
        object_store=(1.0, lambda: store),
        mirror=(0.2, lambda: chance.among(("./mirror", "oci://registry.acme.example/atoll", "a folder [1]"))),
        digests=(0.3, lambda: chance.among(("shown", "required"))),
        idle_minutes=(0.4, lambda: chance.scaled_whole(5, 100_000)),
        handover=(0.3, lambda: chance.among(("none", "argo_cd"))),
    ) | _sharing(chance, workloads, home=home, existing=existing)


def _left_out(chance: Chance) -> list[str]:
    """A part, and every part of every platform that needs it."""
    gone = {chance.among(tuple(parts()))}
    while more := {
        part.name
        for part in parts().values()
        if part.sizes == _EVERY_SIZE and part.name not in gone and gone & set(part.needs)
    }:
        gone |= more
    return sorted(gone)


def _added(chance: Chance, *, without: Sequence[str], home: str | None, store: str) -> list[str]:
    found = profile(CloudName(home)) if home else None
    fit = [
        part.name
        for part in parts().values()
        if part.name not in without
        and not set(part.needs) & set(without)
        and not (part.name in _ENGINES and part.name != store)
        and not (found and (part.forbidden_by in found.forbidden or _has_owner(part.owns, found)))
        and (part.name == OPERATOR or "device_plugin" not in part.owns)
        and part.name != "dcgm_exporter"
    ]
    return chance.some(fit, most=4)


def _has_owner(owned: Sequence[str], found: object) -> bool:
    return any(getattr(found, role) == "provider" for role in owned if role in ROLES)


def _sharing(chance: Chance, workloads: Sequence[Body], *, home: str | None, existing: bool) -> Body:
    notebooks = any(each["kind"] == "notebooks" for each in workloads)
    others = any(
        each["kind"] != "notebooks" and (each["kind"] != "batch" or each.get("accelerators")) for each in workloads
    )
    if not notebooks or (existing and others):
        return {}
    found = profile(CloudName(home)) if home else None
    ways = ["none"]
    if found is None or OURS in (found.gpu_driver, found.device_plugin):
        ways.append("time_slicing")
    if found is None or found.gpu_driver == OURS:
        ways.append("mig")
    way = chance.among(ways)
    return {"sharing": way} | ({"mig_profile": chance.among(_PROFILES)} if way == "mig" else {})
