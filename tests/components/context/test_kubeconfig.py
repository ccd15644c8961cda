from __future__ import annotations

import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import MaxRetryError

from components.clouds.existing.cluster import control_plane
from components.clouds.existing.cluster import control_plane as preconditions
from components.clouds.existing.cluster.control_plane import (
    ApiServerUnreachableError,
    Fact,
    ask_version,
    check_preconditions,
    parse_minor_version,
    require_preconditions,
)
from components.clouds.existing.cluster.kubeconfig import Kubeconfig, find_expired_credential, read, token_end
from planning.values.errors import AtollError, Fault, InputError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable

KUBECONFIG = "apiVersion: v1\nkind: Config\ncontexts:\n- name: prod\n  context: {cluster: c, user: u}\n"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILE = Path("kubeconfig")


def kubeconfig(server: str = "https://api.example:6443", **user: object) -> str:
    whole: dict[str, Any] = yaml.safe_load(KUBECONFIG)
    whole["clusters"] = [{"name": "c", "cluster": {"server": server}}]
    whole["users"] = [{"name": "u", "user": user}]
    return yaml.safe_dump(whole)


def certificate(ends: datetime) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "engineer")])
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(ends - timedelta(days=365))
        .not_valid_after(ends)
        .sign(key, hashes.SHA256())
    )
    return b64encode(built.public_bytes(serialization.Encoding.PEM)).decode()


def token(**claims: object) -> str:
    middle = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{middle}.signature"


def facts(text: str, *, version: str = "v1.35.2", oldest: str = "", path: Path = FILE) -> tuple[Fact, ...]:
    return check_preconditions(
        text, context=None, variable="KUBECONFIG", path=path, oldest=oldest, now=NOW, ask=lambda _: version
    )


def fault(text: str, **known: Any) -> Fact:
    (found,) = facts(text, **known)
    assert found.state == "wrong"
    return found


@pytest.mark.parametrize("context", [None, "prod"])
def test_a_kubeconfig_with_the_context_passes(context: str | None) -> None:
    assert read(KUBECONFIG, context=context, variable="KUBECONFIG", path=FILE).context == "prod"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (KUBECONFIG, "no context 'other'; it has prod"),
        ("a: [", "is not YAML"),
        ("", "no kubeconfig"),
        ("just words", "no kubeconfig"),
        ("contexts: []", "no kubeconfig"),
        ("contexts: 3", "no kubeconfig"),
        ("contexts: [3, {name: ''}]", "no kubeconfig"),
    ],
)
def test_a_kubeconfig_that_cannot_work_is_refused_before_anything_is_made(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(text, context="other", variable="KUBECONFIG", path=FILE)


def test_a_context_that_is_not_named_is_the_files_own() -> None:
    two = KUBECONFIG + "- name: dev\n  context: {cluster: c, user: u}\ncurrent-context: dev\n"
    assert read(two, context=None, variable="KUBECONFIG", path=FILE).context == "dev"


def test_an_expired_client_certificate_is_said_with_its_day_and_the_checklists_field() -> None:
    text = kubeconfig(**{"client-certificate-data": certificate(NOW - timedelta(days=2))})
    found = fault(text)
    assert "client certificate of the kubeconfig's context 'prod' expired on 2026-11-19" in found.message
    assert found.field == "where.existing.kubeconfig_env"
    assert found.hint


def test_a_certificate_in_a_file_beside_the_kubeconfig_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "me.crt").write_bytes(b64decode(certificate(NOW)))
    assert "expired" in fault(kubeconfig(**{"client-certificate": "me.crt"}), path=tmp_path / "config").message


@pytest.mark.parametrize(
    "user", [{}, {"token": "opaque"}, {"client-certificate-data": "bm8="}, {"client-certificate": "gone"}]
)
def test_credentials_that_do_not_say_when_they_end_are_left_to_the_server(user: dict[str, object]) -> None:
    assert [each.message for each in facts(kubeconfig(**user))] == ["Kubernetes 1.35"]


def test_credentials_that_still_hold_pass() -> None:
    later = NOW + timedelta(hours=1)
    user = {"client-certificate-data": certificate(later), "token": token(exp=later.timestamp())}
    assert facts(kubeconfig(**user))[0].state == "right"


def test_an_expired_token_is_said_and_never_shown() -> None:
    old = token(exp=(NOW - timedelta(minutes=1)).timestamp(), sub="ada")
    found = fault(kubeconfig(token=old))
    assert "token of the kubeconfig's context 'prod' expired on 2026-11-21 at 11:59 UTC" in found.message
    assert old not in found.message + found.hint


@pytest.mark.parametrize("text", ["", "a.b", "a.!!.c", token(), token(exp="soon"), token(exp=1e30), "a.W10.c"])
def test_a_token_without_an_end_has_none(text: str) -> None:
    assert token_end(text) is None


def test_a_context_without_a_server_is_refused() -> None:
    assert "names no API server" in fault(KUBECONFIG).message
    assert "names no API server" in fault(kubeconfig("")).message


