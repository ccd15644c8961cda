"""Images of notebooks: which IDE and which framework each has, by the names of Kubeflow Notebooks 1.11.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.accelerators import NVIDIA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

SERVERS: Final = "ghcr.io/kubeflow/kubeflow/notebook-servers"
TAG: Final = "v1.11.0"  # applications/notebooks-v1/upstream/jupyter-web-app/base/configs/spawner_ui_config.yaml
PLAIN: Final = f"{SERVERS}/jupyter-scipy:{TAG}"  # JAX is installed into it: nobody publishes an image with both
CODE: Final = f"{SERVERS}/codeserver-python:{TAG}"  # frameworks are installed into it
# Framework to its images, without and with the libraries of NVIDIA.
JUPYTER: Final[Mapping[str, tuple[str, str]]] = {
    "pytorch": (f"{SERVERS}/jupyter-pytorch-full:{TAG}", f"{SERVERS}/jupyter-pytorch-cuda-full:{TAG}"),
    "tensorflow": (f"{SERVERS}/jupyter-tensorflow-full:{TAG}", f"{SERVERS}/jupyter-tensorflow-cuda-full:{TAG}"),
}


def jupyter_images(frameworks: Collection[str], devices: Collection[str]) -> tuple[str, ...]:
    """What JupyterLab is offered with, the plain one first."""
    return (PLAIN, *_of_frameworks(frameworks, devices))


def _of_frameworks(frameworks: Collection[str], devices: Collection[str]) -> Iterator[str]:
    for framework, (processors, accelerators) in JUPYTER.items():
        if framework in frameworks:
            yield processors
            if NVIDIA in devices:
                yield accelerators
