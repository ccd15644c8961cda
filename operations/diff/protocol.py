"""What `operations.diff.worker` is asked and what it answers: the contract between a comparison and its two trees."""

from __future__ import annotations

import stat
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired, cast

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from operations.plans.plan_form import ResourceForm  # noqa: TC001 - as below
from planning.costs.json_shapes import BillForm  # noqa: TC001 - pydantic reads it at run time
from planning.costs.resources.formats.file import read_plan
from planning.diff.form import ExemptionForm, FoundForm  # noqa: TC001 - as above
from planning.inputs.files import read_object
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from planning.costs.resources.resource import Resource


REGISTER: Final = "register"
JUDGE: Final = "judge"
PRICE: Final = "price"
READY: Final = "ready"
STARTED: Final = "started"
DONE: Final = "done"


class CaseForm(TypedDict):
    """One stack that a side is asked about."""

    stack: str
    answer: str
    """File that the answer is written to."""
    resources: str
    """File with a `RegisteredForm`; "" where the program is to be run."""
    lock: str
    """Text of the lock."""
    before: str
    """Text of the lock before the change, whose ceilings bind; "" where there was none, or for the base itself."""
    settings: str
    """Pulumi.<stack>.yaml, which need not be there."""


class RequestForm(TypedDict):
    ask: Literal["register", "judge", "price"]
    today: str
    deadline_s: float
    cases: list[CaseForm]


class BookForm(TypedDict):
    prices: str
    prices_digest: str
    prices_as_of: str | None


class RegisteredForm(TypedDict):
    failure: str
    """"" where it ran."""
    resources: list[ResourceForm]


class PricedForm(TypedDict):
    failure: str
    bill: NotRequired[BillForm]
    book: NotRequired[BookForm]


class CeilingsForm(TypedDict):
    usd_per_month: str | None
    usd_per_contract: str | None
    usd_per_gpu_hour: str | None
    binds: str


class JudgedAnswerForm(PricedForm):
    found: NotRequired[list[FoundForm]]
    codes: NotRequired[list[int]]
    """Exit code that each of `found` leads to where it stops."""
    exemptions: NotRequired[list[ExemptionForm]]
    verdict: NotRequired[Literal["within", "over", "undetermined"]]
    reason: NotRequired[str]
    exit_code: NotRequired[int]
    notes: NotRequired[list[str]]
    ceilings: NotRequired[CeilingsForm]
    """Those of the lock itself, whichever bind."""


LARGEST_BYTES: Final = 256 * 2**20
UNREADABLE: Final = "its answer is none that this Atoll reads; compare with the Atoll of the base"


def failure(path: Path) -> str:
    """Why there is no answer; "" where there is one."""
    found = load_object(path)
    said = found.get("failure") if found is not None else None
    return said if isinstance(said, str) else UNREADABLE


def resources(path: Path | None) -> tuple[Resource, ...]:
    """What a program registered; nothing where it failed."""
    found = _valid(path, RegisteredForm)
    return read_plan(cast("dict[str, object]", found)).new if found and "resources" in found else ()


def read_policy_answer(path: Path | None) -> JudgedAnswerForm:
    """What the rules said, or why they said nothing."""
    found = _valid(path, JudgedAnswerForm)
    if found is None:
        return {"failure": UNREADABLE if path else ""}
    answer = cast("JudgedAnswerForm", found)
    complete = not answer["failure"] and {"bill", "book", "found", "codes", "exemptions", "verdict"} <= answer.keys()
    return answer if complete or answer["failure"] else {"failure": UNREADABLE}


def read_price_answer(path: Path | None) -> PricedForm:
    """The cost of the resources, or why it is not known."""
    found = _valid(path, PricedForm)
    return cast("PricedForm", found) if found else {"failure": UNREADABLE if path else ""}


def _valid(path: Path | None, shape: type) -> dict[str, Any] | None:
    found = load_object(path) if path else None
    if found is None:
        return None
    if found.get("failure"):
        return {"failure": str(found["failure"])}
    try:
        return cast("dict[str, Any]", _adapter(shape).validate_python(found))
    except ValidationError:
        return None


@cache
def _adapter(shape: type) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def load_object(path: Path) -> dict[str, object] | None:
    """A JSON object in a file of its own; None where it is no such file, or too large."""
    try:
        there = path.lstat()
        # A program of the tree wrote it: a link, a pipe or a file without an end must not reach us.
        if not stat.S_ISREG(there.st_mode) or there.st_size > LARGEST_BYTES:
            return None
        return read_object(path, most_bytes=LARGEST_BYTES)
    except (OSError, InputError):
        return None
