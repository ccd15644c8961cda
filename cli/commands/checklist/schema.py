"""`atoll schema`: the JSON schemas of the files and outputs that others read."""

from __future__ import annotations

import json
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer
from pydantic import TypeAdapter

from cli.terminal.console import show_json
from planning.checklist.reference import schema as checklist_schema
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
LOCK_DIGEST: Final[Mapping[str, object]] = {
    "type": "string",
    "pattern": "^sha256:[0-9a-f]{64}$",
    "description": "Over everything else in the file; a lock edited by hand is refused.",
}
# By name: to publish one schema need not load what makes the others.
_DOCUMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "lock": ("planning.spec.lock:Lock", "quote.lock.json: the accepted quote."),
    "quote": ("planning.quoting.quote_form:QuoteForm", "atoll quote --json"),
    "option": ("planning.quoting.quote_form:OptionForm", "atoll quote --option ID --json"),
    "explain": ("planning.quoting.quote_form:ExplainForm", "atoll explain --json"),
    "plan": ("operations.plans.plan_form:PlanForm", "atoll plan --json"),
    "price": ("planning.quoting.price_report:PriceForm", "atoll price --json"),
    "diff": ("planning.diff.form:DiffForm", "atoll diff --json"),
    "watch": ("operations.plans.plan_form:WatchForm", "atoll watch --json"),
    "preflight": ("planning.cloud_checks.preflight:Preflight", "atoll preflight --json"),
    "leftovers": ("planning.cloud_checks.orphans:LeftoversForm", "atoll orphans --json"),
    "nodes": ("planning.incidents.form:NodesForm", "atoll nodes list --json"),
    "incidents": ("planning.incidents.form:IncidentsForm", "atoll nodes incidents --json"),
    "clone": ("operations.clone.report:CloneForm", "atoll clone --json"),
    "relocation": ("planning.relocation.plan_form:RelocationPlanForm", "atoll relocate plan --json"),
    "relocation_status": ("operations.relocation.runner.status:StatusForm", "atoll relocate status --json"),
    "rehearsal": ("operations.relocation.rehearsal.report:RehearsalForm", "atoll relocate rehearse --json"),
    "sla": ("planning.service_levels.form:SlaForm", "atoll sla --json"),
    "acceptance": ("planning.acceptance.report.form:AcceptanceForm", "atoll accept-test --json"),
    "demands": ("planning.quoting.catalog_report:DemandsForm", "atoll check --json"),
    "providers": ("planning.quoting.catalog_report:ProvidersForm", "atoll catalog list --json"),
    "facts": ("planning.quoting.catalog_report:FactsForm", "atoll catalog show --json"),
    "soundness": ("planning.quoting.catalog_report:SoundnessForm", "atoll catalog check --json"),
    "refresh": ("operations.price_refresh.report:RefreshForm", "atoll catalog refresh --json"),
    "software": ("planning.platform.digests:SoftwareForm", "atoll software list --json"),
    "coverage": ("planning.quoting.coverage:CoverageForm", "atoll catalog coverage --json"),
    "copies": ("planning.platform.mirror:CopiesForm", "atoll software images --json"),
    "software_lock": ("planning.platform.digests:SoftwareLock", "software.lock.json: digests of charts and images."),
    "usage_comparison": ("planning.usage.comparison:UsageComparisonForm", "atoll usage compare --json"),
    "worths": ("planning.quoting.catalog_report:WorthsForm", "atoll catalog price-performance --json"),
}
CHECKLIST: Final = "checklist"
NAMES: Final = (CHECKLIST, *_DOCUMENTS)


def schema(of: str) -> dict[str, object]:
    if of == CHECKLIST:
        return checklist_schema.document()
    shape, title = _DOCUMENTS[of]
    body = TypeAdapter(resolve_name(shape)).json_schema(mode="serialization")
    if of == "lock":
        body["properties"]["digest"] = LOCK_DIGEST
        body["required"].append("digest")
    return {"$schema": DRAFT, "title": title, **_strip_titles(_rename_definitions(body))}


def _rename_definitions(body: dict[str, Any]) -> dict[str, Any]:
    """Each definition under the title of its class."""
    # Readers know a definition by its title, which stays as it is when a class of ours is renamed.
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
