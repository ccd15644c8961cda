"""Tables of facts in catalogs/ that are no price book: YAML as typed values, CSV as rows.

CSV files lie in a folder of their own: those beside the prices are part of a price book's digest.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final, TypeVar

import yaml
from pydantic import TypeAdapter

import catalogs
from planning.inputs.yaml_nodes import LOADER

FOLDER: Final = Path(catalogs.__file__).parent
Table = TypeVar("Table")


def read_table(name: str, shape: type[Table]) -> Table:
    """A file of catalogs/ as a value of a type.

    Raises:
        ValidationError: an entry does not fit the type, or has a field that the type has not.
    """
    found: object = yaml.load((FOLDER / name).read_text("utf-8"), Loader=LOADER)  # noqa: S506 - the safe loader
    return TypeAdapter(shape).validate_python(found)


def read_rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
