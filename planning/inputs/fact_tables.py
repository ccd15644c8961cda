"""Tables of facts in catalogs/ that are no price book: YAML as typed values, CSV as rows.

CSV files lie in a folder of their own: those beside the prices are part of a price book's digest.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter

import catalogs

FOLDER: Final = Path(catalogs.__file__).parent
Table = TypeVar("Table")


def read_table(name: str, shape: type[Table]) -> Table:
    """A file of catalogs/ as a value of a type.

    Raises:
        ValidationError: an entry does not fit the type, or has a field that the type has not.
    """
    # Imported here: a price takes off CSV tables only, and the parser of YAML is a twelfth of its start.
    import yaml  # noqa: PLC0415 - as the comment says

    from planning.inputs.yaml_nodes import LOADER  # noqa: PLC0415 - as above

    found: object = yaml.load((FOLDER / name).read_text("utf-8"), Loader=LOADER)  # noqa: S506 - the safe loader
    return TypeAdapter(shape).validate_python(found)


def read_rows(name: str | Path) -> list[dict[str, str]]:
    """The rows of a CSV file of catalogs/, or of one that stands beside the module that reads it, by its whole path."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
