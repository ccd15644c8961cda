"""What `atoll init` asks of the work and the machines for it."""

from __future__ import annotations

from typing import Final

from planning.checklist.reference.question import COMPUTES, AnswerChoice, Question, words

_SERVES: Final = ("purpose", frozenset({"inference"}))
_BATCH: Final = ("purpose", frozenset({"batch"}))
_BY_TOKENS: Final = ("domain", frozenset({"transformers", "speech"}))
_BY_SAMPLES: Final = ("domain", frozenset({"computer_vision", "reinforcement_learning", "tabular", "other"}))
_NO_GPU: Final = ("accelerators", frozenset({"0", "+0", "-0"}))

_WHO: Final = (
    Question(
        id="name",
        text="Short name of your team or company (lower case, dashes)",
        kind="text",
        path="customer.name",
        default="my-team",
    ),
    Question(
        id="owner",
        text="E-mail of whoever answers for the bill",
        kind="text",
        path="customer.owner",
        default="ml-lead@example.com",
    ),
)

_WORK: Final = (
    Question(
        id="purpose",
        text="What is the cluster for, first of all?",
        kind="choice",
        path="workloads[0].kind",
        default="fine_tuning",
        choices=(
            AnswerChoice("training", "training from scratch"),
            AnswerChoice("fine_tuning", "fine-tuning a model that exists"),
            AnswerChoice("inference", "a service that answers requests"),
            AnswerChoice("notebooks", "engineers working interactively"),
            AnswerChoice("batch", "jobs without a model: preparing, simulating, scoring"),
        ),
    ),
    Question(
        id="domain",
        text="We work on",
        kind="choice",
        path="workloads[0].domain",
        default="transformers",
        choices=words("transformers", "computer_vision", "reinforcement_learning", "speech", "tabular", "other"),
    ),
    Question(
        id="parameters",
        text="Parameters of the model to train, as in 7B",
        kind="text",
        path="workloads[0].model.parameters",
        default="7B",
        when=(COMPUTES,),
    ),
    Question(
        id="served_parameters",
        text="Parameters of the model to serve, as in 8B",
        kind="text",
        path="workloads[0].model.parameters",
        default="8B",
        when=(_SERVES,),
    ),
    Question(
        id="tokens",
        text="Tokens of one run, all epochs together, as in 500M",
        kind="text",
        path="workloads[0].tokens",
        default="500M",
        when=(COMPUTES, _BY_TOKENS),
    ),
    Question(
        id="samples",
        text="Samples of one epoch (images, environment steps, rows), as in 1M",
        kind="text",
        path="workloads[0].samples",
        default="1M",
        when=(COMPUTES, _BY_SAMPLES),
    ),
    Question(
        id="epochs",
        text="How many epochs, as a guess?",
        kind="number",
        path="workloads[0].epochs",
        default="10",
        when=(COMPUTES, _BY_SAMPLES),
    ),
    Question(
        id="flops_per_sample",
        text="FLOPs of one sample, forward and backward (a ViT-L image takes about 370B)",
        kind="text",
        path="workloads[0].flops_per_sample",
        default="100B",
        when=(COMPUTES, _BY_SAMPLES),
    ),
    Question(
        id="deadline",
        text='One run must be done within, as in 3d or 36h ("none": no deadline)',
        kind="text",
        path="workloads[0].deadline",
        default="3d",
        nothing="none",
        when=(COMPUTES,),
    ),
    Question(
        id="runs",
        text="Runs a month",
        kind="number",
        path="workloads[0].runs_per_month",
        default="2",
        when=(COMPUTES,),
    ),
    Question(
        id="replicas",
        text="Copies that are always up",
        kind="number",
        path="workloads[0].replicas",
        default="2",
        when=(_SERVES,),
    ),
    Question(
        id="max_replicas",
        text="Copies at the peak",
        kind="number",
        path="workloads[0].max_replicas",
        default="4",
        when=(_SERVES,),
    ),
    Question(
        id="vcpus",
        text="Processor cores at the same time",
        kind="number",
        path="workloads[0].vcpus",
        default="64",
        when=(_BATCH,),
    ),
    Question(
        id="accelerators",
        text="GPUs at the same time (0 for none)",
        kind="number",
        path="workloads[0].accelerators",
        default="0",
        when=(_BATCH,),
    ),
    Question(
        id="engineers",
        text="How many engineers will work in the cluster?",
        kind="number",
        path="engineers.count",
        default="8",
    ),
)

_MACHINES: Final = (
    Question(
        id="gpu",
        text='Which GPU, as in H100, H200, B200, A100, L40S or MI300X ("any": whichever does the work for the least)',
        kind="text",
        path="workloads[0].hardware.accelerator",
        default="any",
        nothing="any",
        unless=(_NO_GPU,),
    ),
    Question(
        id="gpus",
        text='How many GPUs in all ("any": as many as the work and its deadline need)',
        kind="number",
        path="workloads[0].hardware.count",
        default="any",
        nothing="any",
        when=(COMPUTES,),
    ),
    Question(
        id="spot",
        text="May it run on spot machines, which can be taken back at short notice?",
        kind="bool",
        path="workloads[0].spot",
        default="false",
    ),
    Question(
        id="warm",
        text='Shared fast storage (NVMe), as in 2400GB ("none": none)',
        kind="text",
        path="storage.warm.size",
        default="2400GB",
        nothing="none",
    ),
    Question(
        id="cold",
        text='Shared large storage (objects), as in 10TB ("none": none)',
        kind="text",
        path="storage.cold.size",
        default="10TB",
        nothing="none",
    ),
)

WORK: Final = (*_WHO, *_WORK, *_MACHINES)