def test_a_server_that_cannot_be_used_is_said_with_what_to_check() -> None:
    def silent(_: Kubeconfig) -> str:
        raise ApiServerUnreachableError("the connection is refused")

    (found,) = check_preconditions(kubeconfig(), context=None, variable="K", path=FILE, now=NOW, ask=silent)
    assert (
        found.message == "the API server of the kubeconfig's context 'prod' cannot be used: the connection is refused"
    )
    assert "VPN" in found.hint


@pytest.mark.parametrize(("version", "oldest"), [("v1.29.4+k3s1", ""), ("1.32", "1.33"), ("v1.34.1-eks-1", "1.35")])
def test_a_version_too_old_is_refused_with_the_oldest_that_will_do(version: str, oldest: str) -> None:
    found = fault(kubeconfig(), version=version, oldest=oldest)
    assert f"{oldest or '1.33'} is the oldest supported version" in found.message
    assert found.field == "where.existing"


@pytest.mark.parametrize("version", ["v1.33.0", "1.33+", "v2.0.0", "v1.100.1"])
def test_a_version_that_will_do_passes(version: str) -> None:
    assert facts(kubeconfig(), version=version)[0].state == "right"


def test_a_server_that_is_no_kubernetes_is_refused() -> None:
    assert "which is not a version" in fault(kubeconfig(), version="nginx").message
    assert parse_minor_version("nginx") is None


def test_every_fault_is_raised_with_its_field() -> None:
    wrong = Fact(state="wrong", message="too old", hint="upgrade")
    require_preconditions((Fact(state="right", message="fine"),), variable="K")
    with pytest.raises(InputError, match=r"where\.existing") as caught:
        require_preconditions((wrong,), variable="K")
    assert [(each.message, each.path, each.hint) for each in caught.value.faults] == [
        ("too old", "where.existing", "upgrade")
    ]


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ApiException(status=401), r"refuses the credentials \(401\)"),
        (ApiException(status=503), "answers with status 503"),
        (MaxRetryError(None, "/version", Exception("[Errno 111] Connection refused")), "the connection is refused"),  # type: ignore[arg-type]
        (ApiException(status=0, reason="SSLError: certificate verify failed"), "not signed by the authority"),
        (ApiException(status=0, reason="SSLError: wrong version"), "does not speak TLS"),
        (MaxRetryError(None, "/version", Exception("Name or service not known")), "its name cannot be resolved"),  # type: ignore[arg-type]
        (MaxRetryError(None, "/version", Exception("connect timed out")), "within 10 seconds"),  # type: ignore[arg-type]
        (MaxRetryError(None, "/version", Exception("who knows")), "it does not answer"),  # type: ignore[arg-type]
    ],
)
def test_each_silence_is_told_apart(
    raised: Exception, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubernetes.client.VersionApi.get_code", _raising(raised))
    path = tmp_path / "config"
    path.write_text(kubeconfig(token="secret-of-ada"))
    with pytest.raises(ApiServerUnreachableError, match=said) as caught:
        ask_version(read(path.read_text(), context=None, variable="K", path=path))
    assert "secret-of-ada" not in str(caught.value)


def _raising(error: Exception) -> Callable[..., object]:
    def answer(*_: object, **__: object) -> object:
        raise error

    return answer


def test_a_program_that_signs_in_and_is_not_installed_is_named() -> None:
    sign_in = {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-program", "args": []}
    assert "signs in with 'no-such-program', which is not installed" in fault(kubeconfig(exec=sign_in)).message
    assert facts(kubeconfig(exec={**sign_in, "command": "sh"}))[0].state == "right"
    assert facts(kubeconfig(exec="nonsense"))[0].state == "right"


def test_the_program_asks_before_it_makes_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config"
    path.write_text(kubeconfig())
    monkeypatch.setenv("TERN", f"{path}:elsewhere")
    monkeypatch.setattr(preconditions, "ask_version", lambda _: "v1.20.0")
    text = control_plane.kubeconfig_text(control_plane.kubeconfig_path("TERN"), variable="TERN")
    with pytest.raises(InputError) as caught:
        require_preconditions(check_preconditions(text, context="prod", variable="TERN", path=path), variable="TERN")
    assert "Kubernetes 1.20" in caught.value.faults[0].message


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a text file"):
        control_plane.kubeconfig_text(path, variable="TERN")


def test_a_credential_that_ends_this_very_moment_has_expired() -> None:
    context = read(kubeconfig(token=token(exp=NOW.timestamp())), context=None, variable="K", path=FILE)
    assert find_expired_credential(context, now=NOW) == ("token", NOW)


def test_an_error_in_one_line_says_its_faults_and_its_hint() -> None:
    fault = Fault(message="not a number", file="lock", line=3)
    assert in_one_line(InputError("bad lock", faults=[fault], hint="accept again")) == (
        "bad lock; line 3: not a number; accept again"
    )
    assert in_one_line(AtollError("no")) == "no"
