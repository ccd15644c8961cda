"""A cluster that is only read, over the API that a kubeconfig names: whole objects, or their names and labels alone."""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, final

from kubernetes.client.exceptions import ApiException

from operations.clouds.kubernetes import client
from operations.clouds.kubernetes.objects import mapping, rows
from operations.clouds.kubernetes.placement import VARIABLE
from operations.relocation.cluster.inventory import Found, found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubernetes.client import ApiClient

    from operations.clouds.kubernetes.objects import Kind
    from operations.relocation.config.endpoints import Side
    from planning.spec.cluster import ClusterSpec

PAGE: Final = 500
# Only names and labels are asked for, so that no secret's value reaches this machine
# (kubernetes.io/docs/reference/using-api/api-concepts, "Receiving resources as metadata", 2026-11).
NAMES_ONLY: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def asked(spec: ClusterSpec, side: Side | None) -> Found:
    """What the cluster of a lock says, by the kubeconfig that its place names, or the lock, or ATOLL_KUBECONFIG."""
    existing = spec.existing
    variable = (side.kubeconfig_env if side else None) or (existing.kubeconfig_env if existing else VARIABLE)
    context = (side.context if side else None) or (existing.context if existing else None)
    named = os.environ.get(variable, "")
    if not named:
        return Found(silence=f"{variable} is not set, which names its kubeconfig")
    try:
        return found(LiveLister(client.opened(named, context=context)))
    except client.NoKubeconfigError:
        return Found(silence=f"what {variable} names is no kubeconfig")
    except client.UNUSABLE as error:
        return Found(silence=client.reason_of(error))


@final
class LiveLister:
    """A cluster, by its API."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    def listed(self, kind: Kind, *, names_only: bool = False) -> Sequence[Mapping[str, object]]:
        """Every object of a kind, page after page; none where it is not served."""
        every: list[Mapping[str, object]] = []
        more = ""
        while True:
            page = self._page(kind, more, accept=NAMES_ONLY if names_only else "application/json")
            every += rows(page.get("items"))
            more = str(mapping(page.get("metadata")).get("continue") or "")
            if not more:
                return every

    def _page(self, kind: Kind, more: str, *, accept: str) -> Mapping[str, object]:
        query = [("limit", str(PAGE)), ("continue", more)]
        status, content = client.answer(self._api, "GET", kind.path(), query=query, accept=accept)
        page = client.parsed(content)
        if status == HTTPStatus.NOT_FOUND:
            return {}
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            raise ApiException(status=status, reason=page.get("reason", "and gave no reason"))
        return page
