"""What a cloud says about a stack: one table from target to the module that asks it, imported once it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from planning.checklist.model.vocabulary import HOME
from planning.cloud_checks.cloud_reports import CloudReport, UnknownFact
from planning.cloud_checks.orphans import Orphan, OrphanReport, Unanswered, classify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from catalogs.catalog import Catalog
    from planning.cloud_checks.orphans import Use
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

    Answer = TypeVar("Answer")

MODULES: Final[Mapping[str, str]] = {
    "aws": "operations.clouds.aws.placement",
    "gcp": "operations.clouds.gcp.placement",
    "coreweave": "operations.clouds.kubernetes.placement",
    "existing": "operations.clouds.kubernetes.placement",
}
NOT_BUILT: Final = "Atoll builds no clusters there, so the provider was not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a cloud is asked about.

    Args:
        spec: one placement of the stack.
        reservations: pool name to reservation id.
        config: the stack's configuration by full key ("gcp:project").
    """

    stack: str
    spec: ClusterSpec
    reservations: Mapping[str, str]
    config: Mapping[str, str]

    @property
    def cluster(self) -> str:
        """Name of the cluster in its cloud, as `components.context.naming.build_physical_name` makes it."""
        name = self.spec.placement.name
        return f"atoll-{self.stack}" if name == HOME else f"atoll-{self.stack}-{name}"

    def build_orphan(
        self,
        *,
        kind: str,
        id_: str,
        status: str = "",
        uses: tuple[Use, ...] = (),
        free: str = "",
        kept: str = "",
        note: str = "",
    ) -> Orphan:
        """Something of the placement that is there; the words are those of `planning.cloud_checks.orphans.Orphan`."""
        place = self.spec.placement
        return Orphan(
            kind=kind,
            id=id_,
            provider=place.provider,
            region=place.region,
            placement=place.name,
            status=status,
            uses=uses,
            free=free,
            kept=kept,
            note=note,
        )

    def build_unanswered(self, what: str, reason: str) -> Unanswered:
        return Unanswered(placement=self.spec.placement.name, what=what, reason=reason)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, and what could not be asked."""

    found: tuple[Orphan, ...]
    unanswered: tuple[Unanswered, ...]


@dataclass(frozen=True, slots=True)
class Refusals:
    """Errors by which an SDK says that its cloud did not answer, and the words for one."""

    errors: tuple[type[Exception], ...]
    explain: Callable[[Exception], str]

    def attempt(self, ask: Callable[[], Answer]) -> Answer | UnknownFact:
        """The answer; where it is refused, the reason why it is not known."""
        try:
            return ask()
        except self.errors as error:
            return UnknownFact(self.explain(error))

    def search(self, asked: Asked, looks: Mapping[str, Callable[[], Iterable[Orphan]]]) -> Search:
        """What every look has found, and what could not be asked."""
        found: list[Orphan] = []
        unanswered: list[Unanswered] = []
        for what, look in looks.items():
            try:
                found += look()
            except self.errors as error:
                # One look that is refused hides no other.
                unanswered.append(asked.build_unanswered(what, self.explain(error)))
        return Search(tuple(found), tuple(unanswered))


class Cloud(Protocol):
    """What the module of a cloud offers; neither function raises for an answer that is refused or missing."""

    def read_capacity(self, asked: Asked) -> CloudReport:
        """Quotas, offers and reservations."""
        ...

    def search(self, asked: Asked) -> Search:
        """Everything that is still there."""
        ...


def cloud_of(target: str) -> Cloud | None:
    """The module that asks a target, its SDK imported now; None for what nothing of ours builds."""
    name = MODULES.get(target)
    # Imported now: three SDKs take longer to load than most commands to run.
    return None if name is None else cast("Cloud", cast("object", import_module(name)))


def read_report(asked: Asked) -> CloudReport:
    cloud = cloud_of(asked.spec.placement.target)
    return CloudReport(silence=NOT_BUILT) if cloud is None else cloud.read_capacity(asked)


def search_of(asked: Asked) -> Search:
    """What the cloud of a placement still has."""
    cloud = cloud_of(asked.spec.placement.target)
    if cloud is not None:
        return cloud.search(asked)
    return Search((), (asked.build_unanswered(asked.spec.placement.provider, NOT_BUILT),))


def leftovers_of(lock: Lock, *, catalog: Catalog, config: Mapping[str, str] | None = None) -> OrphanReport:
    """Everything that the clouds of an accepted stack still have of it, priced by the catalog.

    Args:
        config: the stack's configuration by full key.
    """
    asked = (Asked(stack=lock.stack, spec=spec, reservations={}, config=config or {}) for spec in lock.placements)
    searches = tuple(search_of(each) for each in asked)
    return classify(
        lock.stack,
        (found for each in searches for found in each.found),
        unanswered=(each for search in searches for each in search.unanswered),
        catalog_prices=catalog.prices,
    )
