"""What was counted and decided for a plan, as a file says it: sizes, rates, terms. Every field may be left out."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Final, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from planning.checklist.model.units import GigabitsPerS, parse_count, parse_gigabytes
from planning.inputs.yaml_document import read_fields
from planning.relocation.inventory.features import Feature
from planning.values.errors import Fault, InputError, counted

if TYPE_CHECKING:
    from pathlib import Path

# Of what was counted there may be nothing, unlike in a checklist.
Gigabytes = Annotated[Decimal, BeforeValidator(parse_gigabytes), Field(ge=0)]
Count = Annotated[Decimal, BeforeValidator(parse_count), Field(ge=0)]
_BY_VALUE: Final = {each.value: each for each in Feature}


def _features(given: object) -> object:
    """Names of features as the loss matrix writes them: "tags", "user metadata"."""
    if not isinstance(given, dict):
        return given
    named = cast("dict[object, object]", given)
    unknown = [str(each) for each in named if each not in _BY_VALUE]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not known; there are: {', '.join(_BY_VALUE)}")
    return {_BY_VALUE[cast("str", each)]: count for each, count in named.items()}


class Strict(BaseModel):
    """A frozen part that knows no field but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Counted(Strict):
    """One thing."""

    size: Gigabytes | None = None
    """All of it, without older versions."""
    objects: Count | None = None
    """Objects, files or rows."""
    change_per_day: Gigabytes | None = None
    """Written a day while it is in use."""
    versions: Count | None = None
    """Older versions."""
    uses: Annotated[dict[Feature, int], BeforeValidator(_features)] | None = None
    """How many objects have what; a feature that is missing was not looked at."""
    counted: str = "the plan's file"
    """Where and when."""


class RatesSaid(Strict):
    """How fast things go."""

    bandwidth: GigabitsPerS | None = None
    """All transfers together."""
    objects_per_s: Decimal | None = Field(default=None, gt=0)
    """Small objects a second."""
    dump_mib_per_s: Decimal | None = Field(default=None, gt=0)
    """Databases, dumped, carried and restored."""
    verify_mib_per_s: Decimal | None = Field(default=None, gt=0)
    """Read and hashed on one side."""
    listed_per_s: Decimal | None = Field(default=None, gt=0)
    """Keys listed a second."""
    measured: bool = False
    """Whether somebody measured them on this way."""
    note: str = ""
    """Where and when."""


class TermsSaid(Strict):
    """What was decided."""

    commit_on: date | None = None
    overlap_days: Decimal | None = Field(default=None, ge=0)
    """How long the target stands beside the source before the commit."""
    retain_days: int | None = Field(default=None, ge=1)
    rounds: int = Field(default=3, ge=0)
    window_minutes: int | None = Field(default=None, ge=1)
    observe_minutes: int | None = Field(default=None, ge=0)
    smoke_seconds: int | None = Field(default=None, ge=0)
    rewrite_seconds: int | None = Field(default=None, ge=0)
    commitments: dict[str, date] = {}
    """Pool of the source to the day on which its term began."""


class MeasuredFile(Strict):
    """The whole file."""

    things: dict[str, Counted] = {}
    """By the keys of the plan's inventory."""
    leave_out: tuple[str, ...] = ()
    """Keys of what stays behind although it could be moved."""
    rates: RatesSaid = RatesSaid()
    terms: TermsSaid = TermsSaid()


def read_measured(path: Path) -> MeasuredFile:
    """The file.

    Raises:
        InputError: it cannot be read, or with every fault in it.
    """
    fields = read_fields(path, hint="it is a page of text")
    try:
        return MeasuredFile.model_validate(fields)
    except ValidationError as error:
        faults = [
            Fault(message=f"{'.'.join(map(str, each['loc']))}: {each['msg']}", file=str(path))
            for each in error.errors(include_url=False)
        ]
        raise InputError(f"{path}: {counted(faults)}", faults=faults) from error
