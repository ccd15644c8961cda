"""Driver, device plugin, feature discovery and metrics of GPUs have one owner each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.costs.resources.resource import Properties, UnreadableError
from planning.platform.accelerators import NVIDIA, device
from planning.values.verdict import Verdict
from policies.properties import check_resources, over, unclear
from policies.rule import Breach, Rule, Severity
from policies.rules.pools import GKE, MANAGED, pool_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec, Profile
    from policies.stack_context import StackContext


RELEASES: Final = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart")
CLUSTER: Final = "gcp:container/cluster:Cluster"
DRIVER: Final = "gpu_driver"
PLUGIN: Final = "device_plugin"
DISCOVERY: Final = "node_feature_discovery"
METRICS: Final = "dcgm_exporter"
TITLES: Final[Mapping[str, str]] = {
    DRIVER: "GPU driver",
    PLUGIN: "NVIDIA device plugin",
    DISCOVERY: "Node Feature Discovery",
    METRICS: "DCGM exporter",
}


# What a chart installs: the switch of each part in its values and its default; None for what is always on.
# GPU operator: values.yaml of v26.7.0. The device plugin's chart includes NFD with GPU feature discovery (Chart.yaml of
# 0.20.0).
CHARTS: Final[Mapping[str, Mapping[str, tuple[str, bool] | None]]] = {
    "gpu-operator": {
        DRIVER: ("driver", True),
        PLUGIN: ("devicePlugin", True),
        DISCOVERY: ("nfd", True),
        METRICS: ("dcgmExporter", True),
    },
    "nvidia-device-plugin": {PLUGIN: None, DISCOVERY: ("gfd", False)},
    "dcgm-exporter": {METRICS: None},
    "node-feature-discovery": {DISCOVERY: None},
}


def list_bundled_software(inputs: Properties) -> tuple[str, ...]:
    """GPU software that a release installs.

    Raises:
        UnreadableError: its chart or a switch of it cannot be read.
    """
    chart = inputs.at("chart").text().rstrip("/").rsplit("/", 1)[-1]  # a name, an address, or a file of a mirror
    for name, parts in CHARTS.items():
        if chart == name or (chart.startswith(f"{name}-") and chart.endswith(".tgz")):
            values = inputs.at("values")
            return tuple(
                part
                for part, switch in parts.items()
                if switch is None or values.at(switch[0]).at("enabled").flag(default=switch[1])
            )
    return ()


def by_image(inputs: Properties) -> bool | None:
    """Whether the node image of EKS has NVIDIA's driver; None where it is one of ours."""
    image = inputs.at("amiType").text("")
    # What an image of ours holds is not in its name.
    return None if image in ("", "CUSTOM") else "NVIDIA" in image


def by_gke(inputs: Properties) -> bool | None:
    """Whether GKE installs NVIDIA's driver; None on nodes without its accelerators."""
    held = inputs.at("nodeConfig").at("guestAccelerators").each()
    versions = {each.at("gpuDriverInstallationConfig").at("gpuDriverVersion").text("DEFAULT") for each in held}
    return None if not versions else versions != {"INSTALLATION_DISABLED"}


DRIVERS: Final[Mapping[str, Callable[[Properties], bool | None]]] = {MANAGED: by_image, GKE: by_gke}


def has_gke_dcgm_exporter(inputs: Properties) -> bool:
    return "DCGM" in {each.text() for each in inputs.at("monitoringConfig").at("enableComponents").each()}


OURS: Final = "atoll"
THEIRS: Final = "provider"
OPERATOR: Final = "gpu_operator"
LIMIT: Final = "each part of the GPU software has one owner"


def _breaches(subject: StackContext) -> Iterator[Breach]:
    bringing: dict[tuple[str, str], list[Resource]] = {}
    for release in subject.of_types(RELEASES):
        try:
            placement = spec_of(subject, release).placement.name
            for thing in list_bundled_software(Properties(release.inputs)):
                bringing.setdefault((placement, thing), []).append(release)
        except UnreadableError as error:
            yield unclear(release, error, limit=LIMIT)
    for spec in subject.lock.placements:
        for thing in TITLES:
            yield from _check_owner(subject, spec, thing, bringing.get((spec.placement.name, thing), []))
    yield from check_resources(subject.of_types(DRIVERS), partial(_driver, subject), limit=LIMIT)
    yield from check_resources(subject.of_types([CLUSTER]), partial(_metrics, subject), limit=LIMIT)


