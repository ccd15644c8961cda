"""What a part's functions say of the ground of a cluster, without registering the part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from look import at, of_type
from platform_samples import handle_of

from components.context.settings import StackSettings
from components.platform.building_blocks.context import Keyring, KeyringArgs, PlatformContext
from operations.offline.program import OfflineRun, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.platform.building_blocks.manifests import Patch
    from planning.spec.cluster import ClusterSpec


def grounded(spec: ClusterSpec, look: Callable[[PlatformContext], Any], **handle: Any) -> Any:
    """What a function says of the ground of a cluster."""
    found: list[Any] = []

    def program() -> None:
        assert spec.platform is not None
        ground = PlatformContext(
            spec=spec,
            platform=spec.platform,
            handle=handle_of(spec, domain="ml.example.com", **handle),
            settings=StackSettings(offline=True, allow_destroy=False, reservations={}),
            keyring=Keyring("keyring", KeyringArgs()),
        )
        found.append(look(ground))

    run("sample", program=program)
    return found[0]


def said(found: OfflineRun) -> Any:
    """Outputs of the stack."""
    (outputs,) = [each for urn, each in found.outputs.items() if "pulumi:pulumi:Stack" in urn]
    return outputs


def names(found: OfflineRun, token: str) -> set[object]:
    return {at(each, "metadata", "name") for each in of_type(found, token)}


def changes(patches: tuple[Patch, ...], kind: str, name: str) -> Any:
    (found,) = [each for each in patches if (each.kind, each.name) == (kind, name)]
    return found
