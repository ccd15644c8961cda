"""Reads the software catalog: small files, read without the price book."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.software.model import Download, HeldIn, Image, SoftwareComponent, TestedVersion

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).parent
RELEASE: Final = "26.03.1"  # the tuple that this version of Atoll installs; its rows are in releases.csv


def _image(row: Mapping[str, str]) -> Image:
    """A row of images.csv; where it does not say who holds the name, its keys do."""
    held_in = row["held_in"] or (HeldIn.VALUES if row["repository_key"] else HeldIn.PROGRAM)
    return parsing.build_fact(Image, {**row, "held_in": held_in})


@cache
def software() -> Mapping[str, SoftwareComponent]:
    """Every row by name: platform components, and what stands beneath it.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.name: each for each in parsing.read_facts(ROOT / "parts.csv", SoftwareComponent)}


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
    return tuple(parsing.read_facts(ROOT / "downloads.csv", Download))


@cache
def read_tested_versions() -> tuple[TestedVersion, ...]:
    """Every row of every tested tuple.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_facts(ROOT / "releases.csv", TestedVersion))
