"""The questions of `atoll init`, in order: the founding text's checkboxes, and what a quote needs beyond them."""

from __future__ import annotations

from typing import Final

from planning.checklist.question import Choice, Question, choice, flag, number, text, words

_COMPUTES: Final = ("purpose", frozenset({"training", "fine_tuning"}))
_SERVES: Final = ("purpose", frozenset({"inference"}))
_BATCH: Final = ("purpose", frozenset({"batch"}))
_BY_TOKENS: Final = ("domain", frozenset({"transformers", "speech"}))
_BY_SAMPLES: Final = ("domain", frozenset({"computer_vision", "reinforcement_learning", "tabular", "other"}))
_HAS_CLOUD: Final = ("main_cloud", frozenset({"aws", "gcp", "azure"}))
_PEERS: Final = ("peer", frozenset({"true"}))
_COMMITS: Final = ("contract", frozenset({"12", "24", "36"}))
_NO_VPN: Final = ("vpn", frozenset({"false"}))
_SSH: Final = ("ssh", frozenset({"true"}))

_WHO: Final = (
    text("name", "Short name of your team or company (lower case, dashes)", "customer.name", "my-team"),
    text("owner", "E-mail of whoever answers for the bill", "customer.owner", "ml-lead@example.com"),
)

_WORK: Final = (
    choice(
        "purpose",
        "What is the cluster for, first of all?",
        "workloads[0].kind",
        "fine_tuning",
        (
            Choice("training", "training from scratch"),
            Choice("fine_tuning", "fine-tuning a model that exists"),
            Choice("inference", "a service that answers requests"),
            Choice("notebooks", "engineers working interactively"),
            Choice("batch", "jobs without a model: preparing, simulating, scoring"),
        ),
    ),
    choice(
        "domain",
        "We work on",
        "workloads[0].domain",
        "transformers",
        words("transformers", "computer_vision", "reinforcement_learning", "speech", "tabular", "other"),
    ),
    choice(
        "frameworks",
        "Our engineers use",
        "workloads[0].frameworks",
        "pytorch",
        words("pytorch", "tensorflow", "jax", "xgboost", "mpi"),
        several=True,
    ),
    text(
        "parameters",
        "Parameters of the model to train, as in 7B",
        "workloads[0].model.parameters",
        "7B",
        when=(_COMPUTES,),
    ),
    text(
        "served_parameters",
        "Parameters of the model to serve, as in 8B",
        "workloads[0].model.parameters",
        "8B",
        when=(_SERVES,),
    ),
    text(
        "tokens",
        "Tokens of one run, all epochs together, as in 500M",
        "workloads[0].tokens",
        "500M",
        when=(_COMPUTES, _BY_TOKENS),
    ),
    text(
        "samples",
        "Samples of one epoch (images, environment steps, rows), as in 1M",
        "workloads[0].samples",
        "1M",
        when=(_COMPUTES, _BY_SAMPLES),
    ),
    number("epochs", "How many epochs, as a guess?", "workloads[0].epochs", "10", when=(_COMPUTES, _BY_SAMPLES)),
    text(
        "flops_per_sample",
        "FLOPs of one sample, forward and backward (a ViT-L image takes about 370B)",
        "workloads[0].flops_per_sample",
        "100B",
        when=(_COMPUTES, _BY_SAMPLES),
    ),
    text(
        "deadline",
        "One run must be done within, as in 3d (empty: no deadline)",
        "workloads[0].deadline",
        "3d",
        when=(_COMPUTES,),
    ),
    number("runs", "Runs a month", "workloads[0].runs_per_month", "2", when=(_COMPUTES,)),
    number("replicas", "Copies that are always up", "workloads[0].replicas", "2", when=(_SERVES,)),
    number("max_replicas", "Copies at the peak", "workloads[0].max_replicas", "4", when=(_SERVES,)),
    number("vcpus", "Processor cores at the same time", "workloads[0].vcpus", "64", when=(_BATCH,)),
    number(
        "accelerators", "Accelerators at the same time (0 for none)", "workloads[0].accelerators", "0", when=(_BATCH,)
    ),
    flag("spot", "May it run on spot machines, which can be taken back at short notice?", "workloads[0].spot", "false"),
    flag(
        "checkpointing",
        "Do runs resume from checkpoints?",
        "workloads[0].checkpointing.enabled",
        "true",
        when=(_COMPUTES,),
    ),
)

_PEOPLE: Final = (
    number("engineers", "How many engineers will work in the cluster?", "engineers.count", "8"),
    choice(
        "ides",
        "In-cluster IDEs",
        "engineers.ides",
        "vscode,jupyterlab",
        (Choice("vscode", "VS Code"), Choice("jupyterlab", "JupyterLab"), Choice("none", "none")),
        nothing="none",
        several=True,
    ),
)

_FLOW: Final = (
    text("dataset", "Size of the training data, as in 2TB", "dataset.size", "2TB"),
    choice(
        "files",
        "What is it made of?",
        "dataset.files",
        "huge",
        (Choice("huge", "few huge files or shards"), Choice("tiny", "millions of small files")),
    ),
    choice(
        "direction",
        "We will need mostly",
        "traffic.direction",
        "ingress",
        (Choice("ingress", "data comes in"), Choice("egress", "data goes out")),
    ),
    text("sustained", "Sustained, as in 1Gbps", "traffic.sustained", "1Gbps"),
    text("burst", "Burst, as in 5Gbps", "traffic.burst", "5Gbps"),
    text("egress", "Volume to the internet in a month, as in 500GB", "traffic.egress_per_month", "500GB"),
)

