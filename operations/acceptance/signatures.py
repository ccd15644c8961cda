"""Ed25519 signatures over a document's canonical JSON, and their verification."""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode, b64encode
from binascii import Error as NoBase64Error
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import TypeAdapter, ValidationError

from planning.acceptance.report.builder import DOCUMENT
from planning.acceptance.report.form import AcceptanceForm
from planning.inputs.files import read_content, read_json
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes


ALGORITHM: Final = "ed25519"
OPENSSH: Final = b"-----BEGIN OPENSSH PRIVATE KEY-----"
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
MAKE_ONE: Final = "docs/guides/acceptance.md says how to make one: ssh-keygen -t ed25519, or openssl genpkey"
PRIVATE: Final = b"PRIVATE KEY"


def canonical(form: Mapping[str, object]) -> bytes:
    """What is signed: keys in order, no spaces, UTF-8; the signature's own value empty."""
    signature = form.get("signature")
    # A signature cannot sign itself, but which key and which algorithm it claims is signed with the rest.
    told = {**cast("dict[str, object]", signature), "value": ""} if isinstance(signature, dict) else signature
    body = {**form, "signature": told}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def private_key(path: Path) -> Ed25519PrivateKey:
    """The key in a file, PEM or OpenSSH.

    Raises:
        InputError: not there, open to others, under a passphrase, or no Ed25519 key. No part of it is ever shown.
    """
    octets = _read_private_file(path)
    load = serialization.load_ssh_private_key if OPENSSH in octets else serialization.load_pem_private_key
    try:
        found: PrivateKeyTypes = load(octets, password=None)
    except TypeError as error:
        raise InputError(
            f"{path} is under a passphrase",
            hint="sign with a key of its own without one, readable by its owner only",
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InputError(f"{path} holds no private key", hint=MAKE_ONE) from error
    if not isinstance(found, Ed25519PrivateKey):
        raise InputError(f"{path} holds another kind of key than Ed25519", hint=MAKE_ONE)
    return found


def public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a file: one line of OpenSSH, or PEM.

    Raises:
        InputError: not there, a private key, or no Ed25519 key.
    """
    octets = read_content(path)
    # Told apart from a wrong file: a private key that was sent around is known to others now.
    if PRIVATE in octets:
        raise InputError(
            f"{path} is a private key", hint="give the public one; whoever sent you this one needs a new key"
        )
    load = serialization.load_pem_public_key if b"-----BEGIN" in octets else serialization.load_ssh_public_key
    try:
        found: PublicKeyTypes = load(octets)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InputError(f"{path} holds no public key", hint=MAKE_ONE) from error
    if not isinstance(found, Ed25519PublicKey):
        raise InputError(f"{path} holds another kind of key than Ed25519", hint=MAKE_ONE)
    return found


def fingerprint(key: Ed25519PublicKey) -> str:
    """As `ssh-keygen -lf` says it: "SHA256:..."."""
    line = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return "SHA256:" + b64encode(sha256(b64decode(line.split()[1])).digest()).decode().rstrip("=")


def sign_document(form: Mapping[str, object], key: Ed25519PrivateKey) -> dict[str, object]:
    """The same document with its signature."""
    by = {"algorithm": ALGORITHM, "key": fingerprint(key.public_key()), "value": ""}
    value = b64encode(key.sign(canonical({**form, "signature": by}))).decode()
    return {**form, "signature": {**by, "value": value}}


def sign_report(form: AcceptanceForm, key: Ed25519PrivateKey) -> AcceptanceForm:
    """The same report with its signature."""
    return cast("AcceptanceForm", cast("object", sign_document(cast("Mapping[str, object]", form), key)))


def find_signature_fault(form: Mapping[str, object], key: Ed25519PublicKey, *, key_file: str) -> str:
    """What is wrong with the signature; "" where it holds."""
    signature = form.get("signature")
    if signature is None:
        return "it is not signed"
    told = cast("dict[str, object]", signature) if isinstance(signature, dict) else {}
    if told.get("algorithm") != ALGORITHM:
        return f"it is not signed with {ALGORITHM}"
    try:
        value = b64decode(str(told.get("value")), validate=True)
        key.verify(value, canonical(form))
    except (NoBase64Error, ValueError):
        return "its signature is no signature: it was changed after it was signed"
    except InvalidSignature:
        mine = fingerprint(key)
        if told.get("key") != mine:
            return f"it was signed with the key {told.get('key')}, and {key_file} holds {mine}"
        return "it was changed after it was signed: the signature is not that of this text"
    return ""


def _read_private_file(path: Path) -> bytes:
    """The content of a file that only its owner may read."""
    try:  # the mode is that of the opened file, so that the file cannot be swapped in between
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            octets = file.read(65_536)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", hint=MAKE_ONE) from error
    if mode & OTHERS:
        raise InputError(
            f"{path} can be read or written by others than its owner (mode {stat.S_IMODE(mode):04o})",
            hint=f"chmod 600 {path}; if others may have read it, make a new key",
        )
    return octets


MOST_FAULTS = 20
MOST_BYTES = 64_000_000


def read_report(path: Path) -> tuple[AcceptanceForm, dict[str, object]]:
    """A report, and the very object that stands in the file.

    Raises:
        InputError: unreadable, cut short, a key twice, or no report.
    """
    found = read_json(path, most_bytes=MOST_BYTES)
    try:
        form = TypeAdapter(AcceptanceForm).validate_python(found, strict=True)
    except ValidationError as error:
        faults = [
            Fault(message=each["msg"], file=str(path), path=".".join(map(str, each["loc"])))
            for each in error.errors()[:MOST_FAULTS]
        ]
        raise InputError(f"{path}: not the report of an acceptance", faults=faults) from error
    return form, cast("dict[str, object]", found)


def faults(
    path: Path, form: AcceptanceForm, raw: dict[str, object], *, key_file: Path, stack: str, lock_digest: str
) -> list[str]:
    """Everything that keeps the report from being believed; none where it may be.

    Raises:
        InputError: the public key cannot be used.
    """
    key = public_key(key_file)
    found = [find_signature_fault(raw, key, key_file=str(key_file))]
    if form["document"] != DOCUMENT:
        found.append(f"it is {form['document']!r}, not {DOCUMENT!r}")
    if form["stack"] != stack:
        found.append(f"it is about the stack {form['stack']!r}, not about {stack!r}")
    elif form["lock_digest"] != lock_digest:
        found.append(f"it is about another lock: {form['lock_digest']}, and that of {stack} is {lock_digest}")
    return [f"{path}: {each}" for each in found if each]
