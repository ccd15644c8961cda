"""Names and labels in the form that Google Cloud accepts: lower case, few signs, short; and shared names."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

import pulumi

from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec, Placement, Pool

LABEL_LENGTH: Final = 63  # of a label, and of the name of most resources (Compute Engine docs, from memory)
CLUSTER_LENGTH: Final = 40  # terraform-provider-google 7.46, resource_container_cluster.go: name
ACCOUNT_LENGTH: Final = 30  # terraform-provider-google 7.46, google_service_account: account_id, 6 to 30
SUFFIX: Final = 6
# Items of catalogs/tiers.csv that become Managed Lustre and Filestore, and the port of Lustre on its clients.
LUSTRE: Final = "shared_ssd"
FILESTORE: Final = "shared_disk"
LUSTRE_PORTS: Final = ("988",)  # Cluster Toolkit at 10470803 (June 2026), examples/gke-a4


def label(text: str) -> str:
    """A label's value: "ML@acme.example" becomes "ml_at_acme_example"."""
    words = text.lower().replace("@", "_at_")
    return re.sub(r"[^a-z0-9_-]", "_", words)[:LABEL_LENGTH]


def labels(spec: ClusterSpec) -> dict[str, str]:
    return {
        "atoll-customer": label(spec.customer.name),
        "atoll-stack": label(pulumi.get_stack()),
        "atoll-owner": label(spec.customer.owner),
    }


def pool_labels(pool: Pool, stack: dict[str, str]) -> dict[str, str]:
    """Labels of the machines and disks of one pool, for cost allocation."""
    # Named once more: nodes do not inherit the provider's labels.
    own = {"atoll-pool": label(pool.name), "atoll-role": label(pool.role)}
    return {**stack, **own, **({"atoll-workload": label(pool.workload)} if pool.workload else {})}


def build_gcp_name(placement: Placement, part: str = "", *, longest: int = LABEL_LENGTH) -> str:
    """Physical name; one that is too long ends in a digest."""
    name = re.sub(r"[^a-z0-9-]+", "-", build_physical_name(placement, part).lower()).strip("-")
    if len(name) <= longest:
        return name
    # Cut alone, two long names could become one.
    digest = hashlib.sha256(name.encode()).hexdigest()[:SUFFIX]
    return f"{name[: longest - SUFFIX - 1].rstrip('-')}-{digest}"


def build_principal(
    account: tuple[str, str], *, number: pulumi.Input[str], workload_pool: pulumi.Input[str]
) -> pulumi.Output[str]:
    """A service account (namespace, name) as an IAM principal (docs.cloud.google.com/iam, principal identifiers)."""
    return pulumi.Output.concat(
        "principal://iam.googleapis.com/projects/",
        number,
        "/locations/global/workloadIdentityPools/",
        workload_pool,
        f"/subject/ns/{account[0]}/sa/{account[1]}",
    )
