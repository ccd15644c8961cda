"""Rules about platform parts that are added or left out by name, and how accelerators are shared."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from catalogs.providers import FORBIDDABLE, ONLY_S3, find_traits, profile, provider_traits, unreachable
from catalogs.software.reader import parts
from planning.checklist.model.checklist import size_of
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.model.workload import Batch, Notebooks
from planning.checklist.rules.rule_violation import RuleViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.providers import KubernetesProfile
    from catalogs.software.model import SoftwareComponent
    from planning.checklist.model.checklist import Checklist


REGISTRY: Final = "oci://"
EVERY_SIZE: Final = ("small", "standard", "full")


def parts_known(checklist: Checklist) -> Iterator[RuleViolation]:
    """A part is called what the software catalog calls it."""
    asked = checklist.platform
    for field, names in (("extra", asked.extra), ("without", asked.without)):
        for at, name in enumerate(names):
            if name not in parts():
                near = get_close_matches(name, tuple(parts()), n=1)
                hint = f'did you mean "{near[0]}"?' if near else "`atoll software list` names every part"
                yield RuleViolation(("platform", field, at), f'there is no platform part "{name}"', hint)


def parts_asked_once(checklist: Checklist) -> Iterator[RuleViolation]:
    """A part is added or left out, never both."""
    for at, name in enumerate(checklist.platform.extra):
        if name in checklist.platform.without:
            message = f'"{name}" is wanted and left out at the same time'
            yield RuleViolation(("platform", "extra", at), message, "keep one of the two lines")


def parts_have_their_needs(checklist: Checklist) -> Iterator[RuleViolation]:
    """What an added part needs cannot be left out."""
    without = checklist.platform.without
    for name in checklist.platform.extra:
        needed = parts()[name].needs if name in parts() else ()
        for at, missing in enumerate(without):
            if missing in needed and name not in without:
                message = f'"{missing}" is left out, and "{name}" needs it'
                yield RuleViolation(("platform", "without", at), message, f'leave "{name}" out of platform.extra')


def removals_include_dependents(checklist: Checklist) -> Iterator[RuleViolation]:
    """A part that others of every platform need is left out together with them, or not at all."""
    without = checklist.platform.without
    for at, name in enumerate(without):
        standing = [
            part.name
            for part in parts().values()
            if name in part.needs and part.sizes == EVERY_SIZE and part.name not in without
        ]
        if standing:
            hint = f"leave these out too, or keep it: {', '.join(standing)}"
            yield RuleViolation(
                ("platform", "without", at), f'"{name}" is needed by other parts of every platform', hint
            )


def mirror_is_a_place(checklist: Checklist) -> Iterator[RuleViolation]:
    """A mirror is a folder or a registry; nothing is fetched from a web address."""
    mirror = checklist.platform.mirror or ""
    if "://" not in mirror or (mirror.startswith(REGISTRY) and mirror != REGISTRY):
        return
    message = f'"{mirror}" is neither a folder nor a registry'
    yield RuleViolation(("platform", "mirror"), message, 'write a folder, or "oci://registry/path"')


def slices_named(checklist: Checklist) -> Iterator[RuleViolation]:
    """MIG needs the slices that accelerators are cut into, and nothing else has any."""
    asked = checklist.platform
    if asked.sharing == "mig" and asked.mig_profile is None:
        hint = 'add "mig_profile: all-1g.10gb", or another profile of the accelerator'
        yield RuleViolation(("platform", "sharing"), "MIG is wanted without saying into which slices", hint)
    if asked.mig_profile is not None and asked.sharing != "mig":
        yield RuleViolation(
            ("platform", "mig_profile"), "slices are named, and MIG is not wanted", 'write "sharing: mig"'
        )


PATH: Final = ("platform", "object_store")
ENGINES: Final = frozenset({"minio", "seaweedfs"})


def store_exists(checklist: Checklist) -> Iterator[RuleViolation]:
    """The provider's bucket can be the object store only where Atoll makes a bucket: nowhere on an existing cluster."""
    where = checklist.where
    if checklist.platform.object_store != "provider":
        return
    left = {each.value for each in where.wanted or CloudName} - {each.value for each in where.excluded}
    if where.existing is not None:
        message = "on an existing cluster no bucket of the provider is made, so none can be the object store"
    elif left and not any(find_traits(name).bucket for name in left):
        made = sorted(name for name, traits in provider_traits().items() if traits.bucket)
        message = f"a bucket is made at {', '.join(made)} only, so none can be the object store of this placement"
    else:
        return
    yield RuleViolation(PATH, message, 'write "object_store: minio" or "object_store: seaweedfs"')


