"""The one composer of the platform: every decided part, after the parts that it needs."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Final

from components.platform.builders import BUILDERS
from components.platform.building_blocks.artifact_mirror import of_program, refuse
from components.platform.building_blocks.context import Ground
from components.platform.building_blocks.keyring import Keyring, KeyringArgs
from planning.platform.base_layer_software import beneath
from planning.platform.versions import untested
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pulumi

    from components.context.placement import ClusterHandle, Site
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import Installed, Platform

KEYRING: Final = "keyring"


def compose(site: Site, handle: ClusterHandle, *, after: Sequence[pulumi.Resource]) -> dict[str, pulumi.Input[object]]:
    """Registers the platform on a cluster; what the stack says of it."""
    decided = site.spec.platform
    if decided is None:
        return {}
    _check(site.spec, decided, offline=site.settings.offline)
    ground = Ground(
        spec=site.spec,
        platform=decided,
        handle=handle,
        settings=site.settings,
        keyring=Keyring(KEYRING, KeyringArgs(), opts=site.options()),
        ceiling_usd_per_month=site.ceiling_usd_per_month,
        prices=site.prices,
    )
    outputs: dict[str, pulumi.Input[object]] = {}
    made = site.made
    for part in in_order(decided):
        before = [made[name] for name in part.needs if name in made]
        options = site.options(provider=handle.provider, depends_on=[*handle.ready, *after, *before])
        charges = site.ledger.claim(f"platform/{part.name}")
        build = BUILDERS.get(part.name)
        if build is None:
            continue
        built = build(ground, charges, options)
        made[part.name] = built.resource
        outputs.update(built.outputs)
    return outputs


def _check(spec: ClusterSpec, decided: Platform, *, offline: bool) -> None:
    others = untested({part.name: part.version for part in decided.parts})
    if others:
        raise InputError(
            f"the lock installs software outside the tested release: {'; '.join(others)}",
            hint="quote and accept again, or stay with the version of Atoll that wrote the lock",
        )
    if not offline:  # without an engine, `atoll plan` looks at the files itself
        wanted = (*decided.parts, *beneath([spec]))
        refuse(wanted, of_program(decided.mirror, offline=False), required=decided.digests == "required")


def in_order(platform: Platform) -> Iterator[Installed]:
    """The parts, each after those that it needs."""
    by_name = {part.name: part for part in platform.parts}
    sorter = TopologicalSorter({part.name: [each for each in part.needs if each in by_name] for part in platform.parts})
    yield from (by_name[name] for name in sorter.static_order())