def _check_owner(subject: StackContext, spec: ClusterSpec, thing: str, by: list[Resource]) -> Iterator[Breach]:
    """Installed once where it is ours, and not at all where the provider has it."""
    owner, title, cluster = _owners(spec.profile)[thing], TITLES[thing], spec.placement.name
    names = " and ".join(each.name for each in by)
    if owner == THEIRS and by:
        yield Breach(
            verdict=Verdict.OVER,
            urn=by[0].urn,
            given=f"{names} installs the {title} in cluster {cluster}",
            limit=f"{spec.profile.title} provides it already, and two of them conflict on the same GPUs",
            fix=f"Remove the {title} from {names}",
        )
    elif len(by) > 1:
        yield Breach(
            verdict=Verdict.OVER,
            urn=by[-1].urn,
            given=f"{names} each install the {title} in cluster {cluster}",
            limit=LIMIT,
            fix=f"Remove the {title} from all but {by[0].name}",
        )
    elif owner == OURS and not by and subject.whole is None and _is_needed(spec, thing):
        yield Breach(
            verdict=Verdict.OVER,
            given=f"nothing installs the {title} in cluster {cluster}",
            limit=f"{spec.profile.title} does not provide it",
            fix=f"Install the {title} that the lock lists",
        )


def _owners(profile: Profile) -> Mapping[str, str]:
    owners = (profile.gpu_driver, profile.device_plugin, profile.node_feature_discovery, profile.dcgm_exporter)
    return dict(zip(TITLES, owners, strict=True))


def _is_needed(spec: ClusterSpec, thing: str) -> bool:
    """Whether there are GPUs that need it; all but the device plugin are needed only as platform components."""
    if not any(device(pool.accelerator) == NVIDIA for pool in spec.pools):
        return False
    installed = spec.platform.part(thing) or spec.platform.part(OPERATOR) if spec.platform else None
    return installed is not None or (thing == PLUGIN and find_traits(spec.placement.target).builder)


def _driver(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    """The cloud installs its driver exactly where the profile relies on it."""
    own = subject.registered.pool(resource)
    if own is None or device(pool_of(subject, own).accelerator) != NVIDIA:
        return
    there, profile = DRIVERS[resource.type](inputs), spec_of(subject, resource).profile
    counted = profile.gpu_driver == THEIRS
    if there is not None and there != counted:
        title = TITLES[DRIVER]
        yield over(
            resource,
            given=f"its nodes come {'with' if there else 'without'} {profile.title}'s {title}",
            limit=f"the {title} comes from {_whose(counted=counted)}",
            fix=f"Choose a node image {'with' if counted else 'without'} the driver",
        )


def _whose(*, counted: bool) -> str:
    return "the provider" if counted else "Atoll"


def _metrics(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    profile = spec_of(subject, resource).profile
    there, counted = has_gke_dcgm_exporter(inputs), profile.dcgm_exporter == THEIRS
    if there != counted and any(device(pool.accelerator) == NVIDIA for pool in spec_of(subject, resource).pools):
        yield over(
            resource,
            "monitoringConfig.enableComponents",
            given=f"{profile.title}'s {TITLES[METRICS]} is {'on' if there else 'off'}",
            limit=f"the {TITLES[METRICS]} comes from {_whose(counted=counted)}",
            fix=f"{'Add' if counted else 'Remove'} DCGM {'to' if counted else 'from'} the monitored components",
        )


RULE: Final = Rule(
    name="gpu-owner",
    title="One owner of the GPU software",
    demand="GPU driver, device plugin, Node Feature Discovery and DCGM exporter each have exactly one owner.",
    why="Two drivers or two device plugins on one node make GPUs disappear as if the hardware were broken.",
    remedy="Install only what the provider does not bring itself.",
    severity=Severity.HIGH,
    judge=_breaches,
)
