"""Workloads: one line of the checklist each, told apart by `kind`."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planning.checklist.model.field_descriptions import meanings
from planning.checklist.model.units import Count, Days, Flag, Gigabytes, Number, Positive, Share, Whole
from planning.checklist.model.vocabulary import Domain, FabricAsk, Framework, Precision, Purchase

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
# A workload's, or in a lock of what stands beside it: its name and "-rollouts". A rule asks for one that there is.
DemandName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]


class ChecklistModel(BaseModel):
    """A frozen part of the checklist that knows no field but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        schema = handler(core)
        for name, field in handler.resolve_ref_schema(schema)["properties"].items():
            field["description"] = meanings(cls).get(name, "")
        return schema


class HardwareAsk(ChecklistModel):
    """Hardware asked for directly, by whoever already knows it; sizing then only checks the fit."""

    accelerator: str | None = None
    """Accelerator as in the catalog ("H100-SXM-80GB") or its family ("H100")."""
    form: Literal["SXM", "PCIe", "NVL", "OAM"] | None = None
    """Form factor; a PCIe card is never sold as SXM."""
    count: Whole | None = Field(default=None, ge=1)
    """Accelerators in all."""
    per_node: Whole | None = Field(default=None, ge=1)
    """Accelerators in each node."""
    nodes: Whole | None = Field(default=None, ge=1)
    """Number of nodes."""
    fabric: FabricAsk = FabricAsk.ANY
    """What must join the nodes."""
    purchase: Purchase | None = None
    """The only purchase that will do."""
    placement_group: Flag | None = None
    """Whether AWS places the nodes close together; not said: where nothing is reserved and the fabric asks for it."""
    usd_per_hour_cap: Number | None = Field(default=None, gt=0)
    """The most one accelerator may cost, USD per hour."""


class ModelFacts(ChecklistModel):
    """What is known of the model."""

    parameters: Count
    """Parameters in all, as in "7B"."""
    active_parameters: Count | None = None
    """Parameters used per token, for a mixture of experts."""
    layers: Whole | None = Field(default=None, ge=1)
    """Layers; with `kv_heads` and `head_dim` the KV cache is computed instead of estimated."""
    kv_heads: Whole | None = Field(default=None, ge=1)
    """Key-value heads per layer."""
    head_dim: Whole | None = Field(default=None, ge=1)
    """Size of one head."""


class Checkpointing(ChecklistModel):
    """How a job survives a lost node."""

    enabled: Flag = True
    """Whether jobs resume from a checkpoint."""
    every_minutes: Whole = Field(default=60, ge=1)
    """Minutes between checkpoints."""
    stall_seconds: Whole = Field(default=60, ge=1)
    """Longest time that writing one checkpoint may block the job."""


class WorkloadModel(ChecklistModel):
    """What every workload says."""

    name: Name
    """Names its node pool."""
    domain: Domain = Domain.TRANSFORMERS
    """What the work is about."""
    frameworks: tuple[Framework, ...] = (Framework.PYTORCH,)
    """What it is written with."""
    spot: Flag = False
    """Whether it may run on spot machines."""
    hardware: HardwareAsk | None = None
    """Hardware asked for directly."""


class Compute(WorkloadModel):
    """What training and fine-tuning share: a total of work, and maybe a deadline."""

    model: ModelFacts | None = None
    """The model; needed unless `flops_per_sample` or `samples_per_second` is given."""
    tokens: Count | None = None
    """Tokens of one run (all epochs together)."""
    samples: Count | None = None
    """Samples of one epoch, for models that do not count tokens."""
    epochs: Number = Field(default=Decimal(1), gt=0)
    """Passes over the samples."""
    flops_per_sample: Count | None = None
    """FLOPs of one sample, forward and backward."""
    samples_per_second: Number | None = Field(default=None, gt=0)
    """Measured rate of one accelerator of family `measured_on`."""
    measured_on: str | None = None
    """Accelerator the rate was measured on, as in the catalog."""
    precision: Precision = Precision.BF16
    """Number format."""
    mfu: Share | None = None
    """Share of peak FLOPS you expect; not given: what published runs reach. Above 0.5 is refused unless measured."""
    global_batch: Whole | None = Field(default=None, ge=1)
    """Samples or sequences per step."""
    deadline: Days | None = None
    """One run must be done within this time, from the start of its nodes on."""
    runs_per_month: Positive | None = None
    """How often a run is started; not given: once a month, or one after the other where a run may take longer."""
    rollout_vcpus: Whole = Field(default=0, ge=0)
    """Simulator cores beside the accelerators, for reinforcement learning."""
    checkpointing: Checkpointing = Checkpointing()
    """How a run survives a lost node."""


