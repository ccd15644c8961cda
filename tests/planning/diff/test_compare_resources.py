from __future__ import annotations

from dataclasses import replace

import pytest
from diff_kit import resource

from planning.costs.resources.resource import Secret, UnknownValue, Value
from planning.diff.resources import HOLDS_DATA, changes, list_changed_inputs

BUCKET = "aws:s3/bucket:Bucket"
NODES = "aws:eks/nodeGroup:NodeGroup"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
SECRET = "kubernetes:core/v1:Secret"


def test_every_resource_is_counted_once() -> None:
    old = [resource("a", BUCKET), resource("b", NODES, instanceTypes=["x"]), resource("c", NODES, labels={"a": "1"})]
    new = [old[0], resource("b", NODES, instanceTypes=["y"]), resource("c", NODES, labels={"a": "2"})]
    new += [resource("d", BUCKET)]
    assert changes(old, new).counts == {"created": 1, "updated": 1, "replaced": 1, "deleted": 0, "unchanged": 1}
    assert not changes(old, old).any


def test_what_the_provider_cannot_change_in_place_is_replaced_and_says_why() -> None:
    (called,) = changes(
        [resource("b", NODES, instanceTypes=["x"], amiType="one")],
        [resource("b", NODES, instanceTypes=["y"], amiType="two")],
    ).called_out
    assert (called["action"], called["because"], called["holds_data"]) == (
        "replace",
        ["amiType", "instanceTypes"],
        False,
    )


def test_a_file_system_grows_in_place_and_shrinks_by_being_made_anew() -> None:
    small, large = resource("f", LUSTRE, storageCapacity=1200), resource("f", LUSTRE, storageCapacity=2400)
    assert changes([small], [large]).called_out == []
    (called,) = changes([large], [small]).called_out
    assert (called["action"], called["because"], called["holds_data"]) == ("replace", ["storageCapacity"], True)


def test_an_object_that_moves_to_another_namespace_is_replaced() -> None:
    old = resource("s", SECRET, metadata={"name": "s", "namespace": "one"})
    new = resource("s", SECRET, metadata={"name": "s", "namespace": "two"})
    (called,) = changes([old], [new]).called_out
    assert called["because"] == ["metadata.namespace"]


def test_deleted_data_comes_before_everything_else() -> None:
    old = [resource("nodes", NODES), resource("bucket", BUCKET, protect=True)]
    called = changes(old, []).called_out
    assert [(each["name"], each["protected"], each["holds_data"]) for each in called] == [
        ("bucket", True, True),
        ("nodes", False, False),
    ]


def test_a_bucket_that_loses_its_protection_is_called_out() -> None:
    old = replace(resource("bucket", BUCKET, protect=True), retain_on_delete=True)
    assert [each["action"] for each in changes([old], [replace(old, protect=False)]).called_out] == ["unprotect"]
    assert [each["action"] for each in changes([old], [replace(old, retain_on_delete=False)]).called_out] == [
        "unprotect"
    ]


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        (1, True, True),
        (Secret(), Secret(), False),
        (UnknownValue("urn:pulumi:one::p::t::n", "id"), UnknownValue("urn:pulumi:two::p::t::n", "id"), False),
        (UnknownValue("urn:pulumi:one::p::t::n", "id"), UnknownValue("urn:pulumi:one::p::t::m", "id"), True),
        ({"a": [1, 2]}, {"a": [1, 2]}, False),
        ({"a": [1, 2]}, {"a": [1]}, True),
        (None, "said", True),
    ],
)
def test_inputs_are_compared_by_what_they_say(old: Value, new: Value, *, differs: bool) -> None:
    one, other = resource("r", NODES, given=old), resource("r", NODES, given=new)
    assert bool(list_changed_inputs(one, other)) is differs


def test_a_renamed_stack_keeps_its_resources() -> None:
    assert changes([resource("a", BUCKET, stack="one")], [resource("a", BUCKET, stack="two")]).counts["unchanged"] == 1


def test_what_holds_data_is_what_the_census_protects() -> None:
    assert {BUCKET, LUSTRE, "gcp:storage/bucket:Bucket", "kubernetes:core/v1:PersistentVolumeClaim"} <= HOLDS_DATA
