"""Rules about platform parts that are added or left out by name, and how accelerators are shared."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from catalogs.software.reader import parts
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

REGISTRY: Final = "oci://"
EVERY_SIZE: Final = ("small", "standard", "full")


def parts_known(checklist: Checklist) -> Iterator[Broken]:
    """A part is called what the software catalog calls it."""
    asked = checklist.platform
    for field, names in (("extra", asked.extra), ("without", asked.without)):
        for at, name in enumerate(names):
            if name not in parts():
                near = get_close_matches(name, tuple(parts()), n=1)
                hint = f'did you mean "{near[0]}"?' if near else "`atoll software list` names every part"
                yield Broken(("platform", field, at), f'there is no platform part "{name}"', hint)


def parts_asked_once(checklist: Checklist) -> Iterator[Broken]:
    """A part is added or left out, never both."""
    for at, name in enumerate(checklist.platform.extra):
        if name in checklist.platform.without:
            message = f'"{name}" is wanted and left out at the same time'
            yield Broken(("platform", "extra", at), message, "keep one of the two lines")


def parts_have_their_needs(checklist: Checklist) -> Iterator[Broken]:
    """What an added part needs cannot be left out."""
    without = checklist.platform.without
    for name in checklist.platform.extra:
        needed = parts()[name].needs if name in parts() else ()
        for at, missing in enumerate(without):
            if missing in needed and name not in without:
                message = f'"{missing}" is left out, and "{name}" needs it'
                yield Broken(("platform", "without", at), message, f'leave "{name}" out of platform.extra')


def left_out_with_what_leans_on_it(checklist: Checklist) -> Iterator[Broken]:
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
            yield Broken(("platform", "without", at), f'"{name}" is needed by other parts of every platform', hint)


def mirror_is_a_place(checklist: Checklist) -> Iterator[Broken]:
    """A mirror is a folder or a registry; nothing is fetched from a web address."""
    mirror = checklist.platform.mirror or ""
    if "://" not in mirror or (mirror.startswith(REGISTRY) and mirror != REGISTRY):
        return
    message = f'"{mirror}" is neither a folder nor a registry'
    yield Broken(("platform", "mirror"), message, 'write a folder, or "oci://registry/path"')


def slices_named(checklist: Checklist) -> Iterator[Broken]:
    """MIG needs the slices that accelerators are cut into, and nothing else has any."""
    asked = checklist.platform
    if asked.sharing == "mig" and asked.mig_profile is None:
        hint = 'add "mig_profile: all-1g.10gb", or another profile of the accelerator'
        yield Broken(("platform", "sharing"), "MIG is wanted without saying into which slices", hint)
    if asked.mig_profile is not None and asked.sharing != "mig":
        yield Broken(("platform", "mig_profile"), "slices are named, and MIG is not wanted", 'write "sharing: mig"')
