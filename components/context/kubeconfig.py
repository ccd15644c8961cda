"""A kubeconfig without credentials: one cluster, and a context for each identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, kw_only=True)
class KubeconfigContext:
    """One context; `sign_in` is the kubeconfig's user entry, with the program that fetches a token."""

    name: str
    user: str
    sign_in: Mapping[str, object]
    namespace: str = ""

    @property
    def entry(self) -> dict[str, str]:
        return {"user": self.user, **({"namespace": self.namespace} if self.namespace else {})}


def build_kubeconfig(
    cluster: str,
    contexts: Sequence[KubeconfigContext],
    *,
    server: pulumi.Input[str],
    certificate: pulumi.Input[str] | None = None,
) -> pulumi.Output[str]:
    """The kubeconfig as JSON, which is YAML too; its first context is the current one.

    Args:
        certificate: of the server's certificate authority, in base64; None for a public one.
    """
    trust = {} if certificate is None else {"certificate-authority-data": certificate}
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": cluster, "cluster": {"server": server, **trust}}],
            "contexts": [{"name": each.name, "context": {"cluster": cluster, **each.entry}} for each in contexts],
            "current-context": contexts[0].name if contexts else "",
            "users": [{"name": each.user, "user": each.sign_in} for each in contexts],
        }
    )
