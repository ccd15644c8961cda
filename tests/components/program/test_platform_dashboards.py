from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pulumi
import specs
from look import at, of_type, one
from platform_samples import handle_of, spec_with

from components.context.settings import StackSettings
from components.platform.building_blocks.context import Keyring, KeyringArgs, PlatformContext
from components.platform.observability import grafana, opencost
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from planning.costs.node_prices import NodePrices
from planning.spec.cluster import ClusterSpec

PRICES = NodePrices(
    usd_per_hour={"burst": Decimal("98.32"), "system": Decimal("0.40")}, other_usd_per_month=Decimal(70)
)


def built(
    build: Any, spec: ClusterSpec, *, prices: NodePrices | None = PRICES, ceiling: Decimal | None = None
) -> OfflineRun:
    def program() -> None:
        platform = spec.platform
        assert platform is not None
        ground = PlatformContext(
            spec=spec,
            platform=platform,
            handle=handle_of(spec),
            settings=StackSettings(offline=True, allow_destroy=False, reservations={}),
            keyring=Keyring("keyring", KeyringArgs()),
            ceiling_usd_per_month=ceiling,
            prices=prices,
        )
        build(ground, [], pulumi.ResourceOptions(provider=ground.handle.provider))

    return run("sample", program=program)


def rules(found: OfflineRun) -> dict[str, list[dict[str, Any]]]:
    groups: Any = at(one(found, "kubernetes:monitoring.coreos.com/v1:PrometheusRule", "atoll-rules"), "spec", "groups")
    return {group["name"]: group["rules"] for group in groups}


def prices_of(found: OfflineRun) -> dict[str, str]:
    return {
        rule["labels"]["pool"]: rule["expr"]
        for rule in rules(found)["atoll-prices"]
        if rule["record"] == "atoll:pool_usd_per_hour"
    }


def on_our_nodes() -> ClusterSpec:
    return spec_with(specs.aws_cluster())


def test_nodes_of_ours_are_priced_by_their_pool() -> None:
    spec = on_our_nodes()
    pool = spec.pools[0].name
    prices = NodePrices(usd_per_hour={pool: Decimal("1.25")})
    assert prices_of(built(grafana.build_dashboards, spec, prices=prices)) == {pool: "vector(1.25)"}
    listed = one(built(opencost.build, spec, prices=prices), "kubernetes:core/v1:ConfigMap", "node-prices")
    assert f",{pool},,node,metadata.labels.atoll/pool,,1.25," in str(at(listed, "data", "prices.csv"))


def test_nodes_that_exist_are_priced_by_their_machine() -> None:
    spec = spec_with()
    pool = spec.pools[0]
    prices = NodePrices(usd_per_hour={pool.name: Decimal("2.49")})
    assert prices_of(built(grafana.build_dashboards, spec, prices=prices)) == {pool.machine: "vector(2.49)"}
    listed = one(built(opencost.build, spec, prices=prices), "kubernetes:core/v1:ConfigMap", "node-prices")
    assert "metadata.labels.node.kubernetes.io/instance-type" in str(at(listed, "data", "prices.csv"))


def test_the_accepted_bill_reaches_the_rules() -> None:
    spec = spec_with()
    pool = spec.pools[0]
    prices = NodePrices(usd_per_hour={pool.name: Decimal("2.49")}, other_usd_per_month=Decimal(70))
    found = run("sample", program=lambda: build((spec,), ceiling=Decimal(9000), prices=prices) and None)
    recorded = {rule["record"]: rule["expr"] for rule in rules(found)["atoll-prices"] if "labels" not in rule}
    assert prices_of(found) == {pool.machine: "vector(2.49)"}
    assert recorded["atoll:other_usd_per_month"] == "vector(70)"
    assert recorded["atoll:ceiling_usd_per_month"] == "vector(9000)"


def test_without_prices_nothing_is_invented() -> None:
    found = built(grafana.build_dashboards, spec_with(), prices=None, ceiling=Decimal(9000))
    assert prices_of(found) == {}
    assert "SpendOverCeiling" not in str(rules(found))


def test_the_ceiling_is_watched_where_there_is_one() -> None:
    spec = on_our_nodes()
    prices = NodePrices(usd_per_hour={spec.pools[0].name: Decimal(1)})
    assert "SpendOverCeiling" in str(rules(built(grafana.build_dashboards, spec, prices=prices, ceiling=Decimal(9000))))
    assert "SpendOverCeiling" not in str(rules(built(grafana.build_dashboards, spec, prices=prices)))


def test_namespaces_belong_to_teams() -> None:
    spec = spec_with(teams=[{"name": "vision", "workloads": ["burst"]}])
    found = [
        rule["labels"]
        for rule in rules(built(grafana.build_dashboards, spec))["atoll-prices"]
        if "team" in rule.get("labels", {})
    ]
    assert {"namespace": "work-burst", "team": "vision"} in found
    assert len(found) == len({each["namespace"] for each in found})


def test_every_dashboard_is_where_grafana_looks_for_it() -> None:
    maps = of_type(built(grafana.build_dashboards, spec_with()), "kubernetes:core/v1:ConfigMap")
    for each in maps:
        assert at(each, "metadata", "labels") == {"grafana_dashboard": "1"}
        ((file, text),) = at(each, "data").items()  # type: ignore[attr-defined]
        assert json.loads(text)["uid"] == each.name == file.removesuffix(".json")
    assert {"atoll-cluster", "atoll-cost", "atoll-gpus"} <= {each.name for each in maps}


def test_certificates_are_measured() -> None:
    monitor = one(
        built(grafana.build_dashboards, spec_with()), "kubernetes:monitoring.coreos.com/v1:PodMonitor", "certificates"
    )
    assert at(monitor, "spec", "namespaceSelector", "matchNames") == ["cert-manager"]


def test_opencost_asks_our_prometheus_and_our_price_list() -> None:
    values = at(
        one(built(opencost.build, spec_with()), "kubernetes:helm.sh/v3:Release", "opencost"), "values", "opencost"
    )
    assert values["prometheus"]["internal"] == {  # type: ignore[index]
        "serviceName": "prometheus-prometheus",
        "namespaceName": "observability",
        "port": 9090,
    }
    assert values["exporter"]["extraEnv"]["USE_CSV_PROVIDER"] == "true"  # type: ignore[index]
