"""Who brings the software of NVIDIA's GPUs: what each chart, node image and cluster setting stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.rules.pools import GKE, MANAGED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.properties import Properties

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


def _operator(values: Properties) -> Iterator[str]:
    """Its parts are on unless they are switched off (values.yaml of gpu-operator v26.7.0)."""
    switches = {DRIVER: "driver", PLUGIN: "devicePlugin", DISCOVERY: "nfd", METRICS: "dcgmExporter"}
    for thing, name in switches.items():
        if values.at(name).at("enabled").flag(default=True):
            yield thing


def _plugin(values: Properties) -> Iterator[str]:
    """The chart brings NFD along with GPU feature discovery (Chart.yaml of nvidia-device-plugin 0.20.0)."""
    yield PLUGIN
    if values.at("gfd").at("enabled").flag(default=False):
        yield DISCOVERY


def _exporter(values: Properties) -> Iterator[str]:
    del values
    yield METRICS


def _discovery(values: Properties) -> Iterator[str]:
    del values
    yield DISCOVERY


_CHARTS: Final[Mapping[str, Callable[[Properties], Iterator[str]]]] = {
    "gpu-operator": _operator,
    "nvidia-device-plugin": _plugin,
    "dcgm-exporter": _exporter,
    "node-feature-discovery": _discovery,
}


def brought(inputs: Properties) -> tuple[str, ...]:
    """What a release brings of GPU software.

    Raises:
        UnreadableError: its chart or a switch of it cannot be read.
    """
    chart = inputs.at("chart").text().rstrip("/").rsplit("/", 1)[-1]  # a name, an address, or a file of a mirror
    for name, bring in _CHARTS.items():
        if chart == name or (chart.startswith(f"{name}-") and chart.endswith(".tgz")):
            return tuple(bring(inputs.at("values")))
    return ()


def by_image(inputs: Properties) -> bool | None:
    """Whether the node image of EKS has NVIDIA's driver; None where it is one of ours."""
    image = inputs.at("amiType").text("")
    return None if image in ("", "CUSTOM") else "NVIDIA" in image


def by_gke(inputs: Properties) -> bool | None:
    """Whether GKE installs NVIDIA's driver; None on nodes without its accelerators."""
    held = inputs.at("nodeConfig").at("guestAccelerators").each()
    versions = {each.at("gpuDriverInstallationConfig").at("gpuDriverVersion").text("DEFAULT") for each in held}
    return None if not versions else versions != {"INSTALLATION_DISABLED"}


DRIVERS: Final[Mapping[str, Callable[[Properties], bool | None]]] = {MANAGED: by_image, GKE: by_gke}


def watched_by_gke(inputs: Properties) -> bool:
    """Whether GKE brings its DCGM exporter to GPU nodes."""
    return "DCGM" in {each.text() for each in inputs.at("monitoringConfig").at("enableComponents").each()}
