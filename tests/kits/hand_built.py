"""A quote made by hand: small enough to be read, with every kind of line, verdict and note in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from ipaddress import IPv4Network

from planning.ceilings.verdict import Judgement
from planning.checklist.model.checklist import Customer
from planning.checklist.model.people import Access
from planning.checklist.model.vocabulary import Ide, Operation, Orchestration, Support
from planning.costs.bill import Bill, BillGroup, LineItem
from planning.quoting.quote import Buying, Option, PoolWorth, Quote, RunEstimate
from planning.sizing.demand import SizingFigure
from planning.spec.cluster import Amounts, ClusterSpec, Network, Placement, Pool, Profile, Services, Tier
from planning.spec.lock import Ceilings
from planning.spec.lock_content import State
from planning.values.money import NOTHING, Range
from planning.values.verdict import Verdict

TODAY = date(2026, 11, 21)
PRICED = date(2026, 10, 1)


def rising(least: str, expected: str, most: str) -> Range:
    return Range(Decimal(least), Decimal(expected), Decimal(most))


def line(
    key: str, group: BillGroup, *, usd: str = "2", quantity: Range | None = None, item: str = "", unit: str = "hour"
) -> LineItem:
    amount = quantity or Range.exactly(730)
    return LineItem(
        key=key,
        label=key.replace("/", " "),
        group=group,
        item=item or key,
        state=State.PRICED,
        quantity=amount,
        unit=unit,
        usd_per_unit=Decimal(usd),
        usd_per_month=amount.times(Decimal(usd)),
        source="list-2026-10",
        as_of=PRICED,
    )


def unpriced(key: str, group: BillGroup) -> LineItem:
    return replace(
        line(key, group),
        state=State.UNPRICED,
        usd_per_unit=None,
        usd_per_month=None,
        source="",
        as_of=None,
        note="no price for it in this region",
    )


def estimated(key: str, group: BillGroup) -> LineItem:
    rates, amount = rising("1", "2", "4"), Range.exactly(730)
    return replace(
        line(key, group, quantity=amount),
        state=State.ESTIMATED,
        usd_per_unit=rates.expected,
        usd_per_month=amount.by(rates),
        source="estimate",
        note="estimated: 12 other regions have it at 1 to 4 USD per hour; their median is expected",
        usd_per_unit_range=rates,
    )


def free(key: str, group: BillGroup) -> LineItem:
    return replace(
        line(key, group), state=State.FREE, usd_per_unit=None, usd_per_month=NOTHING, note="included in the machine"
    )


def bill(*more: LineItem) -> Bill:
    return Bill(
        (
            line(
                "pool/train/machine", BillGroup.COMPUTE, usd="24.5", quantity=rising("0", "301.25", "1460"), item="gpu8"
            ),
            line("pool/system/machine", BillGroup.COMPUTE, usd="0.384", quantity=Range.exactly(1460), item="cpu8"),
            free("control_plane", BillGroup.CONTROL_PLANE),
            line("storage/warm", BillGroup.STORAGE, usd="0.145", quantity=Range.exactly(14400), unit="GB-month"),
            *more,
        )
    )


def pool(name: str, *, gpu: bool) -> Pool:
    return Pool(
        name=name,
        role="gpu" if gpu else "system",
        workload=name if gpu else None,
        machine="gpu8" if gpu else "cpu8",
        accelerator="H100-SXM-80GB" if gpu else None,
        accelerators=8 if gpu else 0,
        vcpus=192 if gpu else 8,
        memory_gib=Decimal(2048 if gpu else 32),
        architecture="x86_64",
        purchase="spot" if gpu else "on_demand",
        kind="spot" if gpu else "on_demand",
        working=1 if gpu else 2,
        spares=1 if gpu else 0,
        min_nodes=0 if gpu else 2,
        max_nodes=2,
        node_hours=Amounts.of(rising("0", "301.25", "1460") if gpu else Range.exactly(1460)),
        disk_gb=200,
        local_nvme_gb=30000 if gpu else 0,
        fabric="efa" if gpu else "ethernet",
        efa_interfaces=32 if gpu else 0,
        placement_group=gpu,
        zones=("use1-az1",) if gpu else (),
        burn_in=gpu,
    )


def profile(provider: str) -> Profile:
    return Profile(
        provider=provider,
        title="EKS",
        gpu_driver="provider",
        device_plugin="atoll",
        node_feature_discovery="none",
        dcgm_exporter="atoll",
        network_plugin="atoll",
        node_repair="provider",
        autoscaler="atoll",
    )


def spec(provider: str = "aws", region: str = "us-east-1") -> ClusterSpec:
    return ClusterSpec(
        customer=Customer(name="acme", owner="ops@acme.example"),
        placement=Placement(provider=provider, region=region, zones=("use1-az1", "use1-az2"), target="aws"),
        network=Network(
            cidr=IPv4Network("10.64.0.0/16"),
            zone_count=2,
            nat_gateways=1,
            api_cidrs=(),
            egress_gb=Amounts.of(Range.exactly(500)),
            nat_gb=Amounts.of(Range.exactly(1500)),
            load_balancers=Amounts.of(Range.exactly(1)),
            peering=None,
        ),
        pools=(pool("train", gpu=True), pool("system", gpu=False)),
        storage=(
            Tier(
                tier="warm",
                engine="FSx for Lustre",
                item="shared_ssd",
                asked_gb=Decimal(10000),
                provisioned_gb=14400,
                purpose="data",
            ),
        ),
        logs_gb=Amounts.of(Range.exactly(50)),
        services=Services(
            support=Support.AS_NEEDED,
            support_usd_per_month=None,
            operation=Operation.OURSELVES,
            onboarding_usd_per_month=Decimal("291.67"),
            contract_months=12,
        ),
        access=Access(),
        ides=(Ide.VSCODE,),
        engineers=6,
        tracker="mlflow",
        schedulers=(),
        orchestration=Orchestration.KUBERNETES,
        kubernetes_version="1.35",
        existing=None,
        profile=profile(provider),
    )


def option(
    name: str = "aws-us-east-1-gpu8-spot",
    *,
    views: tuple[str, ...] = ("cheapest", "same_cloud"),
    whole: Bill | None = None,
    verdict: Verdict = Verdict.WITHIN,
    reason: str = "expected a month is 10,029.27 USD, the ceiling 30,000.00 USD",
) -> Option:
    counted = whole or bill()
    return Option(
        id=name,
        views=views,
        why=tuple(f"{view.replace('_', ' ')}: chosen for that" for view in views),
        placements=(spec(),),
        joined=False,
        bill=counted,
        judgement=Judgement(verdict=verdict, reason=reason),
        rank_usd_per_month=counted.usd_per_month,
        runs=(RunEstimate(workload="train", hours=Decimal("301.25"), usd=Decimal("7380.625")),),
        worth=(
            PoolWorth(
                pool="train",
                usd_per_hour=Decimal("24.5"),
                usd_per_gpu_hour=Decimal("3.0625"),
                usd_per_1000_tflops_hour=Decimal("3.0965"),
                big_three_usd_per_gpu_hour=Decimal("6.88"),
                flags=("sources differ by 12%",),
            ),
        ),
        buying=Buying(
            servers=2,
            usd_per_year=Decimal(248000),
            rent_usd_per_year=Decimal("285572.22"),
            break_even_month=36,
            source="Ntropy (March 2022)",
        ),
        leaves_out=("the VPN gateway", "taxes"),
        lock_in="EFA images; Kubernetes objects move",
        notes=("train: spot machines may be interrupted",),
    )


def quote(*options: Option) -> Quote:
    return Quote(
        stack="demo",
        options=options or (option(), doubtful(), dear()),
        reason="",
        missing_views={"committed": "the checklist asks for no contract"},
        advice=("allow spot machines: 9,000.00 USD a month",),
        figures=figures(),
        prices="current",
        prices_digest="0" * 64,
        prices_as_of=PRICED,
        priced_at=TODAY,
        valid_until=date(2026, 12, 5),
        checklist_digest="sha256:" + "1" * 64,
        refusals=(("not an NVIDIA accelerator", 60), ("a replica spans nodes", 6)),
    )


def doubtful() -> Option:
    return option(
        "smallcloud-any-gpu8",
        views=("no_spot",),
        whole=bill(unpriced("network/egress", BillGroup.NETWORK), unpriced("network/load_balancer", BillGroup.NETWORK)),
        verdict=Verdict.UNDETERMINED,
        reason="no price is known for network egress, network load_balancer",
    )


def dear() -> Option:
    return option(
        "aws-us-east-1-gpu8",
        views=("fastest",),
        whole=bill(line("services/support", BillGroup.SERVICES, usd="40000", quantity=Range.exactly(1), unit="month")),
        verdict=Verdict.OVER,
        reason="expected a month is 50,029.27 USD, the ceiling 30,000.00 USD",
    )


def ceilings(usd_per_month: str | None = "30000") -> Ceilings:
    return Ceilings(
        usd_per_month=None if usd_per_month is None else Decimal(usd_per_month),
        usd_per_contract=None,
        usd_per_gpu_hour=None,
        binds="expected",
    )


def figures() -> tuple[SizingFigure, ...]:
    return (
        SizingFigure(
            subject="train",
            name="accelerator memory to train",
            value=Decimal("157.5"),
            unit="GB",
            formula="parameters x 18 bytes x 1.25",
            inputs=(("parameters", "7000000000"),),
            source="ML Engineering Open Book",
        ),
        SizingFigure(
            subject="train",
            name="hours of one run",
            value=None,
            unit="h",
            formula="cannot be computed: give tokens",
            inputs=(),
            source="",
        ),
    )
