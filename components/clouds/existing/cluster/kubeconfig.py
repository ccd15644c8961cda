"""Reader of a kubeconfig file: server and credentials of a context, and whether they have expired."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, urlsafe_b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

import yaml
from cryptography import x509

from planning.inputs.files import read_content
from planning.inputs.yaml_document import YamlText
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PARTS_OF_A_JWT: Final = 3


@dataclass(frozen=True, kw_only=True)
class Kubeconfig:
    """One context of a kubeconfig; only its names may ever be shown.

    Args:
        path: the file, which may name further files relative to itself.
        context: name of the context.
        cluster, user: entries that the context refers to.
    """

    path: Path
    context: str
    cluster: Mapping[str, object]
    user: Mapping[str, object]

    @property
    def server(self) -> str:
        """URL of the API server; "" where none is named."""
        return str(self.cluster.get("server") or "")

    @property
    def program(self) -> str:
        """The program that signs in; "" where credentials are in the file."""
        run = self.user.get("exec")
        return str(cast("dict[str, object]", run).get("command") or "") if isinstance(run, dict) else ""


def read(text: str, *, context: str | None, variable: str, path: Path) -> Kubeconfig:
    """The context of a kubeconfig.

    Args:
        context: None for the file's own current context, or its only one.
        variable: environment variable that names the file.

    Raises:
        InputError: not a kubeconfig, or without the context; its content is never repeated.
    """
    whole = _parse_yaml(text, variable=variable)
    contexts = _index_entries(whole, "contexts", "context")
    if not contexts:
        raise InputError(f"what {variable} names is no kubeconfig: it has no contexts")
    chosen = context or str(whole.get("current-context") or "") or next(iter(contexts))
    # Looked at now: a missing context would pass every preview and fail during an update.
    if chosen not in contexts:
        raise InputError(
            f"the kubeconfig that {variable} names has no context {chosen!r}; it has {', '.join(contexts)}",
            hint="set where.existing.context to one of them, then accept again",
        )
    meant = contexts[chosen]
    clusters, users = _index_entries(whole, "clusters", "cluster"), _index_entries(whole, "users", "user")
    return Kubeconfig(
        path=path,
        context=chosen,
        cluster=clusters.get(str(meant.get("cluster")), {}),
        user=users.get(str(meant.get("user")), {}),
    )


def find_expired_credential(kubeconfig: Kubeconfig, *, now: datetime) -> tuple[str, datetime] | None:
    """Which credential has expired, and when; None where none is known to have."""
    ends = {
        "client certificate": _certificate_end(kubeconfig.user, kubeconfig.path.parent),
        "token": token_end(str(kubeconfig.user.get("token") or "")),
    }
    return next(((what, end) for what, end in ends.items() if end is not None and end <= now), None)


def token_end(token: str) -> datetime | None:
    """When a JSON Web Token ends; None for any other token, and for one without an end."""
    parts = token.split(".")
    if len(parts) != _PARTS_OF_A_JWT:
        return None
    try:
        claims: object = json.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        end = cast("dict[str, object]", claims).get("exp") if isinstance(claims, dict) else None
        return datetime.fromtimestamp(end, tz=UTC) if isinstance(end, int | float) else None
    except (ValueError, OverflowError, OSError, RecursionError):
        return None


def _certificate_end(user: Mapping[str, object], folder: Path) -> datetime | None:
    try:
        if user.get("client-certificate-data"):
            pem = b64decode(str(user["client-certificate-data"]))
        elif user.get("client-certificate"):
            pem = read_content(folder / str(user["client-certificate"]))
        else:
            return None
        return x509.load_pem_x509_certificate(pem).not_valid_after_utc
    except (InputError, ValueError, binascii.Error):
        return None


def _parse_yaml(text: str, *, variable: str) -> Mapping[str, object]:
    # Faults of the parser are not shown: they could quote a line of the file, which is secret.
    if YamlText(text, file=variable).notes:
        raise InputError(
            f"the kubeconfig that {variable} names is not YAML that Atoll reads", hint="no anchors, aliases or tags"
        )
    found: object = yaml.safe_load(text)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _index_entries(whole: Mapping[str, object], many: str, one: str) -> dict[str, Mapping[str, object]]:
    """Entries of a list of a kubeconfig by name; malformed ones are skipped."""
    found: dict[str, Mapping[str, object]] = {}
    listed = whole.get(many)
    for each in cast("list[object]", listed) if isinstance(listed, list) else ():
        entry = cast("dict[str, object]", each) if isinstance(each, dict) else {}
        if entry.get("name"):
            meant = entry.get(one)
            found[str(entry["name"])] = cast("dict[str, object]", meant) if isinstance(meant, dict) else {}
    return found
