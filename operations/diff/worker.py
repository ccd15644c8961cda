"""One side of a comparison, asked in its own tree: a JSON request on stdin, a line on stdout for each stack answered.

`python -P -m operations.diff.worker`, with the tree alone on PYTHONPATH: programs, catalogs, rules and law are those of
the tree. The answers go into files that the request names; `operations.diff.protocol` says what is in them.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, cast

from catalogs.model import CatalogError
from operations.diff.protocol import DONE, JUDGE, PRICE, READY, REGISTER, STARTED
from planning.ceilings.verdict import judge
from planning.costs.json_shapes import bill_form
from planning.costs.resources.formats.file import read_plan
from planning.spec.lock import parse, refuse_other_stack
from planning.values.errors import AtollError, InputError, UndeterminedError, in_one_line
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalogs.catalog import Catalog
    from operations.diff.protocol import (
        BookForm,
        CaseForm,
        CeilingsForm,
        JudgedAnswerForm,
        PricedForm,
        RegisteredForm,
        RequestForm,
    )
    from operations.plans.plan_form import ResourceForm
    from planning.costs.bill import Bill
    from planning.costs.resources.resource import Resource
    from planning.spec.lock import Lock
    from policies.evaluation import PolicyReport
    from policies.stack_context import RuleCatalog, StackContext

ROOT: Final = Path(__file__).resolve().parents[2]
STACKS: Final = ROOT / "stacks"


def main() -> None:
    """Answer the request on stdin, and end at once, also where threads of a program still run."""
    told = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a program prints is no answer
    request = cast("RequestForm", json.load(sys.stdin))
    _tell(told, READY)
    for case in request["cases"]:
        _tell(told, STARTED)
        answer = _answer_case(request, case)
        Path(case["answer"]).write_text(json.dumps(answer), encoding="utf-8")
        _tell(told, DONE)
        if _hangs(case["stack"]):
            break
    os._exit(0)


def _tell(told: TextIO, line: str) -> None:
    told.write(f"{line}\n")
    told.flush()


def _hangs(stack: str) -> bool:
    """Whether a program did not end."""
    # A program that did not end may still change what others share: no other can be trusted in this process.
    return any(thread.name == f"offline-{stack}" for thread in threading.enumerate())


def _answer_case(request: RequestForm, case: CaseForm) -> Mapping[str, object]:
    """The answer for one stack; a failure in words where there is none."""
    try:
        return _ANSWERS[request["ask"]](request, case)
    except AtollError as error:
        return {"failure": in_one_line(error)}
    except CatalogError as error:
        return {"failure": str(error)}
    except Exception as error:  # noqa: BLE001 - one stack's fault must not hide the others
        return {"failure": f"{type(error).__name__}: {error}"}


def _answer_resources(request: RequestForm, case: CaseForm) -> RegisteredForm:
    """What the program registers, as `atoll plan --json` writes it."""
    from operations.offline.plan_json import to_json  # noqa: PLC0415 - Pulumi is imported where a program is run
    from operations.offline.program import run  # noqa: PLC0415 - as above

    found = run(case["stack"], root=ROOT, deadline_s=request["deadline_s"])
    return {"failure": "", "resources": cast("list[ResourceForm]", to_json(found.resources))}


def _answer_prices(request: RequestForm, case: CaseForm) -> PricedForm:
    """What the resources cost by the catalogs of this tree."""
    subject = _subject(request, case)
    return {"failure": "", "bill": bill_form(subject.bill), "book": _book(_catalog())}


def _answer_policies(request: RequestForm, case: CaseForm) -> JudgedAnswerForm:
    """What the rules of this tree say of the resources."""
    from policies.evaluation import (  # noqa: PLC0415 - with the rules
        build_finding_forms,
        evaluate_rules,
        exemption_forms,
    )
    from policies.table import RULES  # noqa: PLC0415 - as above

    before, notes = _before(case)
    subject = _subject(request, case, before=before)
    report = evaluate_rules(subject, RULES)
    return {
        "failure": "",
        "bill": bill_form(subject.bill),
        "book": _book(_catalog()),
        "found": build_finding_forms(report),
        "codes": _codes(report),
        "exemptions": exemption_forms(report),
        "verdict": report.verdict.value,
        "reason": _reason(subject, report),
        "exit_code": report.exit_code,
        "notes": notes,
        "ceilings": cast("CeilingsForm", subject.lock.ceiling.model_dump(mode="json")),
    }


_ANSWERS: Final[Mapping[str, Callable[[RequestForm, CaseForm], Mapping[str, object]]]] = {
    REGISTER: _answer_resources,
    PRICE: _answer_prices,
    JUDGE: _answer_policies,
}


def _before(case: CaseForm) -> tuple[Lock | None, list[str]]:
    """The lock whose ceilings bind, and what is to be said where there is none that can be read."""
    if not case["before"]:
        return None, []
    try:
        return parse(case["before"], file="the base's lock"), []
    except InputError as error:
        return None, [f"{in_one_line(error)}; the ceilings of the head's own lock were used"]


def _subject(request: RequestForm, case: CaseForm, *, before: Lock | None = None) -> StackContext:
    """The stack as this tree's policies judge it.

    Raises:
        InputError: a lock or the law cannot be read, or the lock is another stack's.
    """
    from components.platform.building_blocks.artifact_mirror import read_artifact_mirror  # noqa: PLC0415 - as the rules, only where a stack is judged
    from policies.settings_reader import read_law  # noqa: PLC0415 - as above
    from policies.stack_context import StackContext  # noqa: PLC0415 - as above
    from policies.table import RULES  # noqa: PLC0415 - as above

    stack = case["stack"]
    lock = _lock(case["lock"], stack)
    estimated = _may_estimate(Path(case["settings"]))
    return StackContext(
        lock=lock,
        ceilings=before.ceiling if before else lock.ceiling,
        resources=_resources(Path(case["resources"])),
        today=date.fromisoformat(request["today"]),
        catalog=cast("RuleCatalog", cast("object", _catalog())),
        law=read_law(STACKS / "policies.yaml", rules=RULES),
        before=before,
        software=read_artifact_mirror("", project=ROOT).lock,
        whole=None if _whole(Path(case["settings"])) else _bill_at_acceptance(lock, estimated=estimated),
        estimated=estimated,
    )


def _lock(text: str, stack: str) -> Lock:
    """The lock, once it is the stack's own."""
    file = f"stacks/{stack}/quote.lock.json"
    # Exemptions are by the stack's name: a lock of another one would take its exemptions along.
    lock = parse(text, file=file)
    refuse_other_stack(lock, stack=stack, file=file)
    return lock


