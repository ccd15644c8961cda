"""What a workload's containers have in their environment to find the experiment tracker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.names import MLFLOW_ADDRESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.context.settings import Settings

# MLflow's client asks a server that keeps artifacts in S3 for signed addresses, and then downloads from the store
# itself: past the proxy, where neither its network nor the certificate authority lets it. Both are switched off at the
# client alone (mlflow/store/artifact/mlflow_artifacts_repo.py of 3.15.1; `tests/server/test_mlflow.py` met it).
THROUGH_PROXY: Final[Mapping[str, str]] = {
    "MLFLOW_ENABLE_PROXY_MULTIPART_DOWNLOAD": "false",
    "MLFLOW_ENABLE_PROXY_MULTIPART_UPLOAD": "false",
}


def plain(settings: Settings) -> dict[str, dict[str, str]]:
    """Tracker to its environment, as far as it is no secret."""
    return {
        "mlflow": {"MLFLOW_TRACKING_URI": MLFLOW_ADDRESS, **THROUGH_PROXY},
        "wandb": {"WANDB_BASE_URL": settings.wandb_base_url} if settings.wandb_base_url else {},
        "comet": {"COMET_URL_OVERRIDE": settings.comet_base_url} if settings.comet_base_url else {},
    }


def secrets(settings: Settings) -> dict[str, dict[str, pulumi.Input[str]]]:
    """Tracker to what only a Secret may hold; nothing for a tracker whose key the stack was not given."""
    found = {"wandb": ("WANDB_API_KEY", settings.wandb_api_key), "comet": ("COMET_API_KEY", settings.comet_api_key)}
    return {tracker: {name: key} for tracker, (name, key) in found.items() if key}
