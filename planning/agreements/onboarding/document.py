"""The onboarding plan as a document: steps with owners and dates, prerequisites, handout, support contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.agreements.onboarding.plan import ROLES, OnboardingStep, cite_contact, steps, title_of
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.model.workload import FineTuning, Training
from planning.documents.blocks import Bullets, Document, Heading, Notice, Paragraph, Table
from planning.documents.figures import (
    Sentence,
    compose_from,
    derive_figure,
    join_sentences,
    of_checklist,
    of_lock,
    read_figure,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock


KEYLESS: Final = frozenset({"mlflow", "none"})  # experiment trackers that ask for no key of the customer's


def list_duties(lock: Lock, checklist: Checklist, catalog: Catalog) -> Iterator[Sentence]:
    yield from _places(lock, catalog)
    yield from _network(lock)
    yield from _people(lock)
    yield from _secrets(lock)
    if checklist.dataset is not None:
        yield say("Name the current location of the training data, and give the copy worker read access to it.")
    if not checklist.agreement.contacts:
        yield say("Name the support contacts on your side and agree those on ours (agreement.contacts).")


def _places(lock: Lock, catalog: Catalog) -> Iterator[Sentence]:
    for number, spec in enumerate(lock.placements):
        at = f"placements.{number}."
        if spec.existing is not None:
            yield compose_from(
                lock,
                "Provide an administrator's kubeconfig of the cluster at {placement.provider}, named by the variable"
                " {existing.kubeconfig_env}, and keep it out of every repository.",
                at=at,
            )
            continue
        yield compose_from(
            lock,
            "Open the account at {placement.provider} in {placement.region} and have its quota raised for {}; atoll"
            " preflight says what is missing.",
            join_sentences(_machines(spec, f"placements.{number}")),
            at=at,
        )
        yield from _purchases(lock, number, catalog)


def _machines(spec: ClusterSpec, place: str) -> Iterator[Sentence]:
    paths: dict[str, list[int]] = {}
    for number, pool in enumerate(spec.pools):
        paths.setdefault(pool.machine, []).append(number)
    for machine, numbers in paths.items():
        counts = [of_lock(spec.pools[each].max_nodes, f"{place}.pools.{each}.max_nodes") for each in numbers]
        most = sum(spec.pools[each].max_nodes for each in numbers)
        count = counts[0] if len(counts) == 1 else derive_figure(most, "sum over the pools of this machine", *counts)
        yield say(count, " of ", of_lock(machine, f"{place}.pools.{numbers[0]}.machine"))


def _purchases(lock: Lock, number: int, catalog: Catalog) -> Iterator[Sentence]:
    """Commitments that a person has to buy: the program starts nodes whatever they are paid by."""
    spec = lock.placements[number]
    for at, pool in enumerate(spec.pools):
        if pool.kind != "reserved" or not pool.min_nodes:
            continue
        term = catalog.find_term(provider=spec.placement.provider, purchase=pool.purchase)
        price_alone = term is not None and term.holds == "no"
        yield compose_from(
            lock,
            "Buy {purchase} for {min_nodes} of {machine}: the program does not do it, and until then {}.",
            "the on-demand price applies" if price_alone else "nothing is reserved",
            at=f"placements.{number}.pools.{at}.",
        )


def _network(lock: Lock) -> Iterator[Sentence]:
    network = lock.spec.network
    asked = (
        (
            network.peering is not None,
            "Accept the peering with {peering.vpc_id} and add routes to {cidr} to its route tables.",
        ),
        (network.link is not None, "Allow the range {cidr} in the firewall of {link.vpc_id}."),
        (bool(network.domain), "Delegate the zone {domain} to the cluster's name servers."),
    )
    yield from (compose_from(lock, words, at="placements.0.network.") for is_asked, words in asked if is_asked)


def _people(lock: Lock) -> Iterator[Sentence]:
    access = lock.spec.access
    if not access.users:
        yield say("Name the users (access.users); until then no user has access.")
        return
    yield say("Check that the list of users below is complete, each with the right group and team.")
    if lock.spec.vpn is not None:
        yield say("Have each of them install a WireGuard client.")
    keyless = [_name(lock, at) for at, user in enumerate(access.users) if not user.ssh_key]
    if access.ssh and keyless:
        yield say(
            "Send the public SSH keys of ", join_sentences(keyless), ": without a key there is no SSH access to nodes."
        )


def _name(lock: Lock, at: int) -> Sentence:
    return say(read_figure(lock, f"placements.0.access.users.{at}.name"))


def _secrets(lock: Lock) -> Iterator[Sentence]:
    if lock.spec.access.sso is not None:
        yield compose_from(
            lock,
            "Register Atoll at your identity provider under {placements.0.access.sso.client_id} and give its secret to"
            " pulumi config set --secret, never to a file.",
        )
    if lock.spec.tracker not in KEYLESS:
        yield say("Give the key of your experiment tracker to pulumi config set --secret, never to a file.")


DONE_WHEN: Final[Mapping[str, str]] = {
    "sign": "both sides have signed the annex: atoll contract {stack}",
    "prepare": "every box below is ticked",
    "preflight": "no check fails or is unknown: atoll preflight {stack}",
    "build": "the update has ended without drift: atoll up {stack}",
    "burn_in": "no node has the burn-in taint any more; the report names those that kept it",
    "accept": "the report is signed and names no failed node: atoll accept-test {stack}",
    "deliver": "each user signed in once with their own credentials: atoll onboard {stack} --credentials DIR",
    "teach": "each engineer has started and stopped a notebook: atoll handbook {stack} -o DIR",
    "load": "the data is in its tier with the right number of objects",
    "first_job": "it ended, its run is in the tracker, and it resumed from a checkpoint once",
    "review": "availability and cost of the month are agreed: atoll sla {stack} --month MONTH",
}
# Instead: where no notebooks are installed, and where no workload trains.
WITHOUT: Final[Mapping[str, str]] = {
    "teach": "each engineer has run a job from the queue to its end: atoll handbook {stack} -o DIR",
    "first_job": "it did its work once, and the engineers know where to see its state and cost",
}
# Instead: on an existing cluster, whose provider has no API that Atoll asks.
EXISTING: Final[Mapping[str, str]] = {
    "preflight": "no check fails, and each unknown result is clarified with the provider: atoll preflight {stack}",
    "build": "the update has ended without drift and each component runs: atoll up {stack}",
}
CREDENTIALS: Final = {
    "vpn": "a WireGuard profile of their own",
    "role": "a kubeconfig of their role, without a credential",
    "cluster": "the cluster's kubeconfig, without a credential",
    "hours": "a short-lived kubeconfig on request",
    "sign_in": "an initial password of the cluster's own sign-in",
    "sso": "nothing: they sign in with the company's account",
}
COUNTED: Final = "days of this step and of all before it"
DATED: Final = "the start, and the days of this step and of all before it"
HANDED: Final = (
    "Each user gets a private folder over an encrypted channel, never through a repository, a ticket or a chat. Lost"
    " credentials are reported at once and replaced within minutes."
)


def document(lock: Lock, checklist: Checklist, catalog: Catalog) -> Document:
    return Document(
        title=compose_from(lock, "Onboarding of {placements.0.customer.name}"),
        subtitle=compose_from(lock, "Stack {stack}, option {option}, priced at {priced_at}"),
        blocks=tuple(_blocks(lock, checklist, catalog)),
    )


def _blocks(lock: Lock, checklist: Checklist, catalog: Catalog) -> Iterator[Block]:
    found = steps(lock, checklist, catalog)
    if checklist_digest(checklist) != lock.checklist_digest:
        yield Notice(_render_changes(lock, checklist))
    if checklist.agreement.starts is None:
        yield Notice.of("No start date is agreed (agreement.starts), so the plan counts working days instead of dates.")
    yield Heading(2, say("From the annex to the first job"))
    yield _timeline(found, catalog)
    yield Heading(2, say("Done when"))
    yield Table.of(
        ("step", "done when"),
        [(title_of(each, catalog), _render_completion(each, lock, checklist)) for each in found],
    )
    yield Heading(2, say("Prerequisites"))
    yield Bullets(tuple(list_duties(lock, checklist, catalog)), boxes=True)
    yield Heading(2, say("Credentials of each user"))
    yield from _render_handout(lock)
    yield Heading(2, say("Support contacts"))
    yield from _contacts(checklist)


def _timeline(found: tuple[OnboardingStep, ...], catalog: Catalog) -> Table:
    when = ("done by working day",) if found[0].first is None else ("from", "to")
    return Table.of(
        ("step", *when, "duration", "owner"),
        [(title_of(each, catalog), *_when(each), each.takes, each.owner) for each in found],
        caption=say(
            "Working days are Monday to Friday; holidays are ignored. Each step starts when the one above is done."
        ),
    )


def _when(step: OnboardingStep) -> tuple[Sentence, ...]:
    if step.first is None or step.last is None:
        return (say(derive_figure(step.day, COUNTED, *step.why_dates)),)
    return say(derive_figure(step.first, DATED, *step.why_dates)), say(derive_figure(step.last, DATED, *step.why_dates))


def _render_completion(step: OnboardingStep, lock: Lock, checklist: Checklist) -> Sentence:
    parts = {part.name for part in lock.spec.platform.parts} if lock.spec.platform is not None else set[str]()
    there = {
        "teach": "notebooks" in parts,
        "first_job": any(isinstance(each, Training | FineTuning) for each in checklist.workloads),
    }
    words = DONE_WHEN[step.id] if there.get(step.id, True) else WITHOUT[step.id]
    if lock.spec.existing is not None:
        words = EXISTING.get(step.id, words)
    return compose_from(lock, words)


def _render_changes(lock: Lock, checklist: Checklist) -> Sentence:
    before = {user.name for user in lock.spec.access.users}
    now = {user.name for user in checklist.access.users}
    new = [
        say(of_checklist(user.name, f"access.users.{at}.name"))
        for at, user in enumerate(checklist.access.users)
        if user.name not in before
    ]
    gone = [_name(lock, at) for at, user in enumerate(lock.spec.access.users) if user.name not in now]
    return say(
        "The checklist has changed since this option was accepted. Credentials follow the accepted option; changes"
        " apply with atoll accept and the next update.",
        *((" Without access until then: ", join_sentences(new), ".") if new else ()),
        *((" With access until then: ", join_sentences(gone), ".") if gone else ()),
    )


def _render_handout(lock: Lock) -> Iterator[Block]:
    spec = lock.spec
    if not spec.access.users:
        yield Paragraph.of("access.users names no user, so there are no credentials.")
        return
    kinds = ["vpn"] if spec.vpn is not None else []
    kubeconfig = "hours" if spec.placement.target == "existing" else find_traits(spec.placement.target).kubeconfig
    kinds += [kubeconfig] if kubeconfig else []
    kinds.append("sign_in" if spec.access.sso is None else "sso")
    yield Table.of(
        ("user", "group", "credentials"),
        [
            (_name(lock, at), say(user.group), join_sentences([say(CREDENTIALS[kind]) for kind in kinds]))
            for at, user in enumerate(spec.access.users)
        ],
    )
    additional = [
        say(read_figure(lock, f"placements.{at}.placement.name"))
        for at, each in enumerate(lock.placements)
        if at and each.access.users
    ]
    if additional:
        yield Paragraph.of(
            "Credentials of {} are in a folder of that name inside the user's folder.", join_sentences(additional)
        )
    yield Paragraph.of(HANDED)


def _contacts(checklist: Checklist) -> Iterator[Block]:
    found = checklist.agreement.contacts
    if not found:
        yield Notice.of("No contacts are named yet: add them to agreement.contacts before the build.")
        return
    rows = [(say(ROLES[each.role]), *cite_contact(checklist, at, "not given")) for at, each in enumerate(found)]
    yield Table.of(("for", "who", "mail", "telephone"), rows)
