"""Tables of facts in YAML, which catalogs/ holds beside its CSV files, as typed values."""

from __future__ import annotations

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
