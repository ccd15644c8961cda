"""Matrix multiplication on every accelerator of the node at once, by PyTorch: how fast the slowest of them is.

All work at the same time, as they do in training, so that power and heat are those of a full node. Each shape is tried
once; the fastest is kept up for a while, of each accelerator the median counts, of the accelerators the slowest. A
tenth of a second says little: at its limit of power an H100 goes up and down by a tenth from one second to the next
(measured 2026-11-23, docs/reference/measured.md), and only the median of 20 s stays within 1%.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from components.agents.measure.child_process import CannotMeasureError, FoundWrongError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Shape = tuple[int, int, int]

WARM_UP: Final = 50
ROUNDS: Final = 100  # both as in the table of catalogs/achievable.csv
PRECISIONS: Final = ("bf16", "fp16", "fp8", "fp64", "int8", "tf32")
STEADY: Final = 20.0  # seconds, see above
MOST_PASSES: Final = 2_000  # of rounds, where no time seems to pass
MILLI: Final = 1000
TERA: Final = 10**12


@dataclass(frozen=True)
class MatmulThroughput:
    """TFLOPS of each accelerator, at the shape that was the fastest, and what PyTorch says it is."""

    version: str
    shape: Shape
    tflops: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def slowest(self) -> float:
        """TFLOPS of the slowest."""
        return min(self.tflops)


def torch_of_image() -> Any:  # noqa: ANN401 - a module without types here
    """PyTorch of the image.

    Raises:
        CannotMeasureError: it is not there, or cannot be loaded.
    """
    try:
        return importlib.import_module("torch")
    except (ImportError, OSError) as error:
        raise CannotMeasureError(f"PyTorch cannot be loaded: {error}") from error


def measure(
    shapes: Sequence[Shape],
    *,
    precision: str,
    torch: Any,  # noqa: ANN401 - as above
    steady: float = STEADY,
) -> MatmulThroughput:
    """The speed of every accelerator that PyTorch sees, kept up for so many seconds.

    Raises:
        FoundWrongError: an accelerator failed at it.
        CannotMeasureError: there is none, or PyTorch cannot do it in that precision.
    """
    if not torch.cuda.is_available() or not torch.cuda.device_count():
        raise CannotMeasureError("PyTorch sees no accelerator")
    devices = range(torch.cuda.device_count())
    try:
        tried = [(sum(_rates(each, devices, precision=precision, torch=torch)), each) for each in shapes]
        fastest = max(tried)[1]
        tflops = _rates(fastest, devices, precision=precision, torch=torch, steady=steady)
    except (RuntimeError, ValueError) as error:
        raise FoundWrongError(f"matrix multiplication in {precision}: {str(error).splitlines()[0]}") from error
    names = tuple(str(torch.cuda.get_device_name(device)) for device in devices)
    return MatmulThroughput(version=f"PyTorch {torch.__version__}", shape=fastest, tflops=tuple(tflops), names=names)


def _tflops(shape: Shape, seconds: float) -> float:
    rows, columns, inner = shape
    return 2 * rows * columns * inner / seconds / TERA if seconds > 0 else 0.0


def _rates(
    shape: Shape,
    devices: Sequence[int],
    *,
    precision: str,
    torch: Any,  # noqa: ANN401 - as above
    steady: float = 0.0,
) -> list[float]:
    """TFLOPS by device: the median of rounds that last so long together, of one pass of them at least."""
    works = [_work(shape, device, precision=precision, torch=torch) for device in devices]
    for _ in range(WARM_UP):
        for work in works:
            work()
    taken: list[list[float]] = [[] for _ in devices]
    for _ in range(MOST_PASSES):
        for known, more in zip(taken, _pass(works, devices, torch=torch)):  # noqa: B905 - one for each device
            known.extend(more)
        if min(sum(each) for each in taken) >= steady:
            break
    return [_tflops(shape, median(each)) for each in taken]


def _pass(works: Sequence[Callable[[], Any]], devices: Sequence[int], *, torch: Any) -> list[list[float]]:  # noqa: ANN401
    """Seconds of each round of one pass, by device."""
    marks: list[list[tuple[Any, Any]]] = [[] for _ in devices]
    for _ in range(ROUNDS):
        for device, work, marked in zip(devices, works, marks):  # noqa: B905 - one for each device
            with torch.cuda.device(device):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                work()
                end.record()
                marked.append((begin, end))
    for device in devices:
        torch.cuda.synchronize(device)
    return [[begin.elapsed_time(end) / MILLI for begin, end in marked] for marked in marks]


def _work(shape: Shape, device: int, *, precision: str, torch: Any) -> Callable[[], Any]:  # noqa: ANN401
    """One multiplication on one device, its operands made."""
    rows, columns, inner = shape
    place = f"cuda:{device}"
    if precision == "int8":
        left, right = (torch.ones(size, dtype=torch.int8, device=place) for size in ((rows, inner), (columns, inner)))
        return lambda: torch._int_mm(left, right.t())  # noqa: SLF001 - the only way to it
    if precision == "fp8":
        left, right = (
            torch.randn(size, device=place).to(torch.float8_e4m3fn) for size in ((rows, inner), (columns, inner))
        )
        one = torch.ones((), device=place)
        return lambda: torch._scaled_mm(left, right.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)  # noqa: SLF001
    kinds = {"bf16": "bfloat16", "fp16": "float16", "tf32": "float32", "fp64": "float64"}
    if precision not in kinds:
        raise CannotMeasureError(f"no way is known to multiply in {precision}")
    if precision == "tf32":
        torch.backends.cuda.matmul.allow_tf32 = True
    kind = getattr(torch, kinds[precision])
    first, second = (torch.randn(size, dtype=kind, device=place) for size in ((rows, inner), (inner, columns)))
    return lambda: torch.matmul(first, second)
