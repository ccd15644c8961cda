"""Alerts of accelerators and their fabric. Metrics are DCGM's and the node exporter's, whoever runs the exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.alerts.model import Alert, RuleGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts

# Errors after which it is enough to start the program again
# (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, bucket RESTART_APP; read 2026-11-21).
APPLICATION_XIDS: Final = (8, 13, 31, 43, 45, 68, 69, 137)
PER_GPU: Final = "max by (Hostname, gpu, UUID)"
PER_PORT: Final = "max by (instance, device, port)"
HOT_CELSIUS: Final = 85  # NVIDIA data-centre GPUs slow down from about 87 C on (nvidia-smi -q, "GPU Slowdown Temp")
HOT_MEMORY_CELSIUS: Final = 95  # HBM slows the GPU down at 95 to 105 C, by generation
NVLINK_ERRORS: Final = ("REPLAY", "RECOVERY", "CRC_FLIT")
ACTIVE: Final = 4  # state of an InfiniBand port that carries traffic (prometheus/node_exporter, infiniband collector)


def group(facts: AlertFacts) -> Iterator[RuleGroup]:
    """Nothing, where no pool has accelerators."""
    if facts.gpu_pools:
        yield RuleGroup(name="atoll-gpu-health", rules=(*_errors(), *_heat(), *_links()))


def _errors() -> Iterator[Alert]:
    yield Alert(
        name="GpuXid",
        expr=f"{PER_GPU} (DCGM_FI_DEV_XID_ERRORS) > 0 unless {PER_GPU} ({_any(*_xids())})",
        lasting="0m",
        severity="critical",
        summary="GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reports Xid {{ $value }}",
        description="The driver reports a fault of the GPU itself. Jobs on this node may hang or compute wrongly:"
        " cordon the node, then follow the runbook.",
    )
    yield Alert(
        name="GpuMemoryErrors",
        expr=_any(
            f"{PER_GPU} (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h])) > 0",
            f"{PER_GPU} (increase(DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS[1h])) > 0",
            f"{PER_GPU} (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
        ),
        lasting="0m",
        severity="critical",
        summary="GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has memory errors that ECC cannot correct",
        description="Memory rows failed. A reset takes the spare rows into use; where there is none left the GPU has"
        " to be replaced.",
    )


def _xids() -> Iterator[str]:
    """GPUs whose last Xid is the program's fault."""
    yield from (f"DCGM_FI_DEV_XID_ERRORS == {code}" for code in APPLICATION_XIDS)


def _any(*expressions: str) -> str:
    """Results of any of these, whichever of their metrics the exporter has."""
    return " or ".join(expressions)


def _heat() -> Iterator[Alert]:
    yield Alert(
        name="GpuThermal",
        expr=_any(
            f"{PER_GPU} (DCGM_FI_DEV_GPU_TEMP) > {HOT_CELSIUS}",
            f"{PER_GPU} (DCGM_FI_DEV_MEMORY_TEMP) > {HOT_MEMORY_CELSIUS}",
            f"{PER_GPU} (rate(DCGM_FI_DEV_THERMAL_VIOLATION[10m])) > 0",
        ),
        lasting="10m",
        severity="warning",
        summary="GPU {{ $labels.gpu }} of {{ $labels.Hostname }} runs hot or is slowed down by heat",
        description="A GPU that slows down slows every GPU of its job down. It is the provider's cooling, nearly"
        " always.",
    )


def _links() -> Iterator[Alert]:
    yield Alert(
        name="NvlinkErrors",
        expr=_any(
            *(f"{PER_GPU} (increase(DCGM_FI_DEV_NVLINK_{kind}_ERROR_COUNT_TOTAL[15m])) > 0" for kind in NVLINK_ERRORS)
        ),
        lasting="15m",
        severity="warning",
        summary="NVLink of GPU {{ $labels.gpu }} on {{ $labels.Hostname }} repeats transfers",
        description="Links inside the node lose data and send it again: collectives get slow, then jobs fail.",
    )
    yield Alert(
        name="FabricErrors",
        expr=_any(
            f"{PER_PORT} (node_infiniband_state_id) != {ACTIVE}",
            f"{PER_PORT} (increase(node_infiniband_link_downed_total[15m])) > 0",
            f"{PER_PORT} (increase(node_infiniband_port_errors_received_total[15m])) > 0",
        ),
        lasting="5m",
        severity="critical",
        summary="Fabric port {{ $labels.device }}/{{ $labels.port }} of {{ $labels.instance }} is down or loses data",
        description="One bad port slows or stops every job that spans this node. Ports that the provider leaves"
        " unplugged on purpose are told apart in the runbook.",
    )
