"""Images of the acceptance: each is a row of catalogs/software/images.csv, pinned by tag; no digest is resolved yet."""

from __future__ import annotations

from typing import Final

# Python 3.12 with PyTorch, and nccl-tests in /usr/local/bin: what measures the accelerators of one node.
ACCELERATED: Final = "nvcr.io/nvidia/pytorch:25.10-py3"
# nccl-tests below /opt/nccl-tests with Open MPI and sshd; the first with Amazon's libfabric plugin and Python 3.10
# (github.com/awslabs/awsome-distributed-training, micro-benchmarks/nccl-tests), the second for verbs
# (github.com/coreweave/nccl-tests, Dockerfile). Both read 2026-11-22.
EFA: Final = "public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3"
VERBS: Final = "ghcr.io/coreweave/nccl-tests:13.1.0-devel-ubuntu24.04-nccl2.29.2-1-9dd6f94"
# `nv-hostengine` and `dcgmi`, of the release whose exporter the GPU Operator of the catalog has.
DCGM: Final = "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu24.04"
# Python 3.12 alone; the notebooks of most clusters have brought it already.
PYTHON: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"
# boto3 and the client of MLflow, at the version of the server.
MLFLOW: Final = "burakince/mlflow:3.15.1"
TORCH: Final = "pytorch/pytorch:2.10.0-cuda12.8-cudnn9-runtime"
NOTEBOOK: Final = "ghcr.io/kubeflow/kubeflow/notebook-servers/jupyter-scipy:v1.11.0"
FIO: Final = "xridge/fio:3.13-r1"  # github.com/xridge/kubestone, its fio benchmark
