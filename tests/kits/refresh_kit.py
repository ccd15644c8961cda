"""A catalog of few prices in a folder of its own: every table of ours but the prices, which a test names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path

from catalogs import integrity
from catalogs.catalog import ROOT, load
from catalogs.model import Method, Source
from catalogs.refreshed.layers import CatalogLayers
from operations.price_refresh.model import FoundPrice, PriceSection, SectionKind

TODAY = date(2026, 11, 23)
LIST = Source(
    id="aws-bulk", text="AWS price list", url="https://aws.amazon.com", as_of=date(2026, 11, 20), method=Method.LIST
)
OLD = (
    "aws,disk,eu-west-1,list,GB-month,0.088,0,ic-2024-07,2026-05-01",
    "aws,internet_egress,eu-west-1,list,GB,0.085,10240,ic-transfer,2026-05-01",
    "aws,internet_egress,eu-west-1,list,GB,0.09,0,ic-transfer,2026-05-01",
    "aws,m5.xlarge,eu-west-1,on_demand,hour,0.214,0,aws-karpenter,2026-05-01",
    "aws,m5.xlarge,us-east-1,on_demand,hour,0.192,0,aws-karpenter,2026-05-01",
    "aws,public_ipv4,*,list,hour,0.005,0,ic-2024-07,2026-05-01",
)
HEADER = ",".join(integrity.COLUMNS)


def make_catalog(folder: Path, *, rows: Iterable[str] = OLD, seconds: Iterable[str] = ()) -> CatalogLayers:
    """Layers over a catalog whose prices of one provider are `rows`, and all others none; it is stamped.

    Args:
        seconds: rows of the first provider's second_source.csv.
    """
    root = folder / "catalog"
    lines = sorted(rows)
    for path in ROOT.rglob("*.csv"):
        copy = root / path.relative_to(ROOT)
        if copy.parts[-3:-1] == ("catalog", "books") or "books" in copy.parts:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "prices.csv":
            own = [line for line in lines if line.startswith(f"{path.parent.name},")]
            copy.write_text("\n".join((HEADER, *own)) + "\n")
        elif path.name == "second_source.csv":
            own = [line for line in seconds if line.startswith(f"{path.parent.name},")]
            copy.write_text("\n".join(("provider,item,region,purchase,usd,source,as_of", *own)) + "\n")
        elif path.name == "sources.csv":
            copy.write_bytes(path.read_bytes())
        else:
            copy.symlink_to(path)
    layers = CatalogLayers(root)
    prices = load(root=root, layers=layers, stamped=False).prices
    (root / integrity.NAME).write_text(integrity.text(digest=prices.digest, words=prices.words))
    return layers


def found(item: str, amount: str, **more: object) -> FoundPrice:
    """A found price, by default a service of the list's day in the item's own unit."""
    words = {"as_of": LIST.as_of, "unit": "hour", **more}
    return FoundPrice(item=item, amount=Decimal(amount), **words)  # pyright: ignore[reportArgumentType]


def section(
    *prices: FoundPrice, region: str = "eu-west-1", provider: str = "aws", source: Source = LIST
) -> PriceSection:
    """Services, or machines where the first price is of one."""
    machines = bool(prices) and prices[0].purchase != "list"
    kind = SectionKind.MACHINES if machines else SectionKind.SERVICES
    return PriceSection(provider=provider, region=region, kind=kind, source=source, prices=tuple(prices))
