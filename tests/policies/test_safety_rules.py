"""What the safety rules say where one case is not enough: values of a running stack, settings, and near misses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from policy_cases._plain import plain
from policy_kit import added, changed, made, sound, with_options, without

from planning.costs.resources.resource import UNKNOWN, Secret, UnknownValue, Value
from planning.values.verdict import Verdict
from policies.rule import Rule
from policies.rules.security import encryption, identity, protected_data, public_exposure
from policies.settings import PolicySettings
from policies.stack_context import StackContext

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
POLICY = "aws:iam/rolePolicy:RolePolicy"
SERVICE = "kubernetes:core/v1:Service"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
ARN = "arn:aws:kms:us-east-1:111122223333:key/11111111-2222-3333-4444-555555555555"


def said(rule: Rule, stack: StackContext) -> list[tuple[Verdict, str, str]]:
    return [(each.verdict, each.resource, each.path) for each in rule.judge(stack)]


def verdicts(rule: Rule, stack: StackContext) -> set[Verdict]:
    return {each.verdict for each in rule.judge(stack)}


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (ARN, set[Verdict]()),
        ("alias/atoll-demo", set[Verdict]()),
        ("alias/aws/fsx", {Verdict.OVER}),
        ("alias/theirs", {Verdict.OVER}),
        (ARN.replace("key/", "alias/aws/"), {Verdict.OVER}),
        (UNKNOWN, {Verdict.UNDETERMINED}),
        (UnknownValue("urn:pulumi:demo::atoll::aws:s3/bucket:Bucket::audit", "arn"), {Verdict.UNDETERMINED}),
        (Secret(), {Verdict.UNDETERMINED}),
        (7, {Verdict.UNDETERMINED}),
        (None, {Verdict.OVER}),
    ],
)
def test_a_key_is_one_of_the_stack_or_fully_named(key: Value, wanted: set[Verdict]) -> None:
    assert verdicts(encryption.RULE, plain(sound(), LUSTRE, {"kmsKeyId": key})) == wanted


def test_an_alias_that_leads_to_no_key_of_the_stack_is_none() -> None:
    lost = plain(sound(), "aws:kms/alias:Alias", {"targetKeyId": "11111111-2222-3333-4444-555555555555"})
    assert ("nodes-system", "blockDeviceMappings[0].ebs.kmsKeyId") in {
        (name, path) for _, name, path in said(encryption.RULE, lost)
    }


def test_a_template_without_disks_is_not_encrypted() -> None:
    bare = changed(sound(), TEMPLATE, {"blockDeviceMappings": []})
    assert (Verdict.OVER, "nodes-system", "blockDeviceMappings[].ebs.kmsKeyId") in said(encryption.RULE, bare)


def test_a_listener_that_only_redirects_to_https_is_no_breach() -> None:
    sent = made(
        "aws:lb/listener:Listener",
        "sent",
        protocol="HTTP",
        defaultActions=[{"type": "redirect", "redirect": {"protocol": "HTTPS", "statusCode": "HTTP_301"}}],
    )
    assert said(encryption.RULE, added(sound(), sent)) == []


def test_where_retention_is_not_told_only_protection_is_judged() -> None:
    untold = replace(with_options(sound(), LUSTRE, retain_on_delete=False), tells_retention=False)
    assert said(protected_data.RULE, untold) == []
    assert said(protected_data.RULE, with_options(untold, LUSTRE, protect=False)) == [(Verdict.OVER, "shared", "")]


def test_a_project_may_want_less_time_for_keys() -> None:
    short = changed(sound(), "aws:kms/key:Key", {"deletionWindowInDays": 10})
    ten = PolicySettings(
        settings={protected_data.ProtectedDataSettings: protected_data.ProtectedDataSettings(key_deletion_days=10)}
    )
    assert said(protected_data.RULE, short) == [(Verdict.OVER, "key", "deletionWindowInDays")]
    assert said(protected_data.RULE, replace(short, law=ten)) == []


def test_versioning_of_another_bucket_does_not_count() -> None:
    token = "aws:s3/bucketVersioning:BucketVersioning"
    assert said(protected_data.RULE, without(sound(), token, name="audit")) == [(Verdict.OVER, "audit", "")]


@pytest.mark.parametrize(
    ("service", "wanted"),
    [
        ({"type": "LoadBalancer", "ports": [{"port": 443}]}, [Verdict.OVER]),
        ({"type": "LoadBalancer", "ports": [{"port": 51820, "protocol": "UDP"}]}, []),
        ({"type": "LoadBalancer", "ports": [{"port": UNKNOWN, "protocol": "UDP"}]}, [Verdict.UNDETERMINED]),
        ({"type": "LoadBalancer"}, [Verdict.OVER]),
        ({"type": "ClusterIP", "ports": [{"port": 443}]}, []),
        ({"type": UNKNOWN}, [Verdict.UNDETERMINED]),
    ],
)
def test_a_load_balancer_faces_the_internet_unless_it_says_otherwise(
    service: dict[str, Value], wanted: list[Verdict]
) -> None:
    stack = added(sound(), made(SERVICE, "door", spec=service))
    assert [each.verdict for each in public_exposure.RULE.judge(stack)] == wanted


@pytest.mark.parametrize(
    ("mark", "value"),
    [
        ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internal"),
        ("networking.gke.io/load-balancer-type", "Internal"),
    ],
)
def test_an_internal_load_balancer_is_no_breach(mark: str, value: str) -> None:
    door = made(SERVICE, "door", metadata={"annotations": {mark: value}}, spec={"type": "LoadBalancer"})
    assert said(public_exposure.RULE, added(sound(), door)) == []


@pytest.mark.parametrize(
    ("range_", "wanted"),
    [
        ("10.0.0.0/8", set[Verdict]()),
        ("0.0.0.0/1", {Verdict.OVER}),
        ("everybody", {Verdict.UNDETERMINED}),
        (UNKNOWN, {Verdict.UNDETERMINED}),
    ],
)
def test_a_range_is_read_as_one(range_: Value, wanted: set[Verdict]) -> None:
    stack = changed(sound(), INGRESS, {"cidrIpv4": range_}, name="lustre-988-in")
    assert verdicts(public_exposure.RULE, stack) == wanted


def test_a_project_may_open_another_port() -> None:
    https = changed(sound(), INGRESS, {"ipProtocol": "tcp", "fromPort": 443, "toPort": 443})
    doors = PolicySettings(
        settings={public_exposure.ExposureSettings: public_exposure.ExposureSettings(open_ports=("tcp/443",))}
    )
    assert verdicts(public_exposure.RULE, https) == {Verdict.OVER}
    assert verdicts(public_exposure.RULE, replace(https, law=doors)) == set()


def test_a_machine_on_google_cloud_has_no_public_address_unless_it_is_the_vpn() -> None:
    machine = made("gcp:compute/instance:Instance", "open", networkInterfaces=[{"accessConfigs": [{}]}])
    found = said(public_exposure.RULE, added(sound("gcp"), machine))
    assert found == [(Verdict.OVER, "open", "networkInterfaces[0].accessConfigs")]


def test_a_key_file_of_google_cloud_breaks_the_rule() -> None:
    key = made("gcp:serviceaccount/key:Key", "ci", serviceAccountId="ci")
    assert said(identity.IDENTITY, added(sound("gcp"), key)) == [(Verdict.OVER, "ci", "")]


def test_an_admin_of_unknown_origin_cannot_be_told() -> None:
    token = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
    found = said(identity.IDENTITY, plain(sound(), token, {"principalArn": UNKNOWN}))
    assert found == [(Verdict.UNDETERMINED, "admin", "principalArn")]


@pytest.mark.parametrize(
    "document",
    ["no JSON", "[]", "{}", '{"Statement": []}', '{"Statement": [{"Effect": "Allow", "Resource": "*"}]}', "1"],
)
def test_a_document_that_cannot_be_read_is_said_once(document: str) -> None:
    stack = plain(sound(), POLICY, {"policy": document}, name="forwarding-logs")
    (found,) = identity.RIGHTS.judge(stack)
    assert found.verdict is Verdict.UNDETERMINED
    assert found.given.startswith("10 policy documents")


def test_what_a_document_forbids_may_be_everything() -> None:
    deny = '{"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}'
    stack = plain(sound(), POLICY, {"policy": deny}, name="forwarding-logs")
    assert verdicts(identity.RIGHTS, stack) == {Verdict.UNDETERMINED}
