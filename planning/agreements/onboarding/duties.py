"""What only the customer can do: only what this stack needs, each with what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.offers import known_term
from planning.documents.figures import Sentence, listed, say
from planning.documents.sources import of_lock, reckoned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

KEYLESS: Final = frozenset({"mlflow", "none"})  # experiment trackers that ask for no key of the customer's


def duties(lock: Lock, checklist: Checklist, catalog: Catalog) -> tuple[Sentence, ...]:
    """Boxes for the customer's side to tick before the build."""
    return tuple(_duties(lock, checklist, catalog))


def _duties(lock: Lock, checklist: Checklist, catalog: Catalog) -> Iterator[Sentence]:
    yield from _places(lock, catalog)
    yield from _network(lock)
    yield from _people(lock)
    yield from _secrets(lock)
    if checklist.dataset is not None:
        yield say("Say where the training data lies now, and let the copy worker read it there.")
    if not checklist.agreement.contacts:
        yield say("Name the support contacts on your side and agree those on ours (agreement.contacts).")


def _places(lock: Lock, catalog: Catalog) -> Iterator[Sentence]:
    for at, spec in enumerate(lock.placements):
        provider = of_lock(spec.placement.provider, f"placements.{at}.placement.provider")
        region = of_lock(spec.placement.region, f"placements.{at}.placement.region")
        if spec.existing is not None:
            yield say(
                "Hand over an administrator's kubeconfig of the cluster at ",
                provider,
                ", named by the variable ",
                of_lock(spec.existing.kubeconfig_env, f"placements.{at}.existing.kubeconfig_env"),
                ", and keep it out of every repository.",
            )
            continue
        machines = listed(_machines(spec, f"placements.{at}"))
        yield say(
            "Open the account at ", provider, " in ", region, " and have its quota raised for ", machines,
            "; atoll preflight says what is missing.",
        )  # fmt: skip
        yield from _purchases(spec, f"placements.{at}", catalog)


def _machines(spec: ClusterSpec, place: str) -> Iterator[Sentence]:
    """Each machine once, with the most nodes of all pools that have it."""
    paths: dict[str, list[int]] = {}
    for number, pool in enumerate(spec.pools):
        paths.setdefault(pool.machine, []).append(number)
    for machine, numbers in paths.items():
        counts = [of_lock(spec.pools[each].max_nodes, f"{place}.pools.{each}.max_nodes") for each in numbers]
        most = sum(spec.pools[each].max_nodes for each in numbers)
        count = counts[0] if len(counts) == 1 else reckoned(most, "sum over the pools of this machine", *counts)
        yield say(count, " of ", of_lock(machine, f"{place}.pools.{numbers[0]}.machine"))


def _purchases(spec: ClusterSpec, place: str, catalog: Catalog) -> Iterator[Sentence]:
    """Terms that somebody has to buy: the program runs the nodes, whatever they are paid by."""
    for number, pool in enumerate(spec.pools):
        if pool.kind != "reserved" or not pool.min_nodes:
            continue
        path = f"{place}.pools.{number}"
        term = known_term(catalog, provider=spec.placement.provider, purchase=pool.purchase)
        price_alone = term is not None and term.holds == "no"
        yield say(
            "Buy ",
            of_lock(pool.purchase, f"{path}.purchase"),
            " for ",
            of_lock(pool.min_nodes, f"{path}.min_nodes"),
            " of ",
            of_lock(pool.machine, f"{path}.machine"),
            ": the program does not",
            ", and until then the price is that on demand." if price_alone else ", and until then nothing is reserved.",
        )


def _network(lock: Lock) -> Iterator[Sentence]:
    network = lock.spec.network
    if network.peering is not None:
        yield say(
            "Accept the peering with ",
            of_lock(network.peering.vpc_id, "placements.0.network.peering.vpc_id"),
            " and give its route tables the way back to ",
            of_lock(str(network.cidr), "placements.0.network.cidr"),
            ".",
        )
    if network.link is not None:
        yield say(
            "Let the range ", of_lock(str(network.cidr), "placements.0.network.cidr"), " through the firewall of ",
            of_lock(network.link.vpc_id, "placements.0.network.link.vpc_id"), ".",
        )  # fmt: skip
    if network.domain:
        yield say(
            "Delegate the zone ",
            of_lock(network.domain, "placements.0.network.domain"),
            " to the cluster's name servers.",
        )


def _people(lock: Lock) -> Iterator[Sentence]:
    access = lock.spec.access
    if not access.users:
        yield say("Name the people who may get in (access.users); nobody is let in until then.")
        return
    yield say("Check that the people listed below are all who may get in, each with the right group and team.")
    if lock.spec.vpn is not None:
        yield say("Have each of them install a WireGuard client.")
    keyless = [
        say(of_lock(user.name, f"placements.0.access.users.{at}.name"))
        for at, user in enumerate(access.users)
        if not user.ssh_key
    ]
    if access.ssh and keyless:
        yield say("Send the public SSH keys of ", listed(keyless), ": without one there is no way to a node.")


def _secrets(lock: Lock) -> Iterator[Sentence]:
    sso = lock.spec.access.sso
    if sso is not None:
        yield say(
            "Register Atoll at your identity provider under ",
            of_lock(sso.client_id, "placements.0.access.sso.client_id"),
            " and give its secret to pulumi config set --secret, never to a file.",
        )
    if lock.spec.tracker not in KEYLESS:
        yield say("Give the key of your experiment tracker to pulumi config set --secret, never to a file.")
