"""Rules about where the cluster is and what it is joined to."""

from __future__ import annotations

import re
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.checklist.model.checklist import networks, suggest_range
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.rules.rule_violation import RuleViolation
from planning.values import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.checklist.model.checklist import Checklist, Existing

    Path = tuple[str | int, ...]

PRIVATE: Final = tuple(  # RFC 1918, and RFC 6598, which AWS and Google Cloud take for a VPC, too
    IPv4Network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
# What no network of a cloud may be (RFC 1122, 3927, 5771, 1112; docs.cloud.google.com/vpc/docs/subnets, prohibited
# IPv4 ranges): an address in it reaches nobody, or everybody.
IMPOSSIBLE: Final[Mapping[IPv4Network, str]] = {
    IPv4Network("0.0.0.0/8"): "stands for the own network",
    IPv4Network("127.0.0.0/8"): "stands for the own machine",
    IPv4Network("169.254.0.0/16"): "is link-local",
    IPv4Network("224.0.0.0/4"): "is for multicast",
    IPv4Network("240.0.0.0/4"): "is reserved",
}
# A VPC of AWS has a /16 to a /28 (docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html, 2026-11-23). Ranges of
# other clouds may stand for several subnets: the default network of Google Cloud is a /9.
VPC_SIZES: Final[Mapping[CloudName, tuple[int, int]]] = {CloudName.AWS: (16, 28)}
ZONES: Final = 3  # the most a cluster is spread over (design section 7)
SUGGESTION: Final = "use a part of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"
WIDEST_DOOR: Final = 16  # prefix length; a wider range is half a provider, not an office
_GUID: Final = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# docs.cloud.google.com/resource-manager/docs/creating-managing-projects: 6 to 30 signs; old ones have a domain in front
_PROJECT: Final = r"(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]"
_NETWORK: Final = r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
_VPC_ID: Final[Mapping[CloudName, tuple[re.Pattern[str], str]]] = {
    CloudName.AWS: (re.compile(r"vpc-[0-9a-f]{8,17}"), "vpc-0a1b2c3d4e5f60718"),
    CloudName.GCP: (
        re.compile(rf"(?:projects/{_PROJECT}/global/networks/)?{_NETWORK}"),
        "projects/acme-core/global/networks/main",
    ),
    CloudName.AZURE: (
        re.compile(
            rf"/subscriptions/{_GUID}/resourceGroups/[^/]+/providers/Microsoft\.Network/virtualNetworks/[^/]+",
            re.IGNORECASE,
        ),
        "/subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.Network/virtualNetworks/<name>",
    ),
}
_ACCOUNT: Final[Mapping[CloudName, tuple[re.Pattern[str], str]]] = {
    CloudName.AWS: (re.compile(r"\d{12}"), "111122223333"),
    CloudName.GCP: (re.compile(_PROJECT), "acme-core"),
    CloudName.AZURE: (re.compile(_GUID), "0a1b2c3d-0000-4000-8000-000000000000"),
}


def providers_consistent(checklist: Checklist) -> Iterator[RuleViolation]:
    """A provider is wanted or excluded; some provider is left."""
    where = checklist.where
    for at, cloud in enumerate(where.excluded):
        if cloud in where.wanted:
            message = f'"{cloud}" is both wanted and excluded'
            yield RuleViolation(("where", "excluded", at), message, "delete it from one of the two lists")
    for place, each in enumerate(where.elsewhere):
        for at, cloud in enumerate(each.wanted):
            if cloud in where.excluded:
                message = f'"{cloud}" is wanted at "{each.name}", and where.excluded rules it out everywhere'
                path = ("where", "elsewhere", place, "wanted", at)
                yield RuleViolation(path, message, "delete it from one of the two lists")
    if set(where.excluded) == set(CloudName):
        yield RuleViolation(("where", "excluded"), "every provider is excluded", "leave at least one")


def existing_is_wanted(checklist: Checklist) -> Iterator[RuleViolation]:
    """An existing cluster is with a provider that may be used."""
    where = checklist.where
    yield from _check_existing_provider(
        where.existing, where.wanted, checklist=checklist, path=("where",), lists="where.wanted"
    )
    for at, each in enumerate(where.elsewhere):
        path = ("where", "elsewhere", at)
        yield from _check_existing_provider(
            each.existing, each.wanted, checklist=checklist, path=path, lists='its "wanted"'
        )


def _check_existing_provider(
    existing: Existing | None, wanted: Sequence[CloudName], *, checklist: Checklist, path: Path, lists: str
) -> Iterator[RuleViolation]:
    if existing is None:
        return
    cloud, excluded = existing.provider, checklist.where.excluded
    refused = cloud in excluded or (bool(wanted) and cloud not in wanted)
    if refused and cloud not in set(wanted) & set(excluded):
        message = f'the existing cluster is at "{cloud}", which {lists} or where.excluded rules out'
        yield RuleViolation(
            (*path, "existing", "provider"), message, "with an existing cluster both lists can be deleted"
        )


def vpn_has_addresses(checklist: Checklist) -> Iterator[RuleViolation]:
    """The VPN's own range lies outside every network that it leads to."""
    if checklist.access.vpn and addresses.free_range(networks(checklist)) is None:
        ranges = ", ".join(str(each) for each in addresses.RANGES)
        message = f"the networks take all of {ranges}, one of which the VPN needs"
        yield RuleViolation(("where", "cidr"), message, "choose a narrower where.cidr, as in 10.64.0.0/16")


def peering_complete(checklist: Checklist) -> Iterator[RuleViolation]:
    """A peering needs the VPC and its address range; what belongs to a peering needs one."""
    main = checklist.main_cloud
    if main is None:
        return
    if main.vpc_id and main.vpc_cidr is None:
        yield RuleViolation(
            ("main_cloud", "vpc_id"), "peering needs the address range of the VPC", 'add "vpc_cidr: ..."'
        )
    if main.vpc_id:
        return
    if main.vpc_id is not None:
        yield RuleViolation(
            ("main_cloud", "vpc_id"), "the VPC's id is empty", "write the id, or delete the line for no peering"
        )
    for name in ("vpc_cidr", "route_table_ids", "peering_per_month"):
        if getattr(main, name):
            message = f'"{name}" describes a peering, but no VPC is named'
            yield RuleViolation(("main_cloud", name), message, 'add "vpc_id: ...", or delete the line')


def peering_possible(checklist: Checklist) -> Iterator[RuleViolation]:
    """Peering and forwarding are built for AWS, Google Cloud and Azure."""
    main = checklist.main_cloud
    if main is None or find_traits(main.provider).site_vpn or not (main.vpc_id or main.logs_and_metrics):
        return
    built = ", ".join(name for name in CloudName if find_traits(name).site_vpn)
    message = f'peering, logs and metrics are built for {built}, not for "{main.provider}"'
    yield RuleViolation(("main_cloud", "provider"), message, 'delete "vpc_id" and "logs_and_metrics"')


def peering_identities(checklist: Checklist) -> Iterator[RuleViolation]:
    """Identities of the main cloud look like that cloud's."""
    main = checklist.main_cloud
    if main is None:
        return
    for name, given, table in (("vpc_id", main.vpc_id, _VPC_ID), ("account", main.account, _ACCOUNT)):
        pattern, example = table.get(main.provider, (None, ""))
        if given and pattern is not None and not pattern.fullmatch(given):
            yield RuleViolation(
                ("main_cloud", name), f'"{given}" is not a {name} of {main.provider}', f'as in "{example}"'
            )


def networks_apart(checklist: Checklist) -> Iterator[RuleViolation]:
    """Networks that are joined have no address in common."""
    main, ours = checklist.main_cloud, checklist.where.cidr
    if main is not None and main.vpc_id and main.vpc_cidr is not None and main.vpc_cidr.overlaps(ours):
        message = f"the VPC's {main.vpc_cidr} overlaps the cluster's {ours}, so the two cannot be joined"
        hint = f"choose another where.cidr, as in {suggest_range(checklist)}"
        yield RuleViolation(("main_cloud", "vpc_cidr"), message, hint)


def network_fits(checklist: Checklist) -> Iterator[RuleViolation]:
    """Each cluster's range is private, not wider than a VPC may be, and can be cut into subnets."""
    where = checklist.where
    if where.existing is None:
        yield from _fits(where.cidr, path=("where", "cidr"))
    for at, each in enumerate(where.elsewhere):
        if each.existing is None:
            yield from _fits(each.cidr, path=("where", "elsewhere", at, "cidr"))


def networks_possible(checklist: Checklist) -> Iterator[RuleViolation]:
    """A range that belongs to others is one that a network can have, in the size that its cloud gives."""
    where, main = checklist.where, checklist.main_cloud
    if where.existing is not None:
        yield from _possible(where.cidr, path=("where", "cidr"))
    for at, each in enumerate(where.elsewhere):
        if each.existing is not None:
            yield from _possible(each.cidr, path=("where", "elsewhere", at, "cidr"))
    for at, cidr in enumerate(where.api_cidrs):
        yield from _reachable(cidr, path=("where", "api_cidrs", at))
    if main is None or main.vpc_cidr is None:
        return
    path = ("main_cloud", "vpc_cidr")
    wrong = list(_possible(main.vpc_cidr, path=path))
    yield from wrong
    widest, narrowest = VPC_SIZES.get(main.provider, (0, 32))
    if not wrong and not widest <= main.vpc_cidr.prefixlen <= narrowest:
        message = f"{main.vpc_cidr} is no VPC of {main.provider}: that has a /{widest} to a /{narrowest}"
        yield RuleViolation(path, message, "write the range that the VPC has")


def _possible(cidr: IPv4Network, *, path: Path) -> Iterator[RuleViolation]:
    reason = next((reason for other, reason in IMPOSSIBLE.items() if cidr.overlaps(other)), "")
    if reason:
        yield RuleViolation(path, f"{cidr} cannot be a network's: it {reason}", SUGGESTION)


def _reachable(cidr: IPv4Network, *, path: Path) -> Iterator[RuleViolation]:
    """An address that comes over the internet is a public one."""
    if cidr.prefixlen < WIDEST_DOOR:
        return  # said by the rule of the width
    if any(cidr.overlaps(other) for other in (*PRIVATE, *IMPOSSIBLE)):
        hint = "write the public addresses that your offices have; private networks reach the API by peering or VPN"
        yield RuleViolation(path, f"{cidr} is no address of the internet", hint)


def _fits(cidr: IPv4Network, *, path: Path) -> Iterator[RuleViolation]:
    wrong = list(_possible(cidr, path=path))
    if wrong or not any(cidr.subnet_of(each) for each in PRIVATE):
        yield from wrong or [RuleViolation(path, f"{cidr} is not a range of private addresses", SUGGESTION)]
        return
    try:
        addresses.split(cidr, zones=ZONES)
    except ValueError as error:
        yield RuleViolation(path, str(error), "a /16 is right for nearly every cluster")


def api_door_narrow(checklist: Checklist) -> Iterator[RuleViolation]:
    """The Kubernetes API is never open to the whole internet (design law 8)."""
    for at, cidr in enumerate(checklist.where.api_cidrs):
        if cidr.prefixlen < WIDEST_DOOR:
            message = f"{cidr} opens the Kubernetes API to {cidr.num_addresses:,} addresses"
            hint = f"name the ranges of your offices, /{WIDEST_DOOR} or narrower; empty keeps the API private"
            yield RuleViolation(("where", "api_cidrs", at), message, hint)
