"""`atoll catalog refresh`: new prices from where providers publish them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from catalogs.catalog import ROOT, load
from catalogs.files import UnreadableFileError, read_content
from catalogs.refreshed.layers import SETTING, layers_of
from cli.terminal import options
from cli.terminal.console import note
from cli.terminal.options import deliver
from operations.project.signals import until_stopped
from planning.values.errors import InputError

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.refreshed.layers import CatalogLayers
    from operations.price_refresh.collection import RefreshScope

Form = TypeVar("Form")

NOTHING_GIVEN: Final = 3
MOST_BYTES: Final = 64 << 20  # of a document of ours

Providers = Annotated[
    list[str] | None,
    typer.Option("--provider", metavar="NAME", help="Only this provider; may be given several times."),
]
Regions = Annotated[
    list[str] | None,
    typer.Option("--region", metavar="NAME", help="Only this region; may be given several times."),
]
Services = Annotated[bool, typer.Option("--services", help="Only disks, addresses, traffic and other services.")]
Machines = Annotated[bool, typer.Option("--machines", help="Only machines.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing.")]
Accept = Annotated[bool, typer.Option("--accept", help="Take prices that moved by more than 25%, too.")]
FromFile = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="FILE",
        help="Take the prices of this file, with the columns of prices.csv, instead of asking.",
        show_default=False,
    ),
]


def refresh_prices(
    *,
    provider: Providers = None,
    region: Regions = None,
    services: Services = False,
    machines: Machines = False,
    dry_run: DryRun = False,
    accept: Accept = False,
    from_file: FromFile = "",
    today: options.Today = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Get today's prices from where providers publish them, and write those that pass every check.

    Exit code 3 where a provider that was asked gave nothing.
    """
    from cli.views.refresh import refresh_parts  # noqa: PLC0415 - the readers bring a library of requests
    from operations.price_refresh.refresh import RefreshOrder, refresh_catalog  # noqa: PLC0415
    from operations.price_refresh.report import RefreshReport  # noqa: PLC0415

    layers = layers_of(ROOT)
    _refuse_package(layers)
    before = load(layers=layers)
    order = RefreshOrder(
        scope=_scope(before, provider or [], region or [], services=services, machines=machines),
        file=Path(from_file) if from_file else None,
        accept=accept,
        dry_run=dry_run,
    )
    day = options.day(today)

    def work() -> int:
        outcome = refresh_catalog(order, layers=layers, today=day, environment=os.environ, tell=note)
        report = RefreshReport(outcome)
        form = report.form()
        deliver(form, as_json=as_json, output=output, parts=lambda: refresh_parts(form))
        return NOTHING_GIVEN if report.without_answer() else 0

    return until_stopped(work, told=lambda: note(_say_state(layers, before)))


def describe_refresh(
    refresh: Annotated[str, typer.Argument(metavar="REFRESH.json", show_default=False)],
    *,
    diff: Annotated[
        str, typer.Option("--diff", metavar="DIFF.json", help="What atoll diff says of it.", show_default=False)
    ] = "",
) -> int:
    """The text of a pull request with new prices: what each accepted stack costs now, and what moved."""
    from cli.pages.price_news import text  # noqa: PLC0415 - as above
    from operations.price_refresh.report import RefreshForm  # noqa: PLC0415 - as above
    from planning.diff.form import DiffForm  # noqa: PLC0415 - as above

    told = text(_read_form(refresh, RefreshForm), _read_form(diff, DiffForm) if diff else None)
    sys.stdout.write(told)
    return 0


def _read_form(path: str, kind: type[Form]) -> Form:
    """A document that one of our commands wrote.

    Raises:
        InputError: it is none of that kind.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - as above

    try:
        return TypeAdapter(kind).validate_json(read_content(Path(path), most_bytes=MOST_BYTES))
    except UnreadableFileError as error:
        raise InputError(f"{path}: {error.reason}", hint=error.hint) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{path} is no such document: {place or 'the whole'}: {first['msg']}") from error


def _say_state(layers: CatalogLayers, before: Catalog) -> str:
    """Which catalog a run that was stopped has left."""
    new = load(layers=layers).prices.digest != before.prices.digest
    return f"stopped; the catalog on disk is the {'new' if new else 'old'} one, whole"


def _refuse_package(layers: CatalogLayers) -> None:
    """The catalog of an installed package is not ours to write: its next release would undo it."""
    if layers.renewed is None and not (ROOT.parent / "pyproject.toml").is_file():
        raise InputError(
            "the catalog of an installed Atoll is not written", hint=f"name a folder for renewed prices in {SETTING}"
        )


def _scope(
    catalog: Catalog, providers: list[str], regions: list[str], *, services: bool, machines: bool
) -> RefreshScope:
    """What is asked for, once every name is known.

    Raises:
        typer.BadParameter: a name that the catalog does not have.
    """
    from operations.price_refresh.collection import RefreshScope  # noqa: PLC0415 - as above
    from operations.price_refresh.model import SectionKind  # noqa: PLC0415 - as above

    for name in providers:
        if name not in catalog.providers:
            known = ", ".join(sorted(catalog.providers))
            raise typer.BadParameter(f"{name!r} is none of {known}", param_hint="--provider")
    for name in regions:
        owners = {owner for owner, known in catalog.regions if known == name}
        if not owners & (set(providers) or owners):
            whose = f" of {', '.join(providers)}" if providers else ""
            raise typer.BadParameter(f"{name!r} is no region{whose} in the catalog", param_hint="--region")
    asked = {SectionKind.SERVICES: services, SectionKind.MACHINES: machines}
    kinds = frozenset(kind for kind, wanted in asked.items() if wanted) or frozenset(SectionKind)
    return RefreshScope(providers=tuple(providers), regions=tuple(regions), kinds=kinds)
