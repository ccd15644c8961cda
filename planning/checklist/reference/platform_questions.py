"""What `atoll init` asks last: platform, network, access. The price moves little with it, and each has a default."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.reference.question import COMPUTES, AnswerChoice, Question, words

_HAS_CLOUD: Final = ("main_cloud", frozenset(name for name in CloudName if find_traits(name).reference_region))
_PEERS: Final = ("peer", frozenset({"true"}))
_NO_VPN: Final = ("vpn", frozenset({"false"}))
_SSH: Final = ("ssh", frozenset({"true"}))

_PEOPLE: Final = (
    Question(
        id="frameworks",
        text="Our engineers use",
        kind="choice",
        path="workloads[0].frameworks",
        default="pytorch",
        choices=words("pytorch", "tensorflow", "jax", "xgboost", "mpi"),
        several=True,
    ),
    Question(
        id="checkpointing",
        text="Do runs resume from checkpoints?",
        kind="bool",
        path="workloads[0].checkpointing.enabled",
        default="true",
        when=(COMPUTES,),
    ),
    Question(
        id="ides",
        text="In-cluster IDEs",
        kind="choice",
        path="engineers.ides",
        default="vscode, jupyterlab",
        choices=(
            AnswerChoice("vscode", "VS Code"),
            AnswerChoice("jupyterlab", "JupyterLab"),
            AnswerChoice("none", "none"),
        ),
        nothing="none",
        several=True,
    ),
)

_FLOW: Final = (
    Question(
        id="dataset",
        text='Size of the training data, as in 2TB ("none": none)',
        kind="text",
        path="dataset.size",
        default="2TB",
        nothing="none",
    ),
    Question(
        id="files",
        text="What is it made of?",
        kind="choice",
        path="dataset.files",
        default="huge",
        choices=(AnswerChoice("huge", "few huge files or shards"), AnswerChoice("tiny", "millions of small files")),
        unless=(("dataset", frozenset({"none"})),),
    ),
    Question(
        id="direction",
        text="We will need mostly",
        kind="choice",
        path="traffic.direction",
        default="ingress",
        choices=(AnswerChoice("ingress", "data comes in"), AnswerChoice("egress", "data goes out")),
    ),
    Question(
        id="sustained",
        text='Sustained, as in 1Gbps ("none": not known)',
        kind="text",
        path="traffic.sustained",
        default="1Gbps",
        nothing="none",
    ),
    Question(
        id="burst",
        text='Burst, as in 5Gbps ("none": not known)',
        kind="text",
        path="traffic.burst",
        default="5Gbps",
        nothing="none",
    ),
    Question(
        id="egress",
        text="Volume to the internet in a month, as in 500GB",
        kind="text",
        path="traffic.egress_per_month",
        default="500GB",
    ),
    Question(
        id="peer",
        text="Peer the cluster with a VPC of the main cloud?",
        kind="bool",
        path="",
        default="false",
        when=(_HAS_CLOUD,),
    ),
    Question(
        id="vpc_id",
        text="Which one (a VPC's id, projects/.../networks/NAME at Google, the resource id of a VNet at Azure)",
        kind="text",
        path="main_cloud.vpc_id",
        example="vpc-0a1b2c3d4e5f60718",
        when=(_HAS_CLOUD, _PEERS),
    ),
    Question(
        id="vpc_cidr",
        text="Its address range, as in 10.0.0.0/16",
        kind="text",
        path="main_cloud.vpc_cidr",
        example="10.0.0.0/16",
        when=(_HAS_CLOUD, _PEERS),
    ),
    Question(
        id="observe",
        text="Cluster logs and metrics visible in the main cloud?",
        kind="bool",
        path="main_cloud.logs_and_metrics",
        default="false",
        when=(_HAS_CLOUD,),
    ),
)

_PLATFORM: Final = (
    Question(
        id="tracker",
        text="Experiment tracker",
        kind="choice",
        path="tracker",
        default="mlflow",
        choices=(
            AnswerChoice("mlflow", "in the cluster"),
            AnswerChoice("wandb", "Weights & Biases"),
            AnswerChoice("comet", "Comet"),
        ),
    ),
    Question(
        id="schedulers",
        text="Scheduler extras",
        kind="choice",
        path="schedulers",
        default="none",
        choices=words("airflow", "none"),
        nothing="none",
        several=True,
    ),
    Question(
        id="platform",
        text="How much of the platform?",
        kind="choice",
        path="platform.size",
        default="standard",
        choices=(
            AnswerChoice("small", "notebooks, jobs, experiments"),
            AnswerChoice("standard", "and pipelines, sweeps, a model registry, serving"),
            AnswerChoice("full", "and secrets from your own vault"),
        ),
    ),
    Question(
        id="object_store",
        text="Objects are kept by",
        kind="choice",
        path="platform.object_store",
        default="minio",
        choices=(
            AnswerChoice("minio", "MinIO"),
            AnswerChoice("seaweedfs", "SeaweedFS"),
            AnswerChoice("provider", "provider's buckets"),
        ),
    ),
    Question(
        id="orchestration",
        text="Jobs are scheduled by",
        kind="choice",
        path="orchestration",
        default="kubernetes",
        choices=(AnswerChoice("kubernetes"), AnswerChoice("slurm", "Slurm on Kubernetes"), AnswerChoice("both")),
    ),
    Question(
        id="operation",
        text="Who manages the cluster?",
        kind="choice",
        path="operation",
        default="for_us",
        choices=(AnswerChoice("ourselves", "we do"), AnswerChoice("for_us", "do it for us")),
    ),
    Question(
        id="no_lock_in",
        text="Refuse what only one provider sells?",
        kind="bool",
        path="where.no_lock_in",
        default="false",
    ),
)

_ACCESS: Final = (
    Question(id="vpn", text="VPN credentials wanted?", kind="bool", path="access.vpn", default="true"),
    Question(
        id="office",
        text="Address range of your office, which then reaches the Kubernetes API, as in 203.0.113.0/24",
        kind="text",
        path="where.api_cidrs",
        example="203.0.113.0/24",
        several=True,
        when=(_NO_VPN,),
    ),
    Question(
        id="ssh", text="SSH to nodes that are not control plane?", kind="bool", path="access.ssh", default="false"
    ),
    Question(id="user", text="Login name of the first user", kind="text", path="access.users[0].name", default="admin"),
    Question(id="email", text="Their e-mail", kind="text", path="access.users[0].email", default="admin@example.com"),
    Question(
        id="ssh_key",
        text="Their public key, as in ssh-ed25519 AAAA...",
        kind="text",
        path="access.users[0].ssh_key",
        example="ssh-ed25519 AAAA",
        when=(_SSH,),
    ),
    Question(
        id="burn_in",
        text="Test each accelerator node before work lands on it?",
        kind="bool",
        path="burn_in",
        default="true",
    ),
)

DETAILS: Final = tuple(replace(each, detail=True) for each in (*_PEOPLE, *_FLOW, *_PLATFORM, *_ACCESS))
