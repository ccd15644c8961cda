"""Rules about the GPU layer: one owner for each part, and sharing only where the parts that share are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.profiles import profile
from catalogs.provider_restrictions import FORBIDDABLE
from catalogs.software.reader import parts
from planning.checklist.model.workload import Batch, Notebooks
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.profiles import KubernetesProfile
    from catalogs.software.model import Part
    from planning.checklist.model.checklist import Checklist

OURS: Final = "atoll"
# What a part would own, in words of profiles.csv, to what it is called.
ROLES: Final = {
    "gpu_driver": "the GPU driver",
    "device_plugin": "the device plugin",
    "dcgm_exporter": "the DCGM exporter",
    "network_plugin": "the device plugin of the fabric",
    "node_feature_discovery": "node feature discovery",
    "node_repair": "the repair of nodes",
}
OPERATOR: Final = "gpu_operator"
BRINGS: Final = ("device_plugin", "dcgm_exporter")  # parts that the GPU Operator brings itself


def allowed_by_provider(checklist: Checklist) -> Iterator[Broken]:
    """An added part is not one that the only provider forbids."""
    found = _home(checklist)
    for at, part in _extra(checklist):
        if found is not None and part.forbidden_by and part.forbidden_by in found.forbidden:
            message = f'"{part.name}" is wanted, and on {found.title} {FORBIDDABLE[part.forbidden_by]}'
            yield Broken(("platform", "extra", at), message, "delete it; what it brings is there already")


def one_owner(checklist: Checklist) -> Iterator[Broken]:
    """Driver, device plugin, DCGM and fabric plugin have one owner each: a second one breaks the nodes."""
    found = _home(checklist)
    names = {part.name for _, part in _extra(checklist)}
    for at, part in _extra(checklist):
        path = ("platform", "extra", at)
        if OPERATOR in names and part.name in BRINGS:
            message = f'two owners of one part: "{part.name}" is wanted, and "{OPERATOR}", which brings it too'
            yield Broken(path, message, f'keep "{OPERATOR}", and delete "{part.name}"')
        elif found is not None and part.forbidden_by not in found.forbidden:
            theirs = [ROLES[role] for role in part.owns if getattr(found, role) == "provider"]
            if theirs:
                message = f'two owners of one part: "{part.name}" is wanted, and {found.title} brings {theirs[0]}'
                yield Broken(path, message, "delete it; Atoll adds the device parts that the provider leaves to it")


def sharing_is_ours(checklist: Checklist) -> Iterator[Broken]:
    """Accelerators are shared by the device plugin, and cut by the GPU Operator: it must be ours."""
    found, asked = _home(checklist), checklist.platform
    if found is None or asked.sharing == "none":
        return
    path = ("platform", "sharing")
    if asked.sharing == "mig" and found.gpu_driver != OURS:
        message = f"MIG is set up by the GPU Operator, which is not ours on {found.title}"
        yield Broken(path, message, 'write "sharing: none", and choose such machines at the provider')
    if asked.sharing == "time_slicing" and OURS not in (found.gpu_driver, found.device_plugin):
        message = f"accelerators are shared by the device plugin, and {found.title} brings its own"
        yield Broken(path, message, 'write "sharing: none"; the provider shares them in its own way')


def sharing_for_notebooks(checklist: Checklist) -> Iterator[Broken]:
    """Notebooks share accelerators, jobs do not; nodes that cannot be told apart are all shared or none."""
    if checklist.platform.sharing == "none":
        return
    path = ("platform", "sharing")
    if not any(isinstance(work, Notebooks) for work in checklist.workloads):
        yield Broken(path, "accelerators are shared by notebooks, and there are none", 'write "sharing: none"')
    others = [work.name for work in checklist.workloads if _takes_whole(work)]
    if checklist.where.existing is not None and others:
        message = f"on a cluster that exists every accelerator would be shared, also those of {', '.join(others)}"
        yield Broken(path, message, 'write "sharing: none", or give the notebooks a cluster of their own')


def _takes_whole(work: object) -> bool:
    """Whether a workload runs on whole accelerators."""
    if isinstance(work, Batch):
        return work.accelerators > 0
    return not isinstance(work, Notebooks)


def _extra(checklist: Checklist) -> Iterator[tuple[int, Part]]:
    known = parts()
    yield from ((at, known[name]) for at, name in enumerate(checklist.platform.extra) if name in known)


def _home(checklist: Checklist) -> KubernetesProfile | None:
    """The profile of the one provider that home can be at; None while several may be chosen."""
    where = checklist.where
    if where.existing is not None:
        return profile(where.existing.provider)
    left = set(where.wanted) - set(where.excluded)
    return profile(next(iter(left))) if len(left) == 1 else None
