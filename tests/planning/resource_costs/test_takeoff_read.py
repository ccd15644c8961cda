from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planning.costs.resources.formats import file as reading
from planning.costs.resources.formats.file import read, read_file
from planning.costs.resources.formats.values import BLINDED, SECRET_SIGNATURE, SIGNATURE, UNKNOWNS, Preview
from planning.costs.resources.resource import Secret, UnknownValue
from planning.values.errors import InputError, in_one_line

URN = "urn:pulumi:prod::atoll::"
VPC = f"{URN}aws:ec2/vpc:Vpc::vpc"
GROUP = f"{URN}aws:eks/nodeGroup:NodeGroup::train"
TEMPLATE = f"{URN}aws:ec2/launchTemplate:LaunchTemplate::train"
STACK = f"{URN}pulumi:pulumi:Stack::atoll-prod"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def state(urn: str, /, **fields: Any) -> dict[str, Any]:
    return {"urn": urn, "custom": True, "type": urn.split("::")[2], **fields}


def step(op: str, urn: str, *, old: Any = None, new: Any = None) -> dict[str, Any]:
    states = {"oldState": old, "newState": new}
    return {"op": op, "urn": urn, "detailedDiff": None, **{name: each for name, each in states.items() if each}}


def parsed(document: object) -> Preview:
    return read(json.dumps(document).encode(), file="preview.json")


def digest(*steps: dict[str, Any], **fields: Any) -> Preview:
    return parsed({"steps": list(steps), "changeSummary": {}, **fields})


def test_a_preview_has_both_sides() -> None:
    old = state(VPC, inputs={"cidrBlock": "10.0.0.0/16"}, outputs={"id": "vpc-1"})
    new = state(VPC, inputs={"cidrBlock": "10.1.0.0/16"})
    made = state(GROUP, inputs={"diskSize": 20}, parent=STACK, protect=True, retainOnDelete=True, dependencies=[VPC])
    found = digest(step("update", VPC, old=old, new=new), step("create", GROUP, new=made))
    assert found.old is not None
    assert [each.inputs for each in found.old] == [{"cidrBlock": "10.0.0.0/16"}]
    assert [each.inputs for each in found.new] == [{"cidrBlock": "10.1.0.0/16"}, {"diskSize": 20}]
    group = found.new[1]
    assert (group.type, group.name, group.custom) == ("aws:eks/nodeGroup:NodeGroup", "train", True)
    assert (group.parent, group.protect, group.retain_on_delete) == (STACK, True, True)
    assert group.dependencies == (VPC,)
    assert found.stack == "prod"


def test_what_is_deleted_is_only_on_the_old_side() -> None:
    found = digest(step("delete", VPC, old=state(VPC)))
    assert found.old is not None
    assert ([each.urn for each in found.old], found.new) == ([VPC], ())


@pytest.mark.parametrize(
    "ops",
    [
        ["replace"],
        ["create-replacement", "replace", "delete-replaced"],
        ["delete-replaced", "replace", "create-replacement"],
    ],
)
def test_a_replacement_counts_once_on_each_side(ops: list[str]) -> None:
    old, new = state(VPC, inputs={"a": 1}), state(VPC, inputs={"a": 2})
    sides = {"delete-replaced": {"old": old}, "replace": {"old": old, "new": new}, "create-replacement": {"new": new}}
    found = digest(*(step(op, VPC, **sides[op]) for op in ops))
    assert found.old is not None
    assert [each.inputs for each in found.old] == [{"a": 1}]
    assert [each.inputs for each in found.new] == [{"a": 2}]


def test_a_leftover_of_an_earlier_replacement_is_not_what_exists() -> None:
    leftover, live = state(VPC, inputs={"a": 0}, delete=True), state(VPC, inputs={"a": 1})
    found = digest(step("delete-replaced", VPC, old=leftover), step("same", VPC, old=live, new=live))
    assert found.old is not None
    assert [each.inputs for each in found.old] == [{"a": 1}]


def test_what_is_only_read_belongs_to_another_stack() -> None:
    found = digest(step("read", VPC, old=state(VPC, external=True), new=state(VPC, external=True)))
    assert (found.old, found.new) == ((), ())
    assert found.notes == ("1 resources are only read by this stack and not counted",)


def test_an_unchanged_resource_is_the_same_on_both_sides() -> None:
    kept = state(VPC, inputs={"a": 1})
    found = digest(step("same", VPC, old=kept, new={**kept, "modified": "2026-11-21"}))
    assert found.old == found.new


def test_unchanged_resources_that_the_preview_hides_are_said() -> None:
    stack = step("same", STACK, old=state(STACK), new=state(STACK))
    hidden = digest(stack, step("create", VPC, new=state(VPC)), changeSummary={"same": 42, "create": 1})
    assert hidden.notes == (
        "41 unchanged resources are not in this preview: run `pulumi preview --json --show-sames` for whole totals",
    )
    assert digest(stack, changeSummary={"same": 1}).notes == ()


