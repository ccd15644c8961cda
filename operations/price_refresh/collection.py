"""Every reader that serves what was asked for, one after the other; one that fails keeps no other from its turn."""

from __future__ import annotations

import csv
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from operations.price_refresh.model import PriceReadError, PriceRequest, PriceSection, SectionKind, SilentSection
from operations.price_refresh.registry import address_of, missing_key, reader_entries, reader_of
from operations.project.http import HttpError, HttpSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date

    from catalogs.catalog import Catalog
    from operations.price_refresh.model import ReaderEntry

CHANGED: Final = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    csv.Error,
    zipfile.BadZipFile,
    zlib.error,
)
SHOWN: Final = 80  # characters of what such an error says
SECONDS: Final = 60.0  # for a connection and for each read: a page of 1,000 rows takes some of them


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshScope:
    """What is to be refreshed.

    Args:
        providers: all that a reader serves where none is named.
        regions: all of a provider where none is named.
    """

    providers: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    kinds: frozenset[SectionKind] = frozenset(SectionKind)


@dataclass(slots=True)
class CollectedPrices:
    """What the readers gave, with the rank of each reader, and where they gave nothing."""

    sections: list[tuple[int, PriceSection]] = field(default_factory=list[tuple[int, PriceSection]])
    silent: list[SilentSection] = field(default_factory=list[SilentSection])


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceCollection:
    """Asks the readers.

    Args:
        environment: holds keys, and addresses of mirrors.
        tell: says what is being read.
    """

    catalog: Catalog
    today: date
    environment: Mapping[str, str]
    tell: Callable[[str], None]
    make_session: Callable[[], HttpSession] = lambda: HttpSession(seconds=SECONDS)

    def collect(self, scope: RefreshScope) -> CollectedPrices:
        """The answers of all readers that serve the scope."""
        found = CollectedPrices()
        served: set[tuple[str, SectionKind]] = set()
        for entry in reader_entries():
            for provider in entry.providers:
                kinds = scope.kinds & frozenset(entry.kinds)
                if not kinds or (scope.providers and provider not in scope.providers):
                    continue
                served |= {(provider, kind) for kind in kinds}
                self._ask(entry, provider, kinds, scope, found)
        for provider in scope.providers:
            for kind in sorted(scope.kinds):
                if (provider, kind) not in served:
                    reason = "no reader knows a public price list of it: fill a file and give it with --from"
                    found.silent.append(SilentSection(provider=provider, region="", kind=kind, reason=reason))
        return found

    def _ask(
        self,
        entry: ReaderEntry,
        provider: str,
        kinds: frozenset[SectionKind],
        scope: RefreshScope,
        found: CollectedPrices,
    ) -> None:
        regions = tuple(name for owner, name in self.catalog.regions if owner == provider)
        wanted = tuple(name for name in regions if name in scope.regions) if scope.regions else regions
        missing = missing_key(entry, self.environment)
        with self.make_session() as session:
            request = PriceRequest(
                provider=provider,
                regions=wanted,
                kinds=kinds,
                address=address_of(entry, self.environment),
                today=self.today,
                catalog=self.catalog,
                session=session,
                keys={name: self.environment[name] for name in entry.keys if self.environment.get(name)},
                tell=self.tell,
            )
            if missing:
                found.silent += request.all_silent(f"no key in {missing} for the {entry.title}", keyless=True)
                return
            if not wanted:
                return
            self.tell(f"{entry.title}: {provider}")
            for answer in _read(entry, request):
                if isinstance(answer, SilentSection):
                    found.silent.append(answer)
                elif answer.region in (*wanted, "*"):
                    found.sections.append((entry.rank, answer))


def _read(entry: ReaderEntry, request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """What a reader yields; where it fails, one silent section for each half says why."""
    try:
        yield from reader_of(entry).read(request)
    except (PriceReadError, HttpError) as error:
        yield from request.all_silent(f"{entry.title}: {error}")
    except CHANGED as error:  # what a hostile or a changed source answers is not foreseen field by field
        told = f"{type(error).__name__} {str(error)[:SHOWN]}".strip()
        yield from request.all_silent(f"{entry.title} has changed its form ({told})")
