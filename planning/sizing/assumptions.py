"""The rules of thumb that sizing rests on, each a named constant with its source.

Texts that the rules are from, by number:
000 "ML: A Hardware Perspective" (January 2025).
001 Stas Bekman, Machine Learning Engineering Open Book, "How to Choose a Cloud Provider".
002 Stas Bekman, Machine Learning Engineering Open Book, "The AI Battlefield Engineering".
003 and 004 Ntropy, "How We Reduced our Infrastructure Costs by 8x without Sacrificing Performance" (March 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SizingAssumption:
    """A number that a figure is computed with, and who says so."""

    value: Decimal
    unit: str
    source: str


def _rule(value: str, unit: str, source: str) -> SizingAssumption:
    return SizingAssumption(Decimal(value), unit, source)


TEXT_MEMORY: Final = "Bekman, ML Engineering Open Book, section on accelerator memory"
TEXT_CPU: Final = "Bekman, ML Engineering Open Book, sections on CPU and CPU memory"
TEXT_IO: Final = "Bekman, ML Engineering Open Book, section on storage IO"
TEXT_NETWORK: Final = "Bekman, ML Engineering Open Book, section on inter-node network"
TEXT_STORAGE: Final = "Bekman, How to Choose a Cloud Provider, section on storage"
TEXT_SPARES: Final = "Bekman, How to Choose a Cloud Provider, sections on burn-in and on accelerator replacement"
CHECKLIST: Final = "the checklist"
DERIVED_MEMORY: Final = f"derived from the breakdown in {TEXT_MEMORY}"
OWN: Final = "our own assumption"

BYTES_PER_GB_AND_MS: Final = 10**6  # bytes / (GB/s x this) = ms

# Memory of weights, per parameter.
TRAINING_BYTES: Final = _rule("18", "bytes per parameter", f"{TEXT_MEMORY}: 8 AdamW + 4 gradients + 4 and 2 weights")
TRAINING_BYTES_FP64: Final = _rule(
    "32", "bytes per parameter", f"{DERIVED_MEMORY}: every state in 8 bytes, 16 AdamW + 8 gradients + 8 weights"
)
INFERENCE_BYTES: Final = _rule("2", "bytes per parameter", f"{TEXT_MEMORY}: half precision")
QUANTISED_BYTES: Final = _rule("1", "bytes per parameter", f"{TEXT_MEMORY}: quantised")
WEIGHT_BYTES: Final[Mapping[str, SizingAssumption]] = {
    "fp64": _rule("8", "bytes per parameter", "width of the number format"),
    "tf32": _rule("4", "bytes per parameter", "TF32 is stored as FP32: NVIDIA A100 architecture whitepaper"),
    "fp16": INFERENCE_BYTES,
    "bf16": INFERENCE_BYTES,
    "fp8": QUANTISED_BYTES,
    "int8": QUANTISED_BYTES,
}
ACTIVATIONS: Final = _rule("1.25", "", f"{TEXT_MEMORY}: 25% for activations, very approximate; the least, not the best")
CHECKPOINT_BYTES: Final = _rule(
    "14", "bytes per parameter", f"{DERIVED_MEMORY}: 18 without the 4 of gradients; 12 where the half copy is left out"
)
CHECKPOINT_BYTES_FP64: Final = _rule("24", "bytes per parameter", f"{DERIVED_MEMORY}: 16 AdamW + 8 weights")
KV_CACHE_SIDES: Final = _rule("2", "", "keys and values: Pope et al. 2022, Efficiently Scaling Transformer Inference")

# Work.
TRAINING_FLOPS: Final = _rule(
    "6", "FLOPs per parameter and token", "Kaplan et al. 2020, Scaling Laws for Neural Language Models, section 2.1"
)
LORA_FROZEN_FLOPS: Final = _rule(
    "4",
    "FLOPs per frozen parameter and token",
    "derived from Kaplan et al. 2020: 2 forward and 2 back through the activations; the 2 for the weights' own"
    " gradient fall away (about two thirds, as in Schulman et al. 2025, LoRA Without Regret)",
)
MFU_AT_BEST: Final = _rule("0.5", "", "Bekman, ML Engineering Open Book, section on MFU")
SCALING: Final = _rule("0.9", "", "ML: A Hardware Perspective (2025-01-28), assumptions: about 90% over several nodes")

# Gradients between nodes.
STEP_TOKENS: Final = _rule(
    "4000000", "tokens per step", "Touvron et al. 2023, Llama 2, section 2.2; with fewer there is more to exchange"
)
STEP_TOKENS_LARGE: Final = _rule(
    "16000000", "tokens per step", "Grattafiori et al. 2024, The Llama 3 Herd of Models, table 4: 405B parameters"
)
LARGE_MODEL: Final = Decimal(10**11)
MICRO_BATCH_TOKENS: Final = _rule(
    "16384",
    "tokens per accelerator",
    "torchtitan's Llama 3.1 8B (2 x 8,192, December 2024) and MosaicML's MPT-70B (8 x 2,048)",
)
OVERLAP: Final = _rule(
    "0.6667",
    "of the computing time",
    "Megatron-LM README: gradients are exchanged while the backward pass computes, which is 4 of 6 FLOPs (Kaplan et"
    " al. 2020)",
)
RESIDENT_SHARE: Final = _rule(
    "0.3333",
    "of the training memory",
    f"{DERIVED_MEMORY}: 2 bytes of weights and 4 of gradients of 18; the rest may be sharded over all nodes"
    " (Rajbhandari et al. 2020, ZeRO)",
)
GATHERS: Final = _rule("2", "times the weights", "Zhao et al. 2023, PyTorch FSDP: gathered for each pass, both ways")
GRADIENT_BYTES: Final = _rule("2", "bytes per trained parameter", f"{OWN}: gradients are summed in half precision")
ALL_REDUCE: Final = _rule("2", "times the volume", "Patarasuk and Yuan 2009: 2 x (n - 1) / n, the least for n nodes")

# Feeding the accelerators.
TRAINING_CORES: Final = _rule(
    "3.75", "vCPUs per accelerator", f"{TEXT_CPU}: 2-3 loaders and 1 more, at least 30 cores for 8 (counted in vCPUs)"
)
SHARED_CORES: Final = _rule("3", "vCPUs per accelerator", f"{TEXT_CPU}: 2 loaders and 1 more, the least")
NETWORK_SHARE: Final = _rule("0.8", "", f"{TEXT_NETWORK}: at most 80% of what is advertised")
SHARED_FILES_USABLE: Final = _rule("0.8", "", f"{TEXT_IO} and {TEXT_STORAGE}: 100 TB reliable need 125 TB rented")
ALL_USABLE: Final = _rule("1", "", f"{TEXT_STORAGE}: other file systems reach 100%")

# Failures.
EARLY_FAILURES_LOW: Final = _rule("0.03", "", f"{TEXT_SPARES}: 3-10% of a new batch without burn-in")
EARLY_FAILURES_HIGH: Final = _rule("0.1", "", f"{TEXT_SPARES}: 3-10% of a new batch without burn-in")
SPARES: Final = _rule("0.1", "", f"{TEXT_SPARES}: about 10% more nodes than the work needs, on the same spine")
ONE_SPINE: Final = _rule("10000", "accelerators", f"{TEXT_SPARES}: smaller clusters fit one network spine")
OVERSUBSCRIPTION: Final = _rule(
    "7", "to 1 between spines", "Grattafiori et al. 2024, The Llama 3 Herd of Models, section 3.3.1"
)
LEAST_NETWORK: Final = _rule(
    "4", "Gbps", "the least of any machine with accelerators in catalogs/*/machines.csv (a test holds it there)"
)
LARGEST_CLUSTER: Final = _rule(
    "100000", "accelerators", "NVIDIA, 28 October 2024, on Colossus: the largest cluster that is published"
)

# The nodes that the control software lives on.
SYSTEM_NODES: Final = _rule("3", "nodes", f"{OWN}: one node may fail or be drained")
PLATFORM_SOURCE: Final = "catalogs/software/parts.csv: what each component requests while idle"
SYSTEM_PEAK: Final = _rule(
    "1.5", "", f"{OWN}: half as much again for peaks, pipeline steps and two versions at an update"
)
SYSTEM_SHARE: Final = _rule("0.8", "", f"{OWN}: a fifth of a node is the kubelet's, the network's and the node agents'")
BESIDE_SOURCE: Final = f"{OWN}: queues, DNS and agents only; the platform and its users are in the primary placement"
BESIDE_NODES: Final = SizingAssumption(Decimal(2), "nodes", BESIDE_SOURCE)
BESIDE_VCPUS: Final = SizingAssumption(Decimal(8), "vCPUs", BESIDE_SOURCE)
BESIDE_MEMORY: Final = SizingAssumption(Decimal(32), "GiB", BESIDE_SOURCE)
CPU_NODE_VCPUS: Final = 4

# Plain numbers.
NOTHING: Final = Decimal(0)
ONE: Final = Decimal(1)

# Time.
HOURS_PER_WEEK: Final = Decimal(168)
HOURS_PER_DAY: Final = Decimal(24)
SECONDS_PER_HOUR: Final = Decimal(3600)
SECONDS_PER_DAY: Final = Decimal(86400)
GIGA: Final = Decimal(10**9)
TERA: Final = Decimal(10**12)
GB_PER_GIB: Final = Decimal(2**30) / 10**9
BITS_PER_BYTE: Final = Decimal(8)
