"""Kubeconfigs that hold no credential: whoever uses one signs in to Google Cloud by its plugin for kubectl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi

if TYPE_CHECKING:
    from collections.abc import Mapping

# Flags: kubernetes/cloud-provider-gcp at 0a5be104, cmd/gke-gcloud-auth-plugin/cred.go. Google's access tokens last an
# hour at most.
PLUGIN: Final = "gke-gcloud-auth-plugin"
ADMIN: Final = "admin"


@dataclass(frozen=True, kw_only=True)
class User:
    """Who somebody is in the cluster.

    Args:
        account: service account that is taken; "" for the caller's own identity.
        group: group that the account acts as; "" for none.
        namespace: where its context begins; "" for "default".
    """

    account: pulumi.Input[str] = ""
    group: str = ""
    namespace: str = ""


def kubeconfig(
    *,
    name: str,
    endpoint: pulumi.Input[str],
    certificate: pulumi.Input[str],
    users: Mapping[str, User] | None = None,
) -> pulumi.Output[str]:
    """The kubeconfig as JSON, which is YAML too; a context for each user, the first of which is the current one."""
    wanted = {ADMIN: User()} if users is None else users
    server = pulumi.Output.concat("https://", endpoint)
    contexts = [{"name": each, "context": _context(each, user, cluster=name)} for each, user in wanted.items()]
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": certificate}}],
            "contexts": contexts,
            "current-context": next(iter(wanted), ""),
            "users": [{"name": each, "user": _sign_in(user)} for each, user in wanted.items()],
        }
    )


def _context(name: str, user: User, *, cluster: str) -> dict[str, object]:
    begun = {"namespace": user.namespace} if user.namespace else {}
    return {"cluster": cluster, "user": name, **begun}


def _sign_in(user: User) -> dict[str, object]:
    taken = pulumi.Output.concat("--impersonate_service_account=", user.account)
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": PLUGIN,
        "args": [taken] if user.group else [],
        "installHint": f"gcloud components install {PLUGIN}",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    return {"exec": plugin, **({"as": user.group, "as-groups": [user.group]} if user.group else {})}
