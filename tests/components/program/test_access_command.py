"""`atoll access`: a kubeconfig for one person, whose groups are those of the checklist and whose key is new."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import specs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from operations.handbook.user_kubeconfig import find_user, groups, issue_kubeconfig
from planning.checklist.model.people import User
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SPEC = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
ADA, GRACE = SPEC.access.users


class Authority:
    """Signs whatever it is asked to, as a cluster does once an administrator has approved."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.seconds = 0

    @property
    def cluster(self) -> Mapping[str, object]:
        return {"server": "https://cluster.example", "certificate-authority-data": "Y2E="}

    def sign(self, request: bytes, *, user: str, seconds: int) -> bytes:
        asked = x509.load_pem_x509_csr(request)
        assert asked.is_signature_valid
        assert user == asked.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
        self.seconds = seconds
        now = datetime(2026, 11, 21, tzinfo=UTC)
        built = x509.CertificateBuilder(
            issuer_name=x509.Name([]),
            subject_name=asked.subject,
            public_key=asked.public_key(),
            serial_number=1,
            not_valid_before=now,
            not_valid_after=now + timedelta(seconds=seconds),
        )
        return built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def certificate(text: str) -> x509.Certificate:
    (user,) = json.loads(text)["users"]
    return x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))


def test_the_certificate_names_the_person_and_the_groups_of_the_checklist() -> None:
    made = certificate(issue_kubeconfig(GRACE, SPEC, hours=8, signer=Authority()))
    assert [each.value for each in made.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["grace"]
    held = [each.value for each in made.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    assert held == ["atoll:burst:engineer"]


def test_it_ends_when_it_was_said_to() -> None:
    authority = Authority()
    issue_kubeconfig(ADA, SPEC, hours=2, signer=authority)
    assert authority.seconds == 2 * 3600


def test_the_key_in_the_kubeconfig_is_the_certificates() -> None:
    text = issue_kubeconfig(ADA, SPEC, hours=1, signer=Authority())
    (user,) = json.loads(text)["users"]
    key = serialization.load_pem_private_key(base64.b64decode(user["user"]["client-key-data"]), password=None)
    assert key.public_key() == certificate(text).public_key()


def test_each_workload_is_a_context_in_its_namespace() -> None:
    whole = json.loads(issue_kubeconfig(GRACE, SPEC, hours=1, signer=Authority()))
    assert [each["context"]["namespace"] for each in whole["contexts"]] == ["work-burst"]
    assert whole["current-context"] == "burst"
    assert whole["clusters"][0]["cluster"]["server"] == "https://cluster.example"


def test_admins_are_in_one_group_whatever_their_workloads() -> None:
    assert groups(ADA, SPEC) == ("atoll:admin",)
    assert groups(ADA.model_copy(update={"workloads": ("burst",)}), SPEC) == ("atoll:admin",)


def test_who_is_unknown_or_has_no_work_here_gets_nothing() -> None:
    with pytest.raises(InputError, match="no user 'eve'; its users: ada, grace"):
        find_user(SPEC, "eve")
    idle = User(name="idle", email="idle@acme.example", workloads=("elsewhere",))
    with pytest.raises(InputError, match="idle has no workload"):
        issue_kubeconfig(idle, SPEC, hours=1, signer=Authority())
