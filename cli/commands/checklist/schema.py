"""`atoll schema`: the JSON schemas of the files and outputs that others read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer
from pydantic import TypeAdapter

from cli.terminal.console import show_json
from operations.clone.report import CloneForm
from operations.plans.plan_form import PlanForm, WatchForm
from operations.relocation.rehearsal.report import RehearsalForm
from operations.relocation.runner.status import StatusForm
from planning.acceptance.report.form import AcceptanceForm
from planning.checklist.reference import schema as checklist_schema
from planning.cloud_checks.orphans import LeftoversForm
from planning.cloud_checks.preflight import Preflight
from planning.diff.form import DiffForm
from planning.incidents.form import IncidentsForm, NodesForm
from planning.platform.digests import SoftwareForm, SoftwareLock
from planning.platform.mirror import CopiesForm
from planning.quoting.catalog_report import (
    DemandsForm,
    FactsForm,
    ProvidersForm,
    SoundnessForm,
    WorthsForm,
)
from planning.quoting.price_report import PriceForm
from planning.quoting.quote_form import ExplainForm, OptionForm, QuoteForm
from planning.relocation.plan_form import RelocationPlanForm
from planning.service_levels.form import SlaForm
from planning.spec.lock import Lock
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
LOCK_DIGEST: Final[Mapping[str, object]] = {
    "type": "string",
    "pattern": "^sha256:[0-9a-f]{64}$",
    "description": "Over everything else in the file; a lock edited by hand is refused.",
}
_DOCUMENTS: Final[Mapping[str, tuple[Any, str]]] = {
    "lock": (Lock, "quote.lock.json: the accepted quote."),
    "quote": (QuoteForm, "atoll quote --json"),
    "option": (OptionForm, "atoll quote --option ID --json"),
    "explain": (ExplainForm, "atoll explain --json"),
    "plan": (PlanForm, "atoll plan --json"),
    "price": (PriceForm, "atoll price --json"),
    "diff": (DiffForm, "atoll diff --json"),
    "watch": (WatchForm, "atoll watch --json"),
    "preflight": (Preflight, "atoll preflight --json"),
    "leftovers": (LeftoversForm, "atoll orphans --json"),
    "nodes": (NodesForm, "atoll nodes list --json"),
    "incidents": (IncidentsForm, "atoll nodes incidents --json"),
    "clone": (CloneForm, "atoll clone --json"),
    "relocation": (RelocationPlanForm, "atoll relocate plan --json"),
    "relocation_status": (StatusForm, "atoll relocate status --json"),
    "rehearsal": (RehearsalForm, "atoll relocate rehearse --json"),
    "sla": (SlaForm, "atoll sla --json"),
    "acceptance": (AcceptanceForm, "atoll accept-test --json"),
    "demands": (DemandsForm, "atoll check --json"),
    "providers": (ProvidersForm, "atoll catalog list --json"),
    "facts": (FactsForm, "atoll catalog show --json"),
    "soundness": (SoundnessForm, "atoll catalog check --json"),
    "software": (SoftwareForm, "atoll software list --json"),
    "copies": (CopiesForm, "atoll software images --json"),
    "software_lock": (SoftwareLock, "software.lock.json: digests of charts and images."),
    "worths": (WorthsForm, "atoll catalog price-performance --json"),
}
CHECKLIST: Final = "checklist"
NAMES: Final = (CHECKLIST, *_DOCUMENTS)


def schema(of: str) -> dict[str, object]:
    if of == CHECKLIST:
        return checklist_schema.document()
    shape, title = _DOCUMENTS[of]
    body = TypeAdapter(shape).json_schema(mode="serialization")
    if of == "lock":
        body["properties"]["digest"] = LOCK_DIGEST
        body["required"].append("digest")
    return {"$schema": DRAFT, "title": title, **_strip_titles(_rename_definitions(body))}


def _rename_definitions(body: dict[str, Any]) -> dict[str, Any]:
    """Each definition under the title of its class: readers know it by that name, whatever our class is called."""
    titles = {name: each.get("title", name) for name, each in body.get("$defs", {}).items()}
    text = json.dumps(body)
    for name, published in titles.items():
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/{published}"')
    renamed = cast("dict[str, Any]", json.loads(text))
    defined = {titles[name]: each for name, each in renamed.get("$defs", {}).items()}
    return renamed | ({"$defs": dict(sorted(defined.items()))} if defined else {})


def _strip_titles(value: object, *, names: bool = False) -> Any:  # noqa: ANN401 - any part of a JSON document
    """Without the titles that are made up from names; `names` where the keys are field names themselves."""
    if isinstance(value, list):
        return [_strip_titles(each) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, object]", value)
    return {
        key: _strip_titles(each, names=not names and key in {"properties", "$defs"})
        for key, each in fields.items()
        if names or key != "title"
    }


def run_schema(
    of: Annotated[str, typer.Option("--of", metavar="|".join(NAMES), help="Of which document.")] = "checklist",
) -> int:
    """Print the JSON schema of a file or of an output."""
    if of not in NAMES:
        raise InputError(f"there is no schema of {of!r}", hint=f"there are: {', '.join(NAMES)}")
    show_json(schema(of))
    return 0
