"""The closed sets of words a checklist may use, and what its first placement is called."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

HOME: Final = "home"  # the first placement of every stack, whose charges have keys without a name before them


class Domain(StrEnum):
    """What the work is about; it decides how compute is estimated."""

    TRANSFORMERS = "transformers"
    COMPUTER_VISION = "computer_vision"
    REINFORCEMENT_LEARNING = "reinforcement_learning"
    SPEECH = "speech"
    TABULAR = "tabular"
    OTHER = "other"


class Framework(StrEnum):
    """What the jobs are written with; it decides which training operators are installed."""

    PYTORCH = "pytorch"
    TENSORFLOW = "tensorflow"
    JAX = "jax"
    XGBOOST = "xgboost"
    MPI = "mpi"


class Precision(StrEnum):
    """Number format of the heavy arithmetic."""

    FP64 = "fp64"
    TF32 = "tf32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"


class Ide(StrEnum):
    """What engineers write code in, inside the cluster."""

    VSCODE = "vscode"
    JUPYTERLAB = "jupyterlab"


class FileShape(StrEnum):
    """What the data set is made of: it decides which file system can feed the accelerators."""

    HUGE = "huge"  # few huge files or shards
    TINY = "tiny"  # millions of small files


class CloudName(StrEnum):
    """Every provider that can be quoted."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"
    LAMBDA = "lambda"
    COREWEAVE = "coreweave"
    NEBIUS = "nebius"
    RUNPOD = "runpod"
    CRUSOE = "crusoe"
    OCI = "oci"
    HYPERSTACK = "hyperstack"
    DIGITALOCEAN = "digitalocean"
    PAPERSPACE = "paperspace"


class Residency(StrEnum):
    """Where data may lie. UK and CH are not EU."""

    EU = "EU"
    UK = "UK"
    US = "US"
    CA = "CA"
    APAC = "APAC"
    ANY = "any"


class Purchase(StrEnum):
    """How machines may be paid for."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED = "reserved"
    CAPACITY_BLOCK = "capacity_block"


class FabricAsk(StrEnum):
    """What must join the nodes of one job."""

    ANY = "any"
    RDMA = "rdma"  # EFA, InfiniBand, RoCE or GPUDirect
    NONE = "none"


class Support(StrEnum):
    """Who answers when something breaks, and when."""

    NONE = "none"
    AS_NEEDED = "as_needed"
    BUSINESS_HOURS = "business_hours"
    ALWAYS = "24x7"


class Operation(StrEnum):
    """Who runs the cluster."""

    OURSELVES = "ourselves"
    FOR_US = "for_us"


class Orchestration(StrEnum):
    """What schedules the jobs."""

    KUBERNETES = "kubernetes"
    SLURM = "slurm"
    BOTH = "both"


class Reading(StrEnum):
    """Which end of a bill's range a ceiling binds."""

    MIN = "min"
    EXPECTED = "expected"
    MAX = "max"