def test_a_preview_that_failed_says_so() -> None:
    failed = digest(step("create", VPC, new=state(VPC)), diagnostics=[{"message": "boom", "severity": "error"}])
    assert failed.notes == failed.gaps == ("the preview ended with an error: resources may be missing",)
    assert digest(diagnostics=[{"message": "hm", "severity": "warning"}]).notes == ()


def test_the_region_of_the_configuration_and_the_provider_s_urn() -> None:
    provider = f"{URN}pulumi:providers:aws::default_7_8_0"
    made = state(VPC, provider=f"{provider}::{UNKNOWN}")
    found = digest(step("create", VPC, new=made), config={"aws:region": "eu-west-1"})
    assert (found.default_region, found.new[0].provider) == ("eu-west-1", provider)
    assert digest().default_region is None


@pytest.mark.parametrize("sentinel", sorted(UNKNOWNS))
def test_every_sentinel_is_unknown_wherever_it_stands(sentinel: str) -> None:
    inputs = {"a": sentinel, "b": {"c": [sentinel, "plain"]}}
    (found,) = digest(step("create", VPC, new=state(VPC, inputs=inputs))).new
    assert found.inputs == {"a": UnknownValue(), "b": {"c": [UnknownValue(), "plain"]}}


def test_an_unknown_names_the_one_resource_it_depends_on() -> None:
    origins = {"launchTemplate": [TEMPLATE], "subnetIds": [VPC, TEMPLATE]}
    inputs = {"launchTemplate": {"id": UNKNOWN}, "subnetIds": [UNKNOWN]}
    (found,) = digest(step("create", GROUP, new=state(GROUP, inputs=inputs, propertyDependencies=origins))).new
    assert found.inputs == {"launchTemplate": {"id": UnknownValue(TEMPLATE)}, "subnetIds": [UnknownValue()]}
    assert found.property_dependencies == {"launchTemplate": (TEMPLATE,), "subnetIds": (VPC, TEMPLATE)}


@pytest.mark.parametrize(
    "secret",
    [
        BLINDED,
        {SIGNATURE: SECRET_SIGNATURE, "ciphertext": "djE6aHVzaA=="},
        {SIGNATURE: SECRET_SIGNATURE, "plaintext": '"hush"'},
    ],
)
def test_secrets_become_a_type_without_a_value(secret: object) -> None:
    inputs = {"a": secret, "b": [{"c": secret}]}
    (found,) = digest(step("create", VPC, new=state(VPC, inputs=inputs))).new
    assert found.inputs == {"a": Secret(), "b": [{"c": Secret()}]}
    assert "hush" not in repr(found)


def test_an_exported_stack_is_what_exists_now() -> None:
    resources = [
        state(STACK, custom=False),
        state(VPC, inputs={"a": 1}, provider=f"{URN}pulumi:providers:aws::main::b1c2"),
        state(VPC, inputs={"a": 0}, delete=True),
        state(TEMPLATE, external=True),
    ]
    found = parsed({"version": 3, "deployment": {"manifest": {}, "resources": resources}})
    assert (found.old, found.stack) == (None, "prod")
    assert [(each.urn, each.custom) for each in found.new] == [(STACK, False), (VPC, True)]
    assert found.new[1].provider == f"{URN}pulumi:providers:aws::main"
    assert found.notes == ("1 resources wait for deletion and are not counted, though they may still be paid for",)


@pytest.mark.parametrize("deployment", [None, {}, {"resources": []}])
def test_an_empty_stack_has_no_resources(deployment: object) -> None:
    assert parsed({"version": 3, "deployment": deployment}).new == ()


def test_our_own_plan() -> None:
    inputs = {
        "diskSize": 20,
        "launchTemplate": {"id": {"$ref": TEMPLATE, "property": "id"}},
        "password": {"$secret": True},
        "subnetIds": [{"$unknown": True}, {"$ref": VPC, "property": ""}],
    }
    group = {
        "urn": GROUP,
        "type": "aws:eks/nodeGroup:NodeGroup",
        "name": "train",
        "parent": STACK,
        "custom": True,
        "inputs": inputs,
        "dependencies": [TEMPLATE],
        "provider": f"{URN}pulumi:providers:aws::main",
        "protect": True,
        "retain_on_delete": True,
    }
    provider = {"urn": group["provider"], "type": "pulumi:providers:aws", "name": "main", "inputs": {}}
    found = parsed({"stack": "prod", "resources": [group, provider]})
    assert (found.stack, found.old) == ("prod", None)
    read_back = found.new[0]
    assert read_back.inputs == {
        "diskSize": 20,
        "launchTemplate": {"id": UnknownValue(TEMPLATE, "id")},
        "password": Secret(),
        "subnetIds": [UnknownValue(), UnknownValue(VPC)],
    }
    assert read_back.property_dependencies == {"launchTemplate": (TEMPLATE,), "subnetIds": (VPC,)}
    assert (read_back.provider, read_back.protect, read_back.retain_on_delete) == (group["provider"], True, True)


