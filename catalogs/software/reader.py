"""Reads the software catalog: small files, read without the price book."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.software.model import Download, HeldIn, Image, InstallationKind, SoftwareComponent, TestedVersion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.parsing import Row

ROOT: Final = Path(__file__).parent
RELEASE: Final = "26.03.1"  # the tuple that this version of Atoll installs; its rows are in releases.csv


def _part(row: Row) -> SoftwareComponent:
    return SoftwareComponent(
        name=row["name"],
        title=row["title"],
        kind=InstallationKind(row["kind"]),
        chart=row["chart"],
        repository=row["repository"],
        version=row["version"],
        app_version=row["app_version"],
        ref=row["ref"],
        namespace=row["namespace"],
        licence=row["licence"],
        sizes=tuple(row["sizes"].split()),
        cpu_millicores=int(row["cpu_millicores"]),
        memory_mib=int(row["memory_mib"]),
        disk_gb=int(row["disk_gb"]),
        needs=tuple(row["needs"].split()),
        forbidden_by=row["forbidden_by"],
        built_by=row["built_by"],
        owns=tuple(row["owns"].split()),
        reference=row["reference"],
        note=row["note"],
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )


def _image(row: Row) -> Image:
    """A row of images.csv; where it does not say who holds the name, its keys do."""
    keys = {column: text for column, text in row.items() if column != "held_in"}
    held_in = row["held_in"] or (HeldIn.VALUES if row["repository_key"] else HeldIn.PROGRAM)
    return Image(**keys, held_in=HeldIn(held_in))


@cache
def software() -> Mapping[str, SoftwareComponent]:
    """Every row by name: parts of the platform, and what stands beneath it.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.name: each for each in parsing.read_rows(ROOT / "parts.csv", _part)}


@cache
def parts() -> Mapping[str, SoftwareComponent]:
    """Every part of the platform by name, in the order in which they are installed.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {name: part for name, part in software().items() if not part.built_by}


@cache
def images() -> tuple[Image, ...]:
    """Every image of every part.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / "images.csv", _image))


def images_of(part: str) -> tuple[Image, ...]:
    return tuple(each for each in images() if each.part == part)


@cache
def downloads() -> tuple[Download, ...]:
    """Everything that manifests fetch while they are built.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / "downloads.csv", lambda row: Download(**row)))


@cache
def read_tested_versions() -> tuple[TestedVersion, ...]:
    """Every row of every tested tuple.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / "releases.csv", lambda row: TestedVersion(**row)))