def parts_reach_store(checklist: Checklist) -> Iterator[RuleViolation]:
    """No chosen part is one that the bucket of the only provider does not understand."""
    where, store = checklist.where, checklist.platform.object_store
    left = set(where.wanted) - set(where.excluded)
    if where.existing is not None or len(left) != 1:
        return
    (provider,) = left
    asked, size = checklist.platform, size_of(checklist)
    chosen = [name for name in ONLY_S3 if size in parts()[name].sizes or name in asked.extra]
    for name in chosen:
        reason = unreachable(name, store=store, provider=provider)
        if reason and name not in asked.without:
            message = f"{parts()[name].title} cannot use the bucket of {provider}: {reason}"
            yield RuleViolation(PATH, message, f'write "object_store: minio", or "without: [{name}]"')


def one_store(checklist: Checklist) -> Iterator[RuleViolation]:
    """There is one object store: two engines would answer to the same name."""
    chosen = checklist.platform.object_store
    for at, name in enumerate(checklist.platform.extra):
        if name in ENGINES and name != chosen:
            message = f'"{name}" is added, and the object store is "{chosen}"'
            yield RuleViolation(
                ("platform", "extra", at), message, f'write "object_store: {name}", and leave the line out'
            )


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


def extra_components_allowed(checklist: Checklist) -> Iterator[RuleViolation]:
    """An added part is not one that the only provider forbids."""
    found = _home(checklist)
    for at, part in _extra(checklist):
        if found is not None and part.forbidden_by and part.forbidden_by in found.forbidden:
            message = f'"{part.name}" is wanted, and on {found.title} {FORBIDDABLE[part.forbidden_by]}'
            yield RuleViolation(("platform", "extra", at), message, "delete it; what it brings is there already")


def one_owner(checklist: Checklist) -> Iterator[RuleViolation]:
    """Driver, device plugin, DCGM and fabric plugin have one owner each: a second one breaks the nodes."""
    found = _home(checklist)
    names = {part.name for _, part in _extra(checklist)}
    for at, part in _extra(checklist):
        path = ("platform", "extra", at)
        if OPERATOR in names and part.name in BRINGS:
            message = f'two owners of one part: "{part.name}" is wanted, and "{OPERATOR}", which brings it too'
            yield RuleViolation(path, message, f'keep "{OPERATOR}", and delete "{part.name}"')
        elif found is not None and part.forbidden_by not in found.forbidden:
            theirs = [ROLES[role] for role in part.owns if getattr(found, role) == "provider"]
            if theirs:
                message = f'two owners of one part: "{part.name}" is wanted, and {found.title} brings {theirs[0]}'
                yield RuleViolation(
                    path, message, "delete it; Atoll adds the device parts that the provider leaves to it"
                )


def sharing_is_ours(checklist: Checklist) -> Iterator[RuleViolation]:
    """Accelerators are shared by the device plugin, and cut by the GPU Operator: it must be ours."""
    found, asked = _home(checklist), checklist.platform
    if found is None or asked.sharing == "none":
        return
    path = ("platform", "sharing")
    if asked.sharing == "mig" and found.gpu_driver != OURS:
        message = f"MIG is set up by the GPU Operator, which is not ours on {found.title}"
        yield RuleViolation(path, message, 'write "sharing: none", and choose such machines at the provider')
    if asked.sharing == "time_slicing" and OURS not in (found.gpu_driver, found.device_plugin):
        message = f"accelerators are shared by the device plugin, and {found.title} brings its own"
        yield RuleViolation(path, message, 'write "sharing: none"; the provider shares them in its own way')


def sharing_for_notebooks(checklist: Checklist) -> Iterator[RuleViolation]:
    """Notebooks share accelerators, jobs do not; nodes that cannot be told apart are all shared or none."""
    if checklist.platform.sharing == "none":
        return
    path = ("platform", "sharing")
    if not any(isinstance(work, Notebooks) for work in checklist.workloads):
        yield RuleViolation(path, "accelerators are shared by notebooks, and there are none", 'write "sharing: none"')
    others = [work.name for work in checklist.workloads if _takes_whole(work)]
    if checklist.where.existing is not None and others:
        message = f"on a cluster that exists every accelerator would be shared, also those of {', '.join(others)}"
        yield RuleViolation(path, message, 'write "sharing: none", or give the notebooks a cluster of their own')


def _takes_whole(work: object) -> bool:
    """Whether a workload runs on whole accelerators."""
    if isinstance(work, Batch):
        return work.accelerators > 0
    return not isinstance(work, Notebooks)


def _extra(checklist: Checklist) -> Iterator[tuple[int, SoftwareComponent]]:
    known = parts()
    yield from ((at, known[name]) for at, name in enumerate(checklist.platform.extra) if name in known)


def _home(checklist: Checklist) -> KubernetesProfile | None:
    """The profile of the one provider that home can be at; None while several may be chosen."""
    where = checklist.where
    if where.existing is not None:
        return profile(where.existing.provider)
    left = set(where.wanted) - set(where.excluded)
    return profile(next(iter(left))) if len(left) == 1 else None
