"""A relocation's plan as JSON, in canonical text with a digest over it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from planning.costs.json_shapes import range_form
from planning.relocation.durations import DurationEstimate
from planning.relocation.form import break_even_form, moving_bill_form, span_form, times_form
from planning.relocation.inventory.assets import OF_KIND, AssetKind
from planning.relocation.methods.move_methods import SOURCES, applicable, cell
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS
from planning.spec.lock import to_text as lock_text
from planning.values.json_format import SCHEMA_VERSION
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.json_shapes import RangeForm
    from planning.relocation.form import (
        ByHandForm,
        CellForm,
        DurationForm,
        LostForm,
        MoverForm,
        NoteForm,
        RelocationPlanForm,
        RelocationSideForm,
        RelocationStepForm,
        ThingForm,
    )
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.methods.data_loss import FeatureLoss, MoverChoice
    from planning.relocation.methods.manual_procedures import ManualMove
    from planning.relocation.plan import AssetMove, RelocationPlan
    from planning.spec.lock import Lock

DIGEST: Final = "digest"
# "Amazon S3 deletes expired objects on your behalf": no policy of a bucket, which binds users, stops it (2026-11-22).
LIFECYCLE: Final = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html"


def plan_form(plan: RelocationPlan, *, places_digest: str | None = None) -> RelocationPlanForm:
    choices = {each.thing.key: each.choice for each in plan.chosen}
    savings = {each.thing.key: each.usd for each in plan.savings}
    body: RelocationPlanForm = {
        "schema_version": SCHEMA_VERSION,
        "source": _side(plan.source),
        "target": _side(plan.target),
        "planned_on": plan.planned_on.isoformat(),
        "prices": plan.prices,
        "places_digest": places_digest,
        "leaves_by": plan.route.leaves_by,
        "things": [_thing(each, choices.get(each.key), saved=savings.get(each.key)) for each in plan.inventory.things],
        "unlooked": [{"what": what, "why": why} for what, why in plan.inventory.unlooked],
        "strange": list(plan.inventory.strange),
        "by_hand": [_by_hand(each) for each in plan.by_hand],
        "matrix": list(_matrix(plan.chosen)),
        "bill": moving_bill_form(plan.bill),
        "times": times_form(plan.times),
        "break_even": break_even_form(plan.break_even),
        "steps": list(_steps(plan)),
        "point_of_no_return": POINT_OF_NO_RETURN,
        "questions": [
            {
                "question": each.question,
                "sentences": list(each.sentences),
                "known": each.known,
                "source": each.source,
            }
            for each in plan.questions
        ],
        "notes": list(_notes(plan)),
        "digest": "",
    }
    body["digest"] = digest(body)
    return body


def to_text(form: RelocationPlanForm) -> str:
    """Canonical text: sorted keys, two spaces, one newline at the end."""
    return _canonical(cast("Mapping[str, object]", form))


def digest(form: RelocationPlanForm) -> str:
    """Over everything but itself."""
    body = {key: value for key, value in form.items() if key != DIGEST}
    return "sha256:" + sha256(_canonical(body).encode()).hexdigest()


def lock_digest(lock: Lock) -> str:
    return str(json.loads(lock_text(lock))["digest"])


def _canonical(body: Mapping[str, object]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _side(lock: Lock) -> RelocationSideForm:
    place = lock.spec.placement
    return {
        "stack": lock.stack,
        "provider": place.provider,
        "region": place.region,
        "lock_digest": lock_digest(lock),
    }


def _thing(thing: StatefulAsset, choice: MoverChoice | None, *, saved: Range | None) -> ThingForm:
    return {
        "key": thing.key,
        "title": thing.title,
        "kind": thing.kind.value,
        "loss": thing.loss.value,
        "treatment": thing.treatment.value,
        "reason": thing.reason,
        "part": thing.part,
        "locator": thing.locator,
        "bytes": _maybe(thing.bytes),
        "objects": _maybe(thing.objects),
        "sized_by": thing.sized_by,
        "seen": [each.value for each in thing.seen],
        "mover": None if choice is None else _mover(choice),
        "saved_usd": _maybe(saved),
    }


def _maybe(amount: Range | None) -> RangeForm | None:
    return None if amount is None else range_form(amount)


def _mover(choice: MoverChoice) -> MoverForm:
    mover = choice.mover
    return {
        "name": mover.name,
        "title": mover.title,
        "runs": mover.runs,
        "why": choice.why,
        "needs": mover.needs,
        "limits": mover.limits,
        "loses": [_build_loss_form(each) for each in choice.loses],
        "unlooked": [_build_loss_form(each) for each in choice.unlooked],
        "others": [{"name": each.name, "title": each.title, "reason": reason} for each, reason in choice.others],
    }


def _by_hand(each: ManualMove) -> ByHandForm:
    return {
        "key": each.key,
        "title": each.title,
        "why": each.why,
        "ways": [
            {"title": way.title, "text": way.text, "loses": list(way.loses), "source": way.source} for way in each.ways
        ],
    }


def _build_loss_form(each: FeatureLoss) -> LostForm:
    return {
        "feature": each.feature.value,
        "count": each.count,
        "text": each.text,
        "source": SOURCES.get(each.source, ""),
    }


def _matrix(chosen: tuple[AssetMove, ...]) -> Iterator[CellForm]:
    """Every cell of every mover that applies to something here, once."""
    seen: set[tuple[str, ...]] = set()
    for each in chosen:
        for mover in applicable(each.thing.kind, source=each.source_store, target=each.target_store):
            for feature in OF_KIND.get(each.thing.kind, ()):
                mark = (each.thing.kind.value, mover.name, each.target_store, feature.value)
                if mark in seen:
                    continue
                seen.add(mark)
                found = cell(mover.name, feature, kind=each.thing.kind, target=each.target_store)
                yield {
                    "kind": each.thing.kind.value,
                    "mover": mover.title,
                    "target": each.target_store,
                    "feature": feature.value,
                    "carries": found.carries.value,
                    "note": found.note,
                    "source": SOURCES.get(found.source, ""),
                }


def _steps(plan: RelocationPlan) -> Iterator[RelocationStepForm]:
    """Every step with its time; what only a rehearsal tells has none."""
    spans = _spans(plan)
    for each in STEPS:
        yield {
            "name": each.name,
            "title": each.title,
            "proves": each.proves,
            "aborts": each.aborts,
            "way_back": each.way_back,
            "frozen": each.frozen,
            "span": spans.get(each.name),
        }


def _spans(plan: RelocationPlan) -> Mapping[str, DurationForm]:
    parts = {part.step: span_form(part.span) for part in plan.times.freeze}
    observed = DurationEstimate(seconds=Range.exactly(plan.given.observe_minutes * 60), basis="as long as was asked")
    return {
        "seed": span_form(plan.times.seed),
        "deltas": span_form(plan.times.rounds.last),
        **parts,
        "observe": span_form(observed),
    }


def _notes(plan: RelocationPlan) -> Iterator[NoteForm]:
    if any(each.thing.kind is AssetKind.BUCKET for each in plan.chosen):
        text = "objects get the time of their copy: lifecycle rules count from then; old times are in the manifest"
        yield {"text": text, "source": SOURCES["s3_time"]}
        text = (
            "the freeze stops writers, not the store: lifecycle rules of the source go on expiring objects and, where "
            "a bucket is moved with `versions: true`, its older versions; disable them before, or the proof may differ"
        )
        yield {"text": text, "source": LIFECYCLE}
    if plan.given.leaves_by is None and plan.route.leaves_by == "direct" and not plan.route.stays:
        provider = plan.route.provider
        text = f"assumed: nodes of {provider} have public addresses; where they have not, plan with --through nat"
        yield {"text": text, "source": ""}
    for each in plan.given.assumed:
        yield {"text": f"assumed: {each}", "source": ""}
    for each in plan.inventory.strange:
        yield {"text": f"nobody knows what becomes of {each}: decide before the run", "source": ""}
    old, new = plan.source.spec.kubernetes_version, plan.target.spec.kubernetes_version
    if old != new:
        text = f"Kubernetes is {old} at the source and {new} at the target: look at the versions of what people made"
        yield {"text": text, "source": "both locks"}
    if plan.source.residency != plan.target.residency:
        text = (
            f"data may lie in {plan.source.residency} by the source's lock and {plan.target.residency} by the target's"
        )
        yield {"text": text, "source": "both locks"}
