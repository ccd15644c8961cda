from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from operations.acceptance import signatures
from planning.values.errors import InputError

FORM: dict[str, Any] = {"stack": "demo", "lock_digest": "sha256:0", "nodes": ["gpu-0", "gpü-1"], "signature": None}
PEM, OPENSSH, PKCS8 = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.OpenSSH,
    serialization.PrivateFormat.PKCS8,
)


class Pair(NamedTuple):
    private: Path
    public: Path


def written(folder: Path, key: Any, *, form: Any = PKCS8, encryption: Any = None, mode: int = 0o600) -> Pair:
    pair = Pair(folder / "key", folder / "key.pub")
    pair.private.write_bytes(key.private_bytes(PEM, form, encryption or serialization.NoEncryption()))
    pair.private.chmod(mode)
    pair.public.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    )
    return pair


def fault(form: Mapping[str, object], pair: Pair) -> str:
    return signatures.find_signature_fault(form, signatures.public_key(pair.public), key_file=pair.public.name)


@pytest.mark.parametrize("form", [PKCS8, OPENSSH])
def test_what_is_signed_is_told_from_what_was_changed(tmp_path: Path, form: Any) -> None:
    pair = written(tmp_path, Ed25519PrivateKey.generate(), form=form)
    found = signatures.sign_document(FORM, signatures.private_key(pair.private))
    assert fault(found, pair) == ""
    assert fault(FORM, pair) == "it is not signed"
    assert "it was changed after it was signed" in fault({**found, "stack": "other"}, pair)
    assert "it was changed after it was signed" in fault({**found, "more": 1}, pair)
    stamp: Any = found["signature"]
    assert "is no signature" in fault({**found, "signature": {**stamp, "value": "!"}}, pair)
    assert "changed" in fault({**found, "signature": {**stamp, "value": ""}}, pair)
    assert "not signed with ed25519" in fault({**found, "signature": {**stamp, "algorithm": "none"}}, pair)
    assert "not signed with ed25519" in fault({**found, "signature": "yes"}, pair)


def test_another_key_is_named_by_both_fingerprints(tmp_path: Path) -> None:
    pair = written(tmp_path, Ed25519PrivateKey.generate())
    found = signatures.sign_document(FORM, signatures.private_key(pair.private))
    stamp: Any = found["signature"]
    other = written(tmp_path, Ed25519PrivateKey.generate())
    said = fault(found, other)
    assert said.startswith(f"it was signed with the key {stamp['key']}, and key.pub holds SHA256:")


@given(st.integers(min_value=0), st.sampled_from(["stack", "lock_digest"]))
def test_any_other_character_breaks_the_signature(at: int, name: str) -> None:
    key = Ed25519PrivateKey.from_private_bytes(b"7" * 32)
    found = signatures.sign_document(FORM, key)
    text: Any = found[name]
    place = at % len(text)
    changed = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
    assert signatures.find_signature_fault({**found, name: changed}, key.public_key(), key_file="k") != ""


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_may_read_is_not_used(tmp_path: Path, mode: int) -> None:
    pair = written(tmp_path, Ed25519PrivateKey.generate(), mode=mode)
    with pytest.raises(InputError, match=f"others than its owner \\(mode 0{mode:o}\\)"):
        signatures.private_key(pair.private)


def test_keys_that_do_not_sign_are_refused_without_showing_them(tmp_path: Path) -> None:
    for key in (
        ec.generate_private_key(ec.SECP256R1()),
        rsa.generate_private_key(public_exponent=65537, key_size=2048),
    ):
        with pytest.raises(InputError, match="another kind of key"):
            signatures.private_key(written(tmp_path, key).private)
        with pytest.raises(InputError, match="another kind of key"):
            signatures.public_key(tmp_path / "key.pub")
    locked = written(tmp_path, Ed25519PrivateKey.generate(), encryption=serialization.BestAvailableEncryption(b"words"))
    with pytest.raises(InputError, match="under a passphrase"):
        signatures.private_key(locked.private)
    (tmp_path / "key").write_text("-----BEGIN PRIVATE KEY-----\nSECRETSECRET\n-----END PRIVATE KEY-----\n")
    with pytest.raises(InputError, match="holds no private key") as told:
        signatures.private_key(tmp_path / "key")
    assert "SECRET" not in str(told.value) + told.value.hint
    with pytest.raises(InputError, match="cannot be read"):
        signatures.private_key(tmp_path / "none")


def test_a_private_key_is_no_public_one(tmp_path: Path) -> None:
    pair = written(tmp_path, Ed25519PrivateKey.generate())
    with pytest.raises(InputError, match="is a private key"):
        signatures.public_key(pair.private)
    for text in ("ssh-ed25519 AAAA", "-----BEGIN PUBLIC KEY-----", ""):
        pair.public.write_text(text)
        with pytest.raises(InputError, match="holds no public key"):
            signatures.public_key(pair.public)
    with pytest.raises(InputError, match="no such file"):
        signatures.public_key(tmp_path / "none")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on PATH")
def test_the_key_that_the_guide_makes_signs_and_has_the_same_fingerprint(tmp_path: Path) -> None:
    tool = shutil.which("ssh-keygen") or ""
    command = [tool, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key")]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    pair = Pair(tmp_path / "key", tmp_path / "key.pub")
    found = signatures.sign_document(FORM, signatures.private_key(pair.private))
    assert fault(found, pair) == ""
    told = subprocess.run([tool, "-lf", str(pair.public)], check=True, timeout=300, capture_output=True, text=True)
    stamp: Any = found["signature"]
    assert stamp["key"] in told.stdout
