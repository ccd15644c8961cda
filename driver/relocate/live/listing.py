"""A cluster that is only read, over the API that a kubeconfig names: whole objects, or their names and labels alone."""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

import yaml
from kubernetes import config
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException

from driver.cloud.kubernetes import VARIABLE
from driver.relocate.freezing.objects import mapping, rows
from driver.relocate.live.found import Found, found

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubernetes.client import ApiClient

    from driver.relocate.freezing.objects import Kind
    from driver.relocate.places import Side
    from planning.spec import ClusterSpec

PAGE: Final = 500
WAIT_SECONDS: Final = (5, 30)
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
    path = Path(named.split(os.pathsep)[0]).expanduser()
    load = cast("Callable[..., ApiClient]", config.new_client_from_config)  # pyright: ignore[reportUnknownMemberType]
    try:
        if not isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict):
            return Found(silence=f"what {variable} names is no kubeconfig")
        return found(LiveLister(load(config_file=str(path), context=context)))
    except (OSError, yaml.YAMLError, ConfigException) as error:
        return Found(silence=str(error).splitlines()[0] if str(error) else type(error).__name__)


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
        call = cast("Callable[..., object]", self._api.call_api)  # pyright: ignore[reportUnknownMemberType]
        try:
            answer = call(
                kind.path(),
                "GET",
                query_params=[("limit", str(PAGE)), ("continue", more)],
                header_params={"Accept": accept},
                auth_settings=["BearerToken"],
                _preload_content=False,
                _return_http_data_only=True,
                _request_timeout=WAIT_SECONDS,
            )
        except ApiException as error:
            if cast("object", error.status) == HTTPStatus.NOT_FOUND:  # pyright: ignore[reportUnknownMemberType]
                return {}
            raise
        return mapping(cast("object", json.loads(cast("bytes", getattr(answer, "data", b"null")))))
