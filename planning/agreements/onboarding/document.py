"""The onboarding plan as a document: who does what by when, and what the customer has to bring."""

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
        yield say("Say where the training data lies now, and let the copy worker read it there.")
    if not checklist.agreement.contacts:
        yield say("Name the support contacts on your side and agree those on ours (agreement.contacts).")


def _places(lock: Lock, catalog: Catalog) -> Iterator[Sentence]:
    for number, spec in enumerate(lock.placements):
        at = f"placements.{number}."
        if spec.existing is not None:
            yield compose_from(
                lock,
                "Hand over an administrator's kubeconfig of the cluster at {placement.provider}, named by the variable"
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
    """Terms that somebody has to buy: the program runs the nodes, whatever they are paid by."""
    spec = lock.placements[number]
    for at, pool in enumerate(spec.pools):
        if pool.kind != "reserved" or not pool.min_nodes:
            continue
        term = catalog.find_term(provider=spec.placement.provider, purchase=pool.purchase)
        price_alone = term is not None and term.holds == "no"
        yield compose_from(
            lock,
            "Buy {purchase} for {min_nodes} of {machine}: the program does not, and until then {}.",
            "the price is that on demand" if price_alone else "nothing is reserved",
            at=f"placements.{number}.pools.{at}.",
        )


def _network(lock: Lock) -> Iterator[Sentence]:
    network = lock.spec.network
    asked = (
        (
            network.peering is not None,
            "Accept the peering with {peering.vpc_id} and give its route tables the way back to {cidr}.",
        ),
        (network.link is not None, "Let the range {cidr} through the firewall of {link.vpc_id}."),
        (bool(network.domain), "Delegate the zone {domain} to the cluster's name servers."),
    )
    yield from (compose_from(lock, words, at="placements.0.network.") for is_asked, words in asked if is_asked)


def _people(lock: Lock) -> Iterator[Sentence]:
    access = lock.spec.access
    if not access.users:
        yield say("Name the people who may get in (access.users); nobody is let in until then.")
        return
    yield say("Check that the people listed below are all who may get in, each with the right group and team.")
    if lock.spec.vpn is not None:
        yield say("Have each of them install a WireGuard client.")
    keyless = [_name(lock, at) for at, user in enumerate(access.users) if not user.ssh_key]
    if access.ssh and keyless:
        yield say("Send the public SSH keys of ", join_sentences(keyless), ": without one there is no way to a node.")


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
    "preflight": "nothing is refused or unknown: atoll preflight {stack}",
    "build": "the update has ended and nothing drifts: atoll up {stack}",
    "burn_in": "every node that was set apart has lost its taint; one that has not is named in the report",
    "accept": "the report is signed and names no failed node: atoll accept-test {stack}",
    "deliver": "each person got in once with their own: atoll onboard {stack} --credentials DIR",
    "teach": "each engineer has started and stopped a notebook: atoll handbook {stack} -o DIR",
    "load": "the data lies in its tier and its count of objects is right",
    "first_job": "it ended, its run is in the tracker, and it went on from a checkpoint once",
    "review": "availability and cost of the month are agreed: atoll sla {stack} --month MONTH",
}
WITHOUT: Final[Mapping[str, str]] = {
    "teach": "each engineer has queued a job and seen it end: atoll handbook {stack} -o DIR",
    "first_job": "it did its work once, and people know where they see what it does and costs",
}
"""Instead: where no notebooks are installed, where nothing is trained."""
EXISTING: Final[Mapping[str, str]] = {
    "preflight": "nothing is refused, and each line that stays unknown is settled with the provider: atoll preflight"
    " {stack}",
    "build": "the update has ended, nothing drifts and each part runs: atoll up {stack}",
}
"""Instead: on a cluster that exists, whose provider no program here can ask."""
OWN_WAYS: Final = {
    "vpn": "a WireGuard profile of their own",
    "role": "a kubeconfig of their role without a credential in it",
    "cluster": "the cluster's kubeconfig without a credential in it",
    "hours": "a kubeconfig for some hours whenever they ask for one",
    "sign_in": "a first password of the cluster's own sign-in",
    "sso": "nothing: they sign in where they always do",
}
COUNTED: Final = "days of this step and of all before it"
DATED: Final = "the start, and the days of this step and of all before it"
HANDED: Final = (
    "Each gets a folder of their own that nobody else can read, over a way that only they can open; it is never put"
    " into a repository, a ticket or a chat. Whoever loses something says so at once: it is made anew within minutes."
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
        yield Notice.of("No day to start on is agreed (agreement.starts): days are counted, and nothing has a date.")
    yield Heading(2, say("From the annex to the first job"))
    yield _timeline(found, catalog)
    yield Heading(2, say("Done when"))
    yield Table.of(
        ("step", "it is done when"),
        [(title_of(each, catalog), _render_completion(each, lock, checklist)) for each in found],
    )
    yield Heading(2, say("Prerequisites"))
    yield Bullets(tuple(list_duties(lock, checklist, catalog)), boxes=True)
    yield Heading(2, say("What each person is handed"))
    yield from _render_handout(lock)
    yield Heading(2, say("Support contacts"))
    yield from _contacts(checklist)


def _timeline(found: tuple[OnboardingStep, ...], catalog: Catalog) -> Table:
    when = ("done by working day",) if found[0].first is None else ("from", "to")
    return Table.of(
        ("step", *when, "takes", "who answers for it"),
        [(title_of(each, catalog), *_when(each), each.takes, each.owner) for each in found],
        caption=say("People work from Monday to Friday; holidays are not counted. Each step waits for the one above."),
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
        "The checklist has changed since this option was accepted. What was accepted is handed out; the rest comes with"
        " atoll accept and the next update.",
        *((" Not let in until then: ", join_sentences(new), ".") if new else ()),
        *((" Let in until then: ", join_sentences(gone), ".") if gone else ()),
    )


def _render_handout(lock: Lock) -> Iterator[Block]:
    spec = lock.spec
    if not spec.access.users:
        yield Paragraph.of("Nobody is named in access.users, so nothing is handed out.")
        return
    ways = ["vpn"] if spec.vpn is not None else []
    kubeconfig = "hours" if spec.placement.target == "existing" else find_traits(spec.placement.target).kubeconfig
    ways += [kubeconfig] if kubeconfig else []
    ways.append("sign_in" if spec.access.sso is None else "sso")
    yield Table.of(
        ("person", "group", "is handed"),
        [
            (_name(lock, at), say(user.group), join_sentences([say(OWN_WAYS[way]) for way in ways]))
            for at, user in enumerate(spec.access.users)
        ],
    )
    beside = [
        say(read_figure(lock, f"placements.{at}.placement.name"))
        for at, each in enumerate(lock.placements)
        if at and each.access.users
    ]
    if beside:
        yield Paragraph.of("What opens {} lies in a folder of that name inside theirs.", join_sentences(beside))
    yield Paragraph.of(HANDED)


def _contacts(checklist: Checklist) -> Iterator[Block]:
    found = checklist.agreement.contacts
    if not found:
        yield Notice.of("Nobody is named yet: agree it in agreement.contacts before the build.")
        return
    rows = [(say(ROLES[each.role]), *cite_contact(checklist, at, "not given")) for at, each in enumerate(found)]
    yield Table.of(("for", "who", "mail", "telephone"), rows)
