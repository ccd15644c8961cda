"""What a provider's Kubernetes may forbid, in words that profiles.csv uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FORBIDDABLE: Final[Mapping[str, str]] = {  # word: what is said of a provider that forbids it
    "gpu_operator": "the NVIDIA GPU Operator must not be installed: the provider runs what it would bring",
    "autoscaling": "the number of nodes is fixed",
    "spot": "no spot machines are sold",
    "ssh": "nodes have no SSH",
    "api_ranges": "the API cannot be opened to a range of addresses",
    "load_balancer": "services have no load balancers",
    "vpn": "no UDP port can be opened for a VPN",
    "burn_in": "no privileged pods, which test accelerators, may run",
}
# Of clusters that nobody here makes: sidecar containers are stable since Kubernetes 1.33 (KEP-753), and what Istio puts
# beside a job ends with it only so. Kubeflow 26.03 is tested with 1.35 and later.
OLDEST_KUBERNETES: Final = "1.33"
