"""Whether logs and metrics reach the main cloud by the identity of the collector's pods, or by keys people give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.providers import find_traits

if TYPE_CHECKING:
    from planning.spec.platform import Forwarding


def by_identity(to: Forwarding | None, *, target: str) -> bool:
    """Whether the main cloud is the cluster's own, where its pods get in without keys.

    Args:
        target: word that the cluster is built by.
    """
    return to is not None and find_traits(target).log_identity and to.provider == target


def access_said(to: Forwarding, *, target: str) -> str:
    """What has to be done for it, in words for the quote and the preview; "" for nothing."""
    if not by_identity(to, target=target):
        return (
            f"logs and metrics for {to.provider} need its credentials:"
            " pulumi config set --secret atoll:forwardingCredentials (docs/guides/observability.md)"
        )
    if to.account is None:
        return ""
    return (
        f"logs and metrics reach {to.provider} without keys where {to.account} is the account of the cluster;"
        " else: pulumi config set --secret atoll:forwardingCredentials (docs/guides/observability.md)"
    )
