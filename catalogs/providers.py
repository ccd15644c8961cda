"""What a node is billed for beside its work: its start, its idle end, units of billing, spot interruptions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Accelerator, KubernetesProfile, Region


ROOT: Final = Path(__file__).parent
OWNERS: Final = ("provider", "atoll", "none")
PARTS: Final = (
    "gpu_driver",
    "device_plugin",
    "node_feature_discovery",
    "dcgm_exporter",
    "network_plugin",
    "node_repair",
    "autoscaler",
)
OWN_CLUSTER: Final = "on_premises"


@cache
def profiles() -> Mapping[str, KubernetesProfile]:
    """Every profile, by provider.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.provider: each for each in parsing.read_rows(ROOT / "profiles.csv", parsing.profile)}


def profile(provider: str) -> KubernetesProfile:
    """The profile of a provider; of a cluster that nobody manages where it sells no Kubernetes."""
    found = profiles()
    return found.get(provider) or found[OWN_CLUSTER]


@cache
def regions() -> tuple[Region, ...]:
    """Every region of the current catalog.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(Path(__file__).parent / "regions.csv", parsing.region))


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Every accelerator of the catalog; dated price books share it.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(Path(__file__).parent / "accelerators.csv", parsing.accelerator))


NAME: Final = "node_billing.csv"
ANY: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One number between its ends.

    Args:
        fact: what it is, with its unit: "boot_minutes".
        provider: whose nodes; "*" for all that have no row of their own.
        about: kind of node, or accelerator family; "*" for all that have no row of their own.
        source: id in sources.csv.
    """

    fact: str
    provider: str
    about: str
    low: Decimal
    expected: Decimal
    high: Decimal
    source: str
    as_of: date | None


@cache
def node_fact(fact: str, *, provider: str, about: str) -> NodeFact:
    """The row that says most about a provider's nodes: its own before everybody's.

    Raises:
        KeyError: nobody has such a fact.
        CatalogError: a row cannot be read.
    """
    known = _facts()
    keys = ((provider, about), (provider, ANY), (ANY, about), (ANY, ANY))
    return next(known[fact, *key] for key in keys if (fact, *key) in known)


@cache
def _facts() -> Mapping[tuple[str, str, str], NodeFact]:
    return {(each.fact, each.provider, each.about): each for each in parsing.read_rows(ROOT / NAME, read_node_fact)}


def read_node_fact(row: Mapping[str, str]) -> NodeFact:
    """A row of node_billing.csv.

    Raises:
        ValueError: the ends do not rise from nothing.
        KeyError: a column is missing.
    """
    low, expected, high = (parsing.money(row[name]) for name in ("low", "expected", "high"))
    if not 0 <= low <= expected <= high:
        raise ValueError(f"the ends of {row['fact']} do not rise: {low}, {expected}, {high}")
    return NodeFact(
        fact=row["fact"],
        provider=row["provider"],
        about=row["about"],
        low=low,
        expected=expected,
        high=high,
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )


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


WITH_BUCKET: Final = frozenset({"aws", "gcp", "coreweave"})  # targets whose stack makes a bucket for the platform
# Targets whose bucket speaks S3 to whoever has a pod's identity. Google Cloud's does so with keys only
# (docs.cloud.google.com/storage/docs/interoperability), and CoreWeave's asks for a label on service accounts, which
# the profile controller makes without.
S3_BY_IDENTITY: Final = frozenset({"aws"})
ONLY_S3: Final = ("pipelines",)  # parts that know no other language
REASON: Final = "it keeps artifacts over S3, which this provider's bucket does not speak to pods without keys"


def unreachable(part: str, *, store: str, provider: str) -> str:
    """Why a part cannot use the chosen store there; "" where it can.

    Args:
        store: word of `platform.object_store`.
    """
    refused = store == "provider" and part in ONLY_S3 and provider not in S3_BY_IDENTITY
    return REASON if refused else ""
