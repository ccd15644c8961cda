"""Ways in which people move what Atoll does not: fields that their tools know, and what each loses."""

from __future__ import annotations

import pytest
import yaml
from markupsafe import escape
from relocation_plan_kit import Kit

from cli.pages.documents.rendering import render_markdown
from cli.pages.relocation import by_hand_blocks, page
from cli.views.relocation import describe_manual_work, relocation_parts
from planning.documents.blocks import Document
from planning.documents.figures import cite
from planning.relocation.inventory.assets import AssetKind, AssetTreatment, Loss, StatefulAsset
from planning.relocation.methods.manual_procedures import explain_manual_move, list_procedures
from planning.relocation.plan_form import RelocationPlanForm, plan_form
from planning.values.money import Range


def by_hand_text(form: RelocationPlanForm) -> str:
    return render_markdown(Document(title=cite(""), blocks=tuple(by_hand_blocks(form)), family="relocation"))


def test_the_plan_lists_what_people_move_with_commands_and_what_each_way_loses(kit: Kit) -> None:
    listed = {each["key"]: each for each in plan_form(kit.plan(kit.west))["by_hand"]}
    assert {"volumes/notebooks", "objects/people", "secrets/people", "database/grafana"} <= listed.keys()
    assert "store/mlflow" not in listed
    assert [way["title"] for way in listed["volumes/notebooks"]["ways"]] == [
        "VolSync, rsync over TLS",
        "rsync, then rsync again to prove it",
        "Velero, files by Kopia",
    ]


def volume(locator: str) -> StatefulAsset:
    return StatefulAsset(
        key=f"volumes/{locator}",
        title="a volume",
        kind=AssetKind.VOLUME,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="test",
        locator=locator,
        bytes=Range.exactly(10 * 2**30),
    )


def test_manifests_of_volsync_have_the_fields_that_it_knows() -> None:
    (volsync, _, velero) = list_procedures(volume("work-anna/home"))
    documents = [
        yaml.safe_load("\n".join(line for line in part.splitlines() if line[:1] in " akms"))
        for part in volsync.text.replace("---", "apiVersion: v1\n---").split("apiVersion")[1:]
        for part in ["apiVersion" + part.split("\n#")[0]]
        if "kind:" in part
    ]
    by_kind = {each["kind"]: each for each in documents}
    assert by_kind["PersistentVolumeClaim"]["spec"]["resources"]["requests"]["storage"] == "11Gi"
    there = by_kind["ReplicationDestination"]
    assert there["apiVersion"] == "volsync.backube/v1alpha1"
    assert there["spec"]["rsyncTLS"] == {
        "copyMethod": "Direct",
        "destinationPVC": "home",
        "serviceType": "LoadBalancer",
    }
    here = by_kind["ReplicationSource"]
    assert here["metadata"] == {"name": "home", "namespace": "work-anna"}
    assert here["spec"]["sourcePVC"] == "home"
    assert here["spec"]["rsyncTLS"].keys() == {"address", "keySecret", "copyMethod"}
    assert any("owners" in each for each in volsync.loses)
    assert any("no running pod mounts" in each for each in velero.loses)


@pytest.mark.parametrize(
    ("kind", "treatment", "runs", "covered", "open_"),
    [
        (AssetKind.BUCKET, AssetTreatment.MOVED, "atoll", None, False),
        (AssetKind.BUCKET, AssetTreatment.MOVED, "atoll", True, False),
        (AssetKind.BUCKET, AssetTreatment.MOVED, "atoll", False, True),
        (AssetKind.VOLUME, AssetTreatment.MOVED, "you", None, True),
        (AssetKind.VOLUME, AssetTreatment.MOVED, "provider", False, True),
        (AssetKind.VOLUME, AssetTreatment.MOVED, "", False, True),
        (AssetKind.VOLUME, AssetTreatment.STAYS, "", False, False),
        (AssetKind.VOLUME, AssetTreatment.MADE_ANEW, "", False, False),
        (AssetKind.REGISTRY, AssetTreatment.MADE_ANEW, "", None, True),
        (AssetKind.REGISTRY, AssetTreatment.STAYS, "", None, False),
    ],
)
def test_what_is_left_to_people(
    kind: AssetKind, treatment: AssetTreatment, runs: str, *, covered: bool | None, open_: bool
) -> None:
    assert bool(explain_manual_move(kind, treatment, runs=runs, covered=covered)) == open_


def test_markdown_has_every_thing_with_its_commands_and_nothing_for_none(kit: Kit) -> None:
    form = plan_form(kit.plan(kit.west))
    text = by_hand_text(form)
    for each in form["by_hand"]:
        assert f"### {each['key']}".replace("_", "\\_") in text
    assert "kind: ReplicationDestination" in text
    assert text.count("```") % 2 == 0
    assert list(by_hand_blocks({**form, "by_hand": []})) == []


def test_what_is_left_is_named_with_its_ways_and_where_they_stand(kit: Kit) -> None:
    form = plan_form(kit.plan(kit.west))
    *each, last = describe_manual_work(form)
    assert len(each) == len(form["by_hand"]) > 0
    assert "Left to you: secrets that people made (secrets/people): you move it. Ways: entered again" in "\n".join(each)
    assert "by-hand.yaml" in last
    assert all(line in relocation_parts(form) for line in (*each, last))
    assert all(f"<p>{escape(line)}</p>" in page(form) for line in (*each, last))
    assert list(describe_manual_work({**form, "by_hand": []})) == []
    (strange,) = form["by_hand"][:1]
    alone = {**strange, "ways": []}
    assert next(describe_manual_work({**form, "by_hand": [alone]})).endswith(f"({strange['key']}): {strange['why']}")


def test_words_from_outside_close_no_fence(kit: Kit) -> None:
    form = plan_form(kit.plan(kit.west))
    way = {**form["by_hand"][0]["ways"][0], "text": "a\n```\n<script>"}
    touched = {**form["by_hand"][0], "title": "<b> | *x*", "ways": [way]}
    text = by_hand_text({**form, "by_hand": [touched]})  # type: ignore[list-item]
    assert text.count("```") == 2
    assert "&lt;b&gt; \\| \\*x\\*" in text
