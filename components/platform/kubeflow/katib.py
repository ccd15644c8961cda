"""Katib, for hyperparameter search, with a generated password and pods that pass restricted pod security."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import (
    CLAIM,
    Patch,
    build_retention_transform,
    claims,
    manifests,
    on_system,
    proxies,
    request_resources,
)
from components.platform.building_blocks.objects import register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


SECRET: Final = "katib-mysql-secrets"  # noqa: S105 - name of a Secret, upstream's
PASSWORD: Final = "MYSQL_ROOT_PASSWORD"  # noqa: S105 - name of a variable
IMAGES: Final = "ghcr.io/kubeflow/katib"
TAG: Final = "v0.19.0"
# Algorithm to the image that suggests with it (katib v0.19.0, installs/katib-with-kubeflow, katib-config).
ALGORITHMS: Final[Mapping[str, str]] = {
    "random": "suggestion-hyperopt",
    "tpe": "suggestion-hyperopt",
    "grid": "suggestion-optuna",
    "multivariate-tpe": "suggestion-optuna",
    "hyperband": "suggestion-hyperband",
    "bayesianoptimization": "suggestion-skopt",
    "cmaes": "suggestion-goptuna",
    "sobol": "suggestion-goptuna",
    "enas": "suggestion-enas",
    "darts": "suggestion-darts",
    "pbt": "suggestion-pbt",
}
TRIALS: Final = ("TrainJob.v1alpha1.trainer.kubeflow.org", "Job.v1.batch")
# Deployment and its one container, to the memory it asks for, where the release asks nothing (idle: 476 MiB, upstream).
MEMORY: Final[Mapping[str, str]] = {
    "katib-controller": "64Mi",
    "katib-db-manager": "32Mi",
    "katib-mysql": "400Mi",
    "katib-ui": "32Mi",
}
NOBODY: Final = 1000
# What the restricted pod security standard asks of a container.
RESTRICTED: Final[Mapping[str, object]] = {
    "runAsNonRoot": True,
    "runAsUser": NOBODY,
    "runAsGroup": 0,  # the images open their folders to this group
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


@component("katib", "atoll:platform:Katib")
def build(own: PlatformResource) -> None:
    """The controller, its pages and its database."""
    password = {PASSWORD: own.context.keyring.get_secret("katib-database")}
    secret = register_secret(SECRET, password, namespace=names.KUBEFLOW, parent=own)
    manifests(own, patches(own.context), after=[secret], transforms=[build_retention_transform(CLAIM)])


def patches(context: PlatformContext) -> list[Patch]:
    env = [{"name": "MYSQL_ALLOW_EMPTY_PASSWORD", "$patch": "delete"}]
    pod = {"containers": [{"name": "katib-mysql", "env": env}]}
    document = yaml.safe_dump(configuration(context), sort_keys=False)
    return [
        Patch(kind="Secret", name=SECRET),
        Patch(kind="ConfigMap", name="trial-templates"),  # demonstrations, whose pods run as root
        Patch(kind="Deployment", name="katib-mysql", change={"spec": {"template": {"spec": pod}}}),
        Patch(kind="ConfigMap", name="katib-config", change={"data": {"katib-config.yaml": document}}),
        *(request_resources(name, name, cpu="20m", memory=memory) for name, memory in MEMORY.items()),
        proxies(),
        *claims(context),
        *on_system(context),
    ]


def configuration(context: PlatformContext) -> dict[str, object]:
    def image(name: str) -> str:
        return resolve_image(f"{IMAGES}/{name}:{TAG}", context)

    collector = image("file-metrics-collector")
    return {
        "apiVersion": "config.kubeflow.org/v1beta1",
        "kind": "KatibConfig",
        "init": {
            # The collector of metrics gets the security context of the trial that it sits beside.
            "controller": {"webhookPort": 8443, "injectSecurityContext": True, "trialResources": list(TRIALS)}
        },
        "runtime": {
            "metricsCollectors": [
                {"kind": "StdOut", "image": collector},
                {"kind": "File", "image": collector},
                {
                    "kind": "TensorFlowEvent",
                    "image": image("tfevent-metrics-collector"),
                    "resources": {"limits": {"memory": "1Gi"}},
                },
            ],
            "suggestions": [
                {"algorithmName": name, "image": image(suggests), "securityContext": dict(RESTRICTED)}
                for name, suggests in ALGORITHMS.items()
            ],
            "earlyStoppings": [{"algorithmName": "medianstop", "image": image("earlystopping-medianstop")}],
        },
    }
