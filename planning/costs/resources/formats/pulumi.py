"""`pulumi preview --json`: one document with a step for each resource (pkg/display/json.go, PreviewDigest).

Without --show-sames the document holds only what changes, and always the stack itself. A replacement is one step
("replace"), or three with --show-replacement-steps ("create-replacement", "replace", "delete-replaced").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.formats.values import (
    FIELDS,
    Preview,
    is_list,
    is_object,
    is_resource,
    objects,
    resource,
    stack_of,
    strangers,
    text,
)
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.costs.resources.resource import Resource


REGION: Final = "aws:region"
SAME: Final = "same"
ERROR: Final = "error"
LONGEST_MESSAGE: Final = 400  # of a diagnostic, which may hold a whole traceback
_SHOW_SAMES: Final = "run `pulumi preview --json --show-sames` for whole totals"


def find_digest_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being a preview, each with its path."""
    steps = document.get("steps", [])
    if not is_list(steps):
        yield "steps: not a list"
        return
    for index, step in enumerate(steps):
        if not is_object(step):
            yield f"steps[{index}]: not an object"
            continue
        for name in ("oldState", "newState"):
            if step.get(name) is not None and not is_resource(step[name]):
                yield f"steps[{index}].{name}: not a resource with urn and type"


def read_digest(document: dict[str, object]) -> Preview:
    """The stack before and after: first old state and last new state of each URN.

    Raises:
        InputError: the preview failed before its first step: it says nothing of what the stack costs.
    """
    steps = objects(document.get("steps"))
    errors = [each for each in objects(document.get("diagnostics")) if each.get("severity") == ERROR]
    if errors and not steps:
        said = " ".join(text(errors[0].get("message")).split()) or "it does not say why"
        raise InputError(f"the preview failed: {said[:LONGEST_MESSAGE]}", hint="mend the program, and preview again")
    gaps = tuple(_gaps(document, steps))
    old: dict[str, Resource] = {}
    new: dict[str, Resource] = {}
    read_only = 0
    for step in steps:
        before, after = step.get("oldState"), step.get("newState")
        kept = _keep_first(old, before) if is_object(before) else None
        if not is_object(after):
            continue
        if _elsewhere(after):
            read_only += 1
            continue
        # Two states that say the same are one resource, which needs reading only once.
        same = is_object(before) and all(before.get(name) == after.get(name) for name in FIELDS)
        made = kept if kept is not None and same else resource(after)
        new[made.urn] = made
    return Preview(
        stack=next(iter(stack_of(urn) for urn in (*new, *old)), ""),
        old=tuple(old.values()),
        new=tuple(new.values()),
        default_region=read_region(document.get("config")),
        notes=(*gaps, f"{read_only} resources are only read by this stack and not counted") if read_only else gaps,
        gaps=gaps,
    )


def _keep_first(old: dict[str, Resource], state: dict[str, object]) -> Resource | None:
    """Keep the state before, unless it is read only, a leftover of an earlier replacement, or known already."""
    urn = text(state.get("urn"))
    if urn in old or state.get("delete") is True or _elsewhere(state):
        return None
    old[urn] = resource(state)
    return old[urn]


def _elsewhere(state: dict[str, object]) -> bool:
    """Whether the resource is only read here: another stack pays for it."""
    return state.get("external") is True


def read_region(config: object) -> str | None:
    return text(config.get(REGION)) or None if is_object(config) else None


def _gaps(document: dict[str, object], steps: Sequence[dict[str, object]]) -> Iterator[str]:
    hidden = _count_unlisted(document, steps)
    if hidden:
        yield f"{hidden} unchanged resources are not in this preview: {_SHOW_SAMES}"
    if any(each.get("severity") == ERROR for each in objects(document.get("diagnostics"))):
        yield "the preview ended with an error: resources may be missing"


def _count_unlisted(document: dict[str, object], steps: Sequence[dict[str, object]]) -> int:
    """How many unchanged resources the engine counted and did not write down."""
    summary = document.get("changeSummary")
    counted = summary.get(SAME) if is_object(summary) else None
    written = sum(1 for step in steps if step.get("op") == SAME)
    return max(counted - written, 0) if isinstance(counted, int) else 0


def find_export_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being an exported stack, each with its path."""
    deployment = document.get("deployment")
    if deployment is not None and not is_object(deployment):
        yield "deployment: not an object"
        return
    if deployment is not None:
        yield from strangers(deployment.get("resources", []), "deployment.resources")


def read_export(document: dict[str, object]) -> Preview:
    """The stack as it stands. What waits for deletion and what is only read is left out, and said."""
    deployment = document.get("deployment")
    states = objects(deployment.get("resources")) if is_object(deployment) else []
    kept = [state for state in states if state.get("delete") is not True and state.get("external") is not True]
    left = sum(1 for state in states if state.get("delete") is True)
    note = f"{left} resources wait for deletion and are not counted, though they may still be paid for"
    return Preview(
        stack=next((stack_of(text(state.get("urn"))) for state in states), ""),
        old=None,
        new=tuple(resource(state) for state in kept),
        notes=(note,) if left else (),
    )