def test_a_plan_may_name_its_property_dependencies() -> None:
    group = {"urn": GROUP, "type": "t", "inputs": {}, "propertyDependencies": {"launchTemplate": [TEMPLATE]}}
    found = parsed({"stack": "prod", "resources": [group], "config": {"aws:region": "eu-west-1"}})
    assert found.new[0].property_dependencies == {"launchTemplate": (TEMPLATE,)}
    assert (found.new[0].name, found.default_region) == ("train", "eu-west-1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_a_shell_makes_of_the_file_is_read(encoding: str) -> None:
    assert read(json.dumps({"stack": "s", "resources": []}).encode(encoding), file="x").stack == "s"


WHOLE = json.dumps({"steps": [step("create", VPC, new=state(VPC, inputs={"name": "a long name"}))]}, indent=4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.json is empty"),
        (b"  \n", "x.json is empty"),
        (WHOLE[: len(WHOLE) // 2].encode(), "x.json: not JSON; line "),
        (WHOLE[:-2].encode(), "x.json: not JSON; line "),
        (b'{"a": 1,\n "b": nope}', "x.json: not JSON; line 2: Expecting value"),
        (b"[1, 2]", "x.json: JSON, but not an object"),
        (b"3", "x.json: JSON, but not an object"),
        (b"{}", "x.json is no preview, export or plan"),
        (b'{"resources": []}', "x.json is no preview, export or plan"),
        (b'{"a": "\xe4"}', "x.json: not JSON that Atoll reads; line 1: not UTF-8 text"),
        (b"[" * 100_000, "x.json: not JSON that Atoll reads; nested deeper than 100 levels"),
        (b'{"a": ' + b"9" * 5000 + b"}", "x.json: not JSON that Atoll reads; line 1: a number of 5,000 digits"),
        (b'{"steps": 3}', "x.json is damaged: steps: not a list"),
        (b'{"steps": [3]}', "x.json is damaged: steps[0]: not an object"),
        (b'{"steps": [{"newState": {"urn": "u"}}]}', "x.json is damaged: steps[0].newState: not a resource"),
        (b'{"deployment": 3}', "x.json is damaged: deployment: not an object"),
        (b'{"deployment": {"resources": [{}]}}', "x.json is damaged: deployment.resources[0]: not a resource"),
        (b'{"stack": "s", "resources": {}}', "x.json is damaged: resources: not a list"),
        (b'{"stack": "s", "resources": [{"urn": "u", "type": 3}]}', "x.json is damaged: resources[0]: not a resource"),
    ],
    ids=range(19),
)
def test_a_file_that_is_none_of_ours_is_refused_in_plain_words(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as refused:
        read(content, file="x.json")
    assert in_one_line(refused.value).startswith(message)
    assert "Traceback" not in str(refused.value)


def test_values_nested_too_deeply_are_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    with pytest.raises(InputError) as refused:
        read(json.dumps({"steps": [step("create", VPC, new=state(VPC, inputs=deep))]}).encode(), file="x.json")
    assert "nested deeper than 100 levels" in in_one_line(refused.value)


def test_every_fault_is_reported_at_once() -> None:
    with pytest.raises(InputError) as refused:
        parsed({"stack": "s", "resources": [{}, 3, {"urn": "u", "type": "t"}]})
    assert [fault.path for fault in refused.value.faults] == ["resources[0]", "resources[1]"]


def test_a_stream_of_events_is_explained() -> None:
    event = json.dumps({"sequence": 1, "timestamp": 2, "preludeEvent": {}})
    for content in (event, f"{event}\n{event}\n"):
        with pytest.raises(InputError) as refused:
            read(content.encode(), file="x.json")
        assert "PULUMI_ENABLE_STREAMING_JSON_PREVIEW" in refused.value.hint


def test_a_file_beyond_the_limit_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reading, "LARGEST_BYTES", 3 * 2**20)
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (4 * 2**20))
    with pytest.raises(InputError, match="over 3 MB"):
        read_file(large)
    with pytest.raises(InputError, match="over 3 MB"):
        read(large.read_bytes(), file="large.json")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_file(tmp_path / "gone.json")
    with pytest.raises(InputError, match="this is a folder"):
        read_file(tmp_path)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"stack": "s", "resources": []}')
    assert read_file(path).stack == "s"