def _resources(path: Path) -> tuple[Resource, ...]:
    registered = cast("RegisteredForm", json.loads(path.read_text(encoding="utf-8")))
    return read_plan({"resources": registered["resources"]}).new


def _whole(settings: Path) -> bool:
    """Whether the program builds the whole cluster, its contents included."""
    from components.context.settings import EVERYTHING, SECTION  # noqa: PLC0415 - imports Pulumi
    from operations.project.stack_config import read_config  # noqa: PLC0415 - with it

    return read_config(settings).values.get(f"{SECTION}:reach", EVERYTHING) == EVERYTHING


def _may_estimate(settings: Path) -> bool:
    from operations.project.stack_config import allows_estimates, read_config  # noqa: PLC0415 - as the rules

    return allows_estimates(read_config(settings).values)


def _bill_at_acceptance(lock: Lock, *, estimated: bool) -> Bill:
    from planning.quoting.candidates.market import Market  # noqa: PLC0415 - hardly ever needed
    from planning.quoting.option import whole_bill  # noqa: PLC0415 - as above

    return whole_bill(lock.placements, Market(_catalog(), estimated=estimated))


@cache
def _catalog() -> Catalog:
    from operations.plans.price_book import price_book  # noqa: PLC0415 - read where something is priced

    return price_book()


def _book(catalog: Catalog) -> BookForm:
    prices = catalog.prices
    newest = prices.newest
    return {
        "prices": prices.name,
        "prices_digest": prices.digest,
        "prices_as_of": newest.isoformat() if newest else None,
    }


def _codes(report: PolicyReport) -> list[int]:
    """Exit code that each breach leads to where it stops."""
    return [
        each.rule.exit_code if each.breach.verdict is Verdict.OVER else UndeterminedError.exit_code
        for each in report.found
    ]


def _reason(subject: StackContext, report: PolicyReport) -> str:
    worst = next((each for each in report.stopping if each.breach.verdict is report.verdict), None)
    if worst is not None:
        return worst.sentence
    from policies.rules.money.spend_limits import bill_of, months_of  # noqa: PLC0415 - with the rules

    said = judge(bill_of(subject), subject.ceilings, contract_months=months_of(subject), usd_per_gpu_hour=None)
    return f"every mandatory rule is kept or exempt; {said.reason}"


if __name__ == "__main__":
    main()
