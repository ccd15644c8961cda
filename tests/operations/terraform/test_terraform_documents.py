from __future__ import annotations

import json

from operations.terraform.plan import terraform_plan
from operations.terraform.policy_documents import ACCOUNT, find_composed_documents, in_addresses, place
from operations.terraform.values import Address
from planning.costs.resources.resource import Resource, Secret, UnknownValue, Value

BUCKET = "urn:pulumi:sample::atoll::atoll:storage:ObjectTier$aws:s3/bucket:Bucket::cold"
POLICY = "urn:pulumi:sample::atoll::aws:s3/bucketPolicy:BucketPolicy::cold"
TEXT = json.dumps({"Statement": [{"Resource": place(BUCKET, "arn") + "/*"}]})


def policy(value: Value) -> Resource:
    return Resource(
        urn=POLICY,
        type="aws:s3/bucketPolicy:BucketPolicy",
        name="cold",
        parent=None,
        custom=True,
        inputs={"bucket": UnknownValue(urn=BUCKET, output="bucket"), "policy": value},
        property_dependencies={"policy": (BUCKET,)},
    )


def bucket() -> Resource:
    return Resource(
        urn=BUCKET,
        type="aws:s3/bucket:Bucket",
        name="cold",
        parent=None,
        custom=True,
        inputs={},
        property_dependencies={},
    )


def test_a_place_in_a_text_becomes_an_address() -> None:
    assert in_addresses(f"{place(BUCKET, 'arn')}/*", {BUCKET: Address("aws_s3_bucket", "cold")}) == (
        "${aws_s3_bucket.cold.arn}/*"
    )


def test_an_arn_that_is_taken_apart_gives_its_account() -> None:
    assert place(BUCKET, "arn").split(":")[4] == ACCOUNT


def test_a_document_is_what_one_run_does_not_know_and_the_other_does() -> None:
    assert find_composed_documents([policy(UnknownValue(urn=BUCKET))], [policy(TEXT)]) == {POLICY: {"policy": TEXT}}


def test_only_json_objects_are_documents() -> None:
    for other in ("a text", "{ not json", Secret(), 3, UnknownValue()):
        assert find_composed_documents([policy(UnknownValue(urn=BUCKET))], [policy(other)]) == {POLICY: {}}


def test_what_a_preview_knows_or_hides_stays_as_it_is() -> None:
    for value in ("{}", Secret()):
        assert find_composed_documents([policy(value)], [policy(TEXT)]) == {POLICY: {}}


def test_a_composed_document_is_shown_with_addresses_and_stays_unknown() -> None:
    plan = terraform_plan([bucket(), policy(UnknownValue(urn=BUCKET))], documents={POLICY: {"policy": TEXT}})
    change = plan["resource_changes"][1]["change"]
    assert change["after"] == {"policy": '{"Statement": [{"Resource": "${aws_s3_bucket.cold.arn}/*"}]}'}
    assert change["after_unknown"] == {"bucket": True, "policy": True, "id": True}
    expressions = plan["configuration"]["root_module"]["resources"][1]["expressions"]
    assert expressions["policy"] == {"references": ["aws_s3_bucket.cold"]}