class Training(Compute):
    """Training from scratch."""

    kind: Literal["training"]
    """What the work is: it decides which fields there are."""


class FineTuning(Compute):
    """Fine-tuning a model that exists."""

    kind: Literal["fine_tuning"]
    """What the work is: it decides which fields there are."""
    method: Literal["full", "lora"] = "full"
    """All weights, or low-rank adapters over frozen weights."""
    adapter_share: Number = Field(default=Decimal("0.01"), gt=0, le=1)
    """Trained share of the parameters with LoRA."""


class Inference(WorkloadModel):
    """A service that answers requests."""

    kind: Literal["inference"]
    """What the work is: it decides which fields there are."""
    model: ModelFacts
    """The model served."""
    precision: Precision = Precision.BF16
    """Number format of the weights; fp8 and int8 count as quantised (1 byte)."""
    requests_per_second: Positive | None = None
    """Requests answered on average while the service is up; the copies then follow from published benchmarks."""
    peak_requests_per_second: Positive | None = None
    """Requests at the peak; not given: as on average."""
    input_tokens: Whole | None = Field(default=None, ge=1)
    """Tokens of one request on average; with `requests_per_second`."""
    output_tokens: Whole | None = Field(default=None, ge=1)
    """Tokens of one answer on average; with `requests_per_second`."""
    latency_p95_seconds: Positive | None = None
    """Longest time for a whole answer, of 95 in 100; with `requests_per_second`."""
    replicas: Whole | None = Field(default=None, ge=1)
    """Copies that are always up; not given: 1, or as `requests_per_second` needs."""
    max_replicas: Whole | None = Field(default=None, ge=1)
    """Copies at the peak; the difference is autoscaled."""
    scale_to_zero: Flag = False
    """Whether the last copy goes too when no request comes; the first request after that waits for it."""
    batch: Whole | None = Field(default=None, ge=1)
    """Requests answered together by one replica; not given: 1."""
    context_tokens: Whole = Field(default=4096, ge=1)
    """Longest context of one request."""
    latency_ms_per_token: Number | None = Field(default=None, gt=0)
    """Longest time per generated token."""
    hours_per_week: Number = Field(default=Decimal(168), gt=0, le=168)
    """168 is always on."""


class Notebooks(WorkloadModel):
    """Engineers working interactively."""

    kind: Literal["notebooks"]
    """What the work is: it decides which fields there are."""
    accelerators_per_engineer: Number = Field(default=Decimal("0.5"), gt=0)
    """Below 1 an accelerator is shared."""
    memory_per_engineer: Gigabytes = Field(default=Decimal(24), validate_default=True)
    """Accelerator memory one engineer needs."""
    hours_per_week: Number = Field(default=Decimal(40), gt=0, le=168)
    """Hours one engineer keeps an accelerator busy; idle notebooks are culled."""
    concurrency: Number = Field(default=Decimal("0.75"), gt=0, le=1)
    """Share of the engineers who work at the same time."""


class Batch(WorkloadModel):
    """Jobs without a model to size by: preprocessing, simulation, scoring."""

    kind: Literal["batch"]
    """What the work is: it decides which fields there are."""
    vcpus: Whole = Field(default=0, ge=0)
    """Cores at the same time."""
    memory: Gigabytes | None = None
    """Memory at the same time."""
    accelerators: Whole = Field(default=0, ge=0)
    """Accelerators at the same time."""
    accelerator_memory: Gigabytes | None = None
    """Memory each accelerator must have."""
    hours_per_month: Number = Field(default=Decimal(100), gt=0, le=730)
    """Hours of work a month."""
    checkpointing: Checkpointing = Checkpointing()
    """How a job survives a lost node."""


Workload = Annotated[Training | FineTuning | Inference | Notebooks | Batch, Field(discriminator="kind")]
