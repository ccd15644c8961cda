"""Which counter counts which type, and which types cost nothing. Adding a cloud is one file and one line here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, cast

from planning.costs.bill import CHARGES_INPUT, BillGroup, from_inputs
from planning.costs.resources.clouds.aws.compute import COUNTERS as AWS_NODES
from planning.costs.resources.clouds.aws.karpenter import COUNTERS as KARPENTER
from planning.costs.resources.clouds.aws.network import COUNTERS as AWS_NETWORK
from planning.costs.resources.clouds.aws.storage import COUNTERS as AWS_STORAGE
from planning.costs.resources.clouds.azure import COUNTERS as AZURE_NETWORK
from planning.costs.resources.clouds.coreweave import COUNTERS as COREWEAVE
from planning.costs.resources.clouds.coreweave import MACHINES as COREWEAVE_MACHINES
from planning.costs.resources.clouds.coreweave import PROVIDER as COREWEAVE_NAME
from planning.costs.resources.clouds.gcp.compute import COUNTERS as GCP_NODES
from planning.costs.resources.clouds.gcp.network import COUNTERS as GCP_NETWORK
from planning.costs.resources.findings import Free, Gap
from planning.costs.resources.kubernetes import COUNTERS as KUBERNETES
from planning.costs.resources.kubernetes import in_cluster
from planning.costs.resources.resource import OWN_PREFIX, Properties, UnreadableError
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.bill import Charge
    from planning.costs.resources.findings import CostingContext, Counter, Finding
    from planning.costs.resources.resource import Resource


# The catalog's machines by the names that a provider's own programs and bills give them, where they differ.
MACHINE_NAMES: Final[Mapping[str, Mapping[str, str]]] = {COREWEAVE_NAME: COREWEAVE_MACHINES}
COMPONENT: Final = "a component costs nothing itself, what it contains is counted"
_READINGS: Final = ("min", "expected", "max")


def component(case: CostingContext) -> Iterator[Finding]:
    declared = case.inputs.at(CHARGES_INPUT).each()
    if not declared:
        yield Free(COMPONENT)
    for charge in declared:
        try:
            yield _charge(charge)
        except UnreadableError as error:
            yield Gap(
                key=case.key(charge.path),
                label=f"{case.resource.name}: {charge.path}",
                group=BillGroup.SERVICES,
                item=case.resource.type,
                reason=str(error),
            )


def declares_share(resource: Resource) -> bool:
    """Whether one of a component's charges is a share of the bill, so that it is counted when all else is."""
    if not resource.type.startswith(OWN_PREFIX):
        return False
    declared = resource.inputs.get(CHARGES_INPUT)
    return isinstance(declared, list) and any(
        isinstance(each, dict) and each.get("ofBill") is True for each in declared
    )


def _charge(declared: Properties) -> Charge:
    """One declared charge, each field of which was known, bounded and plain."""
    for name in ("key", "label", "group", "item", "purchase"):
        declared.at(name).text()
    for name in ("note", "at", "fallback"):
        declared.at(name).text("")
    declared.at("ofBill").flag(default=False)
    declared.at("statedUsd").number(0)
    for reading in _READINGS:
        declared.at("quantity").at(reading).number()
    try:
        return from_inputs(cast("Mapping[str, object]", declared.value))
    except ValueError as error:
        raise UnreadableError(f"{declared.path}: {error}") from error


COUNTERS: Final[dict[str, Counter]] = {
    **AWS_NODES,
    **AWS_NETWORK,
    **AWS_STORAGE,
    **AZURE_NETWORK,
    **KARPENTER,
    **KUBERNETES,
    **GCP_NETWORK,
    **GCP_NODES,
    **COREWEAVE,  # after kubernetes: its claims and pools are objects too
}

_GROUPS: Final = {  # chapter of what has no rule or cannot be read, by the start of its type
    "aws:cloudwatch/": BillGroup.OBSERVABILITY,
    "aws:ebs/": BillGroup.STORAGE,
    "aws:ec2/instance": BillGroup.COMPUTE,
    "aws:ec2/": BillGroup.NETWORK,
    "aws:ec2transitgateway/": BillGroup.NETWORK,
    "aws:efs/": BillGroup.STORAGE,
    "aws:eks/": BillGroup.COMPUTE,
    "aws:autoscaling/": BillGroup.COMPUTE,
    "aws:fsx/": BillGroup.STORAGE,
    "aws:kms/": BillGroup.SECURITY,
    "aws:lb/": BillGroup.NETWORK,
    "aws:alb/": BillGroup.NETWORK,
    "aws:route53/": BillGroup.NETWORK,
    "aws:s3/": BillGroup.STORAGE,
    "azure:network/": BillGroup.NETWORK,
    "coreweave:index/objectStorage": BillGroup.STORAGE,
    "coreweave:": BillGroup.COMPUTE,
    "gcp:compute/instance": BillGroup.COMPUTE,
    "gcp:compute/disk": BillGroup.STORAGE,
    "gcp:compute/": BillGroup.NETWORK,
    "gcp:container/": BillGroup.COMPUTE,
    "gcp:dns/": BillGroup.NETWORK,
    "gcp:filestore/": BillGroup.STORAGE,
    "gcp:kms/": BillGroup.SECURITY,
    "gcp:logging/": BillGroup.OBSERVABILITY,
    "gcp:lustre/": BillGroup.STORAGE,
    "gcp:storage/": BillGroup.STORAGE,
    "kubernetes:": BillGroup.COMPUTE,
}
_PREFIXES: Final[dict[str, Counter]] = {"atoll:": component, "kubernetes:": in_cluster}


def group_of(token: str) -> BillGroup:
    """The chapter of a type without a counter."""
    return next((group for prefix, group in _GROUPS.items() if token.startswith(prefix)), BillGroup.SERVICES)


@cache
def counter_of(token: str) -> Counter | None:
    """The counter of a type; None where there is no rule."""
    counter = COUNTERS.get(token)
    if counter is not None:
        return counter
    return next((counter for prefix, counter in _PREFIXES.items() if token.startswith(prefix)), None)


@cache
def _read_free_types() -> tuple[dict[str, str], dict[str, str]]:
    """Rules by type token, and by the start of a token where all types of a module are free."""
    tokens: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    for row in read_rows("resources/free_types.csv"):
        if row["types"] == "*":
            prefixes[row["module"]] = row["rule"]
            continue
        for name in row["types"].split():
            tokens[f"{row['module']}/{name[0].lower()}{name[1:]}:{name}"] = row["rule"]
    return tokens, prefixes


@cache
def free_by_rule(token: str) -> str | None:
    """The rule by which a type costs nothing; None where no rule says so: then it is unpriced, never free."""
    tokens, prefixes = _read_free_types()
    rules = (rule for prefix, rule in prefixes.items() if token.startswith(prefix))
    return tokens.get(token) or next(rules, None)