_HOME: Final = (
    choice(
        "main_cloud",
        "Our main cloud is",
        "main_cloud.provider",
        "aws",
        (Choice("aws"), Choice("gcp", "Google Cloud"), Choice("azure"), Choice("none", "none of these")),
        nothing="none",
    ),
    text("region", "Its region", "main_cloud.region", "us-east-1", when=(_HAS_CLOUD,)),
    flag("peer", "Peer the cluster with a VPC there?", "", "false", when=(_HAS_CLOUD,)),
    text(
        "vpc_id",
        "Which one (a VPC's id, projects/.../networks/NAME at Google, the resource id of a VNet at Azure)",
        "main_cloud.vpc_id",
        "",
        nothing="none",
        when=(_HAS_CLOUD, _PEERS),
    ),
    text("vpc_cidr", "Its address range", "main_cloud.vpc_cidr", "", nothing="none", when=(_HAS_CLOUD, _PEERS)),
    flag(
        "observe",
        "Cluster logs and metrics visible in the main cloud?",
        "main_cloud.logs_and_metrics",
        "false",
        when=(_HAS_CLOUD,),
    ),
)

_PLATFORM: Final = (
    choice(
        "tracker",
        "Experiment tracker",
        "tracker",
        "mlflow",
        (Choice("mlflow", "in the cluster"), Choice("wandb", "Weights & Biases"), Choice("comet", "Comet")),
    ),
    choice(
        "schedulers", "Scheduler extras", "schedulers", "none", words("airflow", "none"), nothing="none", several=True
    ),
    choice(
        "platform",
        "How much of the platform?",
        "platform.size",
        "standard",
        (
            Choice("small", "notebooks, jobs, experiments"),
            Choice("standard", "and pipelines, sweeps, a model registry, serving"),
            Choice("full", "and secrets from your own vault"),
        ),
    ),
    choice(
        "object_store",
        "Objects are kept by",
        "platform.object_store",
        "minio",
        (Choice("minio", "MinIO"), Choice("seaweedfs", "SeaweedFS"), Choice("provider", "the provider's buckets")),
    ),
    text("warm", "Shared fast storage (NVMe), as in 2400GB (empty: none)", "storage.warm.size", "2400GB"),
    text("cold", "Shared large storage (objects), as in 10TB (empty: none)", "storage.cold.size", "10TB"),
    choice(
        "orchestration",
        "Jobs are scheduled by",
        "orchestration",
        "kubernetes",
        (Choice("kubernetes"), Choice("slurm", "Slurm on Kubernetes"), Choice("both")),
    ),
    choice(
        "operation",
        "Who manages the cluster?",
        "operation",
        "for_us",
        (Choice("ourselves", "we do"), Choice("for_us", "do it for us")),
    ),
)

_CONTRACT: Final = (
    choice(
        "contract",
        "Preferred contract, in months",
        "contract.months",
        "0",
        (Choice("0", "none"), Choice("12"), Choice("24"), Choice("36")),
    ),
    flag("incentives", "Include incentives?", "contract.incentives", "true", when=(_COMMITS,)),
    choice(
        "support",
        "We want platform support",
        "support",
        "as_needed",
        (
            Choice("none", "nah"),
            Choice("as_needed", "as needed"),
            Choice("business_hours", "business hours"),
            Choice("24x7", "day and night"),
        ),
    ),
    choice("residency", "Where may data lie?", "where.residency", "any", words("any", "US", "EU", "UK", "CA", "APAC")),
    flag("no_lock_in", "Refuse what only one provider sells?", "where.no_lock_in", "false"),
)

_ACCESS: Final = (
    flag("vpn", "VPN credentials wanted?", "access.vpn", "true"),
    text(
        "office",
        "Address range of your office, which then reaches the Kubernetes API, as in 203.0.113.0/24",
        "where.api_cidrs",
        "",
        several=True,
        when=(_NO_VPN,),
    ),
    flag("ssh", "SSH to nodes that are not control plane?", "access.ssh", "false"),
    text("user", "Login name of the first user", "access.users[0].name", "admin"),
    text("email", "Their e-mail", "access.users[0].email", "admin@example.com"),
    text("ssh_key", "Their public key, as in ssh-ed25519 AAAA...", "access.users[0].ssh_key", "", when=(_SSH,)),
    flag("burn_in", "Test each accelerator node before work lands on it?", "burn_in", "true"),
    number("ceiling", "The most a month may cost, in USD (a hard limit)", "ceiling.usd_per_month", "30000"),
    choice(
        "binds",
        "The ceiling holds for",
        "ceiling.binds",
        "expected",
        (Choice("expected", "an expected month"), Choice("max", "the busiest month, too")),
    ),
)

QUESTIONS: Final[tuple[Question, ...]] = (*_WHO, *_WORK, *_PEOPLE, *_FLOW, *_HOME, *_PLATFORM, *_CONTRACT, *_ACCESS)
