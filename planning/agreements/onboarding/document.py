"""The onboarding plan as a document: who does what by when, and what the customer has to bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.agreements.onboarding.plan import ROLES, OnboardingStep, steps, title_of
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.model.workload import FineTuning, Training
from planning.documents.blocks import Bullets, Document, Heading, Notice, Paragraph, Table
from planning.documents.figures import Sentence, compose, derive_figure, join_sentences, of_checklist, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock


KEYLESS: Final = frozenset({"mlflow", "none"})  # experiment trackers that ask for no key of the customer's


def duties(lock: Lock, checklist: Checklist, catalog: Catalog) -> tuple[Sentence, ...]:
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
            yield compose(
                "Hand over an administrator's kubeconfig of the cluster at {}, named by the variable {}, and"
                " keep it out of every repository.",
                provider,
                of_lock(spec.existing.kubeconfig_env, f"placements.{at}.existing.kubeconfig_env"),
            )
            continue
        machines = join_sentences(_machines(spec, f"placements.{at}"))
        yield compose(
            "Open the account at {} in {} and have its quota raised for {}; atoll preflight says what is missing.",
            provider,
            region,
            machines,
        )
        yield from _purchases(spec, f"placements.{at}", catalog)


def _machines(spec: ClusterSpec, place: str) -> Iterator[Sentence]:
    paths: dict[str, list[int]] = {}
    for number, pool in enumerate(spec.pools):
        paths.setdefault(pool.machine, []).append(number)
    for machine, numbers in paths.items():
        counts = [of_lock(spec.pools[each].max_nodes, f"{place}.pools.{each}.max_nodes") for each in numbers]
        most = sum(spec.pools[each].max_nodes for each in numbers)
        count = counts[0] if len(counts) == 1 else derive_figure(most, "sum over the pools of this machine", *counts)
        yield say(count, " of ", of_lock(machine, f"{place}.pools.{numbers[0]}.machine"))


def _purchases(spec: ClusterSpec, place: str, catalog: Catalog) -> Iterator[Sentence]:
    """Terms that somebody has to buy: the program runs the nodes, whatever they are paid by."""
    for number, pool in enumerate(spec.pools):
        if pool.kind != "reserved" or not pool.min_nodes:
            continue
        path = f"{place}.pools.{number}"
        term = catalog.find_term(provider=spec.placement.provider, purchase=pool.purchase)
        price_alone = term is not None and term.holds == "no"
        yield compose(
            "Buy {} for {} of {}: the program does not{}",
            of_lock(pool.purchase, f"{path}.purchase"),
            of_lock(pool.min_nodes, f"{path}.min_nodes"),
            of_lock(pool.machine, f"{path}.machine"),
            ", and until then the price is that on demand." if price_alone else ", and until then nothing is reserved.",
        )


def _network(lock: Lock) -> Iterator[Sentence]:
    network = lock.spec.network
    if network.peering is not None:
        yield compose(
            "Accept the peering with {} and give its route tables the way back to {}.",
            of_lock(network.peering.vpc_id, "placements.0.network.peering.vpc_id"),
            of_lock(str(network.cidr), "placements.0.network.cidr"),
        )
    if network.link is not None:
        yield compose(
            "Let the range {} through the firewall of {}.",
            of_lock(str(network.cidr), "placements.0.network.cidr"),
            of_lock(network.link.vpc_id, "placements.0.network.link.vpc_id"),
        )
    if network.domain:
        yield compose(
            "Delegate the zone {} to the cluster's name servers.",
            of_lock(network.domain, "placements.0.network.domain"),
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
        yield say("Send the public SSH keys of ", join_sentences(keyless), ": without one there is no way to a node.")


def _secrets(lock: Lock) -> Iterator[Sentence]:
    sso = lock.spec.access.sso
    if sso is not None:
        yield compose(
            "Register Atoll at your identity provider under {} and give its secret to pulumi config set"
            " --secret, never to a file.",
            of_lock(sso.client_id, "placements.0.access.sso.client_id"),
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
USERS: Final = "placements.0.access.users"
COUNTED: Final = "days of this step and of all before it"
DATED: Final = "the start, and the days of this step and of all before it"
HANDED: Final = (
    "Each gets a folder of their own that nobody else can read, over a way that only they can open; it is never put"
    " into a repository, a ticket or a chat. Whoever loses something says so at once: it is made anew within minutes."
)


def document(lock: Lock, checklist: Checklist, catalog: Catalog) -> Document:
    return Document(
        title=say("Onboarding of ", of_lock(lock.spec.customer.name, "placements.0.customer.name")),
        subtitle=compose(
            "Stack {}, option {}, priced at {}",
            of_lock(lock.stack, "stack"),
            of_lock(lock.option, "option"),
            of_lock(lock.priced_at, "priced_at"),
        ),
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
    yield Bullets(duties(lock, checklist, catalog), boxes=True)
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
    before, mark, rest = words.partition("{stack}")
    return say(before, of_lock(lock.stack, "stack"), rest) if mark else say(before)


def _render_changes(lock: Lock, checklist: Checklist) -> Sentence:
    before = {user.name for user in lock.spec.access.users}
    now = {user.name for user in checklist.access.users}
    new = [
        say(of_checklist(user.name, f"access.users.{at}.name"))
        for at, user in enumerate(checklist.access.users)
        if user.name not in before
    ]
    gone = [
        say(of_lock(user.name, f"{USERS}.{at}.name"))
        for at, user in enumerate(lock.spec.access.users)
        if user.name not in now
    ]
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
            (
                say(of_lock(user.name, f"{USERS}.{at}.name")),
                say(user.group),
                join_sentences([say(OWN_WAYS[way]) for way in ways]),
            )
            for at, user in enumerate(spec.access.users)
        ],
    )
    beside = [
        say(of_lock(each.placement.name, f"placements.{at}.placement.name"))
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
    yield Table.of(
        ("for", "who", "mail", "telephone"),
        [
            (
                say(ROLES[each.role]),
                say(of_checklist(each.name, f"{path}.name")),
                say(of_checklist(each.email, f"{path}.email")),
                say(of_checklist(each.phone, f"{path}.phone")) if each.phone else say("not given"),
            )
            for at, each in enumerate(found)
            for path in (f"agreement.contacts.{at}",)
        ],
    )
