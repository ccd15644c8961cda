"""What `operations.diff.worker` is asked and what it answers: the contract between a comparison and its two trees."""

from __future__ import annotations

from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

from operations.plans.plan_form import ResourceForm  # noqa: TC001 - as above
from planning.costs.json_shapes import BillForm  # noqa: TC001 - pydantic reads it at run time
from planning.diff.policy_form import ExemptionForm, FoundForm  # noqa: TC001 - as above

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
    """What a side reads from stdin."""

    ask: Literal["register", "judge", "price"]
    today: str
    deadline_s: float
    cases: list[CaseForm]


class BookForm(TypedDict):
    """The price book of a tree."""

    prices: str
    prices_digest: str
    prices_as_of: str | None


class RegisteredForm(TypedDict):
    """What the program of one stack registers."""

    failure: str
    """"" where it ran."""
    resources: list[ResourceForm]


class PricedForm(TypedDict):
    """What the resources cost."""

    failure: str
    bill: NotRequired[BillForm]
    book: NotRequired[BookForm]


class CeilingsForm(TypedDict):
    """The limits of a lock."""

    usd_per_month: str | None
    usd_per_contract: str | None
    usd_per_gpu_hour: str | None
    binds: str


class JudgedAnswerForm(PricedForm):
    """What the rules say of them."""

    found: NotRequired[list[FoundForm]]
    codes: NotRequired[list[int]]
    """Exit code that each of `found` leads to where it stops."""
    exemptions: NotRequired[list[ExemptionForm]]
    verdict: NotRequired[Literal["within", "over", "cannot tell"]]
    reason: NotRequired[str]
    exit_code: NotRequired[int]
    notes: NotRequired[list[str]]
    ceilings: NotRequired[CeilingsForm]
    """Those of the lock itself, whichever bind."""
