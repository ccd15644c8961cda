"""RunPod's GraphQL interface: rates per GPU of its own data centers and of third parties' hosts; no key is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Method, Source
from operations.price_refresh.amounts import read_amount, read_count
from operations.price_refresh.answers import as_object, as_objects, as_text, read_object
from operations.price_refresh.gpu_clouds.machine_quotes import ON_DEMAND, SPOT, MachineQuote, machine_sections, sizes_of
from operations.price_refresh.model import PriceReadError, SectionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.price_refresh.model import PriceRequest, PriceSection, SilentSection

PATH: Final = "/graphql"
# Fields of GpuType as gpuhunt asks for them (dstackai/gpuhunt at 35841515, 2026-08-19): prices are per GPU and hour.
QUERY: Final = """query Prices {
  gpuTypes {
    id
    maxGpuCount
    securePrice
    communityPrice
    secure: lowestPrice(input: {gpuCount: 1, secureCloud: true}) { minimumBidPrice }
    community: lowestPrice(input: {gpuCount: 1, secureCloud: false}) { minimumBidPrice }
  }
}"""
CLOUDS: Final = {"secure": Method.LIST, "community": Method.COMMUNITY}


def read(request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
    """The pods; a rate names no place. Raises: as `Reader.read`."""
    if not request.wants(SectionKind.MACHINES):
        return
    answer = read_object(request, PATH, body={"query": QUERY})
    yield from machine_sections(request, read_quotes(answer, request))


def read_quotes(answer: Mapping[str, object], request: PriceRequest) -> Iterator[MachineQuote]:
    """Pods of the numbers of GPUs that the catalog has, on demand and to the lowest bid, of both clouds.

    Raises:
        PriceReadError: the interface refuses the query, or it is not the form of the answer.
    """
    if answer.get("errors"):
        first = as_objects(answer["errors"], name="errors")[0]
        raise PriceReadError(f"{request.address}{PATH} refuses the query: {str(first.get('message'))[:80]}")
    for gpu in as_objects(as_object(answer.get("data"), name="data").get("gpuTypes"), name="gpuTypes"):
        for cloud, method in CLOUDS.items():
            yield from _quotes_of(gpu, request, cloud=cloud, method=method)


def _quotes_of(
    gpu: Mapping[str, object], request: PriceRequest, *, cloud: str, method: Method
) -> Iterator[MachineQuote]:
    name = as_text(gpu.get("id"), name="id")
    most = read_count(gpu.get("maxGpuCount"), name=f"{name}: maxGpuCount")
    lowest = as_object(gpu.get(cloud) or {}, name=f"{name}: lowestPrice")
    listed, bid = gpu.get(f"{cloud}Price"), lowest.get("minimumBidPrice")
    rates = (
        (ON_DEMAND, listed, _source(request, cloud, method)),
        # A bid as high as the rate is no price of spare capacity: so RunPod answers where it sells none.
        (SPOT, None if bid == listed else bid, _source(request, f"{cloud}-bid", Method.FLOOR)),
    )
    for purchase, rate, source in rates:
        if rate is None or rate == 0:  # it is not on offer: RunPod says so with null or with 0
            continue
        amount = read_amount(rate, name=f"{name}: {cloud}")
        pod = f"{name} ({cloud})"
        for count in sizes_of(request.provider, pod) or (1,):
            if count > most:
                continue
            yield MachineQuote(
                name=pod,
                place="",
                accelerators=count,
                purchase=purchase,
                amount=amount * count,
                as_of=request.today,
                source=source,
            )


def _source(request: PriceRequest, suffix: str, method: Method) -> Source:
    bid = "; the lowest bid of the moment, which moves" if method is Method.FLOOR else ""
    return Source(
        id=f"runpod-api-{suffix}",
        text=f"RunPod API, gpuTypes; rate per GPU times the GPUs of the pod, of the day on which it was asked{bid}",
        url=request.address + PATH,
        as_of=request.today,
        method=method,
    )
